/* On the main thread the common modes are never empty; private modes are.
 * Rules: R14 R15 R17 */
#include "case.h"

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
}

int main(void) {
    CFRunLoopRef rl = CFRunLoopGetMain();
    CFStringRef m = CFSTR("gyre.m");
    printf("default polled: %s\n",
           result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)));
    printf("default waits: %s\n",
           result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.03, true)));
    printf("private unknown: %s\n", result_name(CFRunLoopRunInMode(m, 0.03, false)));
    CFRunLoopObserverRef o = make_observer(kCFRunLoopEntry, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, o, m);
    printf("private with observer: %s\n", result_name(CFRunLoopRunInMode(m, 0.03, false)));
    CFRunLoopAddCommonMode(rl, m);
    printf("private made common: %s\n", result_name(CFRunLoopRunInMode(m, 0.03, false)));
    CFRelease(o);
    return 0;
}
