/* Manual clocks as the public sees them. Locks are taken below; any thread. */
#include <gyre/GYClock.h>

#include "api/arguments.h"
#include "base/check.h"
#include "base/manual_clock.h"
#include "loop/reclock.h"
#include "loop/registry.h"
#include "loop/unwind.h"

#include <errno.h>
#include <math.h>

GYTypeID GYManualClockGetTypeID(void) { return GY_KIND_MANUAL_CLOCK; }

GYManualClockRef GYManualClockCreate(GYAllocatorRef allocator, GYAbsoluteTime date,
                                     GYBoolean advancesItself) {
    (void)allocator;
    if (isnan(date)) {
        gy_report("GYManualClockCreate", "the date is NaN", "R312");
        return NULL;
    }
    return gy_manual_clock_create(date, advancesItself != 0);
}

int64_t GYManualClockGetNow(GYManualClockRef clock) {
    if (!gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, "GYManualClockGetNow")) return 0;
    return gy_manual_clock_now_ns(clock);
}

GYAbsoluteTime GYManualClockGetDate(GYManualClockRef clock) {
    if (!gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, "GYManualClockGetDate")) return 0;
    return gy_manual_clock_date(clock, gy_manual_clock_now_ns(clock));
}

GYBoolean GYManualClockAdvancesItself(GYManualClockRef clock) {
    return gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, "GYManualClockAdvancesItself") &&
           clock->advances_itself;
}

void GYManualClockAdvance(GYManualClockRef clock, int64_t by_ns) {
    static const char call[] = "GYManualClockAdvance";
    if (!gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, call)) return;
    if (by_ns < 0) {
        gy_report(call, "a clock does not go back", "R312");
    } else if (gy_manual_clock_move_by(clock, by_ns)) {
        gy_reclock_tell(clock);
    }
}

void GYManualClockAdvanceTo(GYManualClockRef clock, int64_t to_ns) {
    static const char call[] = "GYManualClockAdvanceTo";
    if (!gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, call)) return;
    if (gy_manual_clock_move_to(clock, to_ns)) gy_reclock_tell(clock);
}

void GYManualClockAdvanceToDate(GYManualClockRef clock, GYAbsoluteTime date) {
    static const char call[] = "GYManualClockAdvanceToDate";
    if (!gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, call)) return;
    if (isnan(date)) {
        gy_report(call, "the date is NaN", "R312");
    } else if (gy_manual_clock_move_to(clock, gy_manual_clock_deadline_ns(clock, date))) {
        gy_reclock_tell(clock);
    }
}

/* ---- of loops ---- */

static bool refuse(const char *complaint, const char *rule, int error) {
    gy_report("GYRunLoopSetClock", complaint, rule);
    errno = error;
    return false;
}

static bool set_clock(GYRunLoopRef rl, GYManualClockRef clock) {
    switch (gy_reclock_set(rl, clock)) {
    case GY_RECLOCK_RUNS: return refuse("the loop is running", "R310", EBUSY);
    case GY_RECLOCK_TAKEN: return refuse("another loop advances that clock", "R313", EBUSY);
    case GY_RECLOCK_DEAD: errno = ESRCH; return false;
    default: return true;
    }
}

GYBoolean GYRunLoopSetClock(GYRunLoopRef rl, GYManualClockRef clock) {
    static const char call[] = "GYRunLoopSetClock";
    const void *frame = __builtin_frame_address(0);
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return false;
    if (clock != NULL && !gy_argument_is(clock, GY_KIND_MANUAL_CLOCK, call)) return false;
    if (gy_loop_is_dead(rl)) {
        errno = ESRCH;
        return false;
    }
    if (!gy_registry_is_own(rl)) return refuse("only the loop's own thread may", "R310", EPERM);
    gy_unwind(rl, frame);
    return set_clock(rl, clock);
}

GYManualClockRef GYRunLoopCopyClock(GYRunLoopRef rl) {
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, "GYRunLoopCopyClock")) return NULL;
    return gy_reclock_copy(rl);
}
