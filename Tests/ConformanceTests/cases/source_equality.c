/* Equality and hashing of sources go through the context; equal sources count as one in a mode.
 * Rules: R82 */
#include "case.h"

static int eq_calls;

static CFHashCode on_hash(const void *i) { return (CFHashCode) * (const int *)i; }

static Boolean on_equal(const void *x, const void *y) {
    eq_calls++;
    return *(const int *)x == *(const int *)y;
}

static void perform(void *i) { printf("  perform %d\n", *(int *)i); }

static void perform2(void *i) { printf("  perform2 %d\n", *(int *)i); }

static CFRunLoopSourceRef make(int *info, CFIndex order, int callbacks, void (*p)(void *)) {
    CFRunLoopSourceContext c;
    memset(&c, 0, sizeof c);
    c.info = info;
    c.perform = p;
    if (callbacks) {
        c.equal = on_equal;
        c.hash = on_hash;
    }
    return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &c);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    int one = 11, same = 11, two = 22;
    CFRunLoopSourceRef p = make(&one, 0, 0, perform), q = make(&one, 0, 0, perform),
                       r = make(&same, 0, 0, perform), s = make(&one, 1, 0, perform),
                       t = make(&one, 0, 0, perform2);
    printf("same info: equal %s, same hash %s\n", yes_no(CFEqual(p, q)),
           yes_no(CFHash(p) == CFHash(q)));
    printf("other info: %s; other order: %s; other perform: %s\n", yes_no(CFEqual(p, r)),
           yes_no(CFEqual(p, s)), yes_no(CFEqual(p, t)));
    CFRunLoopSourceRef u = make(&one, 0, 1, perform), v = make(&same, 0, 1, perform),
                       w = make(&two, 0, 1, perform);
    Boolean u_is_v = CFEqual(u, v), u_is_w = CFEqual(u, w);
    printf("with callbacks: 11=11 %s, 11=22 %s, asked %s, hash %s\n", yes_no(u_is_v),
           yes_no(u_is_w), yes_no(eq_calls > 0), yes_no(CFHash(u) == 11 && CFHash(w) == 22));
    CFRunLoopAddSource(rl, u, m);
    CFRunLoopAddSource(rl, v, m);
    printf("equal one is contained: %s\n", yes_no(CFRunLoopContainsSource(rl, v, m)));
    CFRunLoopSourceSignal(v);
    printf("only the equal one signalled: %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    CFRunLoopSourceSignal(u);
    printf("the added one signalled: %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    CFRunLoopSourceInvalidate(v);
    printf("validity counts: equal %s, still contained %s\n", yes_no(CFEqual(u, v)),
           yes_no(CFRunLoopContainsSource(rl, u, m)));
    CFRunLoopSourceRef all[8] = {p, q, r, s, t, u, v, w};
    for (int k = 0; k < 8; k++) {
        CFRunLoopSourceInvalidate(all[k]);
        CFRelease(all[k]);
    }
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
