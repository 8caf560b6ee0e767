/* CFRunLoopRun uses the default mode and ends on stop or when the mode is empty.
 * Rules: R42 R45 */
#include "case.h"

static int n;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)i;
    printf("fire %d\n", ++n);
    if (n == 3) CFRunLoopTimerInvalidate(t);
}

static void stop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("stop\n");
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void nested(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    CFRunLoopTimerRef x = make_timer(0.01, 0, stop, NULL);
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), x, kCFRunLoopDefaultMode);
    CFRelease(x);
    printf("nested begins\n");
    CFRunLoopRun();
    printf("nested ends\n");
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFRunLoopRun();
    printf("empty: returned\n");
    CFRunLoopTimerRef t = make_timer(0.01, 0.01, fire, NULL);
    CFRunLoopAddTimer(rl, t, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    printf("last timer gone: returned\n");
    CFRunLoopTimerRef far = make_timer(100, 0, fire, NULL), nn = make_timer(0.01, 0, nested, NULL),
                      st = make_timer(0.08, 0, stop, NULL);
    CFRunLoopAddTimer(rl, far, kCFRunLoopDefaultMode);
    CFRunLoopAddTimer(rl, nn, kCFRunLoopDefaultMode);
    CFRunLoopAddTimer(rl, st, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    printf("stopped: returned, far timer valid %s\n", yes_no(CFRunLoopTimerIsValid(far)));
    CFRunLoopTimerInvalidate(far);
    CFRelease(t);
    CFRelease(far);
    CFRelease(nn);
    CFRelease(st);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
