/* A timer added to a sleeping loop from another thread, or moved to an earlier date, takes effect
 * without an explicit wake-up.
 * Rules: R111 R105 R170 */
#include "case.h"

#include <stdatomic.h>

static CFRunLoopRef rl;
static CFStringRef m;
static atomic_int up;
static CFAbsoluteTime t0;

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("fired on the loop's thread %s\n", yes_no(CFRunLoopGetCurrent() == rl));
    CFRunLoopStop(rl);
}

static void noop(void *i) { (void)i; }

static void *body(void *a) {
    (void)a;
    rl = CFRunLoopGetCurrent();
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    for (int k = 0; k < 2; k++) {
        up = k + 1;
        t0 = CFAbsoluteTimeGetCurrent();
        SInt32 r = CFRunLoopRunInMode(m, 5, false);
        printf("run: %s, promptly %s\n", result_name(r),
               yes_no(CFAbsoluteTimeGetCurrent() - t0 < 1.5));
    }
    CFRelease(s);
    return NULL;
}

int main(void) {
    m = CFSTR("gyre.m");
    pthread_t th;
    pthread_create(&th, NULL, body, NULL);
    while (up < 1 || !CFRunLoopIsWaiting(rl)) pause_ms(1);
    pause_ms(20);
    CFRunLoopTimerRef t = make_timer(0.02, 0, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    while (up < 2 || !CFRunLoopIsWaiting(rl)) pause_ms(1);
    pause_ms(20);
    CFRunLoopTimerRef u = make_timer(60, 0, fire, NULL);
    CFRunLoopAddTimer(rl, u, m);
    pause_ms(20);
    CFRunLoopTimerSetNextFireDate(u, CFAbsoluteTimeGetCurrent() + 0.02);
    pthread_join(th, NULL);
    CFRelease(t);
    CFRelease(u);
    return 0;
}
