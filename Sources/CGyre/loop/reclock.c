#include "loop/reclock.h"

#include "loop/current.h"
#include "loop/follow.h"
#include "loop/moment.h"

#include <math.h>

/* ---- timers ---- */

typedef struct shift {
    int64_t from_ns, to_ns;
} shift;

static int64_t shifted(shift by, int64_t ns) { return gy_moment_moved(ns, by.from_ns, by.to_ns); }

static void shift_timer(GYRunLoopRef loop, GYRunLoopTimerRef timer, shift by) {
    gy_timer_set_schedule(timer, shifted(by, gy_timer_deadline(timer)), NAN);
    if (gy_timer_follows(timer)) gy_follow_settle(timer, loop);
}

/* All by as much: the order in the heap stays. A timer is shifted where its first slot is. */
static void shift_mode(gy_mode *mode, shift by) {
    for (uint32_t i = 0; i < mode->timers.count; i++) {
        gy_heap_entry *entry = &mode->timers.entries[i];
        GYRunLoopTimerRef timer = entry->item;
        if (entry->key != INT64_MIN) entry->key = shifted(by, entry->key);
        if (timer->slot.mode == mode) shift_timer(mode->loop, timer, by);
    }
    mode->wake_is_known = false;
}

/* No run is in progress and no timer is called: every timer waits in the heaps of its modes, but
 * for common items that have been taken out of all of them. */
static void shift_all(GYRunLoopRef loop, shift by) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) shift_mode(m, by);
    cursor = 0;
    for (GYRunLoopTimerRef t; (t = gy_set_next(&loop->common_timers, &cursor)) != NULL;) {
        if (t->item.mode_count == 0) shift_timer(loop, t, by);
    }
}

/* ---- changing over ---- */

/* The registry's lock. */
static bool is_taken(GYRunLoopRef loop, GYManualClockRef clock) {
    if (clock == NULL || !clock->advances_itself) return false;
    for (gy_node *n = gy_all_loops.next; n != &gy_all_loops; n = n->next) {
        GYRunLoopRef other = gy_node_owner(n, struct GYRunLoop, in_registry);
        if (other != loop && other->clock == clock) return true;
    }
    return false;
}

/* Both locks. Returns the clock from before, for release. */
static GYManualClockRef change(GYRunLoopRef loop, GYManualClockRef clock) {
    GYManualClockRef before = loop->clock;
    if (before == clock) return NULL;
    int64_t from_ns = gy_loop_now_ns(loop);
    if (before == NULL) gy_follow_look(loop);
    loop->clock = gy_retain(clock);
    if (clock == NULL) gy_follow_begin_anew(loop);
    shift_all(loop, (shift){from_ns, gy_loop_now_ns(loop)});
    return before;
}

enum gy_reclock_result gy_reclock_set(GYRunLoopRef loop, GYManualClockRef clock) {
    if (loop->depth > 0 || loop->by_hand != NULL) return GY_RECLOCK_RUNS;
    GYManualClockRef before = NULL;
    enum gy_reclock_result result = GY_RECLOCKED;
    gy_registry_lock();
    gy_loop_lock(loop);
    if (gy_loop_is_dead(loop)) {
        result = GY_RECLOCK_DEAD;
    } else if (is_taken(loop, clock)) {
        result = GY_RECLOCK_TAKEN;
    } else {
        before = change(loop, clock);
    }
    gy_loop_unlock(loop);
    gy_registry_unlock();
    gy_release(before);
    return result;
}

GYManualClockRef gy_reclock_copy(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    GYManualClockRef clock = gy_retain(loop->clock);
    gy_loop_unlock(loop);
    return clock;
}

/* ---- moving ---- */

/* A loop looks at the clock when it has said that it is asleep: either it sees where the clock has
 * been moved to, or the nudge finds it asleep (gy_manual_clock_look). */
void gy_reclock_tell(GYManualClockRef clock) {
    gy_registry_lock();
    for (gy_node *n = gy_all_loops.next; n != &gy_all_loops; n = n->next) {
        GYRunLoopRef loop = gy_node_owner(n, struct GYRunLoop, in_registry);
        if (loop->clock == clock) gy_loop_nudge(loop);
    }
    gy_registry_unlock();
}
