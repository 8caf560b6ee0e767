/* An invalidated source leaves all modes, ignores signals and additions, and keeps its context
 * until it is destroyed.
 * Rules: R80 R83 R162 R161 */
#include "case.h"

static int retained, released, performed;

static const void *on_retain(const void *i) {
    retained++;
    return i;
}

static void on_release(const void *i) {
    (void)i;
    released++;
}

static CFRunLoopSourceRef s;

static void perform(void *i) {
    (void)i;
    performed++;
    if (performed == 2) {
        CFRunLoopSourceInvalidate(s);
        printf("  invalidated inside, valid %s\n", yes_no(CFRunLoopSourceIsValid(s)));
    }
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    int cell = 7;
    CFRunLoopSourceContext c, back;
    memset(&c, 0, sizeof c);
    c.info = &cell;
    c.retain = on_retain;
    c.release = on_release;
    c.perform = perform;
    s = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &c);
    printf("created: valid %s, retained %d released %d\n", yes_no(CFRunLoopSourceIsValid(s)),
           retained, released);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopAddSource(rl, s, n);
    CFRunLoopSourceSignal(s);
    printf("first: %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    CFRunLoopSourceSignal(s);
    printf("second: %s\n", result_name(CFRunLoopRunInMode(m, 1, true)));
    printf("in m %s, in n %s\n", yes_no(CFRunLoopContainsSource(rl, s, m)),
           yes_no(CFRunLoopContainsSource(rl, s, n)));
    CFRunLoopSourceSignal(s);
    CFRunLoopAddSource(rl, s, m);
    SInt32 afterwards = CFRunLoopRunInMode(m, 0.02, true);
    printf("afterwards: %s, performed %d\n", result_name(afterwards), performed);
    memset(&back, 0, sizeof back);
    CFRunLoopSourceGetContext(s, &back);
    printf("context kept: info %s perform %s\n", yes_no(back.info == &cell),
           yes_no(back.perform == perform));
    printf("before destruction: retained %d released %d\n", retained, released);
    CFRelease(s);
    printf("after destruction: retained %d released %d\n", retained, released);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
