/* Timers: what they are made of, and the arithmetic of their dates.
 *
 * Owns: the layout and the rules R100 to R121 that need no loop. No lock, no system call.
 * Threads: as told per field; "its loop's lock" means the lock of the loop the timer is in. A timer
 * that is in no loop is changed through the atomic fields alone. */
#ifndef GYRE_ITEMS_TIMER_H
#define GYRE_ITEMS_TIMER_H

#include "base/clock.h"
#include "items/item.h"

#include <gyre/GYRunLoopTimer.h>

struct gy_mode;

#define GY_TIMER_LOOSE UINT32_MAX

/* One mode that holds the timer. */
typedef struct gy_timer_slot {
    struct gy_mode *mode;
    uint32_t index;    /* in the mode's heap, or GY_TIMER_LOOSE: being fired, or about to be */
    uint64_t sequence; /* when it was put into the mode: orders equal deadlines */
} gy_timer_slot;

/* What becomes of firings that were missed, in one word, so that it is read and written as one: a
 * limit n of firings to be made up for is ~n, which is below zero. */
typedef int64_t gy_overrun;
#define GY_OVERRUN_SKIP INT64_C(0)
#define GY_OVERRUN_FROM_END INT64_C(1)
static inline gy_overrun gy_overrun_catch_up(int64_t limit) { return ~(limit > 0 ? limit : 0); }
static inline int64_t gy_overrun_limit(gy_overrun overrun) { return overrun < 0 ? ~overrun : 0; }

/* What most timers do without. */
typedef struct gy_timer_extra {
    _Atomic gy_overrun overrun;
    GYIndex order;
    double interval; /* as given in seconds; 0: what the nanoseconds are in seconds */
    GYRunLoopTimerContext context; /* its info is in the timer */
    gy_timer_slot *more_slots;     /* beyond the first mode */
    uint32_t more_room;
    _Atomic(struct gy_timer_clocks *) clocks; /* NULL for most; once made it stays */
} gy_timer_extra;

/* Only where there are manual clocks, or the timer goes by another clock of the kernel's. */
typedef struct gy_timer_clocks {
    /* Of a free timer: when, by the monotonic clock, its deadline was given; 0: before that
     * mattered (loop/moment.h). */
    _Atomic int64_t given_ns;
    /* Of one that goes by another clock: its deadline by that (loop/follow.h). */
    _Atomic int64_t target_ns;
    _Atomic(GYRunLoopTimerClockWasSet) was_set; /* may be NULL */
    int64_t change_ns; /* to be told; its loop's lock */
    uint32_t step;     /* the last of its loop's steps that it has followed; its loop's lock */
} gy_timer_clocks;

struct GYRunLoopTimer {
    gy_item item;                /* mode_count tells how many slots are in use */
    GYRunLoopTimerCallBack callout;
    _Atomic int64_t deadline_ns; /* of the next firing */
    _Atomic double date;         /* as given or set; NaN: computed from the deadline when asked */
    _Atomic int64_t tolerance_ns;
    int64_t interval_ns;         /* 0: one-shot */
    gy_timer_slot slot;          /* the first mode; its loop's lock */
    _Atomic(gy_timer_extra *) extra; /* NULL for most; once made it stays */
};

/* Year 2129: later dates are clamped to it (R116). */
#define GY_TIMER_LAST_DATE 4039289856.0

static inline bool gy_timer_repeats(const struct GYRunLoopTimer *timer) {
    return timer->interval_ns > 0;
}
/* The nearest whole nanosecond, so that a grid does not drift by what the last digit of a double
 * adds, and at least 1 (R115); 0 for a one-shot timer (R101). */
int64_t gy_timer_interval_ns_of(double interval);
/* Keeps the interval to the last bit as it was given; false where memory is out. */
bool gy_timer_set_interval(GYRunLoopTimerRef timer, double interval);
double gy_timer_interval(const struct GYRunLoopTimer *timer);
/* R109. */
int64_t gy_timer_limited_tolerance(const struct GYRunLoopTimer *timer, int64_t tolerance_ns);

/* R104: the deadline just served plus the least number of intervals that lies in the future; or, of
 * the deadlines missed, the first of the last so many that are to be made up for; or one interval
 * from now. In constant time (R119). */
int64_t gy_timer_deadline_after(int64_t served_ns, int64_t interval_ns, int64_t now_ns,
                                gy_overrun overrun);

static inline int64_t gy_timer_deadline(const struct GYRunLoopTimer *timer) {
    /* Relaxed: a lone value; the heap, which must agree with it, is behind the loop's lock. */
    return atomic_load_explicit(&timer->deadline_ns, memory_order_relaxed);
}
/* What orders it among those that wait: one that is to be told something goes first. */
static inline int64_t gy_timer_key(const struct GYRunLoopTimer *timer) {
    return __builtin_expect(gy_item_is(&timer->item, GY_ITEM_CLOCK_SET), 0)
               ? INT64_MIN
               : gy_timer_deadline(timer);
}
static inline bool gy_timer_follows(const struct GYRunLoopTimer *timer) {
    return __builtin_expect(gy_item_is(&timer->item, GY_ITEM_BOOT | GY_ITEM_WALL), 0);
}
static inline int64_t gy_timer_latest(const struct GYRunLoopTimer *timer) {
    return gy_ns_add(gy_timer_deadline(timer),
                     atomic_load_explicit(&timer->tolerance_ns, memory_order_relaxed));
}
/* Sets both faces of the next firing; pass NaN for a date to be computed when asked. */
void gy_timer_set_schedule(GYRunLoopTimerRef timer, int64_t deadline_ns, GYAbsoluteTime date);
static inline GYAbsoluteTime gy_timer_date_given(const struct GYRunLoopTimer *timer) {
    return atomic_load_explicit(&timer->date, memory_order_relaxed);
}
/* R107. */
GYAbsoluteTime gy_timer_date(const struct GYRunLoopTimer *timer);

static inline gy_timer_extra *gy_timer_extra_of(const struct GYRunLoopTimer *timer) {
    /* Acquire: pairs with the release in gy_timer_need_extra. */
    return atomic_load_explicit(&timer->extra, memory_order_acquire);
}

static inline gy_overrun gy_timer_overrun(const struct GYRunLoopTimer *timer) {
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    if (extra == NULL) return GY_OVERRUN_SKIP;
    return atomic_load_explicit(&extra->overrun, memory_order_relaxed);
}

/* What releases the info of its context; NULL: nothing. */
static inline void (*gy_timer_release(const struct GYRunLoopTimer *timer))(const void *) {
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    return extra == NULL ? NULL : extra->context.release;
}

static inline gy_timer_clocks *gy_timer_clocks_of(const struct GYRunLoopTimer *timer) {
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    /* Acquire: pairs with the release in gy_timer_need_clocks. */
    return extra == NULL ? NULL : atomic_load_explicit(&extra->clocks, memory_order_acquire);
}

/* The extra parts, made on demand; NULL where memory is out. */
gy_timer_extra *gy_timer_need_extra(GYRunLoopTimerRef timer);
gy_timer_clocks *gy_timer_need_clocks(GYRunLoopTimerRef timer);

/* Slots; the loop's lock. */
gy_timer_slot *gy_timer_slot_in(GYRunLoopTimerRef timer, const struct gy_mode *mode);
gy_timer_slot *gy_timer_slot_at(GYRunLoopTimerRef timer, uint32_t i);
bool gy_timer_reserve_slot(GYRunLoopTimerRef timer);
void gy_timer_add_slot(GYRunLoopTimerRef timer, struct gy_mode *mode, uint64_t sequence);
void gy_timer_remove_slot(GYRunLoopTimerRef timer, const struct gy_mode *mode);

#endif
