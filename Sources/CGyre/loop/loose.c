#include "loop/loose.h"

bool gy_loose_is_in_loop(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    return gy_item_loop(&timer->item) == loop && timer->item.mode_count > 0;
}

/* Walks the timers that are firing, or due and about to be: in each run the current one, then those
 * still to come. */
static GYRunLoopTimerRef next_loose(GYRunLoopRef loop, uint32_t *depth, uint32_t *index) {
    for (; *depth < loop->depth; ++*depth, *index = 0) {
        const gy_firing *f = loop->activations[*depth].firing;
        if (f == NULL) continue;
        if ((*index)++ == 0 && f->current != NULL) return f->current;
        uint32_t k = f->next + *index - 1;
        if (k < f->count) return f->entries[k].item;
    }
    return NULL;
}

GYRunLoopTimerRef gy_loose_any(GYRunLoopRef loop) {
    uint32_t depth = 0, index = 0;
    for (GYRunLoopTimerRef t; (t = next_loose(loop, &depth, &index)) != NULL;) {
        if (gy_loose_is_in_loop(loop, t)) return t;
    }
    return NULL;
}

GYRunLoopTimerRef gy_loose_earlier(GYRunLoopRef loop, const gy_mode *mode,
                                   GYRunLoopTimerRef timer) {
    uint32_t depth = 0, index = 0;
    for (GYRunLoopTimerRef t; (t = next_loose(loop, &depth, &index)) != NULL;) {
        if (!gy_loose_is_in_loop(loop, t) || gy_timer_slot_in(t, mode) == NULL) continue;
        if (timer == NULL || gy_timer_deadline(t) < gy_timer_deadline(timer)) timer = t;
    }
    return timer;
}
