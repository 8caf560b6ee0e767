/* A stop sent to a loop that is not running is dropped; from the first observer callout on it
 * counts.
 * Rules: R44 R46 R48 */
#include "case.h"

static void noop(void *i) { (void)i; }

static CFOptionFlags stop_at;

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("  %s\n", activity_name(a));
    if (a == stop_at) CFRunLoopStop(CFRunLoopGetCurrent());
}

static void go(const char *what, CFOptionFlags at, double sec) {
    stop_at = at;
    printf("%s\n", what);
    printf("%s\n", result_name(CFRunLoopRunInMode(CFSTR("gyre.m"), sec, false)));
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopStop(rl);
    CFRunLoopStop(rl);
    printf("stop before run: %s\n", result_name(CFRunLoopRunInMode(m, 0.02, false)));
    CFRunLoopAddObserver(rl, o, m);
    go("stop in Entry", kCFRunLoopEntry, 1);
    go("stop in BeforeTimers", kCFRunLoopBeforeTimers, 1);
    go("stop in BeforeSources", kCFRunLoopBeforeSources, 1);
    go("stop in BeforeWaiting", kCFRunLoopBeforeWaiting, 1);
    go("stop in Exit", kCFRunLoopExit, 0);
    go("next run is not affected", 0, 0);
    CFRelease(s);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
