#include "loop/firing.h"

#include "loop/callout.h"
#include "loop/follow.h"
#include "loop/schedule.h"
#include "loop/timers.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16u

static gy_firing *with_room(gy_firing *firing, uint32_t room) {
    gy_firing *bigger = realloc(firing, sizeof *firing + room * sizeof firing->entries[0]);
    if (bigger != NULL) bigger->room = room;
    return bigger;
}

static gy_firing *take_spare(GYRunLoopRef loop) {
    gy_firing *firing = loop->spare_firing;
    loop->spare_firing = NULL;
    if (firing == NULL) firing = with_room(NULL, FIRST_ROOM);
    if (firing != NULL) {
        firing->count = firing->next = 0;
        firing->current = NULL;
        firing->is_called = false;
    }
    return firing;
}

static void give_back(GYRunLoopRef loop, gy_firing *firing) {
    if (loop->spare_firing == NULL && firing->room == FIRST_ROOM) {
        loop->spare_firing = firing;
    } else {
        free(firing);
    }
}

static int compare(const void *a, const void *b) {
    const gy_heap_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return 0;
}

/* Ascending by deadline, equal ones in the order in which they were put into the mode. What the
 * heap hands out is in order already as long as it goes one by one. */
static bool is_ascending(const gy_firing *firing, const gy_mode *mode) {
    for (uint32_t i = 1; i < firing->count; i++) {
        const gy_heap_entry *a = &firing->entries[i - 1], *b = &firing->entries[i];
        if (a->key < b->key) continue;
        if (a->key > b->key ||
            mode->timers.rank(a->item, mode) > mode->timers.rank(b->item, mode)) {
            return false;
        }
    }
    return true;
}

typedef struct ranked {
    gy_heap_entry entry;
    uint64_t rank;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    int by_deadline = compare(&x->entry, &y->entry);
    if (by_deadline != 0) return by_deadline;
    return x->rank < y->rank ? -1 : 1;
}

static void insertion_sort(gy_firing *firing, const gy_mode *mode) {
    for (uint32_t i = 1; i < firing->count; i++) {
        gy_heap_entry e = firing->entries[i];
        uint64_t rank = mode->timers.rank(e.item, mode);
        uint32_t j = i;
        for (; j > 0; j--) {
            const gy_heap_entry *before = &firing->entries[j - 1];
            if (before->key < e.key) break;
            if (before->key == e.key && mode->timers.rank(before->item, mode) < rank) break;
            firing->entries[j] = *before;
        }
        firing->entries[j] = e;
    }
}

static void sort(gy_firing *firing, const gy_mode *mode) {
    if (is_ascending(firing, mode)) return;
    ranked *all = malloc(firing->count * sizeof *all);
    if (all == NULL) {
        insertion_sort(firing, mode); /* slow, and needs no memory */
        return;
    }
    for (uint32_t i = 0; i < firing->count; i++) {
        gy_heap_entry e = firing->entries[i];
        all[i] = (ranked){e, mode->timers.rank(e.item, mode)};
    }
    qsort(all, firing->count, sizeof *all, compare_ranked);
    for (uint32_t i = 0; i < firing->count; i++) firing->entries[i] = all[i].entry;
    free(all);
}

/* The lock. All that are due, each retained; where memory is out, as many as there is room for: the
 * rest is due in the next iteration. */
static gy_firing *take_due(GYRunLoopRef loop, gy_mode *mode, int64_t now_ns) {
    gy_firing *firing = take_spare(loop);
    if (firing == NULL) return NULL;
    firing->now_ns = now_ns;
    for (;;) {
        firing->count += gy_mode_take_due(mode, now_ns, firing->entries + firing->count,
                                          firing->room - firing->count);
        if (firing->count < firing->room || gy_mode_first_deadline(mode) > now_ns) break;
        uint32_t room = firing->room + mode->timers.count;
        gy_firing *bigger = with_room(firing, room);
        if (bigger == NULL) break;
        firing = bigger;
    }
    sort(firing, mode);
    for (uint32_t i = 0; i < firing->count; i++) gy_retain(firing->entries[i].item);
    return firing;
}

/* R103's second look, just before: valid, in the mode, and not being fired by somebody else. */
static bool is_callable(const gy_mode *mode, GYRunLoopTimerRef timer) {
    if (gy_item_is(&timer->item, GY_ITEM_INVALID | GY_ITEM_BUSY)) return false;
    if (gy_item_loop(&timer->item) != mode->loop) return false;
    return gy_timer_slot_in(timer, mode) != NULL;
}

/* Due, or to be told that the clock was set, which goes first: it may still be due afterwards. */
static bool has_its_turn(gy_firing *firing, const gy_mode *mode, GYRunLoopTimerRef timer) {
    if (!is_callable(mode, timer)) return false;
    firing->was_set = gy_follow_take_news(timer, &firing->change_ns);
    return firing->was_set != NULL || gy_timer_deadline(timer) <= firing->now_ns;
}

/* The lock. Takes the next timer off the list; true if it is to be fired: it is marked as firing
 * and is the current one. */
static bool take_next(gy_firing *firing, gy_mode *mode, GYRunLoopTimerRef *timer, void **info) {
    *timer = firing->entries[firing->next++].item;
    firing->current = NULL;
    firing->is_called = false;
    if (!has_its_turn(firing, mode, *timer)) {
        gy_schedule_put_back(mode, *timer);
        return false;
    }
    gy_schedule_begin_call(*timer);
    firing->current = *timer;
    *info = atomic_load_explicit(&(*timer)->item.info, memory_order_acquire);
    return true;
}

static void end_turn(const gy_firing *firing, GYRunLoopTimerRef timer) {
    if (firing->was_set != NULL) {
        gy_schedule_end_call(timer, true);
    } else {
        gy_timer_finish_firing(timer);
    }
}

static void take_turn(GYRunLoopRef loop, gy_firing *firing, GYRunLoopTimerRef timer, void *info) {
    firing->is_called = true;
    if (firing->was_set != NULL) {
        gy_callout_clock_was_set(loop, timer, info, firing->was_set, firing->change_ns);
    } else {
        gy_callout_timer(loop, timer, info);
    }
    end_turn(firing, timer);
}

/* A timer is released only after it has ceased to be the current one, under the lock: other threads
 * look at that (loose.h). */
static void fire_all(GYRunLoopRef loop, gy_firing *firing, gy_mode *mode) {
    GYRunLoopTimerRef timer = NULL;
    while (firing->next < firing->count) {
        GYRunLoopTimerRef last = timer;
        void *info;
        gy_loop_lock(loop);
        bool is_due = take_next(firing, mode, &timer, &info);
        gy_loop_unlock(loop);
        gy_release(last);
        if (is_due) take_turn(loop, firing, timer, info);
    }
    gy_loop_lock(loop);
    gy_loop_innermost(loop)->firing = NULL;
    gy_loop_unlock(loop);
    give_back(loop, firing);
    gy_release(timer);
}

void gy_firing_run(GYRunLoopRef loop, int64_t now_ns) {
    gy_mode *mode = gy_loop_innermost(loop)->mode;
    gy_loop_lock(loop);
    gy_firing *firing = take_due(loop, mode, now_ns);
    gy_loop_innermost(loop)->firing = firing;
    gy_loop_unlock(loop);
    if (firing != NULL) fire_all(loop, firing, mode);
}

void gy_firing_put_back(GYRunLoopRef loop, const gy_mode *mode) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        const gy_activation *run = &loop->activations[i];
        if (run->firing == NULL || run->mode != mode) continue;
        for (uint32_t k = run->firing->next; k < run->firing->count; k++) {
            gy_schedule_put_back(run->mode, run->firing->entries[k].item);
        }
    }
}

/* The one whose turn it was: also retaining and releasing its info are part of the turn, and may
 * have been what was left. */
static void drop_current(const gy_firing *firing) {
    GYRunLoopTimerRef timer = firing->current;
    if (timer == NULL) return;
    if (gy_item_is(&timer->item, GY_ITEM_BUSY)) {
        if (firing->is_called) {
            end_turn(firing, timer);
        } else {
            gy_schedule_end_call(timer, true);
        }
    }
    gy_release(timer);
}

void gy_firing_drop(GYRunLoopRef loop, gy_firing *firing) {
    if (firing == NULL) return;
    drop_current(firing);
    while (firing->next < firing->count) {
        GYRunLoopTimerRef timer = firing->entries[firing->next++].item;
        gy_loop_lock(loop);
        for (uint32_t i = 0; gy_loose_is_in_loop(loop, timer) && i < timer->item.mode_count; i++) {
            gy_schedule_put_back(gy_timer_slot_at(timer, i)->mode, timer);
        }
        gy_loop_unlock(loop);
        gy_release(timer);
    }
    give_back(loop, firing);
}
