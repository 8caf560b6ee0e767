/* Tolerance is stored, bounded, and never makes a timer fire early or drift.
 * Rules: R109 R104
 *
 * [linux-bug] CoreFoundation on Linux ignores tolerance: setting does nothing and reading gives 0.
 * Wanted: the value is kept; a negative value counts as 0; for a repeating timer it is at most
 * half the interval. */
#include "case.h"

static int n;
static CFAbsoluteTime base;
static int early;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    if (CFAbsoluteTimeGetCurrent() < CFRunLoopTimerGetNextFireDate(t) - 0.001) early = 1;
    if (++n == 4) CFRunLoopStop(CFRunLoopGetCurrent());
}

static void *body(void *a) {
    (void)a;
    CFRunLoopTimerRef t = make_timer(60, 0, fire, NULL);
    printf("default %g\n", CFRunLoopTimerGetTolerance(t));
    CFRunLoopTimerSetTolerance(t, 2.5);
    printf("one-shot %g\n", CFRunLoopTimerGetTolerance(t));
    CFRunLoopTimerSetTolerance(t, -1);
    printf("negative %g\n", CFRunLoopTimerGetTolerance(t));
    CFRelease(t);
    base = CFAbsoluteTimeGetCurrent() + 0.04;
    t = CFRunLoopTimerCreate(kCFAllocatorDefault, base, 0.04, 0, 0, fire, NULL);
    CFRunLoopTimerSetTolerance(t, 0.01);
    printf("repeating %g\n", CFRunLoopTimerGetTolerance(t));
    CFRunLoopTimerSetTolerance(t, 5);
    printf("bounded by half the interval %g\n", CFRunLoopTimerGetTolerance(t));
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), t, CFSTR("gyre.m"));
    SInt32 r = CFRunLoopRunInMode(CFSTR("gyre.m"), 5, false);
    double k = (CFRunLoopTimerGetNextFireDate(t) - base) / 0.04;
    printf("run %s, early %s, still on the grid %s\n", result_name(r), yes_no(early),
           yes_no(k - (double)(long)(k + 0.5) < 0.05 && k - (double)(long)(k + 0.5) > -0.05));
    CFRunLoopTimerInvalidate(t);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
