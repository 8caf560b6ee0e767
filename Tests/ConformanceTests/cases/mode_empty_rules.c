/* What makes a mode non-empty off the main thread: sources and timers do, observers do not.
 * Rules: R13 R15 R102 */
#include "case.h"

static int entries;

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    if (a == kCFRunLoopEntry) entries++;
}

static void noop(void *i) { (void)i; }

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("  fired\n");
}

static void go(const char *what, CFStringRef mode, double sec) {
    entries = 0;
    SInt32 r = CFRunLoopRunInMode(mode, sec, false);
    printf("%s: %s, entries %d\n", what, result_name(r), entries);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    go("unknown mode", CFSTR("gyre.unknown"), 0.05);
    go("default, nothing added", kCFRunLoopDefaultMode, 0.05);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, o, m);
    go("observer only", m, 0.05);
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    go("with a source", m, 0.02);
    go("with a source, polling", m, 0);
    CFRunLoopRemoveSource(rl, s, m);
    go("source removed", m, 0.05);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopSourceInvalidate(s);
    go("source invalidated", m, 0.05);
    CFRunLoopTimerRef t = make_timer(100, 0, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    go("with a far timer", m, 0.02);
    CFRunLoopTimerInvalidate(t);
    go("timer invalidated", m, 0.05);
    CFRunLoopTimerRef t2 = make_timer(0.02, 0, fire, NULL);
    CFRunLoopAddTimer(rl, t2, m);
    go("one-shot timer ends the run", m, 10);
    CFRunLoopTimerRef t3 = make_timer(0, 0.01, fire, NULL);
    CFRunLoopAddTimer(rl, t3, m);
    CFRunLoopRemoveTimer(rl, t3, m);
    go("timer removed", m, 0.05);
    printf("removed timer still valid %s\n", yes_no(CFRunLoopTimerIsValid(t3)));
    CFRelease(o);
    CFRelease(s);
    CFRelease(t);
    CFRelease(t2);
    CFRelease(t3);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
