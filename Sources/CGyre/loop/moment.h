/* Moments that are given to timers and told of them, where loops may go by clocks of their own.
 *
 * Owns: the rule that a moment is by the clock of the calling thread's loop, and that between two
 * clocks its distance from now is kept (R311). A timer's deadline is by the clock of its loop; that
 * of a free one by the monotonic clock, with the moment at which it was given, so that it does not
 * matter how long a timer was free.
 * Threads: any, unless told otherwise. */
#ifndef GYRE_LOOP_MOMENT_H
#define GYRE_LOOP_MOMENT_H

#include "loop/current.h"

typedef struct gy_moment {
    int64_t at_ns;
    int64_t given_ns;    /* what the clock showed then */
    GYAbsoluteTime date; /* as given; NaN: none was */
    /* The calling thread's, which keeps it alive; NULL: the monotonic clock. */
    GYManualClockRef clock;
} gy_moment;

static inline GYManualClockRef gy_moment_clock_here(void) {
    return gy_current_loop == NULL ? NULL : gy_current_loop->clock;
}
static inline int64_t gy_moment_now_by(GYManualClockRef clock) {
    return __builtin_expect(clock == NULL, 1) ? gy_clock_now_ns() : gy_manual_clock_now_ns(clock);
}
/* By the clock of the calling thread's loop: what the current time is for its callouts. */
static inline int64_t gy_moment_now_ns(void) { return gy_moment_now_by(gy_moment_clock_here()); }
GYAbsoluteTime gy_moment_now_date(void);

/* One in the past means now (R105, R117). */
static inline gy_moment gy_moment_by(GYManualClockRef clock, int64_t at_ns, int64_t now_ns,
                                     GYAbsoluteTime date) {
    return (gy_moment){at_ns > now_ns ? at_ns : now_ns, now_ns, date, clock};
}
static inline gy_moment gy_moment_at(int64_t at_ns) {
    GYManualClockRef clock = gy_moment_clock_here();
    return gy_moment_by(clock, at_ns, gy_moment_now_by(clock), __builtin_nan(""));
}
gy_moment gy_moment_of_date(GYAbsoluteTime date);
gy_moment gy_moment_after(int64_t delay_ns);

/* Between two clocks, or to a free timer. */
void gy_moment_carry(const gy_moment *moment, GYRunLoopTimerRef timer, GYRunLoopRef loop);
/* The schedule of a timer in a loop, under its lock; NULL: a free one. */
static inline void gy_moment_give(const gy_moment *moment, GYRunLoopTimerRef timer,
                                  GYRunLoopRef loop) {
    if (loop != NULL && loop->clock == moment->clock && !gy_timer_follows(timer)) {
        gy_timer_set_schedule(timer, moment->at_ns, moment->date);
    } else {
        gy_moment_carry(moment, timer, loop);
    }
}
/* The schedule of one that has just been made. False, with errno, where memory is out. */
bool gy_moment_give_first(const gy_moment *moment, GYRunLoopTimerRef timer);

/* The next firing (R107); no lock held. */
int64_t gy_moment_told_at(GYRunLoopTimerRef timer);
GYAbsoluteTime gy_moment_told_date(GYRunLoopTimerRef timer);
/* How long until then by the clock of its loop; no lock held. */
int64_t gy_moment_left_ns(GYRunLoopTimerRef timer);

/* A free timer has become the loop's, which goes by a manual clock; or one is free again, and there
 * are manual clocks: the loop's lock. */
void gy_moment_enter(GYRunLoopTimerRef timer, const struct GYRunLoop *loop);
void gy_moment_leave(GYRunLoopTimerRef timer, const struct GYRunLoop *loop);

/* Where a moment lies when what showed `from_ns` shows `to_ns`; none at all stays so. */
static inline int64_t gy_moment_moved(int64_t at_ns, int64_t from_ns, int64_t to_ns) {
    return at_ns == GY_NEVER ? GY_NEVER : gy_ns_add(to_ns, gy_ns_add(at_ns, -from_ns));
}

#endif
