/* A non-repeating observer is called once, for the first activity that comes, and is invalid
 * afterwards.
 * Rules: R133 R137 */
#include "case.h"

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)i;
    printf("  %s, valid inside %s\n", activity_name(a), yes_no(CFRunLoopObserverIsValid(o)));
}

static void noop(void *i) { (void)i; }

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopAddSource(rl, s, n);
    CFRunLoopObserverRef o =
        make_observer(kCFRunLoopBeforeSources | kCFRunLoopExit, false, 0, ob, NULL);
    printf("repeats %s valid %s\n", yes_no(CFRunLoopObserverDoesRepeat(o)),
           yes_no(CFRunLoopObserverIsValid(o)));
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddObserver(rl, o, n);
    CFRunLoopRunInMode(m, 0, false);
    printf("valid after %s, in m %s, in n %s\n", yes_no(CFRunLoopObserverIsValid(o)),
           yes_no(CFRunLoopContainsObserver(rl, o, m)),
           yes_no(CFRunLoopContainsObserver(rl, o, n)));
    CFRunLoopRunInMode(n, 0, false);
    CFRunLoopAddObserver(rl, o, m);
    printf("added again %s\n", yes_no(CFRunLoopContainsObserver(rl, o, m)));
    CFRelease(o);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
