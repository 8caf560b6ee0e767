#include "api/arguments.h"

#include "base/check.h"
#include "base/name.h"
#include "loop/loop.h"

#include <errno.h>

static const char *complaint(const void *object, enum gy_kind kind) {
    bool is_null = object == NULL;
    switch (kind) {
    case GY_KIND_RUN_LOOP: return is_null ? "the loop is NULL" : "not a live loop";
    case GY_KIND_SOURCE: return is_null ? "the source is NULL" : "not a live source";
    case GY_KIND_TIMER: return is_null ? "the timer is NULL" : "not a live timer";
    case GY_KIND_OBSERVER: return is_null ? "the observer is NULL" : "not a live observer";
    case GY_KIND_PERFORM: return is_null ? "the perform is NULL" : "not a live perform";
    case GY_KIND_FILE_DESCRIPTOR:
        return is_null ? "the file descriptor is NULL" : "not a live file descriptor";
    case GY_KIND_MANUAL_CLOCK: return is_null ? "the clock is NULL" : "not a live manual clock";
    case GY_KIND_EMBEDDING: return is_null ? "the embedding is NULL" : "not a live embedding";
    case GY_KIND_SOCKET: return is_null ? "the socket is NULL" : "not a live socket";
    default: return is_null ? "the argument is NULL" : "not a live object of that type";
    }
}

bool gy_argument_is(const void *object, enum gy_kind kind, const char *call) {
    if (gy_object_is(object, kind)) return true;
    gy_report(call, complaint(object, kind), "R170");
    return false;
}

bool gy_signal_argument_is(const void *object, enum gy_kind kind, const char *call) {
    if (gy_object_is(object, kind)) return true;
    gy_report_from_signal(call, complaint(object, kind), "R155");
    return false;
}

GYStringRef gy_argument_mode(GYStringRef mode, const char *call) {
    if (gy_object_is(mode, GY_KIND_STRING)) return gy_name_intern(mode);
    gy_report(call, mode == NULL ? "the mode is NULL" : "the mode is no string", "R10");
    errno = EINVAL;
    return NULL;
}

static const char main_has_ended[] = "the main thread has ended, and with it its loop";

/* Once for each loop: the child of a fork has a main loop of its own. */
static bool end_is_to_be_told(GYRunLoopRef loop) {
    if (!loop->is_main) return false;
    /* Relaxed: only the flag itself is agreed upon. */
    return !atomic_exchange_explicit(&loop->death_is_told, true, memory_order_relaxed);
}

void gy_argument_loop_ended(GYRunLoopRef loop, const char *call) {
    if (end_is_to_be_told(loop)) gy_report(call, main_has_ended, "R8");
}

void gy_signal_argument_loop_ended(GYRunLoopRef loop, const char *call) {
    if (gy_loop_is_dead(loop) && end_is_to_be_told(loop))
        gy_report_from_signal(call, main_has_ended, "R8");
}
