/* A one-shot timer is valid inside its callout and invalid after it.
 * Rules: R100 R101 R102 R107 */
#include "case.h"

static void fire(CFRunLoopTimerRef t, void *i) {
    CFAbsoluteTime d = *(CFAbsoluteTime *)i;
    printf("  fire: valid %s, in mode %s, date unchanged %s\n", yes_no(CFRunLoopTimerIsValid(t)),
           yes_no(CFRunLoopContainsTimer(CFRunLoopGetCurrent(), t, CFSTR("gyre.m"))),
           yes_no(CFRunLoopTimerGetNextFireDate(t) == d));
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFAbsoluteTime when = CFAbsoluteTimeGetCurrent() + 0.03;
    CFRunLoopTimerContext c;
    memset(&c, 0, sizeof c);
    c.info = &when;
    CFRunLoopTimerRef t = CFRunLoopTimerCreate(kCFAllocatorDefault, when, 0, 0, 9, fire, &c);
    printf("repeats %s interval %g order %ld\n", yes_no(CFRunLoopTimerDoesRepeat(t)),
           CFRunLoopTimerGetInterval(t), (long)CFRunLoopTimerGetOrder(t));
    printf("date as given %s\n", yes_no(CFRunLoopTimerGetNextFireDate(t) == when));
    CFRunLoopAddTimer(rl, t, m);
    SInt32 r = CFRunLoopRunInMode(m, 5, false);
    printf("run: %s, not early %s\n", result_name(r),
           yes_no(CFAbsoluteTimeGetCurrent() >= when - 0.001));
    printf("after: valid %s, in mode %s, date %g\n", yes_no(CFRunLoopTimerIsValid(t)),
           yes_no(CFRunLoopContainsTimer(rl, t, m)), CFRunLoopTimerGetNextFireDate(t));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent());
    CFRunLoopAddTimer(rl, t, m);
    printf("cannot be revived: %s\n", result_name(CFRunLoopRunInMode(m, 0.05, false)));
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
