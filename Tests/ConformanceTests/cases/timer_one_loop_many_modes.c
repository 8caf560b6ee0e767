/* A timer belongs to one loop at a time, in as many of its modes as wanted, with one schedule.
 * Rules: R110 R113 R5 */
#include "case.h"

static int n;
static CFRunLoopTimerRef t;
static CFRunLoopRef main_rl;

static void fire(CFRunLoopTimerRef x, void *i) {
    (void)x;
    (void)i;
    n++;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), k = CFSTR("gyre.k");
    CFRunLoopAddTimer(rl, t, m);
    printf("taken loop refuses: here %s, there %s\n", yes_no(CFRunLoopContainsTimer(rl, t, m)),
           yes_no(CFRunLoopContainsTimer(main_rl, t, m)));
    CFRunLoopRemoveTimer(main_rl, t, m);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopAddTimer(rl, t, k);
    printf("free again: m %s k %s\n", yes_no(CFRunLoopContainsTimer(rl, t, m)),
           yes_no(CFRunLoopContainsTimer(rl, t, k)));
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 0.01);
    SInt32 r = CFRunLoopRunInMode(m, 0.05, false);
    printf("m: %s fired %d\n", result_name(r), n);
    r = CFRunLoopRunInMode(k, 0.05, false);
    printf("k: %s fired %d, one schedule\n", result_name(r), n);
    CFRunLoopRemoveTimer(rl, t, m);
    printf("left m only: m %s k %s, m runs %s\n", yes_no(CFRunLoopContainsTimer(rl, t, m)),
           yes_no(CFRunLoopContainsTimer(rl, t, k)),
           result_name(CFRunLoopRunInMode(m, 0.02, false)));
    CFRunLoopTimerInvalidate(t);
    printf("invalidated: k %s, k runs %s\n", yes_no(CFRunLoopContainsTimer(rl, t, k)),
           result_name(CFRunLoopRunInMode(k, 0.02, false)));
    return NULL;
}

int main(void) {
    main_rl = CFRunLoopGetCurrent();
    t = make_timer(60, 60, fire, NULL);
    CFRunLoopAddTimer(main_rl, t, CFSTR("gyre.m"));
    run_on_thread(body, NULL);
    CFRelease(t);
    return 0;
}
