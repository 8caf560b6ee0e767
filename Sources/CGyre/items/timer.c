#include "items/timer.h"

#include <errno.h>
#include <stdlib.h>

int64_t gy_timer_interval_ns_of(double interval) {
    if (!(interval > 0)) return 0;
    int64_t above_ns = gy_seconds_to_ns(interval);
    double to_above = gy_ns_to_seconds(above_ns) - interval;
    double to_below = interval - gy_ns_to_seconds(above_ns - 1);
    return above_ns > 1 && to_below < to_above ? above_ns - 1 : above_ns;
}

bool gy_timer_set_interval(GYRunLoopTimerRef timer, double interval) {
    timer->interval_ns = gy_timer_interval_ns_of(interval);
    if (!gy_timer_repeats(timer) || gy_ns_to_seconds(timer->interval_ns) == interval) return true;
    gy_timer_extra *extra = gy_timer_need_extra(timer);
    if (extra == NULL) return false;
    extra->interval = interval;
    return true;
}

double gy_timer_interval(const struct GYRunLoopTimer *timer) {
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    bool is_kept = extra != NULL && extra->interval > 0;
    return is_kept ? extra->interval : gy_ns_to_seconds(timer->interval_ns);
}

int64_t gy_timer_limited_tolerance(const struct GYRunLoopTimer *timer, int64_t tolerance_ns) {
    int64_t half = timer->interval_ns / 2;
    if (tolerance_ns < 0) return 0;
    return gy_timer_repeats(timer) && tolerance_ns > half ? half : tolerance_ns;
}

/* Counted without sign: between any two moments there is room for the distance. */
static int64_t latest_kept(int64_t served_ns, int64_t interval_ns, int64_t now_ns, int64_t limit) {
    uint64_t interval = (uint64_t)interval_ns, kept = (uint64_t)limit;
    uint64_t missed = ((uint64_t)now_ns - (uint64_t)served_ns) / interval;
    uint64_t dropped = missed > kept ? missed - kept : 0;
    return gy_ns_add((int64_t)((uint64_t)served_ns + dropped * interval), interval_ns);
}

int64_t gy_timer_deadline_after(int64_t served_ns, int64_t interval_ns, int64_t now_ns,
                                gy_overrun overrun) {
    if (overrun == GY_OVERRUN_FROM_END) return gy_ns_add(now_ns, interval_ns);
    int64_t next_ns = gy_ns_add(served_ns, interval_ns);
    if (next_ns > now_ns || served_ns > now_ns) return next_ns;
    return latest_kept(served_ns, interval_ns, now_ns, gy_overrun_limit(overrun));
}

void gy_timer_set_schedule(GYRunLoopTimerRef timer, int64_t deadline_ns, GYAbsoluteTime date) {
    atomic_store_explicit(&timer->deadline_ns, deadline_ns, memory_order_relaxed);
    atomic_store_explicit(&timer->date, date, memory_order_relaxed);
}

GYAbsoluteTime gy_timer_date(const struct GYRunLoopTimer *timer) {
    double date = gy_timer_date_given(timer);
    if (date == date) return date;
    date = gy_clock_date(gy_timer_deadline(timer));
    return date < GY_TIMER_LAST_DATE ? date : GY_TIMER_LAST_DATE;
}

gy_timer_extra *gy_timer_need_extra(GYRunLoopTimerRef timer) {
    gy_timer_extra *extra = gy_timer_extra_of(timer);
    if (extra != NULL) return extra;
    gy_timer_extra *made = calloc(1, sizeof *made);
    if (made == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    /* Release: pairs with the acquire in gy_timer_extra_of. Another thread may have been faster. */
    if (atomic_compare_exchange_strong_explicit(&timer->extra, &extra, made, memory_order_acq_rel,
                                                memory_order_acquire)) {
        return made;
    }
    free(made);
    return extra;
}

gy_timer_clocks *gy_timer_need_clocks(GYRunLoopTimerRef timer) {
    gy_timer_extra *extra = gy_timer_need_extra(timer);
    gy_timer_clocks *clocks = extra == NULL ? NULL : gy_timer_clocks_of(timer);
    if (extra == NULL || clocks != NULL) return clocks;
    gy_timer_clocks *made = calloc(1, sizeof *made);
    if (made == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    /* Release: pairs with the acquire in gy_timer_clocks_of. Another thread may have been faster. */
    if (atomic_compare_exchange_strong_explicit(&extra->clocks, &clocks, made, memory_order_acq_rel,
                                                memory_order_acquire)) {
        return made;
    }
    free(made);
    return clocks;
}

gy_timer_slot *gy_timer_slot_at(GYRunLoopTimerRef timer, uint32_t i) {
    return i == 0 ? &timer->slot : &gy_timer_extra_of(timer)->more_slots[i - 1];
}

gy_timer_slot *gy_timer_slot_in(GYRunLoopTimerRef timer, const struct gy_mode *mode) {
    for (uint32_t i = 0; i < timer->item.mode_count; i++) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        if (slot->mode == mode) return slot;
    }
    return NULL;
}

bool gy_timer_reserve_slot(GYRunLoopTimerRef timer) {
    if (timer->item.mode_count == 0) return true;
    gy_timer_extra *extra = gy_timer_need_extra(timer);
    if (extra == NULL) return false;
    if (timer->item.mode_count - 1 < extra->more_room) return true;
    uint32_t room = extra->more_room == 0 ? 2 : extra->more_room * 2;
    gy_timer_slot *slots = realloc(extra->more_slots, room * sizeof *slots);
    if (slots == NULL) {
        errno = ENOMEM;
        return false;
    }
    extra->more_slots = slots;
    extra->more_room = room;
    return true;
}

void gy_timer_add_slot(GYRunLoopTimerRef timer, struct gy_mode *mode, uint64_t sequence) {
    *gy_timer_slot_at(timer, timer->item.mode_count++) =
        (gy_timer_slot){mode, GY_TIMER_LOOSE, sequence};
}

void gy_timer_remove_slot(GYRunLoopTimerRef timer, const struct gy_mode *mode) {
    gy_timer_slot *slot = gy_timer_slot_in(timer, mode);
    if (slot == NULL) return;
    *slot = *gy_timer_slot_at(timer, timer->item.mode_count - 1);
    timer->item.mode_count--;
}
