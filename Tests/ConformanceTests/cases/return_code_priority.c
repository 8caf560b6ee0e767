/* Which result wins when several apply: handled source, then time-out, then stop, then finished.
 * Rules: R41 R47 */
#include "case.h"

static CFRunLoopSourceRef s;

static void perform_stop(void *i) {
    (void)i;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void perform_die(void *i) {
    (void)i;
    CFRunLoopSourceInvalidate(s);
}

static void perform_stop_die(void *i) {
    perform_stop(i);
    perform_die(i);
}

static void perform_slow_stop(void *i) {
    (void)i;
    pause_ms(40);
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void perform_slow_die(void *i) {
    (void)i;
    pause_ms(40);
    CFRunLoopSourceInvalidate(s);
}

static void go(const char *what, void (*p)(void *), double sec, Boolean after) {
    CFStringRef m = CFSTR("gyre.m");
    s = make_source(0, p, NULL);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), s, m);
    CFRunLoopSourceSignal(s);
    printf("%s: %s\n", what, result_name(CFRunLoopRunInMode(m, sec, after)));
    CFRunLoopSourceInvalidate(s);
    CFRelease(s);
}

static void *body(void *a) {
    (void)a;
    go("handled and stopped", perform_stop, 1, true);
    go("handled and empty", perform_die, 1, true);
    go("handled, stopped, polled", perform_stop, 0, true);
    go("stopped", perform_stop, 1, false);
    go("stopped, polled", perform_stop, 0, false);
    go("empty", perform_die, 1, false);
    go("empty, polled", perform_die, 0, false);
    go("stopped and empty", perform_stop_die, 1, false);
    go("late and stopped", perform_slow_stop, 0.01, false);
    go("late and empty", perform_slow_die, 0.01, false);
    go("late and handled", perform_slow_die, 0.01, true);
    go("a stop that lost is forgotten", perform_stop, 0.02, true);
    go("plain", perform_die, 1, false);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
