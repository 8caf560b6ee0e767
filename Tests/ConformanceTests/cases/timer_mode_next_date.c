/* The next fire date of a mode is that of its earliest timer, and 0 when it has none.
 * Rules: R108 R107 */
#include "case.h"

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    printf("unknown mode %g, default %g\n", CFRunLoopGetNextTimerFireDate(rl, m),
           CFRunLoopGetNextTimerFireDate(rl, kCFRunLoopDefaultMode));
    CFRunLoopTimerRef x = make_timer(50, 10, fire, NULL), y = make_timer(30, 0, fire, NULL),
                      z = make_timer(40, 0, fire, NULL);
    CFRunLoopAddTimer(rl, x, m);
    CFRunLoopAddTimer(rl, y, m);
    CFRunLoopAddTimer(rl, z, m);
    printf("earliest is y %s\n",
           yes_no(CFRunLoopGetNextTimerFireDate(rl, m) == CFRunLoopTimerGetNextFireDate(y)));
    CFRunLoopRemoveTimer(rl, y, m);
    printf("then z %s\n",
           yes_no(CFRunLoopGetNextTimerFireDate(rl, m) == CFRunLoopTimerGetNextFireDate(z)));
    CFRunLoopTimerSetNextFireDate(x, CFAbsoluteTimeGetCurrent() + 5);
    printf("x moved to the front %s\n",
           yes_no(CFRunLoopGetNextTimerFireDate(rl, m) == CFRunLoopTimerGetNextFireDate(x)));
    CFRunLoopTimerInvalidate(x);
    CFRunLoopTimerInvalidate(z);
    printf("none left %g\n", CFRunLoopGetNextTimerFireDate(rl, m));
    CFRunLoopTimerInvalidate(y);
    CFRelease(x);
    CFRelease(y);
    CFRelease(z);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
