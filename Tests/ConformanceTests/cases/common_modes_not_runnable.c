/* The common-modes name is not a mode one can run.
 * Rules: R16 */
#include "case.h"

static int entries, performed;

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
    entries++;
}

static void perform(void *i) {
    (void)i;
    performed++;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFRunLoopSourceRef s = make_source(0, perform, NULL);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, ob, NULL);
    CFRunLoopAddSource(rl, s, kCFRunLoopCommonModes);
    CFRunLoopAddObserver(rl, o, kCFRunLoopCommonModes);
    CFRunLoopSourceSignal(s);
    SInt32 r = CFRunLoopRunInMode(kCFRunLoopCommonModes, 1.0, true);
    printf("common: %s, callouts %d, performed %d\n", result_name(r), entries, performed);
    r = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0, true);
    printf("default: %s, performed %d\n", result_name(r), performed);
    CFRelease(s);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
