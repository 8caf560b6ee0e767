/* Moving a timer's date outside its callout, in a loop and before it is in one.
 * Rules: R105 R107 R108 */
#include "case.h"

static int n;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    n++;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopTimerRef t = make_timer(60, 30, fire, NULL);
    CFAbsoluteTime d = CFAbsoluteTimeGetCurrent() + 0.03;
    CFRunLoopTimerSetNextFireDate(t, d);
    printf("date taken %s\n", yes_no(CFRunLoopTimerGetNextFireDate(t) == d));
    CFRunLoopAddTimer(rl, t, m);
    printf("mode date %s\n", yes_no(CFRunLoopGetNextTimerFireDate(rl, m) == d));
    SInt32 r = CFRunLoopRunInMode(m, 0.3, false);
    printf("fired %d (%s)\n", n, result_name(r));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 0.03);
    r = CFRunLoopRunInMode(m, 0.3, false);
    printf("earlier: fired %d (%s)\n", n, result_name(r));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 0.03);
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 60);
    r = CFRunLoopRunInMode(m, 0.1, false);
    printf("put off: fired %d (%s)\n", n, result_name(r));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() - 1000);
    r = CFRunLoopRunInMode(m, 0.05, false);
    printf("past date: fired %d (%s)\n", n, result_name(r));
    double next = CFRunLoopTimerGetNextFireDate(t) - CFAbsoluteTimeGetCurrent();
    printf("then one interval on %s\n", yes_no(next > 29 && next < 30.01));
    CFRunLoopTimerInvalidate(t);
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent());
    printf("invalid: date %g, mode date %g\n", CFRunLoopTimerGetNextFireDate(t),
           CFRunLoopGetNextTimerFireDate(rl, m));
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
