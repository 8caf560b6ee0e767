#include "loop/timers.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"
#include "loop/follow.h"
#include "loop/loose.h"
#include "loop/schedule.h"

#include <errno.h>
#include <stdlib.h>

/* ---- entering and leaving ---- */

static bool enter_mode(gy_mode *mode, GYRunLoopTimerRef timer) {
    if (gy_timer_slot_in(timer, mode) != NULL) return true;
    if (!gy_mode_reserve_timer(mode) || !gy_timer_reserve_slot(timer)) return false;
    gy_retain(timer);
    gy_timer_add_slot(timer, mode, ++mode->loop->sequence);
    mode->is_given = true;
    gy_tally_add(&mode->timer_count, 1);
    gy_tally_add(&mode->item_count, 1);
    if (!gy_item_is(&timer->item, GY_ITEM_BUSY)) gy_schedule_start(mode, timer);
    return true;
}

/* The mode's reference is the caller's to release, without the lock. */
static bool leave_mode(gy_mode *mode, GYRunLoopTimerRef timer) {
    gy_timer_slot *slot = gy_timer_slot_in(timer, mode);
    if (slot == NULL) return false;
    gy_mode_stop_timer(mode, slot);
    gy_timer_remove_slot(timer, mode);
    gy_tally_add(&mode->timer_count, -1);
    gy_tally_add(&mode->item_count, -1);
    return true;
}

static void leave_common_modes(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint32_t *references) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        *references += leave_mode(m, timer);
    }
}

/* The modes where it was before keep it: what was entered now has the later sequences. */
static void undo_entering(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint64_t since) {
    uint32_t references = 0;
    for (uint32_t i = timer->item.mode_count; i-- > 0;) {
        gy_timer_slot *slot = gy_timer_slot_at(timer, i);
        if (slot->sequence > since) references += leave_mode(slot->mode, timer);
    }
    gy_tenant_forget_common(&loop->common_timers, &timer->item, &references);
    gy_tenant_release(&timer->item, references); /* none is the last: the caller has one */
}

static bool enter_common(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    if (gy_item_is(&timer->item, GY_ITEM_COMMON)) return true;
    if (!gy_loop_need_common_modes(loop)) return false;
    if (!gy_tenant_make_common(&loop->common_timers, &timer->item)) return false;
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

static bool is_in_nothing(GYRunLoopTimerRef timer) {
    return timer->item.mode_count == 0 && !gy_item_is(&timer->item, GY_ITEM_COMMON);
}

/* It goes by another clock. */
static bool prepare_to_follow(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    if (!gy_follow_prepare(loop)) return false;
    if (is_in_nothing(timer)) gy_follow_update(timer, loop);
    return true;
}

static bool enter(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    if (!gy_loop_prepare_wait(loop, true)) return false;
    if (gy_timer_follows(timer) && !prepare_to_follow(loop, timer)) return false;
    if (name == kGYRunLoopCommonModes) return enter_common(loop, timer);
    gy_mode *mode = gy_loop_need_mode(loop, name);
    return mode != NULL && enter_mode(mode, timer);
}

/* Its deadline is by the clock of the loop that it is in (moment.h). */
static void let_go_if_free(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    if (gy_manual_clocks_are_used() && is_in_nothing(timer)) gy_moment_leave(timer, loop);
    gy_item_let_go_if_free(&timer->item);
}

static enum gy_add_result add_locked(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    if (!gy_item_claim(&timer->item, loop)) return GY_ADD_OTHER_LOOP;
    if (loop->clock != NULL && is_in_nothing(timer)) gy_moment_enter(timer, loop);
    bool ok = enter(loop, timer, name);
    int saved = errno;
    let_go_if_free(loop, timer);
    errno = saved;
    return ok ? GY_ADDED : GY_ADD_FAILED;
}

static void leave_all_modes(GYRunLoopRef loop, GYRunLoopTimerRef timer, uint32_t *references) {
    while (timer->item.mode_count > 0) *references += leave_mode(timer->slot.mode, timer);
    gy_tenant_forget_common(&loop->common_timers, &timer->item, references);
    let_go_if_free(loop, timer);
}

/* The timer leaves whichever loop it is in. */
static void detach(GYRunLoopTimerRef timer) {
    uint32_t references = 0;
    GYRunLoopRef loop = gy_loop_enter(&timer->item.loop);
    if (loop == NULL) return;
    leave_all_modes(loop, timer, &references);
    gy_loop_leave(loop);
    gy_tenant_release(&timer->item, references);
}

enum gy_add_result gy_timer_add(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef mode) {
    enum gy_add_result result = GY_ADD_DEAD_LOOP;
    gy_loop_lock(loop);
    if (gy_loop_takes_items(loop)) {
        result = gy_item_is_valid(&timer->item) ? add_locked(loop, timer, mode) : GY_ADDED;
    }
    int saved = errno;
    gy_loop_unlock(loop);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (result == GY_ADDED && !gy_item_is_valid(&timer->item)) detach(timer);
    errno = saved;
    return result;
}

void gy_timer_remove(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    uint32_t references = 0;
    gy_loop_lock(loop);
    if (gy_item_loop(&timer->item) == loop && !gy_loop_is_dead(loop)) {
        if (name != kGYRunLoopCommonModes) {
            gy_mode *mode = gy_loop_find_mode(loop, name);
            if (mode != NULL) references += leave_mode(mode, timer);
        } else if (gy_item_is(&timer->item, GY_ITEM_COMMON)) {
            leave_common_modes(loop, timer, &references);
            gy_tenant_forget_common(&loop->common_timers, &timer->item, &references);
        }
        let_go_if_free(loop, timer);
    }
    gy_loop_unlock(loop);
    gy_tenant_release(&timer->item, references);
}

bool gy_timer_contains(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef name) {
    bool found = false;
    gy_loop_lock(loop);
    if (gy_item_loop(&timer->item) == loop && !gy_loop_is_dead(loop)) {
        gy_mode *mode = gy_loop_find_mode(loop, name);
        found = name == kGYRunLoopCommonModes
                    ? gy_item_is(&timer->item, GY_ITEM_COMMON)
                    : mode != NULL && gy_timer_slot_in(timer, mode) != NULL;
    }
    gy_loop_unlock(loop);
    return found;
}

/* Not only in the callout itself: also in what is released before the firing is over. */
bool gy_timer_is_fired_here(GYRunLoopTimerRef timer) {
    GYRunLoopRef loop = gy_current_loop;
    if (loop == NULL) return false;
    for (uint32_t i = 0; i < loop->depth; i++) {
        const gy_firing *firing = loop->activations[i].firing;
        if (firing != NULL && firing->current == timer) return true;
    }
    for (const gy_hand *h = loop->by_hand; h != NULL; h = h->outer) {
        if (h->timer == timer) return true;
    }
    return false;
}

/* On another thread than that of a callout in progress, which may be about to read info, its
 * release is left to the end of the callout unless info is held there. True if the loop has taken
 * it over. */
static bool leave_to_loop(gy_item *item) {
    uint32_t flags = gy_item_flags_now(item);
    while ((flags & GY_ITEM_BUSY) != 0 && (flags & GY_ITEM_HELD) == 0) {
        if (atomic_compare_exchange_weak_explicit(&item->flags, &flags, flags | GY_ITEM_OWED,
                                                  memory_order_seq_cst, memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

void gy_timer_invalidate(GYRunLoopTimerRef timer) {
    gy_retain(timer); /* the modes' references may be the last */
    if ((gy_item_set(&timer->item, GY_ITEM_INVALID) & GY_ITEM_INVALID) == 0) {
        detach(timer);
        if (gy_timer_is_fired_here(timer) || !leave_to_loop(&timer->item)) {
            gy_tenant_release_info(&timer->item, gy_timer_release(timer));
        }
    }
    gy_release(timer);
}

static bool is_idle(const void *timer) {
    const gy_item *item = &((const struct GYRunLoopTimer *)timer)->item;
    return (atomic_load_explicit(&item->flags, memory_order_seq_cst) & GY_ITEM_BUSY) == 0;
}

void gy_timer_wait(GYRunLoopTimerRef timer) {
    if (gy_timer_is_fired_here(timer)) return;
    gy_item_set(&timer->item, GY_ITEM_WAITED_FOR);
    gy_callout_wait(is_idle, timer);
}

/* ---- firing ---- */

void gy_timer_finish_firing(GYRunLoopTimerRef timer) {
    if (!gy_timer_repeats(timer)) gy_timer_invalidate(timer);
    gy_schedule_end_call(timer, false);
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
        if (gy_item_is(&timer->item, GY_ITEM_ENDS_WITH_LOOP)) gy_timer_invalidate(timer);
        gy_tenant_release(&timer->item, references + 1);
    }
}

int64_t gy_timer_first_deadline(GYRunLoopRef loop, GYStringRef name, GYRunLoopTimerRef *first) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    GYRunLoopTimerRef timer = mode == NULL ? NULL : gy_mode_first_timer(mode);
    if (mode != NULL) timer = gy_loose_earlier(loop, mode, timer);
    *first = gy_retain(timer);
    int64_t deadline_ns = timer == NULL ? GY_NEVER : gy_timer_deadline(timer);
    gy_loop_unlock(loop);
    return deadline_ns;
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopTimerRef timer = object;
    void *info = gy_tenant_take_info(&timer->item);
    void (*release)(const void *) = gy_timer_release(timer);
    gy_timer_extra *extra = gy_timer_extra_of(timer);
    free(gy_timer_clocks_of(timer));
    if (extra != NULL) free(extra->more_slots);
    free(extra);
    gy_object_free(timer);
    gy_tenant_give_info(info, release);
}

const gy_type gy_timer_type = {
    .kind = GY_KIND_TIMER,
    .name = "GYRunLoopTimer",
    .finalize = finalize,
    .copy_description = gy_describe_timer,
};
