/* Items added to the common modes follow the set of common modes, also for modes joined later.
 * Rules: R17 R18 R19 R20 */
#include "case.h"

static void noop(void *i) { (void)i; }

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
}

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
}

static CFRunLoopSourceRef s;
static CFRunLoopTimerRef t;
static CFRunLoopObserverRef o;

static void show(const char *what, CFRunLoopRef rl, CFStringRef m) {
    printf("%s: %s: source %s timer %s observer %s\n", what, text_of(m),
           yes_no(CFRunLoopContainsSource(rl, s, m)), yes_no(CFRunLoopContainsTimer(rl, t, m)),
           yes_no(CFRunLoopContainsObserver(rl, o, m)));
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    s = make_source(0, noop, NULL);
    t = make_timer(100, 0, fire, NULL);
    o = make_observer(kCFRunLoopEntry, true, 0, ob, NULL);
    CFRunLoopAddSource(rl, s, kCFRunLoopCommonModes);
    CFRunLoopAddTimer(rl, t, kCFRunLoopCommonModes);
    CFRunLoopAddObserver(rl, o, kCFRunLoopCommonModes);
    show("added", rl, kCFRunLoopDefaultMode);
    show("added", rl, kCFRunLoopCommonModes);
    show("added", rl, m);
    CFRunLoopAddCommonMode(rl, m);
    show("m joined", rl, m);
    CFRunLoopAddCommonMode(rl, m);
    show("m joined twice", rl, m);
    CFRunLoopRemoveSource(rl, s, kCFRunLoopDefaultMode);
    CFRunLoopRemoveTimer(rl, t, kCFRunLoopDefaultMode);
    CFRunLoopRemoveObserver(rl, o, kCFRunLoopDefaultMode);
    show("taken from default only", rl, kCFRunLoopDefaultMode);
    show("taken from default only", rl, m);
    show("taken from default only", rl, kCFRunLoopCommonModes);
    printf("default runs: %s, m runs: %s\n",
           result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)),
           result_name(CFRunLoopRunInMode(m, 0, false)));
    CFRunLoopAddCommonMode(rl, n);
    show("n joined", rl, n);
    CFRunLoopRemoveSource(rl, s, kCFRunLoopCommonModes);
    CFRunLoopRemoveTimer(rl, t, kCFRunLoopCommonModes);
    CFRunLoopRemoveObserver(rl, o, kCFRunLoopCommonModes);
    show("removed from common", rl, m);
    show("removed from common", rl, n);
    show("removed from common", rl, kCFRunLoopCommonModes);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopRemoveSource(rl, s, kCFRunLoopCommonModes);
    printf("privately added source survives a common removal: %s\n",
           yes_no(CFRunLoopContainsSource(rl, s, m)));
    CFRelease(s);
    CFRelease(t);
    CFRelease(o);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
