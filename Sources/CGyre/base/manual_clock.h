/* Clocks that stand still until they are moved: for loops whose time is the program's.
 *
 * Owns: the reading, and the date that belongs to it. It does not know which loops go by it. Relies
 * on: the object header. Threads: any; there is no lock. */
#ifndef GYRE_BASE_MANUAL_CLOCK_H
#define GYRE_BASE_MANUAL_CLOCK_H

#include "base/object.h"

struct GYManualClock {
    gy_object head;
    bool advances_itself; /* constant */
    int64_t epoch_ns;     /* constant: the date of its moment 0, in ns since 2001 */
    _Atomic int64_t now_ns;
};

GYManualClockRef gy_manual_clock_create(GYAbsoluteTime date, bool advances_itself);

static inline int64_t gy_manual_clock_now_ns(const struct GYManualClock *clock) {
    /* Acquire: pairs with the release in gy_manual_clock_move_to; who sees the moment sees what was
     * written before it was made to come. */
    return atomic_load_explicit(&clock->now_ns, memory_order_acquire);
}
/* The reading that a loop about to sleep goes by. An exchange that changes nothing, and so has its
 * place in one order with those of gy_manual_clock_move_to: a move that this does not see comes
 * after it, and whoever made that sees, by the acquire of its exchange, that the loop is asleep. */
static inline int64_t gy_manual_clock_look(GYManualClockRef clock) {
    return atomic_fetch_add_explicit(&clock->now_ns, 0, memory_order_acq_rel);
}
/* The last moment: one before that which never comes. */
#define GY_MANUAL_CLOCK_END (INT64_MAX - 1)
/* Forward only; false if it shows as much already. */
bool gy_manual_clock_move_to(GYManualClockRef clock, int64_t ns);
/* By a length that is not below zero. */
bool gy_manual_clock_move_by(GYManualClockRef clock, int64_t ns);

/* The mapping of base/clock.h, with an offset that does not change. */
GYAbsoluteTime gy_manual_clock_date(const struct GYManualClock *clock, int64_t ns);
int64_t gy_manual_clock_deadline_ns(const struct GYManualClock *clock, GYAbsoluteTime date);

/* When, by the monotonic clock, the first of them was made; 0 before that. What has to be remembered
 * only for their sake is not, until then. */
extern _Atomic int64_t gy_manual_clocks_since;

static inline int64_t gy_manual_clocks_since_ns(void) {
    /* Relaxed: a lone value that is written once. A thread that has such a clock, or a loop that
     * goes by one, has it from a thread that has written or seen it. */
    return atomic_load_explicit(&gy_manual_clocks_since, memory_order_relaxed);
}
static inline bool gy_manual_clocks_are_used(void) {
    return __builtin_expect(gy_manual_clocks_since_ns() != 0, 0);
}

#endif
