/* IsWaiting is true only while the loop sleeps, as seen from another thread and from callouts.
 * Rules: R152 R150 R48 */
#include "case.h"

#include <stdatomic.h>

static CFRunLoopRef rl;
static atomic_int phase;

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s: waiting %s\n", activity_name(a), yes_no(CFRunLoopIsWaiting(rl)));
}

static void perform(void *i) {
    (void)i;
    printf("perform: waiting %s\n", yes_no(CFRunLoopIsWaiting(rl)));
}

static void *body(void *x) {
    CFRunLoopSourceRef *s = (CFRunLoopSourceRef *)x;
    rl = CFRunLoopGetCurrent();
    *s = make_source(0, perform, NULL);
    CFRunLoopAddSource(rl, *s, kCFRunLoopDefaultMode);
    CFRunLoopObserverRef o =
        make_observer(kCFRunLoopBeforeWaiting | kCFRunLoopAfterWaiting, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, o, kCFRunLoopDefaultMode);
    printf("idle: waiting %s\n", yes_no(CFRunLoopIsWaiting(rl)));
    phase = 1;
    printf("run: %s\n", result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, true)));
    printf("after: waiting %s\n", yes_no(CFRunLoopIsWaiting(rl)));
    CFRunLoopSourceInvalidate(*s);
    CFRelease(o);
    return NULL;
}

int main(void) {
    CFRunLoopSourceRef s = NULL;
    pthread_t t;
    pthread_create(&t, NULL, body, &s);
    int seen = 0;
    for (int k = 0; k < 3000 && !seen; k++) {
        pause_ms(1);
        if (phase && CFRunLoopIsWaiting(rl)) seen = 1;
    }
    printf("seen waiting from outside %s\n", yes_no(seen));
    CFRunLoopSourceSignal(s);
    CFRunLoopWakeUp(rl);
    pthread_join(t, NULL);
    CFRelease(s);
    return 0;
}
