#include "loop/hand.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/schedule.h"
#include "loop/timers.h"

#include <errno.h>
#include <stdlib.h>

static void push(GYRunLoopRef loop, gy_hand *hand) {
    gy_loop_lock(loop);
    hand->outer = loop->by_hand;
    loop->by_hand = hand;
    gy_loop_unlock(loop);
}

/* The timer is released only after it has left the list, under the lock: other threads look at that
 * (loose.h). */
static void pop(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    gy_hand *hand = loop->by_hand;
    loop->by_hand = hand->outer;
    gy_loop_unlock(loop);
    gy_release(hand->timer);
    free(hand);
}

/* It is in the list until its end is settled, for what is released by that may ask. A repeating
 * timer keeps its date. */
static void finish(GYRunLoopRef loop) {
    gy_hand *hand = loop->by_hand;
    gy_callout_let_info_go(hand->timer, hand->held_info);
    if (hand->is_called && !gy_timer_repeats(hand->timer)) gy_timer_invalidate(hand->timer);
    gy_schedule_end_call(hand->timer, true);
    pop(loop);
}

void gy_hand_unwind_to(GYRunLoopRef loop, const gy_hand *until) {
    while (loop->by_hand != until) finish(loop);
}

void gy_hand_unwind(GYRunLoopRef loop, const void *frame) {
    while (loop->by_hand != NULL && (uintptr_t)loop->by_hand->frame <= (uintptr_t)frame) {
        finish(loop);
    }
}

/* Its own callout asks for one more call. There is nothing to be settled afterwards but the end of a
 * one-shot timer: the outer call does that. */
static enum gy_hand_result call_again(GYRunLoopRef loop, GYRunLoopTimerRef timer) {
    void *info = atomic_load_explicit(&timer->item.info, memory_order_acquire);
    gy_callout_timer_by_hand(loop, timer, info, NULL);
    if (!gy_timer_repeats(timer)) gy_timer_invalidate(timer);
    return GY_HAND_FIRED;
}

/* The timer is busy: it is loose from here on, whichever loop it may be given to. */
static enum gy_hand_result call(GYRunLoopRef loop, gy_hand *hand) {
    GYRunLoopTimerRef timer = hand->timer;
    GYRunLoopRef now_in = gy_loop_enter(&timer->item.loop);
    if (now_in != NULL) {
        gy_schedule_stop(timer);
        gy_loop_leave(now_in);
    }
    if (now_in != NULL && now_in != loop) return GY_HAND_ELSEWHERE;
    void *info = atomic_load_explicit(&timer->item.info, memory_order_acquire);
    hand->is_called = true;
    gy_callout_timer_by_hand(loop, timer, info, &hand->held_info);
    return GY_HAND_FIRED;
}

static gy_hand *make_hand(GYRunLoopTimerRef timer, const void *frame) {
    gy_hand *hand = malloc(sizeof *hand);
    if (hand == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    *hand = (gy_hand){.timer = gy_retain(timer), .frame = frame};
    return hand;
}

/* Another thread may invalidate it, or give it to a loop, at any moment: the mark is set first and
 * tells them that it is loose. What they did before shows in the flags and in its loop. */
static enum gy_hand_result call_first(GYRunLoopRef loop, gy_hand *hand) {
    uint32_t flags = gy_item_set(&hand->timer->item, GY_ITEM_BUSY);
    if ((flags & GY_ITEM_BUSY) != 0) {
        gy_release(hand->timer);
        free(hand);
        return GY_HAND_ELSEWHERE;
    }
    push(loop, hand);
    bool is_valid = (flags & GY_ITEM_INVALID) == 0;
    enum gy_hand_result result = is_valid ? call(loop, hand) : GY_HAND_INVALID;
    finish(loop);
    return result;
}

enum gy_hand_result gy_hand_fire(GYRunLoopRef loop, GYRunLoopTimerRef timer, const void *frame) {
    GYRunLoopRef in = gy_item_loop(&timer->item);
    if (!gy_item_is_valid(&timer->item)) return GY_HAND_INVALID;
    if (in != NULL && in != loop) return GY_HAND_ELSEWHERE;
    if (gy_timer_is_fired_here(timer)) return call_again(loop, timer);
    gy_hand *hand = make_hand(timer, frame);
    return hand == NULL ? GY_HAND_NO_MEMORY : call_first(loop, hand);
}
