/* Items and the modes of a loop: adding, removing, asking. Locks are taken below; any thread. */
#include <gyre/GYRunLoop.h>

#include "api/arguments.h"
#include "base/check.h"
#include "loop/observers.h"
#include "loop/sources.h"
#include "loop/timers.h"

#include <errno.h>

/* The arguments that all nine functions have; the mode's name is retained when it succeeds. */
typedef struct arguments {
    const char *call;
    GYStringRef name; /* NULL: something is wrong, and told */
} arguments;

static arguments check(const char *call, GYRunLoopRef rl, const void *item, enum gy_kind kind,
                       GYRunLoopMode mode) {
    arguments a = {.call = call};
    if (gy_argument_is(rl, GY_KIND_RUN_LOOP, call) && gy_argument_is(item, kind, call)) {
        a.name = gy_argument_mode(mode, call);
    }
    return a;
}

static void finish(arguments a) {
    int saved = errno;
    gy_release(a.name);
    errno = saved;
}

static void tell_result(enum gy_add_result result, GYRunLoopRef rl, const char *call,
                        const char *rule) {
    switch (result) {
    case GY_ADDED: errno = 0; break;
    case GY_ADD_FAILED: break;
    case GY_ADD_DEAD_LOOP:
        gy_argument_loop_ended(rl, call);
        errno = ESRCH;
        break;
    case GY_ADD_OTHER_LOOP:
        gy_report(call, "it is in another loop, and one loop at a time is all it can be in", rule);
        errno = EBUSY;
        break;
    }
}

GYBoolean GYRunLoopContainsSource(GYRunLoopRef rl, GYRunLoopSourceRef source, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopContainsSource", rl, source, GY_KIND_SOURCE, mode);
    bool found = a.name != NULL && gy_source_contains(rl, source, a.name);
    finish(a);
    return found;
}

void GYRunLoopAddSource(GYRunLoopRef rl, GYRunLoopSourceRef source, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopAddSource", rl, source, GY_KIND_SOURCE, mode);
    if (a.name != NULL && !gy_source_add(rl, source, a.name)) {
        gy_argument_loop_ended(rl, a.call);
        errno = ESRCH;
    }
    finish(a);
}

void GYRunLoopRemoveSource(GYRunLoopRef rl, GYRunLoopSourceRef source, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopRemoveSource", rl, source, GY_KIND_SOURCE, mode);
    if (a.name != NULL) gy_source_remove(rl, source, a.name);
    finish(a);
}

GYBoolean GYRunLoopContainsObserver(GYRunLoopRef rl, GYRunLoopObserverRef observer,
                                    GYRunLoopMode mode) {
    arguments a = check("GYRunLoopContainsObserver", rl, observer, GY_KIND_OBSERVER, mode);
    bool found = a.name != NULL && gy_observer_contains(rl, observer, a.name);
    finish(a);
    return found;
}

void GYRunLoopAddObserver(GYRunLoopRef rl, GYRunLoopObserverRef observer, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopAddObserver", rl, observer, GY_KIND_OBSERVER, mode);
    if (a.name != NULL) tell_result(gy_observer_add(rl, observer, a.name), rl, a.call, "R136");
    finish(a);
}

void GYRunLoopRemoveObserver(GYRunLoopRef rl, GYRunLoopObserverRef observer, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopRemoveObserver", rl, observer, GY_KIND_OBSERVER, mode);
    if (a.name != NULL) gy_observer_remove(rl, observer, a.name);
    finish(a);
}

GYBoolean GYRunLoopContainsTimer(GYRunLoopRef rl, GYRunLoopTimerRef timer, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopContainsTimer", rl, timer, GY_KIND_TIMER, mode);
    bool found = a.name != NULL && gy_timer_contains(rl, timer, a.name);
    finish(a);
    return found;
}

void GYRunLoopAddTimer(GYRunLoopRef rl, GYRunLoopTimerRef timer, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopAddTimer", rl, timer, GY_KIND_TIMER, mode);
    if (a.name != NULL) tell_result(gy_timer_add(rl, timer, a.name), rl, a.call, "R110");
    finish(a);
}

void GYRunLoopRemoveTimer(GYRunLoopRef rl, GYRunLoopTimerRef timer, GYRunLoopMode mode) {
    arguments a = check("GYRunLoopRemoveTimer", rl, timer, GY_KIND_TIMER, mode);
    if (a.name != NULL) gy_timer_remove(rl, timer, a.name);
    finish(a);
}
