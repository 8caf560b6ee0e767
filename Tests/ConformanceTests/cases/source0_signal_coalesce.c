/* Signals coalesce; signalling inside the callout asks for one more; a signal alone does not wake
 * a sleeping loop.
 * Rules: R72 R73 R76 R85 */
#include "case.h"

static int n, again;
static CFRunLoopSourceRef s;

static void perform(void *i) {
    (void)i;
    printf(" perform%d", ++n);
    if (again > 0) {
        again--;
        CFRunLoopSourceSignal(s);
        CFRunLoopSourceSignal(s);
    }
}

static void signal_only(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
    CFRunLoopSourceSignal(s);
    printf(" signalled-before-waiting");
}

static void tick(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf(" tick");
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), other = CFSTR("gyre.other");
    s = make_source(0, perform, NULL);
    CFRunLoopAddSource(rl, s, m);
    for (int k = 0; k < 10; k++) CFRunLoopSourceSignal(s);
    printf("ten signals:");
    SInt32 r = CFRunLoopRunInMode(m, 0.03, false);
    printf(" (%s)\n", result_name(r));
    again = 3;
    CFRunLoopSourceSignal(s);
    printf("signals itself:");
    r = CFRunLoopRunInMode(m, 0.05, false);
    printf(" (%s)\n", result_name(r));
    CFRunLoopSourceSignal(s);
    CFRunLoopTimerRef far = make_timer(60, 0, tick, NULL);
    CFRunLoopAddTimer(rl, far, other);
    printf("other mode:");
    r = CFRunLoopRunInMode(other, 0.02, false);
    printf(" (%s)\n", result_name(r));
    printf("kept for its own mode:");
    r = CFRunLoopRunInMode(m, 0, false);
    printf(" (%s)\n", result_name(r));
    CFRunLoopObserverRef o = make_observer(kCFRunLoopBeforeWaiting, false, 0, signal_only, NULL);
    CFRunLoopTimerRef t = make_timer(0.04, 0, tick, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddTimer(rl, t, m);
    printf("no wake:");
    r = CFRunLoopRunInMode(m, 0.3, false);
    printf(" (%s)\n", result_name(r));
    CFRunLoopTimerInvalidate(far);
    CFRelease(far);
    CFRelease(o);
    CFRelease(t);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
