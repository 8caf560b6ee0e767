/* The four results of a run.
 * Rules: R40 R42 R102 */
#include "case.h"

static void noop(void *i) { (void)i; }

static void stop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void quiet(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    printf("values %d %d %d %d\n", kCFRunLoopRunFinished, kCFRunLoopRunStopped,
           kCFRunLoopRunTimedOut, kCFRunLoopRunHandledSource);
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    printf("nothing happens: %s\n", result_name(CFRunLoopRunInMode(m, 0.02, true)));
    CFRunLoopSourceSignal(s);
    printf("signalled, return after source: %s\n", result_name(CFRunLoopRunInMode(m, 0.5, true)));
    CFRunLoopSourceSignal(s);
    printf("signalled, keep running: %s\n", result_name(CFRunLoopRunInMode(m, 0.03, false)));
    CFRunLoopTimerRef q = make_timer(0.01, 0, quiet, NULL);
    CFRunLoopAddTimer(rl, q, m);
    printf("a timer is not a source: %s\n", result_name(CFRunLoopRunInMode(m, 0.06, true)));
    CFRunLoopTimerRef t = make_timer(0.01, 0, stop, NULL);
    CFRunLoopAddTimer(rl, t, m);
    printf("stopped: %s\n", result_name(CFRunLoopRunInMode(m, 2, true)));
    CFRunLoopRemoveSource(rl, s, m);
    printf("empty: %s\n", result_name(CFRunLoopRunInMode(m, 2, true)));
    CFRelease(s);
    CFRelease(q);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
