/* The time-out bounds the whole run, however many events arrive; it does not interrupt a callout.
 * Rules: R50 R55 */
#include "case.h"

static int n;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    n++;
}

static void slow(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    pause_ms(120);
    printf("slow callout done\n");
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), k = CFSTR("gyre.k");
    CFRunLoopTimerRef t = make_timer(0.01, 0.01, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    CFAbsoluteTime t0 = CFAbsoluteTimeGetCurrent();
    SInt32 r = CFRunLoopRunInMode(m, 0.15, true);
    double dt = CFAbsoluteTimeGetCurrent() - t0;
    printf("busy: %s, not early %s, not late %s, several fires %s\n", result_name(r),
           yes_no(dt >= 0.149), yes_no(dt < 0.6), yes_no(n >= 3));
    CFRunLoopTimerInvalidate(t);
    CFRunLoopTimerRef u = make_timer(0.01, 10, slow, NULL);
    CFRunLoopAddTimer(rl, u, k);
    t0 = CFAbsoluteTimeGetCurrent();
    r = CFRunLoopRunInMode(k, 0.05, false);
    dt = CFAbsoluteTimeGetCurrent() - t0;
    printf("slow: %s, after the callout %s\n", result_name(r), yes_no(dt >= 0.12));
    CFRunLoopTimerInvalidate(u);
    CFRelease(t);
    CFRelease(u);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
