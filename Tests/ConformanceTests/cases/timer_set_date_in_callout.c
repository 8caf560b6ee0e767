/* Moving the date from inside the callout: later dates are kept, and a one-shot timer is not
 * revived.
 * Rules: R106 R104 R102 */
#include "case.h"

static int n;
static double put;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    n++;
    if (n == 1) {
        put = CFAbsoluteTimeGetCurrent() + 40;
        CFRunLoopTimerSetNextFireDate(t, put);
    }
}

static void quick(CFRunLoopTimerRef t, void *i) {
    (void)i;
    n++;
    if (n < 4) CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 0.01);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopTimerRef t = make_timer(0.01, 0.01, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    SInt32 r = CFRunLoopRunInMode(m, 0.1, false);
    printf("put off inside: fired %d, date kept %s (%s)\n", n,
           yes_no(CFRunLoopTimerGetNextFireDate(t) == put), result_name(r));
    CFRunLoopTimerInvalidate(t);
    CFRelease(t);
    n = 0;
    t = make_timer(0.01, 50, quick, NULL);
    CFRunLoopAddTimer(rl, t, m);
    r = CFRunLoopRunInMode(m, 0.3, false);
    printf("pulled in inside: fired %d (%s)\n", n, result_name(r));
    double next = CFRunLoopTimerGetNextFireDate(t) - CFAbsoluteTimeGetCurrent();
    printf("then its own interval again %s\n", yes_no(next > 49 && next < 50.01));
    CFRunLoopTimerInvalidate(t);
    CFRelease(t);
    n = 0;
    t = make_timer(0.01, 0, quick, NULL);
    CFRunLoopAddTimer(rl, t, m);
    r = CFRunLoopRunInMode(m, 0.2, false);
    printf("one-shot: fired %d, valid %s (%s)\n", n, yes_no(CFRunLoopTimerIsValid(t)),
           result_name(r));
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
