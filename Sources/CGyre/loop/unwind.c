#include "loop/unwind.h"

#include "base/pool.h"
#include "loop/activation.h"
#include "loop/batch.h"
#include "loop/callout.h"
#include "loop/firing.h"
#include "loop/hand.h"
#include "loop/observers.h"
#include "loop/performs.h"
#include "loop/port.h"

static void finish_source(GYRunLoopRef loop, const gy_activation *gone) {
    gy_callout_source_returned(gone->item);
    if (gone->port != NULL) {
        gy_port_end_turn(loop, gone->port, 0, true); /* the port keeps its source */
    } else {
        gy_release(gone->item);
    }
}

static void finish_callout(GYRunLoopRef loop, const gy_activation *gone) {
    switch (gone->calling) {
    case GY_CALLOUT_NONE:
    case GY_CALLOUT_MAIN_QUEUE: /* libdispatch's own affair */
    case GY_CALLOUT_OBSERVER: return; /* has ended with its round */
    case GY_CALLOUT_TIMER: /* its turn ends with the step (gy_firing_drop) */
        gy_callout_let_info_go(gone->item, gone->held_info);
        return;
    case GY_CALLOUT_SOURCE: finish_source(loop, gone); return;
    case GY_CALLOUT_BLOCK: gy_perform_finish_block(gone->item); return;
    }
}

/* A round of observers, which keeps its observer alive, ends before its activation does. */
static void finish_round(GYRunLoopRef loop) {
    const gy_activation *run = gy_loop_innermost(loop);
    if (!run->in_round) return;
    GYRunLoopObserverRef observer = run->calling == GY_CALLOUT_OBSERVER ? run->item : NULL;
    if (observer != NULL && !observer->repeats) gy_observer_invalidate(observer);
    gy_observer_end_round(loop);
}

/* A stop that came after the jump was meant for the run around. */
static gy_activation take_away(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    gy_activation gone = *gy_loop_innermost(loop);
    gy_loop_unlock(loop);
    bool is_stopped = gy_loop_is_stopped(loop);
    gy_activation_end(loop);
    if (is_stopped) gy_loop_stop(loop);
    return gone;
}

static void unwind_one(GYRunLoopRef loop) {
    finish_round(loop);
    gy_activation gone = take_away(loop);
    finish_callout(loop, &gone);
    gy_recycled_flush(&gone.done);
    gy_perform_put_back(loop, gone.taken);
    gy_batch_drop(loop, gone.batch);
    gy_firing_drop(loop, gone.firing);
    if (gone.outlet != NULL) gy_outlet_ring(gone.outlet); /* its host has to begin anew */
    /* No fence any more: what it holds is called outside of that run, and may pop what lies below.
     * Last, since it may do anything. */
    gy_pool_unfence(gone.pool);
    gy_pool_pop(gone.pool);
}

void gy_unwind(GYRunLoopRef loop, const void *frame) {
    while (gy_activation_is_gone(loop, frame)) unwind_one(loop);
    gy_hand_unwind(loop, frame);
}

void gy_unwind_to(GYRunLoopRef loop, gy_mark mark) {
    while (loop->depth > mark.depth) unwind_one(loop);
    gy_hand_unwind_to(loop, mark.by_hand);
}

void gy_unwind_all(GYRunLoopRef loop) { gy_unwind(loop, (const void *)UINTPTR_MAX); }
