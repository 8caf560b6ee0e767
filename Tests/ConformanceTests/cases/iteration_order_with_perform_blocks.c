/* Where blocks run inside an iteration relative to observers, sources and timers.
 * Rules: R31 R35 R63 R67 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static CFStringRef m;

static void blk(const char *name) {
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), m, ^{
      printf("* block %s\n", name);
    });
}

static void perform(void *i) {
    (void)i;
    printf("* perform\n");
    blk("from source");
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("* fire\n");
    blk("from timer");
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopSourceRef s = make_source(0, perform, NULL);
    CFRunLoopTimerRef t = make_timer(0.2, 0, fire, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopSourceSignal(s);
    blk("pending at start");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 2.0, false)));
    printf("-- a block does not end a return-after-source run\n");
    blk("only");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0.03, true)));
    CFRelease(o);
    CFRelease(s);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
