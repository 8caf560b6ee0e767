#include "loop/follow.h"

#include "loop/loose.h"

#include <errno.h>
#include <stdlib.h>

/* ---- offsets ---- */

static int64_t offset_of(GYRunLoopTimerRef timer, const struct GYRunLoop *loop) {
    bool is_wall = gy_item_is(&timer->item, GY_ITEM_WALL);
    if (loop != NULL && loop->follow != NULL) {
        return is_wall ? loop->follow->wall_offset_ns : loop->follow->boot_offset_ns;
    }
    return is_wall ? gy_clock_wall_offset_ns() : gy_clock_boot_offset_ns();
}

static void read_offsets(gy_follow *follow) {
    follow->boot_offset_ns = gy_clock_boot_offset_ns();
    follow->wall_offset_ns = gy_clock_wall_offset_ns();
}

static bool make(GYRunLoopRef loop) {
    gy_follow *follow = calloc(1, sizeof *follow);
    if (follow == NULL) {
        errno = ENOMEM;
        return false;
    }
    follow->fd = gy_sys_clock_watch_create();
    if (follow->fd < 0) {
        free(follow);
        return false;
    }
    read_offsets(follow);
    loop->follow = follow;
    return true;
}

bool gy_follow_prepare(GYRunLoopRef loop) {
    if (loop->follow == NULL && !make(loop)) return false;
    if (loop->base.clock_fd >= 0) return true;
    int error = gy_loop_watch_clock(loop);
    if (error == 0) return true;
    errno = -error;
    return false;
}

/* ---- one timer ---- */

static void set_deadline(GYRunLoopTimerRef timer, int64_t deadline_ns) {
    gy_timer_set_schedule(timer, deadline_ns, gy_timer_date_given(timer));
}

static int64_t target_of(const gy_timer_clocks *clocks) {
    /* Relaxed: a lone value; in a loop it is behind the lock. */
    return atomic_load_explicit(&clocks->target_ns, memory_order_relaxed);
}

static int64_t less(int64_t target_ns, int64_t offset_ns) {
    return target_ns == GY_NEVER ? GY_NEVER : gy_ns_add(target_ns, -offset_ns);
}

/* A date by the wall clock is the target itself; one in the past is due (R105, R117). */
static void aim_at_date(GYRunLoopTimerRef timer, int64_t offset_ns) {
    GYAbsoluteTime date = gy_timer_date_given(timer);
    if (date != date || !gy_item_is(&timer->item, GY_ITEM_WALL)) return;
    int64_t by_date_ns = gy_ns_add(gy_seconds_to_ns(date), -offset_ns);
    if (by_date_ns > gy_clock_now_ns()) set_deadline(timer, by_date_ns);
}

void gy_follow_settle(GYRunLoopTimerRef timer, const struct GYRunLoop *loop) {
    if (loop != NULL && loop->clock != NULL) return;
    gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    int64_t offset_ns = offset_of(timer, loop);
    aim_at_date(timer, offset_ns);
    int64_t deadline_ns = gy_timer_deadline(timer);
    int64_t target_ns = deadline_ns == GY_NEVER ? GY_NEVER : gy_ns_add(deadline_ns, offset_ns);
    atomic_store_explicit(&clocks->target_ns, target_ns, memory_order_relaxed);
    if (loop != NULL && loop->follow != NULL) clocks->step = loop->follow->step;
}

void gy_follow_begin(GYRunLoopTimerRef timer, GYRunLoopRef loop,
                     GYRunLoopTimerClockWasSet was_set) {
    gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    atomic_store_explicit(&clocks->was_set, was_set, memory_order_relaxed);
    clocks->change_ns = 0;
    gy_follow_settle(timer, loop);
}

void gy_follow_update(GYRunLoopTimerRef timer, GYRunLoopRef loop) {
    if (loop != NULL && loop->clock != NULL) return;
    gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    if (loop != NULL) gy_follow_look(loop);
    set_deadline(timer, less(target_of(clocks), offset_of(timer, loop)));
    if (loop != NULL && loop->follow != NULL) clocks->step = loop->follow->step;
}

/* ---- a change ---- */

static void note_news(GYRunLoopTimerRef timer, gy_timer_clocks *clocks, int64_t set_ns) {
    bool is_wall = gy_item_is(&timer->item, GY_ITEM_WALL);
    if (set_ns == 0 || !is_wall) return;
    if (atomic_load_explicit(&clocks->was_set, memory_order_relaxed) == NULL) return;
    bool is_pending = gy_item_is(&timer->item, GY_ITEM_CLOCK_SET);
    clocks->change_ns = gy_ns_add(is_pending ? clocks->change_ns : 0, set_ns);
    gy_item_set(&timer->item, GY_ITEM_CLOCK_SET);
}

/* A timer is met once in each of its modes, and follows a step once. */
static void follow(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    if (!gy_timer_follows(timer) || clocks->step == loop->follow->step) return;
    clocks->step = loop->follow->step;
    set_deadline(timer, less(target_of(clocks), offset_of(timer, loop)));
    note_news(timer, clocks, loop->follow->set_ns);
}

static void follow_mode(GYRunLoopRef loop, gy_mode *mode) {
    for (uint32_t i = 0; i < mode->timers.count; i++) {
        gy_heap_entry *entry = &mode->timers.entries[i];
        follow(loop, entry->item);
        entry->key = gy_timer_key(entry->item);
    }
    gy_heap_rebuild(&mode->timers);
    mode->wake_is_known = false;
}

static void follow_all(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) follow_mode(loop, m);
    gy_loose_visit(loop, follow);
    cursor = 0;
    for (GYRunLoopTimerRef t; (t = gy_set_next(&loop->common_timers, &cursor)) != NULL;) {
        follow(loop, t);
    }
}

void gy_follow_look(GYRunLoopRef loop) {
    gy_follow *f = loop->follow;
    if (f == NULL || loop->clock != NULL) return;
    gy_follow before = *f;
    read_offsets(f);
    int64_t boot_ns = f->boot_offset_ns - before.boot_offset_ns;
    int64_t wall_ns = f->wall_offset_ns - before.wall_offset_ns;
    if (boot_ns == 0 && wall_ns == 0) return;
    int64_t set_ns = wall_ns - boot_ns;
    bool is_set = set_ns >= GY_CLOCK_STEP_NS || set_ns <= -GY_CLOCK_STEP_NS;
    f->set_ns = is_set ? set_ns : 0;
    f->step++;
    follow_all(loop);
}

void gy_follow_begin_anew(GYRunLoopRef loop) {
    if (loop->follow != NULL) read_offsets(loop->follow);
}

GYRunLoopTimerClockWasSet gy_follow_take_news(GYRunLoopTimerRef timer, int64_t *change_ns) {
    if (!gy_item_is(&timer->item, GY_ITEM_CLOCK_SET)) return NULL;
    gy_timer_clocks *clocks = gy_timer_clocks_of(timer);
    gy_item_clear(&timer->item, GY_ITEM_CLOCK_SET);
    *change_ns = clocks->change_ns;
    return atomic_load_explicit(&clocks->was_set, memory_order_relaxed);
}
