/* The drain points of a run (R200 to R206): the run's pool is drained, then the mode's hooks are
 * called, which are observers of these points.
 *
 * Owns: what a drain point does. Relies on: activation.h, which pushes the pool of a run.
 * Threads: the loop's own, no lock held. With an empty pool and no hooks a drain point is a few
 * comparisons. */
#ifndef GYRE_LOOP_DRAIN_H
#define GYRE_LOOP_DRAIN_H

#include "base/pool.h"
#include "loop/loop.h"

/* If the mode's policy has the point. */
void gy_drain_now(GYRunLoopRef loop, GYRunLoopActivity point);

/* Of an iteration, where step 7 ends. */
static inline void gy_drain_point(GYRunLoopRef loop, GYRunLoopActivity point) {
    const gy_activation *run = gy_loop_innermost(loop);
    /* Acquire: as in gy_observer_round. */
    GYOptionFlags wanted = atomic_load_explicit(&run->mode->observers.points, memory_order_acquire);
    if ((wanted & point) != 0 || !gy_pool_is_idle(run->pool)) gy_drain_now(loop, point);
}

/* After all Exit observers: ends the pool. The hooks of this point have it around them once more. */
void gy_drain_exit(GYRunLoopRef loop);

/* Any thread. `mode` is interned. Setting is false, with errno, where memory is out or the loop has
 * ended. */
bool gy_drain_set_policy(GYRunLoopRef loop, GYStringRef mode, GYDrainPolicy policy);
GYDrainPolicy gy_drain_policy(GYRunLoopRef loop, GYStringRef mode);

#endif
