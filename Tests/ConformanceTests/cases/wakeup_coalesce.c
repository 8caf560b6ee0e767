/* Wake-ups coalesce into one and are not remembered from outside a run.
 * Rules: R150 R151 R153 */
#include "case.h"

static int wakes, sleeps, times;

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    if (a == kCFRunLoopAfterWaiting) wakes++;
    if (a == kCFRunLoopBeforeWaiting) {
        sleeps++;
        if (times > 0) {
            for (int k = 0; k < 20; k++) CFRunLoopWakeUp(CFRunLoopGetCurrent());
            times--;
        }
    }
}

static void noop(void *i) { (void)i; }

static void go(const char *what) {
    wakes = sleeps = 0;
    SInt32 r = CFRunLoopRunInMode(CFSTR("gyre.m"), 0.08, true);
    printf("%s: %s, slept %d, woke %d\n", what, result_name(r), sleeps, wakes);
}

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopObserverRef o =
        make_observer(kCFRunLoopBeforeWaiting | kCFRunLoopAfterWaiting, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, o, m);
    for (int k = 0; k < 5; k++) CFRunLoopWakeUp(rl);
    go("woken before the run");
    times = 1;
    go("twenty wake-ups before one sleep");
    times = 3;
    go("twenty wake-ups before three sleeps");
    go("nothing left over");
    CFRelease(s);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
