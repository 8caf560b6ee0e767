/* Several due timers fire in one pass by fire date; equal dates in the order they were added; the
 * order field does not matter.
 * Rules: R103 R33 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    if (a == kCFRunLoopBeforeTimers) printf(" |");
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    printf(" %s", (const char *)i);
}

static CFRunLoopTimerRef at(CFAbsoluteTime d, CFIndex order, const char *name) {
    CFRunLoopTimerContext c;
    memset(&c, 0, sizeof c);
    c.info = (void *)name;
    return CFRunLoopTimerCreate(kCFAllocatorDefault, d, 0, 0, order, fire, &c);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopBeforeTimers, true, 0, trace, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFAbsoluteTime base = CFAbsoluteTimeGetCurrent() + 0.02;
    const double off[6] = {0.004, 0.001, 0.003, 0.000, 0.002, 0.005};
    const char *name[6] = {"e", "b", "d", "a", "c", "f"};
    CFRunLoopTimerRef t[6];
    for (int k = 0; k < 6; k++) {
        t[k] = at(base + off[k], (k * 7) % 5, name[k]);
        CFRunLoopAddTimer(rl, t[k], m);
    }
    pause_ms(50);
    printf("due:");
    SInt32 r = CFRunLoopRunInMode(m, 1, false);
    printf(" (%s)\n", result_name(r));
    for (int k = 0; k < 6; k++) CFRelease(t[k]);
    /* added in another order than created; all created with a date already past are due at once */
    CFRunLoopTimerRef p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = at(0, -k, k == 0 ? "one" : k == 1 ? "two" : "three");
        pause_ms(2);
    }
    CFRunLoopAddTimer(rl, p[2], m);
    CFRunLoopAddTimer(rl, p[0], m);
    CFRunLoopAddTimer(rl, p[1], m);
    printf("past:");
    r = CFRunLoopRunInMode(m, 1, false);
    printf(" (%s)\n", result_name(r));
    for (int k = 0; k < 3; k++) CFRelease(p[k]);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
