/* An interval below the clock's resolution is still a repeating timer, not a crash.
 * Rules: R115 R119
 *
 * [linux-bug] CoreFoundation on Linux aborts the process when a repeating timer's interval rounds
 * to zero clock ticks (below one nanosecond). Wanted: such an interval behaves like the smallest
 * one the clock has. */
#include "case.h"

static int n;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    if (++n == 5) CFRunLoopTimerInvalidate(t);
}

static void *body(void *a) {
    (void)a;
    setvbuf(stdout, NULL, _IONBF, 0);
    CFRunLoopTimerRef t = make_timer(0.01, 1e-12, fire, NULL);
    printf("repeats %s\n", yes_no(CFRunLoopTimerDoesRepeat(t)));
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), t, CFSTR("gyre.m"));
    SInt32 r = CFRunLoopRunInMode(CFSTR("gyre.m"), 5, false);
    printf("run %s, fired %d\n", result_name(r), n);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
