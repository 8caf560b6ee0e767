/* Loops: finding, running, stopping, waking, modes. Locks are taken below; any thread. */
#include <gyre/GYRunLoop.h>

#include "api/arguments.h"
#include "base/array.h"
#include "base/check.h"
#include "base/name.h"
#include "loop/common.h"
#include "loop/current.h"
#include "loop/moment.h"
#include "loop/performs.h"
#include "loop/registry.h"
#include "loop/run.h"
#include "loop/timers.h"

#include <errno.h>
#include <string.h>

/* R52: beyond 16 years is no time-out. */
#define LONGEST_TIMEOUT_S 504911232.0

GYTypeID GYRunLoopGetTypeID(void) { return GY_KIND_RUN_LOOP; }

GYRunLoopRef GYRunLoopGetCurrent(void) {
    GYRunLoopRef loop = gy_registry_current();
    if (loop == NULL && errno == ESRCH) {
        gy_report("GYRunLoopGetCurrent", "the thread's loop has ended with the thread", "R4");
    }
    return loop;
}

GYRunLoopRef GYRunLoopGetCurrentIfMade(void) { return gy_registry_current_if_made(); }

GYRunLoopRef GYRunLoopGetMain(void) { return gy_registry_main(); }

bool GYRunLoopIsCurrent(GYRunLoopRef rl) {
    return gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopIsCurrent") && gy_registry_is_own(rl);
}

bool GYRunLoopIsAlive(GYRunLoopRef rl) {
    return gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopIsAlive") && !gy_loop_is_dead(rl);
}

GYRunLoopMode GYRunLoopModeNamed(const char *name) {
    if (name != NULL) return gy_name_intern_bytes(name, strlen(name));
    gy_report("GYRunLoopModeNamed", "the name is NULL", "R10");
    return NULL;
}

GYRunLoopMode GYRunLoopCopyCurrentMode(GYRunLoopRef rl) {
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopCopyCurrentMode")) return NULL;
    gy_loop_lock(rl);
    const gy_activation *run = gy_loop_innermost(rl);
    GYRunLoopMode name = run == NULL ? NULL : gy_retain(run->mode->name);
    gy_loop_unlock(rl);
    return name;
}

static bool append_mode_names(GYRunLoopRef rl, struct GYArray *names) {
    uint32_t cursor = 0;
    bool ok = true;
    gy_loop_lock(rl);
    for (gy_mode *m; ok && (m = gy_loop_next_mode(rl, &cursor)) != NULL;) {
        if (m->is_given) ok = gy_array_append(names, m->name);
    }
    gy_loop_unlock(rl);
    return ok;
}

GYArrayRef GYRunLoopCopyAllModes(GYRunLoopRef rl) {
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopCopyAllModes")) return NULL;
    gy_perform_make_modes(rl);
    struct GYArray *names = gy_array_create_empty();
    if (names == NULL || append_mode_names(rl, names)) return names;
    gy_release(names);
    errno = ENOMEM;
    return NULL;
}

void GYRunLoopAddCommonMode(GYRunLoopRef rl, GYRunLoopMode mode) {
    static const char call[] = "GYRunLoopAddCommonMode";
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return;
    GYStringRef name = gy_argument_mode(mode, call);
    if (name == NULL) return;
    if (name == kGYRunLoopCommonModes) {
        gy_report(call, "the common modes' name is no mode", "R16");
    } else if (gy_common_add_mode(rl, name)) {
        errno = 0;
    }
    int saved = errno;
    gy_release(name);
    errno = saved;
}

GYAbsoluteTime GYRunLoopGetNextTimerFireDate(GYRunLoopRef rl, GYRunLoopMode mode) {
    static const char call[] = "GYRunLoopGetNextTimerFireDate";
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return 0;
    GYStringRef name = gy_argument_mode(mode, call);
    if (name == NULL) return 0;
    GYRunLoopTimerRef first;
    gy_timer_first_deadline(rl, name, &first);
    GYAbsoluteTime date = first == NULL ? 0 : gy_moment_told_date(first);
    gy_release(first);
    gy_release(name);
    return date;
}

int64_t GYRunLoopGetNextTimerFireAt(GYRunLoopRef rl, GYRunLoopMode mode) {
    static const char call[] = "GYRunLoopGetNextTimerFireAt";
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return GY_NEVER;
    GYStringRef name = gy_argument_mode(mode, call);
    if (name == NULL) return GY_NEVER;
    GYRunLoopTimerRef first;
    int64_t deadline_ns = gy_timer_first_deadline(rl, name, &first);
    if (first != NULL && gy_manual_clocks_are_used()) deadline_ns = gy_moment_told_at(first);
    gy_release(first);
    gy_release(name);
    return deadline_ns;
}

/* ---- running ---- */

/* R16: told once per process. */
static GYRunLoopRunResult refuse_to_run(const char *what) {
    static _Atomic bool told;
    gy_report_once(&told, "GYRunLoopRunInMode", what, "R16");
    return kGYRunLoopRunFinished;
}

GYRunLoopRunResult GYRunLoopRunInModeNanoseconds(GYRunLoopMode mode, int64_t timeout_ns,
                                                 GYBoolean returnAfterSourceHandled) {
    if (mode == NULL) return refuse_to_run("the mode is NULL");
    if (!gy_object_is(mode, GY_KIND_STRING)) return refuse_to_run("the mode is no string");
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYStringRef name = loop == NULL ? NULL : gy_name_intern(mode);
    if (name == NULL) return kGYRunLoopRunFinished;
    GYRunLoopRunResult result =
        name == kGYRunLoopCommonModes
            ? refuse_to_run("the common modes' name stands for a set and cannot be run")
            : gy_run_in_mode(loop, name, timeout_ns, returnAfterSourceHandled != 0);
    gy_release(name);
    return result;
}

bool GYRunLoopIsModeEmpty(GYRunLoopMode mode) {
    GYStringRef name = gy_argument_mode(mode, "GYRunLoopIsModeEmpty");
    if (name == NULL) return true;
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    bool is_empty = loop == NULL || name == kGYRunLoopCommonModes || gy_run_is_empty(loop, name);
    gy_release(name);
    return is_empty;
}

/* R51 to R53, R56: what is positive stays so. */
static int64_t timeout_of(GYTimeInterval seconds) {
    if (seconds <= 0) return 0;
    if (seconds > LONGEST_TIMEOUT_S || seconds != seconds) return GY_NEVER;
    return gy_seconds_to_ns(seconds);
}

GYRunLoopRunResult GYRunLoopRunInMode(GYRunLoopMode mode, GYTimeInterval seconds,
                                      GYBoolean returnAfterSourceHandled) {
    return GYRunLoopRunInModeNanoseconds(mode, timeout_of(seconds), returnAfterSourceHandled);
}

void GYRunLoopRun(void) {
    GYRunLoopRunResult result;
    do {
        result = GYRunLoopRunInModeNanoseconds(kGYRunLoopDefaultMode, GY_NEVER, false);
    } while (result != kGYRunLoopRunStopped && result != kGYRunLoopRunFinished);
}

GYBoolean GYRunLoopIsWaiting(GYRunLoopRef rl) {
    return gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopIsWaiting") &&
           gy_wake_is_asleep(&rl->wake);
}

void GYRunLoopWakeUp(GYRunLoopRef rl) {
    if (!gy_signal_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopWakeUp")) return;
    gy_signal_argument_loop_ended(rl, "GYRunLoopWakeUp");
    gy_wake_up(&rl->wake); /* last: what it wakes may end with its thread */
}

void GYRunLoopStop(GYRunLoopRef rl) {
    if (gy_signal_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopStop")) gy_loop_stop(rl);
}

void GYRunLoopWindDown(GYRunLoopRef rl) {
    if (gy_signal_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopWindDown")) gy_loop_wind_down(rl);
}

bool GYRunLoopIsWindingDown(GYRunLoopRef rl) {
    return gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopIsWindingDown") && gy_loop_winds_down(rl);
}
