#include "loop/loose.h"

bool gy_loose_is_in_loop(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    return gy_item_loop(&timer->item) == loop && timer->item.mode_count > 0;
}

typedef struct cursor {
    uint32_t depth, index;
    const gy_hand *by_hand;
} cursor;

/* Walks the timers that are firing, or due and about to be: in each run the current one, then those
 * still to come; and those fired by hand. */
static GYRunLoopTimerRef next_loose(GYRunLoopRef loop, cursor *at) {
    for (; at->depth < loop->depth; at->depth++, at->index = 0) {
        const gy_firing *f = loop->activations[at->depth].firing;
        if (f == NULL) continue;
        uint32_t i = at->index++;
        if (i == 0 && f->current != NULL) return f->current;
        if (i == 0) i = at->index++;
        uint32_t k = f->next + i - 1;
        if (k < f->count) return f->entries[k].item;
    }
    const gy_hand *hand = at->by_hand;
    if (hand == NULL) return NULL;
    at->by_hand = hand->outer;
    return hand->timer;
}

GYRunLoopTimerRef gy_loose_any(GYRunLoopRef loop) {
    cursor at = {.by_hand = loop->by_hand};
    for (GYRunLoopTimerRef t; (t = next_loose(loop, &at)) != NULL;) {
        if (gy_loose_is_in_loop(loop, t)) return t;
    }
    return NULL;
}

GYRunLoopTimerRef gy_loose_earlier(GYRunLoopRef loop, const gy_mode *mode,
                                   GYRunLoopTimerRef timer) {
    cursor at = {.by_hand = loop->by_hand};
    for (GYRunLoopTimerRef t; (t = next_loose(loop, &at)) != NULL;) {
        if (!gy_loose_is_in_loop(loop, t) || gy_timer_slot_in(t, mode) == NULL) continue;
        if (timer == NULL || gy_timer_deadline(t) < gy_timer_deadline(timer)) timer = t;
    }
    return timer;
}

void gy_loose_visit(GYRunLoopRef loop, void (*visit)(GYRunLoopRef loop, GYRunLoopTimerRef timer)) {
    cursor at = {.by_hand = loop->by_hand};
    for (GYRunLoopTimerRef t; (t = next_loose(loop, &at)) != NULL;) {
        if (gy_loose_is_in_loop(loop, t)) visit(loop, t);
    }
}
