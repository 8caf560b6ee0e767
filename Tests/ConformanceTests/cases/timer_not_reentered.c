/* A timer whose callout runs the loop is not fired again from inside; other timers are.
 * Rules: R112 R31 */
#include "case.h"

static int depth, mine, other;
static CFStringRef m;

static void nested(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    mine++;
    if (mine > 1) return;
    depth++;
    SInt32 r = CFRunLoopRunInMode(m, 0.12, false);
    printf("nested run: %s, mine %d, others fired inside %s\n", result_name(r), mine,
           yes_no(other >= 2));
    depth--;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void tick(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    if (depth == 1) other++;
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    m = CFSTR("gyre.m");
    CFRunLoopTimerRef x = make_timer(0.01, 0.01, nested, NULL),
                      y = make_timer(0.02, 0.02, tick, NULL);
    CFRunLoopAddTimer(rl, x, m);
    CFRunLoopAddTimer(rl, y, m);
    printf("outer run: %s\n", result_name(CFRunLoopRunInMode(m, 5, false)));
    SInt32 r = CFRunLoopRunInMode(m, 0.06, false);
    printf("later it fires again %s (%s)\n", yes_no(mine > 1), result_name(r));
    CFRunLoopTimerInvalidate(x);
    CFRunLoopTimerInvalidate(y);
    CFRelease(x);
    CFRelease(y);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
