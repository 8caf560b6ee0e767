/* Activity trace around timers: they fire after the wake-up, before the end of the iteration.
 * Rules: R30 R31 R34 R102 R41 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static int n;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    printf("* fire %d\n", ++n);
    if (n == 2) CFRunLoopTimerInvalidate(t);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopTimerRef t = make_timer(0.03, 0.05, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 2.0, true)));
    CFRelease(o);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
