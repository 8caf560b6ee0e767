/* With a zero timeout there is one pass, without the two waiting activities; due timers and ready
 * blocks are still served.
 * Rules: R32 R34 R51 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    printf("* fire %s\n", (const char *)i);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopTimerRef due = make_timer(0.005, 0, fire, (void *)"due"),
                      far = make_timer(60, 0, fire, (void *)"far");
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddTimer(rl, far, m);
    CFRunLoopAddTimer(rl, due, m);
    pause_ms(20);
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    printf("-- negative\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, -5, false)));
    printf("far valid %s, due valid %s\n", yes_no(CFRunLoopTimerIsValid(far)),
           yes_no(CFRunLoopTimerIsValid(due)));
    CFRunLoopTimerInvalidate(far);
    CFRelease(o);
    CFRelease(due);
    CFRelease(far);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
