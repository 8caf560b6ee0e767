#include "loop/moment.h"

#include "loop/follow.h"

#include <math.h>

/* ---- the calling thread's clock ---- */

static GYAbsoluteTime date_by(GYManualClockRef clock, int64_t ns) {
    return clock == NULL ? gy_clock_date(ns) : gy_manual_clock_date(clock, ns);
}

GYAbsoluteTime gy_moment_now_date(void) {
    GYManualClockRef clock = gy_moment_clock_here();
    return date_by(clock, gy_moment_now_by(clock));
}

/* ---- given ---- */

gy_moment gy_moment_of_date(GYAbsoluteTime date) {
    GYManualClockRef clock = gy_moment_clock_here();
    int64_t at_ns =
        clock == NULL ? gy_clock_deadline_ns(date) : gy_manual_clock_deadline_ns(clock, date);
    return gy_moment_by(clock, at_ns, gy_moment_now_by(clock), date);
}

gy_moment gy_moment_after(int64_t delay_ns) {
    GYManualClockRef clock = gy_moment_clock_here();
    int64_t now_ns = gy_moment_now_by(clock);
    return gy_moment_by(clock, gy_ns_add(now_ns, delay_ns), now_ns, NAN);
}

/* A date as given is told again only by the clock that it was given by. */
static void give_by(const gy_moment *moment, GYRunLoopTimerRef timer, GYManualClockRef clock) {
    if (clock == moment->clock) {
        gy_timer_set_schedule(timer, moment->at_ns, moment->date);
    } else {
        gy_timer_set_schedule(
            timer, gy_moment_moved(moment->at_ns, moment->given_ns, gy_moment_now_by(clock)), NAN);
    }
}

/* Only a manual clock makes it matter when a moment was given. */
static bool keep_given(GYRunLoopTimerRef timer, int64_t now_ns) {
    if (!gy_manual_clocks_are_used()) return true;
    gy_timer_clocks *clocks = gy_timer_need_clocks(timer);
    if (clocks == NULL) return false;
    /* Relaxed: a lone value; whoever adds the timer meanwhile gets the schedule set once more. */
    atomic_store_explicit(&clocks->given_ns, now_ns, memory_order_relaxed);
    return true;
}

/* By the monotonic clock: of a deadline given before there was another, when that came. */
static int64_t given_ns_of(const struct GYRunLoopTimer *timer) {
    const gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    int64_t kept_ns =
        clocks == NULL ? 0 : atomic_load_explicit(&clocks->given_ns, memory_order_relaxed);
    return kept_ns != 0 ? kept_ns : gy_manual_clocks_since_ns();
}

static bool give_free(const gy_moment *moment, GYRunLoopTimerRef timer) {
    gy_moment by_monotonic = *moment;
    if (moment->clock != NULL) {
        int64_t now_ns = gy_clock_now_ns();
        int64_t at_ns = gy_moment_moved(moment->at_ns, moment->given_ns, now_ns);
        by_monotonic = gy_moment_by(NULL, at_ns, now_ns, NAN);
    }
    if (!keep_given(timer, by_monotonic.given_ns)) return false;
    give_by(&by_monotonic, timer, NULL);
    return true;
}

/* Where memory is out for it, the distance is that from the first manual clock on. */
void gy_moment_carry(const gy_moment *moment, GYRunLoopTimerRef timer, GYRunLoopRef loop) {
    bool follows = gy_timer_follows(timer);
    if (follows && loop != NULL) gy_follow_look(loop);
    if (loop != NULL) {
        give_by(moment, timer, loop->clock);
    } else if (!give_free(moment, timer)) {
        give_by(moment, timer, NULL);
    }
    if (follows) gy_follow_settle(timer, loop);
}

bool gy_moment_give_first(const gy_moment *moment, GYRunLoopTimerRef timer) {
    return give_free(moment, timer);
}

/* ---- told ---- */

/* The next firing as some clock has it. */
typedef struct schedule {
    int64_t deadline_ns, now_ns;
    GYAbsoluteTime date;
    GYManualClockRef clock; /* only to compare with */
} schedule;

/* Of a free timer, for a manual clock: as if it had been given just now. */
static schedule schedule_of(GYRunLoopTimerRef timer, bool for_manual) {
    GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
    if (gy_timer_follows(timer)) gy_follow_update(timer, loop);
    schedule s = {.deadline_ns = gy_timer_deadline(timer), .date = gy_timer_date_given(timer)};
    if (loop != NULL) {
        s.clock = loop->clock;
        s.now_ns = gy_loop_now_ns(loop);
        gy_loop_leave(loop);
    } else {
        s.now_ns = for_manual ? given_ns_of(timer) : gy_clock_now_ns();
    }
    return s;
}

static bool is_plain(GYRunLoopTimerRef timer) {
    return !gy_manual_clocks_are_used() && !gy_timer_follows(timer);
}

int64_t gy_moment_told_at(GYRunLoopTimerRef timer) {
    if (is_plain(timer)) return gy_timer_deadline(timer);
    GYManualClockRef here = gy_moment_clock_here();
    schedule s = schedule_of(timer, here != NULL);
    if (s.clock == here) return s.deadline_ns;
    return gy_moment_moved(s.deadline_ns, s.now_ns, gy_moment_now_by(here));
}

static GYAbsoluteTime limited(GYAbsoluteTime date) {
    return date < GY_TIMER_LAST_DATE ? date : GY_TIMER_LAST_DATE;
}

GYAbsoluteTime gy_moment_told_date(GYRunLoopTimerRef timer) {
    if (is_plain(timer)) return gy_timer_date(timer);
    GYManualClockRef here = gy_moment_clock_here();
    schedule s = schedule_of(timer, here != NULL);
    if (s.clock != here) {
        s.deadline_ns = gy_moment_moved(s.deadline_ns, s.now_ns, gy_moment_now_by(here));
        s.date = NAN;
    }
    return isnan(s.date) ? limited(date_by(here, s.deadline_ns)) : s.date;
}

int64_t gy_moment_left_ns(GYRunLoopTimerRef timer) {
    schedule s = schedule_of(timer, false);
    return gy_ns_add(s.deadline_ns, -s.now_ns);
}

/* ---- from clock to clock ---- */

static void carry(GYRunLoopTimerRef timer, int64_t from_ns, int64_t to_ns) {
    int64_t deadline_ns = gy_moment_moved(gy_timer_deadline(timer), from_ns, to_ns);
    gy_timer_set_schedule(timer, deadline_ns, NAN);
}

void gy_moment_enter(GYRunLoopTimerRef timer, const struct GYRunLoop *loop) {
    carry(timer, given_ns_of(timer), gy_loop_now_ns(loop));
}

void gy_moment_leave(GYRunLoopTimerRef timer, const struct GYRunLoop *loop) {
    int64_t now_ns = gy_clock_now_ns();
    if (loop->clock != NULL) {
        carry(timer, gy_loop_now_ns(loop), now_ns);
        if (gy_timer_follows(timer)) gy_follow_settle(timer, NULL);
    }
    keep_given(timer, now_ns);
}
