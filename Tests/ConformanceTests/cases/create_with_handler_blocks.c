/* Timers and observers made from blocks behave like the function form.
 * Rules: R100 R130 R160 R68 */
#include "case.h"

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    __block int fires = 0, seen = 0, same = 1;
    CFRunLoopTimerRef t =
        CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 0.01,
                                        0.01, 0, 0, ^(CFRunLoopTimerRef me) {
                                          if (!CFRunLoopTimerIsValid(me)) same = 0;
                                          if (++fires == 3) CFRunLoopTimerInvalidate(me);
                                        });
    CFRunLoopObserverRef o = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, kCFRunLoopEntry | kCFRunLoopExit, true, 4,
        ^(CFRunLoopObserverRef me, CFRunLoopActivity a) {
          if (CFRunLoopObserverGetOrder(me) != 4) same = 0;
          seen |= (int)a;
        });
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopAddObserver(rl, o, m);
    SInt32 r = CFRunLoopRunInMode(m, 5, false);
    printf("%s: fires %d, activities %x, consistent %s\n", result_name(r), fires, seen,
           yes_no(same));
    CFRelease(t);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
