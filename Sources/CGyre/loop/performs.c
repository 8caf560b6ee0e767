#include "loop/performs.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/moment.h"
#include "loop/timers.h"

#include <errno.h>
#include <stdlib.h>

GYRunLoopPerformState gy_perform_state(const struct GYRunLoopPerformRequest *perform) {
    return atomic_load_explicit(&perform->state, memory_order_seq_cst);
}

/* The state of a delayed call that some mode has refused: its info stays the caller's. Nobody but
 * this file sees it, for the perform is not handed out. */
#define REFUSED ((GYRunLoopPerformState)(-1))

/* Moves a perform on from Pending; false if somebody else has. */
static bool leave_pending(GYRunLoopPerformRef perform, GYRunLoopPerformState state) {
    int32_t pending = kGYRunLoopPerformPending;
    return atomic_compare_exchange_strong_explicit(&perform->state, &pending, state,
                                                   memory_order_seq_cst, memory_order_seq_cst);
}

static void announce_if_awaited(GYRunLoopPerformRef perform) {
    if (atomic_load_explicit(&perform->is_waited_for, memory_order_seq_cst)) gy_callout_announce();
}

static void set_done(GYRunLoopPerformRef perform) {
    atomic_store_explicit(&perform->state, kGYRunLoopPerformDone, memory_order_seq_cst);
    announce_if_awaited(perform);
}

static void release_info(GYPerformFunction release, void *info) {
    if (release != NULL) gy_callout_perform(release, info);
}

/* ---- handing over ---- */

bool gy_perform_enqueue(GYRunLoopRef loop, gy_block *block) {
    return gy_block_queue_push(&loop->blocks, block);
}

static bool enqueue_now(GYRunLoopRef loop, GYRunLoopPerformRef perform, GYTypeRef mode) {
    gy_block *block = gy_block_create(mode);
    if (block == NULL) return false;
    block->function = perform->function;
    block->release = perform->release;
    block->info = perform->info;
    block->perform = gy_retain(perform);
    perform->block = block;
    if (gy_perform_enqueue(loop, block)) {
        gy_wake_up(&loop->wake);
        return true;
    }
    perform->block = NULL;
    gy_block_free(block);
    gy_release(perform); /* not the last: the caller has one */
    errno = ESRCH;
    return false;
}

static void delayed_call(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    GYRunLoopPerformRef perform = info;
    if (!leave_pending(perform, kGYRunLoopPerformRunning)) return;
    perform->function(perform->info);
    set_done(perform);
}

/* The timer's context: the perform, and with it the caller's info unless that was refused, is let
 * go when the timer ends, whether by firing, by cancellation or with the loop. */
static void delayed_release(const void *info) {
    GYRunLoopPerformRef perform = (GYRunLoopPerformRef)(uintptr_t)info;
    if (leave_pending(perform, kGYRunLoopPerformLoopEnded)) {
        announce_if_awaited(perform);
    } else if (gy_perform_state(perform) == kGYRunLoopPerformRunning) {
        set_done(perform); /* its call was left by an exception or a jump */
    }
    if (gy_perform_state(perform) != REFUSED) release_info(perform->release, perform->info);
    gy_release(perform);
}

static GYRunLoopTimerRef make_timer(GYRunLoopPerformRef perform, int64_t delay_ns) {
    GYRunLoopTimerRef timer = gy_object_create(&gy_timer_type, sizeof *timer);
    gy_moment first = gy_moment_after(delay_ns);
    if (timer == NULL || gy_timer_need_extra(timer) == NULL ||
        !gy_moment_give_first(&first, timer)) {
        gy_release(timer);
        errno = ENOMEM;
        return NULL;
    }
    timer->callout = delayed_call;
    gy_timer_extra_of(timer)->context.release = delayed_release;
    atomic_store_explicit(&timer->item.info, gy_retain(perform), memory_order_release);
    gy_item_set(&timer->item, GY_ITEM_ENDS_WITH_LOOP);
    return timer;
}

static int add_to_modes(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYTypeRef mode) {
    gy_block *names = gy_block_create(mode); /* only for its interned names */
    if (names == NULL) return errno;
    int error = 0;
    uint32_t i = 0;
    for (GYStringRef name; error == 0 && (name = gy_block_mode_at(names, i)) != NULL; i++) {
        switch (gy_timer_add(loop, timer, name)) {
        case GY_ADDED: break;
        case GY_ADD_DEAD_LOOP: error = ESRCH; break;
        default: error = errno; break;
        }
    }
    gy_block_free(names);
    return error;
}

static bool start_delayed(GYRunLoopRef loop, GYRunLoopPerformRef perform, GYTypeRef mode,
                          int64_t delay_ns) {
    GYRunLoopTimerRef timer = make_timer(perform, delay_ns);
    if (timer == NULL) return false;
    perform->timer = timer; /* before the loop can fire it */
    int error = add_to_modes(loop, timer, mode);
    if (error == 0) return true;
    /* A mode before the one that failed may have fired it by now: then the call is made. */
    if (!leave_pending(perform, REFUSED)) return true;
    gy_timer_invalidate(timer); /* lets its perform go, which another thread may still look at */
    errno = error;
    return false;
}

GYRunLoopPerformRef gy_perform_create(GYRunLoopRef loop, GYTypeRef mode, int64_t delay_ns,
                                      GYPerformFunction function, void *info,
                                      GYPerformFunction release) {
    GYRunLoopPerformRef perform = gy_object_create(&gy_perform_type, sizeof *perform);
    if (perform == NULL) return NULL;
    perform->function = function;
    perform->release = release;
    perform->info = info;
    atomic_init(&perform->loop, gy_retain(loop));
    bool ok = delay_ns > 0 ? start_delayed(loop, perform, mode, delay_ns)
                           : enqueue_now(loop, perform, mode);
    if (ok) return perform;
    int saved = errno;
    gy_release(perform);
    errno = saved;
    return NULL;
}

/* The lock. A block that is kept makes its modes, if it is the first thing given to them (R10); one
 * that there is no memory for is made when something else is given to it. */
static void keep(GYRunLoopRef loop, gy_block *block) {
    gy_block_queue_keep(&loop->blocks, block);
    uint32_t i = 0;
    for (GYStringRef name; (name = gy_block_mode_at(block, i)) != NULL; i++) {
        if (name == kGYRunLoopCommonModes) continue;
        gy_mode *mode = gy_loop_need_mode(loop, name);
        if (mode != NULL) mode->is_given = true;
    }
}

static void take_in(GYRunLoopRef loop) {
    for (gy_block *b = gy_block_queue_take_incoming(&loop->blocks), *next; b != NULL; b = next) {
        next = gy_block_next(b);
        keep(loop, b);
    }
}

void gy_perform_make_modes(GYRunLoopRef loop) {
    if (gy_block_queue_is_empty(&loop->blocks)) return;
    gy_loop_lock(loop);
    take_in(loop);
    gy_loop_unlock(loop);
}

/* ---- running ---- */

/* The end of a call that has been made: all but the block's memory. */
static void conclude(const gy_block *block) {
    if (block->perform != NULL) set_done(block->perform);
    release_info(block->release, block->info);
    gy_release(block->perform);
}

void gy_perform_finish_block(gy_block *block) {
    conclude(block);
    gy_block_free(block);
}

static void discard(gy_block *block) {
    gy_release(block->perform);
    gy_block_free(block);
}

static void run_block(GYRunLoopRef loop, gy_block *block) {
    if (block->perform != NULL && !leave_pending(block->perform, kGYRunLoopPerformRunning)) {
        gy_release(block->perform); /* taken back; info was released by whoever did that */
    } else {
        gy_callout_block(loop, block);
        conclude(block);
    }
    gy_block_give(&gy_loop_innermost(loop)->done, block);
}

/* A chain that grows at its end. */
typedef struct chain {
    gy_block *first, *last;
    uint32_t count;
} chain;

static void pick(chain *picked, gy_block *block) {
    if (block->perform != NULL) block->perform->block = NULL;
    gy_block_set_next(block, NULL);
    if (picked->count++ == 0) {
        picked->first = block;
    } else {
        gy_block_set_next(picked->last, block);
    }
    picked->last = block;
}

/* The lock. Everything that runs in the mode, oldest first (R64): what was kept, then what has come
 * in, which is kept only if it runs elsewhere. */
static gy_block *pick_all(GYRunLoopRef loop, const gy_mode *mode) {
    chain picked = {0};
    gy_node *end = &loop->blocks.pending;
    for (gy_node *n = end->next, *next; n != end; n = next) {
        next = n->next;
        gy_block *block = gy_node_owner(n, gy_block, node);
        if (!gy_block_runs_in(block, mode->name, mode->is_common)) continue;
        gy_block_queue_remove(block);
        pick(&picked, block);
    }
    for (gy_block *b = gy_block_queue_take_incoming(&loop->blocks), *next; b != NULL; b = next) {
        next = gy_block_next(b);
        if (gy_block_runs_in(b, mode->name, mode->is_common)) {
            pick(&picked, b);
        } else {
            keep(loop, b);
        }
    }
    gy_block_queue_left(&loop->blocks, picked.count);
    return picked.first;
}

void gy_perform_run_step(GYRunLoopRef loop) {
    if (gy_block_queue_is_empty(&loop->blocks)) return;
    gy_loop_lock(loop);
    gy_activation *run = gy_loop_innermost(loop);
    run->taken = pick_all(loop, run->mode);
    gy_loop_unlock(loop);
    for (gy_block *b; (b = gy_loop_innermost(loop)->taken) != NULL;) {
        gy_loop_innermost(loop)->taken = gy_block_next(b);
        run_block(loop, b);
    }
    gy_recycled_flush(&gy_loop_innermost(loop)->done);
}

bool gy_perform_would_run(GYRunLoopRef loop, const gy_mode *mode) {
    if (gy_block_queue_is_empty(&loop->blocks)) return false;
    bool found = false;
    gy_loop_lock(loop);
    take_in(loop);
    gy_node *end = &loop->blocks.pending;
    for (gy_node *n = end->next; n != end && !found; n = n->next) {
        gy_block *block = gy_node_owner(n, gy_block, node);
        found = gy_block_runs_in(block, mode->name, mode->is_common);
    }
    gy_loop_unlock(loop);
    return found;
}

void gy_perform_put_back(GYRunLoopRef loop, gy_block *taken) {
    gy_loop_lock(loop);
    gy_node *end = loop->blocks.pending.next;
    for (gy_block *b = taken, *next; b != NULL; b = next) {
        next = gy_block_next(b); /* the same memory as the node in the list */
        gy_list_append(end, &b->node); /* before those that came later */
        if (b->perform != NULL) b->perform->block = b;
        atomic_fetch_add_explicit(&loop->blocks.count, 1, memory_order_relaxed);
    }
    gy_loop_unlock(loop);
}

/* ---- taking back and waiting ---- */

/* True if the block was still queued and is the caller's now. */
static gy_block *unqueue(GYRunLoopPerformRef perform, GYRunLoopRef loop) {
    gy_loop_lock(loop);
    take_in(loop);
    gy_block *block = perform->block;
    if (block != NULL) {
        gy_block_queue_remove(block);
        gy_block_queue_left(&loop->blocks, 1);
    }
    perform->block = NULL;
    gy_loop_unlock(loop);
    return block;
}

static void take_back(GYRunLoopPerformRef perform) {
    announce_if_awaited(perform);
    if (perform->timer != NULL) {
        gy_timer_invalidate(perform->timer); /* its context releases info */
        return;
    }
    gy_block *block = unqueue(perform, atomic_load_explicit(&perform->loop, memory_order_relaxed));
    release_info(perform->release, perform->info);
    if (block != NULL) discard(block);
}

GYRunLoopPerformState gy_perform_cancel(GYRunLoopPerformRef perform) {
    if (!leave_pending(perform, kGYRunLoopPerformCancelled)) return gy_perform_state(perform);
    gy_retain(perform);
    take_back(perform);
    gy_release(perform);
    return kGYRunLoopPerformCancelled;
}

static bool is_settled(const void *item) {
    GYRunLoopPerformState state = gy_perform_state(item);
    return state != kGYRunLoopPerformPending && state != kGYRunLoopPerformRunning;
}

static bool is_mine(GYRunLoopPerformRef perform) {
    GYRunLoopRef loop = gy_current_loop;
    if (perform->timer != NULL) return gy_callout_is_mine(perform->timer);
    for (uint32_t i = 0; loop != NULL && i < loop->depth; i++) {
        const gy_activation *run = &loop->activations[i];
        if (run->calling != GY_CALLOUT_BLOCK) continue;
        if (((const gy_block *)run->item)->perform == perform) return true;
    }
    return false;
}

static void await(GYRunLoopPerformRef perform) {
    atomic_store_explicit(&perform->is_waited_for, 1, memory_order_seq_cst);
    gy_callout_wait(is_settled, perform);
}

GYRunLoopPerformState gy_perform_cancel_and_wait(GYRunLoopPerformRef perform) {
    GYRunLoopPerformState state = gy_perform_cancel(perform);
    if (state != kGYRunLoopPerformRunning || is_mine(perform)) return state;
    await(perform);
    return gy_perform_state(perform);
}

bool gy_perform_wait(GYRunLoopPerformRef perform) {
    await(perform);
    return gy_perform_state(perform) == kGYRunLoopPerformDone;
}

/* ---- the end ---- */

static gy_block *take_any(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    gy_block_queue_end(&loop->blocks);
    gy_block *block = NULL;
    if (!gy_list_is_empty(&loop->blocks.pending)) {
        block = gy_node_owner(loop->blocks.pending.next, gy_block, node);
        gy_block_queue_remove(block);
        gy_block_queue_left(&loop->blocks, 1);
        if (block->perform != NULL) block->perform->block = NULL;
    }
    gy_loop_unlock(loop);
    return block;
}

void gy_perform_end(GYRunLoopRef loop) {
    for (gy_block *block; (block = take_any(loop)) != NULL;) {
        GYRunLoopPerformRef perform = block->perform;
        if (perform == NULL || leave_pending(perform, kGYRunLoopPerformLoopEnded)) {
            if (perform != NULL) announce_if_awaited(perform);
            release_info(block->release, block->info);
        }
        discard(block);
    }
}

void gy_perform_settle_in_child(GYRunLoopPerformRef perform) {
    if (leave_pending(perform, kGYRunLoopPerformLoopEnded)) return;
    if (gy_perform_state(perform) == kGYRunLoopPerformRunning) set_done(perform);
}

void gy_perform_settle_block_in_child(const gy_block *block) {
    if (block->perform != NULL) gy_perform_settle_in_child(block->perform);
}

void gy_perform_end_in_child(GYRunLoopRef loop) {
    gy_block_queue_end(&loop->blocks);
    gy_node *end = &loop->blocks.pending;
    for (gy_node *n = end->next; n != end; n = n->next) {
        gy_block *block = gy_node_owner(n, gy_block, node);
        if (block->perform != NULL) block->perform->block = NULL;
        gy_perform_settle_block_in_child(block);
    }
}

static void finalize(void *object) {
    GYRunLoopPerformRef perform = object;
    GYRunLoopTimerRef timer = perform->timer;
    gy_release(atomic_load_explicit(&perform->loop, memory_order_relaxed));
    gy_object_free(perform);
    gy_release(timer);
}

const gy_type gy_perform_type = {
    .kind = GY_KIND_PERFORM,
    .name = "GYRunLoopPerform",
    .finalize = finalize,
};
