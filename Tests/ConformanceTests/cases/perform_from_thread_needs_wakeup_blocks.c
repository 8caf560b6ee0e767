/* A block enqueued from another thread runs only after the loop is woken.
 * Rules: R62 R48 R150 R170 */
#include "case.h"

#include <stdatomic.h>

static atomic_int ran, ready;
static CFRunLoopRef rl;
static CFStringRef m;

static void waiting(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
    ready = 1;
}

static void noop(void *i) { (void)i; }

static void *body(void *a) {
    (void)a;
    rl = CFRunLoopGetCurrent();
    CFRunLoopObserverRef o = make_observer(kCFRunLoopBeforeWaiting, true, 0, waiting, NULL);
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddSource(rl, s, m);
    SInt32 r = CFRunLoopRunInMode(m, 5, false);
    printf("run: %s\n", result_name(r));
    CFRelease(o);
    CFRelease(s);
    return NULL;
}

int main(void) {
    m = CFSTR("gyre.m");
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    while (!ready || !CFRunLoopIsWaiting(rl)) pause_ms(1);
    pause_ms(20);
    CFRunLoopPerformBlock(rl, m, ^{
      ran = 1;
    });
    pause_ms(60);
    printf("without wake-up: ran %d\n", ran);
    CFRunLoopWakeUp(rl);
    for (int i = 0; i < 500 && !ran; i++) pause_ms(2);
    printf("after wake-up: ran %d\n", ran);
    pause_ms(20);
    CFRunLoopPerformBlock(rl, m, ^{
      printf("second block stops\n");
      CFRunLoopStop(CFRunLoopGetCurrent());
    });
    CFRunLoopWakeUp(rl);
    pthread_join(t, NULL);
    return 0;
}
