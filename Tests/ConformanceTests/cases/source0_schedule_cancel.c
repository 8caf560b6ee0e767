/* Schedule and cancel callbacks: once per loop and mode in which the source really comes or goes.
 * Rules: R78 R79 R80 R18 R20 */
#include "case.h"

static int rls_ok = 1;
static CFRunLoopRef mine;

static void on_sched(void *i, CFRunLoopRef rl, CFStringRef m) {
    if (rl != mine) rls_ok = 0;
    printf("  schedule %s in %s\n", (const char *)i, text_of(m));
}

static void on_cancel(void *i, CFRunLoopRef rl, CFStringRef m) {
    if (rl != mine) rls_ok = 0;
    printf("  cancel %s in %s\n", (const char *)i, text_of(m));
}

static void perform(void *i) { (void)i; }

static CFRunLoopSourceRef make(const char *name) {
    CFRunLoopSourceContext c;
    memset(&c, 0, sizeof c);
    c.info = (void *)name;
    c.schedule = on_sched;
    c.cancel = on_cancel;
    c.perform = perform;
    return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &c);
}

static void *body(void *a) {
    (void)a;
    mine = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    CFRunLoopSourceRef s = make("s");
    printf("add to m\n");
    CFRunLoopAddSource(mine, s, m);
    printf("add to m again\n");
    CFRunLoopAddSource(mine, s, m);
    printf("add to n\n");
    CFRunLoopAddSource(mine, s, n);
    printf("remove from m\n");
    CFRunLoopRemoveSource(mine, s, m);
    printf("remove from m again\n");
    CFRunLoopRemoveSource(mine, s, m);
    printf("invalidate\n");
    CFRunLoopSourceInvalidate(s);
    printf("invalidate again\n");
    CFRunLoopSourceInvalidate(s);
    printf("add after invalidation\n");
    CFRunLoopAddSource(mine, s, m);
    printf("contained %s\n", yes_no(CFRunLoopContainsSource(mine, s, m)));
    CFRelease(s);
    CFRunLoopSourceRef t = make("t");
    printf("add to common\n");
    CFRunLoopAddSource(mine, t, kCFRunLoopCommonModes);
    printf("m becomes common\n");
    CFRunLoopAddCommonMode(mine, m);
    printf("remove from default\n");
    CFRunLoopRemoveSource(mine, t, kCFRunLoopDefaultMode);
    printf("remove from common\n");
    CFRunLoopRemoveSource(mine, t, kCFRunLoopCommonModes);
    CFRelease(t);
    CFRunLoopSourceRef u = make("u");
    printf("add u to n\n");
    CFRunLoopAddSource(mine, u, n);
    CFRelease(u);
    printf("remove u, last reference\n");
    CFRunLoopRemoveSource(mine, u, n);
    printf("loop argument always right: %s\n", yes_no(rls_ok));
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
