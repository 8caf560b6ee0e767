#include "loop/mode.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t rank_of_timer(const void *item, const void *owner) {
    GYRunLoopTimerRef timer = (GYRunLoopTimerRef)(uintptr_t)item;
    if (timer->slot.mode == owner) return timer->slot.sequence;
    return gy_timer_slot_in(timer, owner)->sequence;
}

static void timer_moved(void *item, uint32_t index, void *owner) {
    GYRunLoopTimerRef timer = item;
    gy_timer_slot *slot = timer->slot.mode == owner ? &timer->slot : gy_timer_slot_in(timer, owner);
    slot->index = index;
}

gy_mode *gy_mode_create(GYStringRef name, GYRunLoopRef loop) {
    gy_mode *mode = calloc(1, sizeof *mode);
    if (mode == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    mode->name = gy_retain(name);
    mode->loop = loop;
    mode->timers.owner = mode;
    mode->timers.rank = rank_of_timer;
    mode->timers.moved = timer_moved;
    gy_poller_init(&mode->poller);
    gy_list_init(&mode->ready);
    gy_list_init(&mode->files);
    return mode;
}

void gy_mode_destroy(gy_mode *mode) {
    gy_poller_end(&mode->poller);
    gy_heap_destroy(&mode->timers);
    gy_observer_list_destroy(&mode->observers);
    gy_set_destroy(&mode->sources);
    gy_release(mode->name);
    free(mode);
}

bool gy_mode_reserve_timer(gy_mode *mode) {
    /* Loose timers come back: there is always room for all that the mode holds. */
    return gy_heap_reserve(&mode->timers, mode->timer_count + 1);
}

void gy_mode_start_timer(gy_mode *mode, GYRunLoopTimerRef timer) {
    int64_t key = gy_timer_key(timer);
    gy_heap_insert(&mode->timers, key, timer);
    int64_t latest_ns = key == INT64_MIN ? key : gy_timer_latest(timer);
    if (mode->wake_is_known && latest_ns < mode->wake_ns) mode->wake_ns = latest_ns;
}

void gy_mode_stop_timer(gy_mode *mode, gy_timer_slot *slot) {
    if (slot->index == GY_TIMER_LOOSE) return;
    gy_heap_remove(&mode->timers, slot->index);
    slot->index = GY_TIMER_LOOSE;
    mode->wake_is_known = false;
}

void gy_mode_reorder_timer(gy_mode *mode, GYRunLoopTimerRef timer, gy_timer_slot *slot) {
    gy_heap_rekey(&mode->timers, slot->index, gy_timer_key(timer));
    mode->wake_is_known = false;
}

int64_t gy_mode_first_deadline(const gy_mode *mode) {
    return mode->timers.count == 0 ? GY_NEVER : mode->timers.entries[0].key;
}

GYRunLoopTimerRef gy_mode_first_timer(const gy_mode *mode) {
    if (mode->timers.count == 0) return NULL;
    GYRunLoopTimerRef first = mode->timers.entries[0].item;
    if (mode->timers.entries[0].key != INT64_MIN) return first;
    for (uint32_t i = 1; i < mode->timers.count; i++) {
        GYRunLoopTimerRef timer = mode->timers.entries[i].item;
        if (gy_timer_deadline(timer) < gy_timer_deadline(first)) first = timer;
    }
    return first;
}

/* The least sum of deadline and tolerance at or below an entry. No entry below one whose deadline
 * is not before the best sum so far can have a lesser sum: without tolerances this looks at the
 * root and its children. */
static int64_t least_latest(const gy_heap *heap, uint32_t index, int64_t best_ns) {
    if (index >= heap->count || heap->entries[index].key >= best_ns) return best_ns;
    int64_t latest_ns = gy_timer_latest(heap->entries[index].item);
    if (latest_ns < best_ns) best_ns = latest_ns;
    for (uint32_t child = index * 4 + 1; child <= index * 4 + 4; child++) {
        best_ns = least_latest(heap, child, best_ns);
    }
    return best_ns;
}

int64_t gy_mode_wake_ns(gy_mode *mode) {
    if (!mode->wake_is_known) {
        bool is_at_once = gy_mode_first_deadline(mode) == INT64_MIN;
        mode->wake_ns = is_at_once ? INT64_MIN : least_latest(&mode->timers, 0, GY_NEVER);
        mode->wake_is_known = true;
    }
    return mode->wake_ns;
}

uint32_t gy_mode_take_due(gy_mode *mode, int64_t now_ns, gy_heap_entry *out, uint32_t room) {
    uint32_t count = gy_heap_take_up_to(&mode->timers, now_ns, out, room);
    for (uint32_t i = 0; i < count; i++) {
        gy_timer_slot_in(out[i].item, mode)->index = GY_TIMER_LOOSE;
    }
    if (count > 0) mode->wake_is_known = false;
    return count;
}
