/* With return-after-source only the first signalled source is performed; the others stay
 * signalled.
 * Rules: R74 R75 R40 */
#include "case.h"

static void perform(void *i) { printf(" %s", (const char *)i); }

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceRef x = make_source(2, perform, (void *)"x2"),
                       y = make_source(1, perform, (void *)"y1"),
                       z = make_source(3, perform, (void *)"z3");
    CFRunLoopAddSource(rl, x, m);
    CFRunLoopAddSource(rl, y, m);
    CFRunLoopAddSource(rl, z, m);
    CFRunLoopSourceSignal(x);
    CFRunLoopSourceSignal(y);
    CFRunLoopSourceSignal(z);
    for (int k = 0; k < 4; k++) {
        printf("run %d:", k);
        SInt32 r = CFRunLoopRunInMode(m, k < 3 ? 1.0 : 0.02, true);
        printf(" (%s)\n", result_name(r));
    }
    CFRunLoopSourceSignal(x);
    CFRunLoopSourceSignal(y);
    CFRunLoopSourceSignal(z);
    printf("all:");
    SInt32 r = CFRunLoopRunInMode(m, 0.02, false);
    printf(" (%s)\n", result_name(r));
    CFRelease(x);
    CFRelease(y);
    CFRelease(z);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
