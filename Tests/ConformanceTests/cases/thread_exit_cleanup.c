/* When a thread ends its loop lets go of its items: sources get their cancel callback, timers and
 * observers stay valid but detached.
 * Rules: R4 R5 R78 R83 */
#include "case.h"

static int sched, cancel, rel;

static void on_sched(void *i, CFRunLoopRef rl, CFStringRef m) {
    (void)i;
    (void)rl;
    sched++;
    printf("schedule %s\n", text_of(m));
}

static void on_cancel(void *i, CFRunLoopRef rl, CFStringRef m) {
    (void)i;
    cancel++;
    printf("cancel %s, loop given %s\n", text_of(m), yes_no(rl != NULL));
}

static void on_release(const void *i) {
    (void)i;
    rel++;
    printf("release\n");
}

static void perform(void *i) {
    (void)i;
    printf("perform\n");
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("timer\n");
}

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    (void)i;
}

static CFRunLoopTimerRef timer;
static CFRunLoopObserverRef observer;
static CFRunLoopSourceRef kept;
static CFRunLoopRef dead;

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFRunLoopSourceContext c;
    memset(&c, 0, sizeof c);
    c.info = &sched;
    c.schedule = on_sched;
    c.cancel = on_cancel;
    c.release = on_release;
    c.perform = perform;
    kept = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &c);
    CFRunLoopAddSource(rl, kept, kCFRunLoopDefaultMode);
    timer = make_timer(100, 0, fire, NULL);
    CFRunLoopAddTimer(rl, timer, kCFRunLoopDefaultMode);
    observer = make_observer(kCFRunLoopEntry, true, 0, ob, NULL);
    CFRunLoopAddObserver(rl, observer, kCFRunLoopDefaultMode);
    dead = rl;
    printf("thread ends\n");
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    printf("joined: schedules %d cancels %d releases %d\n", sched, cancel, rel);
    printf("source valid %s timer valid %s observer valid %s\n",
           yes_no(CFRunLoopSourceIsValid(kept)), yes_no(CFRunLoopTimerIsValid(timer)),
           yes_no(CFRunLoopObserverIsValid(observer)));
    /* the detached timer can be given to another loop */
    CFStringRef priv = CFSTR("gyre.private");
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent());
    CFRunLoopAddTimer(rl, timer, priv);
    CFRunLoopAddObserver(rl, observer, priv);
    printf("adopted timer %s observer %s\n", yes_no(CFRunLoopContainsTimer(rl, timer, priv)),
           yes_no(CFRunLoopContainsObserver(rl, observer, priv)));
    printf("run %s\n", result_name(CFRunLoopRunInMode(priv, 0.5, false)));
    CFRelease(kept);
    printf("releases %d\n", rel);
    CFRelease(timer);
    CFRelease(observer);
    return 0;
}
