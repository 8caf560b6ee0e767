/* The loop object: its modes, the runs in progress, and what waking and waiting need.
 *
 * Owns: struct GYRunLoop and its lock, rank loop. Relies on: registry.h for which thread it is of.
 * Threads: any, under the lock, where a field does not say otherwise. "Own" below is short for:
 * only the loop's own thread, without the lock. */
#ifndef GYRE_LOOP_LOOP_H
#define GYRE_LOOP_LOOP_H

#include "base/lock.h"
#include "base/manual_clock.h"
#include "items/block.h"
#include "loop/mode.h"
#include "wait/alarm.h"
#include "wait/dispatch.h"
#include "wait/outlet.h"
#include "wait/wake.h"

/* What a run is calling at the moment; kept so that a frame that went away by an exception or a
 * jump can be cleaned up after (see activation.h). */
enum gy_callout_kind {
    GY_CALLOUT_NONE,
    GY_CALLOUT_OBSERVER,
    GY_CALLOUT_SOURCE,
    GY_CALLOUT_TIMER,
    GY_CALLOUT_BLOCK,
    GY_CALLOUT_MAIN_QUEUE, /* without an item */
};

/* One run in progress. */
typedef struct gy_activation {
    gy_mode *mode;
    int64_t deadline_ns;
    const void *frame; /* an address in the stack frame of the run */
    /* Own: where its host waits, while it does; the run has no frame and no pool then. */
    gy_outlet *outlet;
    uint64_t pool; /* the token of its drain pool */
    uint64_t run;      /* the number of the run in its loop, from 1 */
    uint32_t outer_stop;      /* the stop word of the run around it */
    enum gy_wake_phase around; /* the window for wake-ups that the run began in */
    bool owes_wake_up; /* own: one came for the runs around it while it was not to be woken */
    enum gy_callout_kind calling; /* `item` is valid while this is not NONE */
    void *item;                   /* retained; a block is owned */
    void *held_info;              /* of a timer, retained around its callout (R121); or NULL */
    /* The observer that is called, or was last in this round, and what others want told when that
     * is over: gy_called_word. Read by other threads under the lock. */
    _Atomic uintptr_t called;
    bool in_round; /* own */
    bool performs_one; /* own: in step 4, whether it performs one source and no more (R75) */
    const gy_observer_array *walked; /* own: by the round */
    struct gy_port *port; /* whose turn it is, while a port is called */
    gy_recycled_run done; /* memory of the blocks that the step has run */
    gy_block *taken; /* blocks picked by a step and not yet run, by next */
    struct gy_batch *batch; /* sources picked by a step and not yet performed; see batch.h */
    struct gy_firing *firing; /* timers due and not yet fired; see firing.h */
} gy_activation;

/* In the low bits of `called`. */
enum gy_called_word {
    GY_CALLED_OWED = 1, /* the observer's info is to be released: it was invalidated meanwhile */
    GY_CALLED_AWAITED = 2, /* somebody waits for the end of the call */
    GY_CALLED_BITS = 3,
};

/* What is under way on the loop's thread at a moment: what is more than that when a callout has
 * returned has lost its frames. */
typedef struct gy_mark {
    uint32_t depth;
    struct gy_hand *by_hand;
} gy_mark;

enum gy_stop_word { GY_STOP_RUNNING = 1, GY_STOP_ASKED = 2 };

/* What the main loop knows of libdispatch's main queue; own. See main_queue.h. */
typedef struct gy_served_queue {
    gy_dispatch dispatch; /* of the main loop, once libdispatch is in the process */
    bool has_ended; /* the main thread is about to */
    bool is_ready; /* an edge has come since the handle was last read */
    bool went_last; /* the last iteration served it (R213) */
    bool went_before_ports; /* it had a turn since a port last had one (R33) */
    uint32_t passes; /* that did not sleep, without it */
} gy_served_queue;

/* What a loop needs for timers that go by other clocks of the kernel's (follow.h). */
typedef struct gy_follow {
    int fd; /* told when the wall clock is set; -1: refused, the loop looks from time to time */
    uint32_t step; /* counts changes of the offsets */
    int64_t boot_offset_ns, wall_offset_ns; /* by which its deadlines are computed */
    /* By how much the wall clock was set in the last step, which is not what a suspension changes. */
    int64_t set_ns;
} gy_follow;

struct GYRunLoop {
    gy_object head;
    gy_lock lock;
    _Atomic bool is_dead; /* set once, under the lock; read anywhere */
    bool is_ending; /* its thread is: other threads add nothing any more */
    bool is_main; /* constant, but for the child of a fork */
    _Atomic bool death_is_told; /* R8: the first call after the main loop's end is reported */

    gy_set modes; /* by name; modes live as long as the loop */
    gy_mode *default_mode;
    GYStringRef *common_names; /* interned, retained; the default mode's first */
    uint32_t common_name_count, common_name_room;
    gy_set common_sources, common_timers, common_observers; /* one reference each */
    uint64_t sequence; /* numbers additions and signals */
    uint64_t source_version; /* changes with every source that enters or leaves a mode */

    gy_activation *activations; /* innermost last; changed by the own thread under the lock */
    uint32_t depth, activation_room;
    uint64_t run_count; /* own: runs begun so far */
    struct gy_hand *by_hand; /* timers fired by hand, innermost first; changed as activations are */
    /* Ends what a callout has left behind by an exception or a jump that was caught inside it
     * (unwind.h). Handed over at creation. */
    void (*unwind_to)(GYRunLoopRef loop, gy_mark mark);
    _Atomic uint32_t stop; /* gy_stop_word of the innermost run; 0: not running */
    _Atomic bool winds_down; /* set once, anywhere: all runs are ended, now and later (R49) */
    gy_wake wake;
    gy_alarm alarm;
    gy_node outlets; /* of its embeddings; changed by the own thread (embed.h) */
    gy_poller base; /* for modes without descriptors: wake-ups and timers alone */
    bool can_wait; /* own: `base` has been made, or refused, and the own thread has seen that */
    bool uses_alarm; /* timers have been added: a set made anew watches a timerfd too */
    bool wait_failure_is_told;
    /* What its time is read from, retained; NULL: the monotonic clock. Changed by the own thread
     * under the registry's lock and the loop's; others read it under either (reclock.h). */
    GYManualClockRef clock;
    gy_follow *follow; /* NULL until the first timer that goes by another clock */
    bool timers_had_their_turn; /* own: since a port or the main queue, which was ready, last had */
    gy_served_queue queue;

    gy_block_queue blocks;
    _Atomic(GYRunLoopSourceRef) signalled_incoming; /* see signal.h */
    gy_node signalled;
    _Atomic uint32_t signalled_count; /* in either place; raised before a push, never too low */
    _Atomic uint32_t signals_under_way; /* marked, and perhaps not yet in the queue */
    uint32_t nested_edge_count; /* ports made edge-triggered for a nested run (R98) */

    /* Rounds of observers under way: changed by the own thread. While there are any, arrays that
     * were replaced, and those with references that a mode gave up, are listed for the end of the
     * last. */
    _Atomic uint32_t rounds;
    _Atomic bool has_late;
    gy_observer_array *late_arrays;
    gy_tally ready_total; /* ready ports of all modes */
    const struct gy_port *last_port; /* whose turn was the last one, and how many it had in a row */
    uint32_t turns_in_a_row;
    struct gy_firing *spare_firing; /* own: kept for the next time timers are due */
    struct gy_batch *spare_batch; /* own: likewise for sources */
    gy_node in_registry; /* the registry's lock */
};

/* `type` comes from above: what a loop's description shows is not this file's to know. Its
 * finaliser is gy_loop_finalize. */
GYRunLoopRef gy_loop_create(const gy_type *type, bool is_main,
                            void (*unwind_to)(GYRunLoopRef loop, gy_mark mark));
void gy_loop_finalize(void *loop);

static inline void gy_loop_lock(GYRunLoopRef loop) { gy_lock_take(&loop->lock); }
static inline void gy_loop_unlock(GYRunLoopRef loop) { gy_lock_give(&loop->lock); }
static inline bool gy_loop_is_dead(const struct GYRunLoop *loop) {
    /* Acquire: pairs with the release in teardown. */
    return atomic_load_explicit(&loop->is_dead, memory_order_acquire);
}

/* The time that everything in the loop goes by. The lock, or the own thread. */
static inline int64_t gy_loop_now_ns(const struct GYRunLoop *loop) {
    return __builtin_expect(loop->clock == NULL, 1) ? gy_clock_now_ns()
                                                    : gy_manual_clock_now_ns(loop->clock);
}

/* All under the lock. `name` is interned. */
gy_mode *gy_loop_find_mode(GYRunLoopRef loop, GYStringRef name);
/* Finds or makes it; NULL with errno. */
gy_mode *gy_loop_need_mode(GYRunLoopRef loop, GYStringRef name);
/* Whether the name is in the set of common modes (R17). */
bool gy_loop_name_is_common(GYRunLoopRef loop, GYStringRef name);
/* Adds it to the set; false, with errno, where memory is out. */
bool gy_loop_make_name_common(GYRunLoopRef loop, GYStringRef name);
/* Takes back the last addition to the set, whose items could not all join. */
void gy_loop_unmake_name_common(GYRunLoopRef loop, GYStringRef name);
/* Every mode of the set that exists, one after the other: start with *cursor = 0. */
gy_mode *gy_loop_next_common_mode(GYRunLoopRef loop, uint32_t *cursor);
/* Makes those that are in the set by name alone; false with errno. */
bool gy_loop_need_common_modes(GYRunLoopRef loop);
gy_mode *gy_loop_next_mode(GYRunLoopRef loop, uint32_t *cursor);

/* Makes what a wait needs: the eventfd and the base set, and the timerfd where a timer comes. False
 * with errno. */
bool gy_loop_prepare_wait(GYRunLoopRef loop, bool with_alarm);
/* Has all its sets watch follow->fd; 0 or a negative errno. */
int gy_loop_watch_clock(GYRunLoopRef loop);
/* Gives up `follow`: the loop's end. */
void gy_loop_unfollow(GYRunLoopRef loop);
/* Makes the loop look at its deadlines and descriptors anew; any thread. */
static inline void gy_loop_nudge(GYRunLoopRef loop) { gy_wake_nudge(&loop->wake); }

static inline gy_activation *gy_loop_innermost(GYRunLoopRef loop) {
    return loop->depth == 0 ? NULL : &loop->activations[loop->depth - 1];
}

/* R43, R44; any thread, also a signal handler. */
void gy_loop_stop(GYRunLoopRef loop);
/* Own: whether the innermost run has been asked to stop. */
static inline bool gy_loop_is_stopped(GYRunLoopRef loop) {
    /* Acquire: pairs with the release in gy_loop_stop. */
    return (atomic_load_explicit(&loop->stop, memory_order_acquire) & GY_STOP_ASKED) != 0;
}

/* R49; any thread, also a signal handler. */
void gy_loop_wind_down(GYRunLoopRef loop);
static inline bool gy_loop_winds_down(const struct GYRunLoop *loop) {
    /* Acquire: pairs with the release in gy_loop_wind_down. */
    return atomic_load_explicit(&loop->winds_down, memory_order_acquire);
}

/* Own: whether the innermost run is to end, because it was asked to or because all are. */
static inline bool gy_loop_has_to_end_run(GYRunLoopRef loop) {
    return gy_loop_is_stopped(loop) || gy_loop_winds_down(loop);
}

#endif
