/* countdown_cf.c - a program written for CoreFoundation: nothing in it knows of Gyre.
 *
 *     cc countdown_cf.c $(pkg-config --cflags --libs gyre-cf) -o countdown_cf && ./countdown_cf */
#include <CoreFoundation/CoreFoundation.h>

typedef struct {
    int left;
    CFRunLoopSourceRef lift_off;
} countdown;

static void count(CFRunLoopTimerRef timer, void *info) {
    countdown *c = info;
    if (c->left > 0) {
        printf("%d\n", c->left--);
        return;
    }
    CFRunLoopTimerInvalidate(timer);
    CFRunLoopSourceSignal(c->lift_off);
    CFRunLoopWakeUp(CFRunLoopGetCurrent());
}

static void lift_off(void *info) {
    printf("lift-off\n");
    CFRunLoopStop((CFRunLoopRef)info);
}

static void show_exit(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info) {
    char mode[64] = "";
    CFStringRef name = CFRunLoopCopyCurrentMode((CFRunLoopRef)info);
    (void)observer;
    CFStringGetCString(name, mode, sizeof mode, kCFStringEncodingUTF8);
    CFRelease(name);
    if (activity == kCFRunLoopExit) printf("the run in mode %s ends\n", mode);
}

int main(void) {
    CFRunLoopRef loop = CFRunLoopGetCurrent();
    CFStringRef mode = CFSTR("countdown");

    CFRunLoopSourceContext source_context = {0};
    source_context.info = loop;
    source_context.perform = lift_off;
    countdown c = {3, CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &source_context)};
    CFRunLoopAddSource(loop, c.lift_off, mode);

    CFRunLoopTimerContext timer_context = {0};
    timer_context.info = &c;
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(
        kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 0.02, 0.02, 0, 0, count, &timer_context);
    CFRunLoopAddTimer(loop, timer, mode);

    CFRunLoopObserverContext observer_context = {0};
    observer_context.info = loop;
    CFRunLoopObserverRef observer = CFRunLoopObserverCreate(kCFAllocatorDefault, kCFRunLoopExit,
                                                            true, 0, show_exit, &observer_context);
    CFRunLoopAddObserver(loop, observer, mode);

    SInt32 result = CFRunLoopRunInMode(mode, 10, false);
    printf("stopped: %s\n", result == kCFRunLoopRunStopped ? "yes" : "no");

    CFRelease(observer);
    CFRelease(timer);
    CFRelease(c.lift_off);
    return 0;
}
