/* Zero, negative, small, huge, infinite and not-a-number time-outs.
 * Rules: R50 R51 R52 R53 R56 */
#include "case.h"

#include <math.h>

static void stop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void noop(void *i) { (void)i; }

static void go(const char *what, double sec, int with_stop, double low, double high) {
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopTimerRef t = NULL;
    if (with_stop) {
        t = make_timer(0.03, 0, stop, NULL);
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), t, m);
    }
    CFAbsoluteTime t0 = CFAbsoluteTimeGetCurrent();
    SInt32 r = CFRunLoopRunInMode(m, sec, false);
    double dt = CFAbsoluteTimeGetCurrent() - t0;
    printf("%s: %s, not early %s, not late %s\n", what, result_name(r), yes_no(dt >= low - 0.001),
           yes_no(dt <= high));
    if (t) {
        CFRunLoopTimerInvalidate(t);
        CFRelease(t);
    }
}

static void *body(void *a) {
    (void)a;
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), s, CFSTR("gyre.m"));
    go("zero", 0, 0, 0, 0.2);
    go("minus zero", -0.0, 0, 0, 0.2);
    go("negative", -10, 0, 0, 0.2);
    go("minus infinity", -INFINITY, 0, 0, 0.2);
    go("tiny", 1e-9, 0, 0, 0.2);
    go("fifty milliseconds", 0.05, 0, 0.05, 0.4);
    go("ten to the ten", 1e10, 1, 0.02, 0.5);
    go("largest double", 1.7976931348623157e308, 1, 0.02, 0.5);
    go("infinity", INFINITY, 1, 0.02, 0.5);
    go("not a number", NAN, 1, 0.02, 0.5);
    go("five hundred million seconds", 5.0e8, 1, 0.02, 0.5);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
