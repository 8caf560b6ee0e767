/* A repeating timer keeps to its grid: the next date is a whole number of intervals on, missed
 * firings are skipped.
 * Rules: R104 R107 R119 */
#include "case.h"

#include <math.h>

static CFAbsoluteTime base;
static int n;

static double k_of(CFAbsoluteTime d) { return (d - base) / 0.05; }

static int on_grid(CFAbsoluteTime d) {
    double k = k_of(d);
    return fabs(k - rint(k)) < 0.02;
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    n++;
    CFAbsoluteTime d = CFRunLoopTimerGetNextFireDate(t);
    printf("fire %d: on grid %s, not early %s\n", n, yes_no(on_grid(d)),
           yes_no(CFAbsoluteTimeGetCurrent() >= d - 0.001));
    if (n == 2) pause_ms(130);
    if (n == 5) CFRunLoopStop(CFRunLoopGetCurrent());
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    base = CFAbsoluteTimeGetCurrent() + 0.02;
    CFRunLoopTimerRef t = CFRunLoopTimerCreate(kCFAllocatorDefault, base, 0.05, 0, 0, fire, NULL);
    printf("repeats %s\n", yes_no(CFRunLoopTimerDoesRepeat(t)));
    CFRunLoopAddTimer(rl, t, m);
    printf("run: %s\n", result_name(CFRunLoopRunInMode(m, 5, false)));
    double k = k_of(CFRunLoopTimerGetNextFireDate(t));
    printf("next on grid %s, firings missed in the slow callout were dropped %s\n",
           yes_no(on_grid(base + k * 0.05)), yes_no(k > 6.5));
    printf("next is in the future %s\n",
           yes_no(CFRunLoopTimerGetNextFireDate(t) > CFAbsoluteTimeGetCurrent() - 0.001));
    CFRunLoopTimerInvalidate(t);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
