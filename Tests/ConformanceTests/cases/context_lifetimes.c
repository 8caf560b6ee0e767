/* Contexts are copied and retained at creation; timers and observers release theirs when
 * invalidated.
 * Rules: R160 R161 R162 R121 R137 */
#include "case.h"

static int up, down;

static const void *on_retain(const void *i) {
    up++;
    return i;
}

static void on_release(const void *i) {
    (void)i;
    down++;
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    printf("  fire, info %d, released so far %d\n", *(int *)i, down);
}

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    printf("  observe, info %d\n", *(int *)i);
}

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    int cell = 5;
    CFRunLoopTimerContext tc, tb;
    memset(&tc, 0, sizeof tc);
    memset(&tb, 0, sizeof tb);
    tc.info = &cell;
    tc.retain = on_retain;
    tc.release = on_release;
    CFRunLoopTimerRef t = CFRunLoopTimerCreate(
        kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 0.01, 0, 0, 0, fire, &tc);
    tc.info = NULL;
    printf("timer created: balance %d\n", up - down);
    CFRunLoopTimerGetContext(t, &tb);
    printf("context info %s retain %s\n", yes_no(tb.info == &cell), yes_no(tb.retain == on_retain));
    CFRunLoopAddTimer(rl, t, m);
    printf("timer added: balance %d\n", up - down);
    CFRunLoopRunInMode(m, 1, false);
    printf("fired one-shot: balance %d\n", up - down);
    CFRunLoopTimerGetContext(t, &tb);
    printf("context info cleared %s\n", yes_no(tb.info == NULL));
    CFRunLoopTimerInvalidate(t);
    CFRelease(t);
    printf("timer gone: balance %d\n", up - down);
    CFRunLoopObserverContext oc, obk;
    memset(&oc, 0, sizeof oc);
    memset(&obk, 0, sizeof obk);
    oc.info = &cell;
    oc.retain = on_retain;
    oc.release = on_release;
    CFRunLoopObserverRef o =
        CFRunLoopObserverCreate(kCFAllocatorDefault, kCFRunLoopEntry, true, 0, ob, &oc);
    printf("observer created: balance %d\n", up - down);
    CFRunLoopTimerRef keep = make_timer(60, 0, fire, &cell);
    CFRunLoopAddTimer(rl, keep, m);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopRunInMode(m, 0, false);
    CFRunLoopRemoveObserver(rl, o, m);
    printf("observer removed: balance %d valid %s\n", up - down,
           yes_no(CFRunLoopObserverIsValid(o)));
    CFRunLoopObserverInvalidate(o);
    CFRunLoopObserverGetContext(o, &obk);
    printf("observer invalidated: balance %d, info cleared %s\n", up - down,
           yes_no(obk.info == NULL));
    CFRelease(o);
    printf("observer gone: balance %d\n", up - down);
    CFRunLoopTimerInvalidate(keep);
    CFRelease(keep);
    CFRunLoopTimerRef never =
        CFRunLoopTimerCreate(kCFAllocatorDefault, 0, 0, 0, 0, fire, (tc.info = &cell, &tc));
    CFRelease(never);
    printf("timer destroyed without being invalidated: balance %d\n", up - down);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
