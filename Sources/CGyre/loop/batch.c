#include "loop/batch.h"

#include "loop/callout.h"
#include "loop/signal.h"

#include <stdlib.h>

#define FIRST_ROOM 16u

typedef struct gy_batch {
    uint32_t count, next, room;
    gy_signalled entries[]; /* retained from `next` on */
} gy_batch;

static gy_batch *with_room(uint32_t room) {
    gy_batch *batch = malloc(sizeof *batch + room * sizeof batch->entries[0]);
    if (batch != NULL) batch->room = room;
    return batch;
}

static gy_batch *take_spare(GYRunLoopRef loop) {
    gy_batch *batch = loop->spare_batch;
    loop->spare_batch = NULL;
    if (batch == NULL) batch = with_room(FIRST_ROOM);
    if (batch != NULL) batch->count = batch->next = 0;
    return batch;
}

static void give_back(GYRunLoopRef loop, gy_batch *batch) {
    if (loop->spare_batch == NULL && batch->room == FIRST_ROOM) {
        loop->spare_batch = batch;
    } else {
        free(batch);
    }
}

/* A full batch may have left some out: once more, with room for all the mode has. Where memory is
 * out the first ones are performed, and the others in the next iteration, which does not sleep. */
static gy_batch *collect(GYRunLoopRef loop, gy_mode *mode, bool only_one) {
    gy_batch *batch = take_spare(loop);
    if (batch == NULL) return NULL;
    gy_loop_lock(loop);
    batch->count = gy_signal_collect(loop, mode, batch->entries, only_one ? 1 : batch->room);
    if (batch->count == batch->room && mode->sources.count > batch->room) {
        gy_batch *bigger = with_room(mode->sources.count);
        if (bigger != NULL) {
            bigger->next = 0;
            bigger->count = gy_signal_collect(loop, mode, bigger->entries, bigger->room);
            for (uint32_t i = 0; i < batch->count; i++) {
                gy_release(batch->entries[i].source); /* not the last: the bigger one has another */
            }
            give_back(loop, batch);
            batch = bigger;
        }
    }
    gy_loop_innermost(loop)->batch = batch;
    gy_loop_unlock(loop);
    return batch;
}

/* The second look, just before: valid, in the mode, its mark not used up by a nested run (R81). The
 * mark goes before the callout (R72). */
static bool is_to_be_performed(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source) {
    uint32_t hash = atomic_load_explicit(&source->hash, memory_order_relaxed);
    gy_loop_lock(loop);
    bool yes = gy_set_contains(&mode->sources, source, hash) && gy_source_is_valid(source) &&
               gy_signal_use_up(loop, source);
    if (yes) gy_source_begin_call(source);
    gy_loop_unlock(loop);
    return yes;
}

void gy_batch_drop(GYRunLoopRef loop, gy_batch *batch) {
    if (batch == NULL) return;
    while (batch->next < batch->count) gy_release(batch->entries[batch->next++].source);
    give_back(loop, batch);
}

static bool perform(GYRunLoopRef loop, gy_mode *mode, gy_batch *batch) {
    bool any = false;
    while (batch->next < batch->count) {
        GYRunLoopSourceRef source = batch->entries[batch->next++].source;
        if (is_to_be_performed(loop, mode, source)) {
            any = true;
            gy_callout_source(loop, source);
        }
        gy_release(source);
    }
    return any;
}

bool gy_batch_run(GYRunLoopRef loop, bool only_one) {
    gy_loop_innermost(loop)->performs_one = only_one;
    gy_mode *mode = gy_loop_innermost(loop)->mode;
    bool any = false, is_over = false;
    /* The one may turn out not to be due any more: then it is the next one's turn. */
    while (!is_over && gy_signal_is_pending(loop, mode)) {
        gy_batch *batch = collect(loop, mode, only_one);
        if (batch == NULL) return false;
        is_over = !only_one || batch->count == 0;
        any = perform(loop, mode, batch);
        is_over |= any;
        gy_loop_innermost(loop)->batch = NULL;
        gy_batch_drop(loop, batch);
    }
    return any;
}
