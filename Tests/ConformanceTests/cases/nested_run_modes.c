/* A run inside a callout: its own Entry and Exit, its own mode's items only, and the outer mode
 * restored.
 * Rules: R12 R30 R45 R77 */
#include "case.h"

static CFStringRef outer, inner;
static CFRunLoopSourceRef so, si;
static int depth;

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    CFStringRef c = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent());
    printf("%*s%s %s, current %s\n", depth * 2, "", (const char *)i, activity_name(a), text_of(c));
    if (c) CFRelease(c);
}

static void perform_outer(void *i) {
    (void)i;
    printf("outer perform begins\n");
    CFRunLoopSourceSignal(si);
    CFRunLoopSourceSignal(so);
    depth++;
    SInt32 r = CFRunLoopRunInMode(inner, 1, true);
    depth--;
    printf("outer perform ends: %s\n", result_name(r));
    CFRunLoopSourceInvalidate(so);
}

static void perform_inner(void *i) {
    (void)i;
    printf("  inner perform\n");
}

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    outer = CFSTR("gyre.outer");
    inner = CFSTR("gyre.inner");
    so = make_source(0, perform_outer, NULL);
    si = make_source(0, perform_inner, NULL);
    CFRunLoopAddSource(rl, so, outer);
    CFRunLoopAddSource(rl, si, inner);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopEntry | kCFRunLoopExit, true, 0, trace,
                                           (void *)"outer"),
                         p = make_observer(kCFRunLoopEntry | kCFRunLoopExit, true, 0, trace,
                                           (void *)"inner");
    CFRunLoopAddObserver(rl, o, outer);
    CFRunLoopAddObserver(rl, p, inner);
    CFRunLoopSourceSignal(so);
    printf("%s\n", result_name(CFRunLoopRunInMode(outer, 1, true)));
    CFRelease(o);
    CFRelease(p);
    CFRelease(so);
    CFRelease(si);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
