#include "loop/schedule.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/follow.h"
#include "loop/loose.h"
#include "loop/tenants.h"

#include <errno.h>
#include <math.h>

/* A loop that sleeps in a mode has to be told of an earlier deadline (R111): what the deadline was
 * before a change, and the comparison after it. The loop's own thread is not asleep. */
static int64_t wake_before(gy_mode *mode) {
    return gy_loop_is_current(mode->loop) ? INT64_MIN : gy_mode_wake_ns(mode);
}

static void nudge_if_earlier(gy_mode *mode, int64_t before_ns) {
    if (before_ns != INT64_MIN && gy_mode_wake_ns(mode) < before_ns) gy_loop_nudge(mode->loop);
}

void gy_schedule_start(gy_mode *mode, GYRunLoopTimerRef timer) {
    int64_t before_ns = wake_before(mode);
    gy_mode_start_timer(mode, timer);
    nudge_if_earlier(mode, before_ns);
}

/* ---- dates ---- */

/* Between a date that is set while a timer is busy and the one that is computed when it ceases to
 * be. Where both find it in its loop, that loop's lock would do; a timer that has left it, or is
 * being given to another, is computed for without one. */
static gy_lock dates_lock = GY_LOCK_INIT(GY_RANK_TABLE);

void gy_schedule_lock_for_fork(void) { gy_lock_take_unranked(&dates_lock); }
void gy_schedule_unlock_after_fork(void) { gy_lock_give_unranked(&dates_lock); }

/* The mark goes together with that of being busy (cease_to_be_busy), so it never outlives it. */
static bool mark_while_busy(gy_item *item) {
    uint32_t flags = gy_item_flags_now(item);
    while ((flags & GY_ITEM_BUSY) != 0) {
        if (atomic_compare_exchange_weak_explicit(&item->flags, &flags, flags | GY_ITEM_DATE_SET,
                                                  memory_order_seq_cst, memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

/* R106: true if the timer is busy, and then this is its next date. */
static bool set_while_busy(GYRunLoopTimerRef timer, const gy_moment *moment, GYRunLoopRef loop) {
    if (!gy_item_is(&timer->item, GY_ITEM_BUSY)) return false;
    gy_lock_take(&dates_lock);
    bool is_busy = mark_while_busy(&timer->item);
    if (is_busy) gy_moment_give(moment, timer, loop);
    gy_lock_give(&dates_lock);
    return is_busy;
}

/* It waits at its new deadline in all its modes. Its loop's lock. */
static void reschedule(GYRunLoopTimerRef timer) {
    for (uint32_t i = 0; i < timer->item.mode_count; i++) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        int64_t before_ns = wake_before(slot->mode);
        if (slot->index == GY_TIMER_LOOSE) {
            gy_mode_start_timer(slot->mode, timer);
        } else {
            gy_mode_reorder_timer(slot->mode, timer, slot);
        }
        nudge_if_earlier(slot->mode, before_ns);
    }
}

void gy_schedule_set(GYRunLoopTimerRef timer, const gy_moment *moment) {
    for (;;) {
        GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
        bool is_busy = set_while_busy(timer, moment, loop);
        if (!is_busy) gy_moment_give(moment, timer, loop);
        if (loop != NULL) {
            if (!is_busy) reschedule(timer);
            gy_loop_leave(loop);
            return;
        }
        /* Free. If it is being added meanwhile, the heap may have the old deadline: set it
         * again. The write of the flags, which changes none, pairs with gy_item_claim. */
        gy_item_set(&timer->item, 0);
        if (gy_item_loop(&timer->item) == NULL) return;
    }
}

/* The lock of its loop, or none. The deadline, as it now stands, is that by the other clock too. */
static bool change_clock(GYRunLoopTimerRef timer, GYRunLoopRef loop, uint32_t clock,
                         GYRunLoopTimerClockWasSet was_set) {
    const uint32_t all = GY_ITEM_BOOT | GY_ITEM_WALL | GY_ITEM_CLOCK_SET;
    if (clock != 0 && gy_timer_need_clocks(timer) == NULL) return false;
    if (clock != 0 && loop != NULL && !gy_follow_prepare(loop)) return false;
    if (loop != NULL) gy_follow_look(loop);
    if (gy_timer_follows(timer)) gy_follow_update(timer, loop);
    gy_item_clear(&timer->item, all & ~clock);
    gy_item_set(&timer->item, clock);
    if (clock != 0) gy_follow_begin(timer, loop, was_set);
    return true;
}

bool gy_schedule_set_clock(GYRunLoopTimerRef timer, uint32_t clock,
                           GYRunLoopTimerClockWasSet was_set) {
    for (;;) {
        GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
        bool ok = change_clock(timer, loop, clock, was_set);
        if (loop != NULL) {
            if (ok && !gy_item_is(&timer->item, GY_ITEM_BUSY)) reschedule(timer);
            int saved = errno;
            gy_loop_leave(loop);
            errno = saved;
            return ok;
        }
        /* Free, as in gy_schedule_set; the flags have been written. */
        if (!ok || gy_item_loop(&timer->item) == NULL) return ok;
    }
}

void gy_schedule_set_tolerance(GYRunLoopTimerRef timer, int64_t tolerance_ns) {
    GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
    atomic_store_explicit(&timer->tolerance_ns, gy_timer_limited_tolerance(timer, tolerance_ns),
                          memory_order_relaxed);
    if (loop == NULL) return;
    for (uint32_t i = 0; i < timer->item.mode_count; i++) {
        gy_mode *mode = gy_timer_slot_at(timer, i)->mode;
        int64_t before_ns = wake_before(mode);
        mode->wake_is_known = false;
        nudge_if_earlier(mode, before_ns);
    }
    gy_loop_leave(loop);
}

/* ---- calls ---- */

void gy_schedule_stop(GYRunLoopTimerRef timer) {
    for (uint32_t i = 0; i < timer->item.mode_count; i++) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        gy_mode_stop_timer(slot->mode, slot);
    }
}

void gy_schedule_begin_call(GYRunLoopTimerRef timer) {
    gy_item_set(&timer->item, GY_ITEM_BUSY);
    gy_schedule_stop(timer);
}

static void compute_next(GYRunLoopTimerRef timer, GYRunLoopRef loop) {
    bool follows = gy_timer_follows(timer);
    if (follows) gy_follow_update(timer, loop);
    int64_t now_ns = loop == NULL ? gy_clock_now_ns() : gy_loop_now_ns(loop);
    int64_t next_ns = gy_timer_deadline_after(gy_timer_deadline(timer), timer->interval_ns, now_ns,
                                              gy_timer_overrun(timer));
    gy_timer_set_schedule(timer, next_ns, NAN);
    if (follows) gy_follow_settle(timer, loop);
}

/* The lock of its loop. */
static void start_everywhere(GYRunLoopTimerRef timer) {
    for (uint32_t i = 0; i < timer->item.mode_count; i++) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        if (slot->index == GY_TIMER_LOOSE) gy_schedule_start(slot->mode, timer);
    }
}

/* The timer is busy no more. False, and it is busy still: its info is owed, for another thread has
 * invalidated it meanwhile. */
static bool cease_to_be_busy(gy_item *item, uint32_t *flags) {
    const uint32_t over = GY_ITEM_BUSY | GY_ITEM_HELD | GY_ITEM_DATE_SET;
    *flags = gy_item_flags_now(item);
    do {
        if ((*flags & GY_ITEM_OWED) != 0) return false;
    } while (!atomic_compare_exchange_weak_explicit(&item->flags, flags, *flags & ~over,
                                                    memory_order_seq_cst, memory_order_acquire));
    return true;
}

/* R104, unless a date has been set meanwhile. The lock of its loop, unless it is free. */
static void settle_date(GYRunLoopTimerRef timer, GYRunLoopRef loop) {
    if (!gy_item_is_valid(&timer->item)) return;
    if (loop == NULL) gy_lock_take(&dates_lock);
    if (!gy_item_is(&timer->item, GY_ITEM_DATE_SET)) compute_next(timer, loop);
    if (loop == NULL) gy_lock_give(&dates_lock);
}

/* It was free and busy, and whoever added it meanwhile left it loose. The flags are written by
 * cease_to_be_busy before this and by gy_item_claim: one of the two sees what the other has done. */
static void start_if_added(GYRunLoopTimerRef timer) {
    GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
    if (loop == NULL) return;
    if (!gy_item_is(&timer->item, GY_ITEM_BUSY)) start_everywhere(timer);
    gy_loop_leave(loop);
}

/* The callout may have moved the timer to another loop: it waits wherever it is now. It ceases to
 * be busy under that loop's lock, so that whoever moves its date finds it either busy or in the
 * heap. */
void gy_schedule_end_call(GYRunLoopTimerRef timer, bool keeps_date) {
    for (;;) {
        uint32_t flags;
        GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
        if (!keeps_date) settle_date(timer, loop);
        if (loop != NULL) start_everywhere(timer);
        bool is_over = cease_to_be_busy(&timer->item, &flags);
        if (loop != NULL) gy_loop_leave(loop);
        if (is_over && loop == NULL) start_if_added(timer);
        if (is_over && (flags & GY_ITEM_WAITED_FOR) != 0) gy_callout_announce();
        if (is_over) return;
        gy_tenant_release_info(&timer->item, gy_timer_release(timer));
        gy_item_clear(&timer->item, GY_ITEM_OWED);
    }
}

void gy_schedule_put_back(gy_mode *mode, GYRunLoopTimerRef timer) {
    if (!gy_loose_is_in_loop(mode->loop, timer)) return;
    const gy_timer_slot *slot = gy_timer_slot_in(timer, mode);
    if (slot == NULL || slot->index != GY_TIMER_LOOSE || gy_item_is(&timer->item, GY_ITEM_BUSY))
        return;
    gy_mode_start_timer(mode, timer);
}
