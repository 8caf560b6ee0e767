/* The usual way to hand work to another thread's loop: signal, then wake.
 * Rules: R48 R85 R150 R170 */
#include "case.h"

#include <stdatomic.h>

static CFRunLoopRef rl;
static CFRunLoopSourceRef s;
static atomic_int up, got;

static void perform(void *i) {
    (void)i;
    got++;
}

static void entry(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
    up = 1;
}

static void *body(void *a) {
    (void)a;
    rl = CFRunLoopGetCurrent();
    s = make_source(0, perform, NULL);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopEntry, false, 0, entry, NULL);
    CFRunLoopAddSource(rl, s, kCFRunLoopDefaultMode);
    CFRunLoopAddObserver(rl, o, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    printf("run ended\n");
    CFRunLoopSourceInvalidate(s);
    CFRelease(o);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    while (!up) pause_ms(1);
    int lost = 0;
    for (int k = 1; k <= 50; k++) {
        CFRunLoopSourceSignal(s);
        CFRunLoopWakeUp(rl);
        int spins = 0;
        while (got < k && spins++ < 1000) pause_ms(1);
        if (got != k) lost++;
    }
    printf("fifty handed over, lost %d, performed %d\n", lost, got);
    CFRunLoopStop(rl);
    pthread_join(t, NULL);
    CFRelease(s);
    return 0;
}
