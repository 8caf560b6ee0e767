#include "loop/timers.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"
#include "loop/loose.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static GYRunLoopRef loop_of(const struct GYRunLoopTimer *timer) {
    return atomic_load_explicit(&timer->loop, memory_order_seq_cst);
}

static bool is_firing(const struct GYRunLoopTimer *timer) {
    return (gy_timer_flags_now(timer) & GY_TIMER_FIRING) != 0;
}

static bool is_common(const struct GYRunLoopTimer *timer) {
    return (gy_timer_flags_now(timer) & GY_TIMER_COMMON) != 0;
}

/* A loop that sleeps in a mode has to be told of an earlier deadline (R111): what the deadline was
 * before a change, and the comparison after it. The loop's own thread is not asleep. */
static int64_t wake_before(gy_mode *mode) {
    return gy_loop_is_current(mode->loop) ? INT64_MIN : gy_mode_wake_ns(mode);
}

static void nudge_if_earlier(gy_mode *mode, int64_t before_ns) {
    if (before_ns != INT64_MIN && gy_mode_wake_ns(mode) < before_ns) gy_loop_nudge(mode->loop);
}

static void start(gy_mode *mode, GYRunLoopTimerRef timer) {
    int64_t before_ns = wake_before(mode);
    gy_mode_start_timer(mode, timer);
    nudge_if_earlier(mode, before_ns);
}

/* ---- entering and leaving ---- */

static bool enter_mode(gy_mode *mode, GYRunLoopTimerRef timer) {
    if (gy_timer_slot_in(timer, mode) != NULL) return true;
    if (!gy_mode_reserve_timer(mode) || !gy_timer_reserve_slot(timer)) return false;
    gy_retain(timer);
    gy_timer_add_slot(timer, mode, ++mode->loop->sequence);
    mode->is_given = true;
    atomic_fetch_add_explicit(&mode->timer_count, 1, memory_order_relaxed);
    gy_mode_count_item(mode, 1);
    if (!is_firing(timer)) start(mode, timer);
    return true;
}

/* The mode's reference is the caller's to release, without the lock. */
static bool leave_mode(gy_mode *mode, GYRunLoopTimerRef timer) {
    gy_timer_slot *slot = gy_timer_slot_in(timer, mode);
    if (slot == NULL) return false;
    gy_mode_stop_timer(mode, slot);
    gy_timer_remove_slot(timer, mode);
    atomic_fetch_sub_explicit(&mode->timer_count, 1, memory_order_relaxed);
    gy_mode_count_item(mode, -1);
    return true;
}

/* In no mode and no common item any more: free for another loop (R110). */
static void let_go_if_free(GYRunLoopTimerRef timer) {
    if (timer->slot_count > 0 || is_common(timer)) return;
    atomic_store_explicit(&timer->loop, NULL, memory_order_seq_cst);
}

static void leave_common_modes(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint32_t *references) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        *references += leave_mode(m, timer);
    }
}

static void forget_common(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint32_t *references) {
    if (!gy_set_remove(&loop->common_timers, timer, gy_pointer_hash(timer))) return;
    gy_timer_clear_flags(timer, GY_TIMER_COMMON);
    ++*references;
}

static void release_times(GYRunLoopTimerRef timer, uint32_t references) {
    while (references-- > 0) gy_release(timer);
}

/* The modes where it was before keep it: what was entered now has the later sequences. */
static void undo_entering(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint64_t since) {
    uint32_t references = 0;
    for (uint32_t i = timer->slot_count; i-- > 0;) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        if (slot->sequence > since) references += leave_mode(slot->mode, timer);
    }
    forget_common(loop, timer, &references);
    release_times(timer, references); /* none is the last: the caller has one */
}

static bool enter_common(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    if (is_common(timer)) return true;
    if (!gy_loop_need_common_modes(loop)) return false;
    if (!gy_set_insert(&loop->common_timers, timer, gy_pointer_hash(timer))) return false;
    gy_retain(timer);
    gy_timer_set_flags(timer, GY_TIMER_COMMON);
    uint32_t cursor = 0;
    uint64_t since = loop->sequence;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        if (enter_mode(m, timer)) continue;
        int saved = errno;
        undo_entering(loop, timer, since);
        errno = saved;
        return false;
    }
    return true;
}

static bool enter(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    if (!gy_loop_prepare_wait(loop, true)) return false;
    if (name == kGYRunLoopCommonModes) return enter_common(loop, timer);
    gy_mode *mode = gy_loop_need_mode(loop, name);
    return mode != NULL && enter_mode(mode, timer);
}

static enum gy_add_result add_locked(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    GYRunLoopRef none = NULL;
    /* Sequentially consistent, as the accesses in gy_timer_set_next: either the setter of a free
     * timer sees the loop, or what follows here sees what it set. */
    if (atomic_compare_exchange_strong_explicit(&timer->loop, &none, loop, memory_order_seq_cst,
                                                memory_order_seq_cst)) {
        timer->slot_count = 0; /* anything left is of a loop that a fork has killed */
        gy_timer_clear_flags(timer, GY_TIMER_COMMON);
    } else if (none != loop) {
        return GY_ADD_OTHER_LOOP;
    }
    bool ok = enter(loop, timer, name);
    int saved = errno;
    let_go_if_free(timer);
    errno = saved;
    return ok ? GY_ADDED : GY_ADD_FAILED;
}

static void leave_all_modes(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint32_t *references) {
    while (timer->slot_count > 0) *references += leave_mode(timer->slot.mode, timer);
    forget_common(loop, timer, references);
    let_go_if_free(timer);
}

/* The timer leaves whichever loop it is in. */
static void detach(GYRunLoopTimerRef timer) {
    uint32_t references = 0;
    GYRunLoopRef loop = gy_loop_enter(&timer->loop);
    if (loop == NULL) return;
    leave_all_modes(loop, timer, &references);
    gy_loop_leave(loop);
    release_times(timer, references);
}

enum gy_add_result gy_timer_add(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef mode) {
    enum gy_add_result result = GY_ADD_DEAD_LOOP;
    gy_loop_lock(loop);
    if (!gy_loop_is_dead(loop)) {
        result = gy_timer_is_valid(timer) ? add_locked(loop, timer, mode) : GY_ADDED;
    }
    int saved = errno;
    gy_loop_unlock(loop);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (result == GY_ADDED && !gy_timer_is_valid(timer)) detach(timer);
    errno = saved;
    return result;
}

void gy_timer_remove(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    uint32_t references = 0;
    gy_loop_lock(loop);
    if (loop_of(timer) == loop && !gy_loop_is_dead(loop)) {
        if (name != kGYRunLoopCommonModes) {
            gy_mode *mode = gy_loop_find_mode(loop, name);
            if (mode != NULL) references += leave_mode(mode, timer);
        } else if (is_common(timer)) {
            leave_common_modes(loop, timer, &references);
            forget_common(loop, timer, &references);
        }
        let_go_if_free(timer);
    }
    gy_loop_unlock(loop);
    release_times(timer, references);
}

bool gy_timer_contains(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    bool found = false;
    gy_loop_lock(loop);
    if (loop_of(timer) == loop && !gy_loop_is_dead(loop)) {
        gy_mode *mode = gy_loop_find_mode(loop, name);
        found = name == kGYRunLoopCommonModes
                    ? is_common(timer)
                    : mode != NULL && gy_timer_slot_in(timer, mode) != NULL;
    }
    gy_loop_unlock(loop);
    return found;
}

/* R161: once, at invalidation or else at destruction. */
static void release_info(GYRunLoopTimerRef timer) {
    void *info = atomic_exchange_explicit(&timer->info, NULL, memory_order_acq_rel);
    const gy_timer_extra *extra = timer->extra;
    if (info == NULL || extra == NULL || extra->context.release == NULL) return;
    gy_callout_release(extra->context.release, info);
}

void gy_timer_invalidate(GYRunLoopTimerRef timer) {
    gy_retain(timer); /* the modes' references may be the last */
    if ((gy_timer_set_flags(timer, GY_TIMER_INVALID) & GY_TIMER_INVALID) == 0) {
        detach(timer);
        release_info(timer);
    }
    gy_release(timer);
}

/* ---- schedule ---- */

static void reschedule(GYRunLoopTimerRef timer) {
    if (is_firing(timer)) {
        gy_timer_set_flags(timer, GY_TIMER_DATE_SET);
        return;
    }
    for (uint32_t i = 0; i < timer->slot_count; i++) {
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

void gy_timer_set_next(GYRunLoopTimerRef timer, int64_t deadline_ns, GYAbsoluteTime date) {
    for (;;) {
        GYRunLoopRef loop = gy_loop_enter(&timer->loop);
        gy_timer_set_schedule(timer, deadline_ns, date);
        if (loop != NULL) {
            reschedule(timer);
            gy_loop_leave(loop);
            return;
        }
        /* Free. If it is being added meanwhile, the heap may have the old deadline: set it again. */
        atomic_thread_fence(memory_order_seq_cst);
        if (loop_of(timer) == NULL) return;
    }
}

void gy_timer_set_tolerance(GYRunLoopTimerRef timer, int64_t tolerance_ns) {
    GYRunLoopRef loop = gy_loop_enter(&timer->loop);
    atomic_store_explicit(&timer->tolerance_ns, gy_timer_limited_tolerance(timer, tolerance_ns),
                          memory_order_relaxed);
    if (loop == NULL) return;
    for (uint32_t i = 0; i < timer->slot_count; i++) {
        gy_mode *mode = gy_timer_slot_at(timer, i)->mode;
        int64_t before_ns = wake_before(mode);
        mode->wake_is_known = false;
        nudge_if_earlier(mode, before_ns);
    }
    gy_loop_leave(loop);
}

/* ---- firing ---- */

void gy_timer_begin_firing(GYRunLoopTimerRef timer) {
    gy_timer_clear_flags(timer, GY_TIMER_DATE_SET);
    gy_timer_set_flags(timer, GY_TIMER_FIRING);
    for (uint32_t i = 0; i < timer->slot_count; i++) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        gy_mode_stop_timer(slot->mode, slot);
    }
}

static void set_next_of_grid(GYRunLoopTimerRef timer) {
    int64_t next_ns = gy_timer_deadline_after(gy_timer_deadline(timer), gy_timer_interval_ns(timer),
                                              gy_clock_now_ns());
    gy_timer_set_schedule(timer, next_ns, NAN);
}

/* The callout may have moved the timer to another loop: it waits wherever it is now. */
void gy_timer_finish_firing(GYRunLoopTimerRef timer) {
    if (timer->interval <= 0) gy_timer_invalidate(timer);
    GYRunLoopRef loop = gy_loop_enter(&timer->loop);
    uint32_t flags = gy_timer_clear_flags(timer, GY_TIMER_FIRING | GY_TIMER_DATE_SET);
    if ((flags & (GY_TIMER_INVALID | GY_TIMER_DATE_SET)) == 0) set_next_of_grid(timer);
    if (loop != NULL) {
        for (uint32_t i = 0; i < timer->slot_count; i++) {
            gy_timer_slot *slot = gy_timer_slot_at(timer, i);
            if (slot->index == GY_TIMER_LOOSE) start(slot->mode, timer);
        }
        gy_loop_leave(loop);
    }
    if ((flags & GY_TIMER_WAITED_FOR) != 0) gy_callout_announce();
}

void gy_timer_put_back(gy_mode *mode, GYRunLoopTimerRef timer) {
    const gy_timer_slot *slot = gy_timer_slot_in(timer, mode);
    if (slot == NULL || slot->index != GY_TIMER_LOOSE || is_firing(timer)) return;
    gy_mode_start_timer(mode, timer);
}

/* ---- all at once ---- */

static void part_locked(GYRunLoopRef loop, gy_mode *mode, uint64_t since) {
    uint32_t cursor = 0;
    for (GYRunLoopTimerRef t; (t = gy_set_next(&loop->common_timers, &cursor)) != NULL;) {
        const gy_timer_slot *slot = gy_timer_slot_in(t, mode);
        if (slot == NULL || slot->sequence <= since) continue;
        leave_mode(mode, t);
        gy_release(t); /* not the last: the common items have one */
    }
}

void gy_timer_part_common(GYRunLoopRef loop, GYStringRef name, uint64_t since) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) part_locked(loop, mode, since);
    gy_loop_unlock(loop);
}

static bool join_locked(GYRunLoopRef loop, GYStringRef name) {
    if (loop->common_timers.count == 0) return true;
    uint32_t cursor = 0;
    uint64_t since = loop->sequence;
    gy_mode *mode = gy_loop_need_mode(loop, name);
    if (mode == NULL) return false;
    for (GYRunLoopTimerRef t; (t = gy_set_next(&loop->common_timers, &cursor)) != NULL;) {
        if (enter_mode(mode, t)) continue;
        part_locked(loop, mode, since);
        return false;
    }
    return true;
}

bool gy_timer_join_common(GYRunLoopRef loop, GYStringRef name) {
    gy_loop_lock(loop);
    bool ok = join_locked(loop, name);
    gy_loop_unlock(loop);
    return ok;
}

static GYRunLoopTimerRef any_timer(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        if (m->timers.count > 0) return m->timers.entries[0].item;
    }
    cursor = 0;
    GYRunLoopTimerRef common = gy_set_next(&loop->common_timers, &cursor);
    return common != NULL ? common : gy_loose_any(loop);
}

void gy_timer_leave_all(GYRunLoopRef loop) {
    for (;;) {
        uint32_t references = 0;
        gy_loop_lock(loop);
        GYRunLoopTimerRef timer = gy_retain(any_timer(loop));
        if (timer != NULL) leave_all_modes(loop, timer, &references);
        gy_loop_unlock(loop);
        if (timer == NULL) return;
        if ((gy_timer_flags_now(timer) & GY_TIMER_ENDS_WITH_LOOP) != 0) gy_timer_invalidate(timer);
        release_times(timer, references + 1);
    }
}

int64_t gy_timer_first_deadline(GYRunLoopRef loop, GYStringRef name, GYRunLoopTimerRef *first) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    GYRunLoopTimerRef timer = NULL;
    if (mode != NULL && mode->timers.count > 0) timer = mode->timers.entries[0].item;
    if (mode != NULL) timer = gy_loose_earlier(loop, mode, timer);
    *first = gy_retain(timer);
    int64_t deadline_ns = timer == NULL ? GY_NEVER : gy_timer_deadline(timer);
    gy_loop_unlock(loop);
    return deadline_ns;
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopTimerRef timer = object;
    release_info(timer);
    if (timer->extra != NULL) free(timer->extra->more_slots);
    free(timer->extra);
}

const gy_type gy_timer_type = {
    .kind = GY_KIND_TIMER,
    .name = "GYRunLoopTimer",
    .finalize = finalize,
    .copy_description = gy_describe_timer,
};
