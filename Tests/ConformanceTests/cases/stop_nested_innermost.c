/* Stop ends only the innermost run.
 * Rules: R45 R12 */
#include "case.h"

static CFStringRef outer, inner;

static void show(const char *w) {
    CFStringRef c = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent());
    printf("%s: mode %s\n", w, text_of(c));
    if (c) CFRelease(c);
}

static void inner_stop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    show("inner timer");
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void outer_run(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    show("outer timer");
    CFRunLoopTimerRef x = make_timer(0.01, 0, inner_stop, NULL);
    CFRunLoopAddTimer(CFRunLoopGetCurrent(), x, inner);
    CFRelease(x);
    printf("inner run: %s\n", result_name(CFRunLoopRunInMode(inner, 2, false)));
    show("back in outer");
}

static void outer_stop(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    show("outer stop timer");
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void noop(void *i) { (void)i; }

static void *body(void *a) {
    (void)a;
    outer = CFSTR("gyre.outer");
    inner = CFSTR("gyre.inner");
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFRunLoopSourceRef keep = make_source(0, noop, NULL), keep2 = make_source(1, noop, NULL);
    CFRunLoopAddSource(rl, keep, outer);
    CFRunLoopAddSource(rl, keep2, inner);
    CFRunLoopTimerRef t = make_timer(0.01, 0, outer_run, NULL),
                      u = make_timer(0.08, 0, outer_stop, NULL);
    CFRunLoopAddTimer(rl, t, outer);
    CFRunLoopAddTimer(rl, u, outer);
    printf("outer run: %s\n", result_name(CFRunLoopRunInMode(outer, 2, false)));
    show("after");
    CFRelease(keep);
    CFRelease(keep2);
    CFRelease(t);
    CFRelease(u);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
