/* One loop per thread, created on first use; the main loop is the same object from every thread.
 * Rules: R1 R2 R3 R6 R11 R12 */
#include "case.h"

static CFRunLoopRef main_rl, first_rl;

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    first_rl = rl;
    printf("thread: stable %s\n", yes_no(rl != NULL && rl == CFRunLoopGetCurrent()));
    printf("thread: differs from main %s\n", yes_no(rl != main_rl));
    printf("thread: main seen from thread %s\n", yes_no(CFRunLoopGetMain() == main_rl));
    printf("thread: equal to itself %s, to main %s\n", yes_no(CFEqual(rl, rl)),
           yes_no(CFEqual(rl, main_rl)));
    CFStringRef m = CFRunLoopCopyCurrentMode(rl);
    printf("thread: current mode %s\n", text_of(m));
    CFArrayRef all = CFRunLoopCopyAllModes(rl);
    printf("thread: modes %ld, first is default %s\n", (long)CFArrayGetCount(all),
           yes_no(CFEqual(CFArrayGetValueAtIndex(all, 0), kCFRunLoopDefaultMode)));
    CFRelease(all);
    printf("thread: waiting %s\n", yes_no(CFRunLoopIsWaiting(rl)));
    return NULL;
}

static void noop(void *i) { (void)i; }

static void tnoop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
}

static void onoop(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
}

int main(void) {
    main_rl = CFRunLoopGetCurrent();
    printf("main: current is main %s\n", yes_no(main_rl == CFRunLoopGetMain()));
    run_on_thread(body, NULL);
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopTimerRef t = make_timer(1, 0, tnoop, NULL);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopEntry, true, 0, onoop, NULL);
    CFTypeID ids[4] = {CFRunLoopGetTypeID(), CFRunLoopSourceGetTypeID(), CFRunLoopTimerGetTypeID(),
                       CFRunLoopObserverGetTypeID()};
    int distinct = 1;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            if (ids[i] == ids[j]) distinct = 0;
    printf("type ids distinct %s\n", yes_no(distinct));
    printf("loop id %s source id %s timer id %s observer id %s\n",
           yes_no(CFGetTypeID(main_rl) == ids[0]), yes_no(CFGetTypeID(s) == ids[1]),
           yes_no(CFGetTypeID(t) == ids[2]), yes_no(CFGetTypeID(o) == ids[3]));
    CFRelease(s);
    CFRelease(t);
    CFRelease(o);
    return 0;
}
