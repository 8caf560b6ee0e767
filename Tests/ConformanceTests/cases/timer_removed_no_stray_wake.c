/* Taking away the only timer also takes away its wake-up.
 * Rules: R114 R34
 *
 * [linux-bug] CoreFoundation on Linux leaves the kernel timer armed when the last timer of a mode
 * goes away, so the loop wakes once for nothing. Wanted: no wake-up. */
#include "case.h"

static int waits;

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
    waits++;
}

static void noop(void *i) { (void)i; }

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("fired\n");
}

static void run_and_count(const char *what, CFStringRef m) {
    waits = 0;
    SInt32 result = CFRunLoopRunInMode(m, 0.12, false);
    printf("%s: %s, waits %d\n", what, result_name(result), waits);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopBeforeWaiting, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, o, m);
    run_and_count("no timer", m);
    CFRunLoopTimerRef t = make_timer(0.05, 0, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopRemoveTimer(rl, t, m);
    run_and_count("removed", m);
    CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 0.05);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopTimerInvalidate(t);
    run_and_count("invalidated", m);
    CFRelease(s);
    CFRelease(o);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
