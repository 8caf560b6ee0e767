/* Which loop is the calling thread's, and how to get at the loop that an item is in.
 *
 * Owns: the thread-local pointer and the registry's lock, rank registry. Threads: any.
 *
 * A timer or observer names its loop in an atomic field without holding it alive. Whoever reads
 * that field and then retains the loop holds the registry's lock over both; a loop that ends takes
 * the lock once after its items have left, so no reader is left between the two. On the loop's own
 * thread neither is needed: it cannot end meanwhile. */
#ifndef GYRE_LOOP_CURRENT_H
#define GYRE_LOOP_CURRENT_H

#include "loop/loop.h"

/* Initial-exec: read without a call, and libgyre needs no loader's help for it. */
extern __thread GYRunLoopRef gy_current_loop __attribute__((tls_model("initial-exec")));

static inline bool gy_loop_is_current(const struct GYRunLoop *loop) {
    return loop == gy_current_loop;
}

/* Whether items may be added, by this thread; the lock. */
static inline bool gy_loop_takes_items(const struct GYRunLoop *loop) {
    return !gy_loop_is_dead(loop) && (!loop->is_ending || gy_loop_is_current(loop));
}

/* The loops that are alive; the registry's lock. */
extern gy_node gy_all_loops;

void gy_registry_lock(void);
void gy_registry_unlock(void);

/* Locks the loop named by `*where` and returns it, retained; NULL if there is none. Undo it with
 * gy_loop_leave. */
GYRunLoopRef gy_loop_enter(_Atomic(GYRunLoopRef) *where);
void gy_loop_leave(GYRunLoopRef loop);

#endif
