/* Adding, removing and invalidating observers from an observer's callout.
 * Rules: R134 R132 */
#include "case.h"

static CFRunLoopObserverRef o[5];
static CFStringRef m;
static int act_once = 1;

static void ob(CFRunLoopObserverRef x, CFRunLoopActivity a, void *i) {
    (void)x;
    (void)a;
    const char *name = (const char *)i;
    printf(" %s", name);
    if (act_once && strcmp(name, "one") == 0) {
        act_once = 0;
        CFRunLoopObserverInvalidate(o[1]);
        CFRunLoopAddObserver(CFRunLoopGetCurrent(), o[4], m);
    }
}

static void noop(void *i) { (void)i; }

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    m = CFSTR("gyre.m");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    const char *name[5] = {"one", "two(invalidated)", "three", "four", "five(added)"};
    for (int k = 0; k < 5; k++) o[k] = make_observer(kCFRunLoopEntry, true, k, ob, (void *)name[k]);
    for (int k = 0; k < 4; k++) CFRunLoopAddObserver(rl, o[k], m);
    for (int k = 0; k < 2; k++) {
        printf("run %d:", k);
        CFRunLoopRunInMode(m, 0, false);
        printf("\n");
    }
    for (int k = 0; k < 5; k++) {
        CFRunLoopObserverInvalidate(o[k]);
        CFRelease(o[k]);
    }
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
