/* Full activity trace around a signalled source: the iteration that performs a source does not
 * sleep.
 * Rules: R30 R31 R32 R38 R41 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static void perform(void *i) {
    (void)i;
    printf("* perform\n");
}

static void last(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("* timer stops\n");
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopSourceRef s = make_source(0, perform, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddSource(rl, s, m);
    printf("-- signalled, handled once\n");
    CFRunLoopSourceSignal(s);
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 1.0, true)));
    printf("-- not signalled, poll\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    printf("-- signalled, run on until a timer stops\n");
    CFRunLoopTimerRef t = make_timer(0.2, 0, last, NULL);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopSourceSignal(s);
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 2.0, false)));
    CFRelease(o);
    CFRelease(s);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
