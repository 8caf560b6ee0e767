/* A mode keeps its items alive: they may be released right after being added, and go away when
 * taken out.
 * Rules: R163 R3 R83 R165 */
#include "case.h"

static int gone;

static void on_release(const void *i) {
    gone++;
    printf("  %s gone\n", (const char *)i);
}

static void perform(void *i) { printf("  %s performed\n", (const char *)i); }

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    printf("  %s fired\n", (const char *)i);
}

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)a;
    printf("  %s observed\n", (const char *)i);
}

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    CFRunLoopSourceContext sc;
    CFRunLoopTimerContext tc;
    CFRunLoopObserverContext oc;
    memset(&sc, 0, sizeof sc);
    memset(&tc, 0, sizeof tc);
    memset(&oc, 0, sizeof oc);
    sc.info = (void *)"source";
    sc.release = on_release;
    sc.perform = perform;
    tc.info = (void *)"timer";
    tc.release = on_release;
    oc.info = (void *)"observer";
    oc.release = on_release;
    CFRunLoopSourceRef s = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &sc);
    CFRunLoopTimerRef t = CFRunLoopTimerCreate(kCFAllocatorDefault, 0, 0, 0, 0, fire, &tc);
    CFRunLoopObserverRef o =
        CFRunLoopObserverCreate(kCFAllocatorDefault, kCFRunLoopEntry, true, 0, ob, &oc);
    CFRunLoopAddSource(rl, s, m);
    CFRunLoopAddSource(rl, s, n);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopAddTimer(rl, t, n);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddObserver(rl, o, n);
    CFRelease(s);
    CFRelease(t);
    CFRelease(o);
    printf("released, gone %d\n", gone);
    CFRunLoopSourceSignal(s);
    printf("run: %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    printf("one-shot timer is used up, gone %d\n", gone);
    CFRunLoopRemoveSource(rl, s, m);
    CFRunLoopRemoveObserver(rl, o, m);
    printf("still in n, gone %d\n", gone);
    CFRunLoopRemoveSource(rl, s, n);
    printf("source out of both, gone %d\n", gone);
    CFRunLoopRemoveObserver(rl, o, n);
    printf("observer out of both, gone %d\n", gone);
    CFTypeRef r = CFRetain(rl);
    printf("retain returns the loop %s\n", yes_no(r == (CFTypeRef)rl));
    CFRelease(rl);
    printf("still usable %s\n", yes_no(CFRunLoopGetCurrent() == rl));
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
