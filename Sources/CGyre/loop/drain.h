/* The drain points of a run (R200 to R206): the run's pool is drained, then the mode's hooks are
 * called, which are observers of these points.
 *
 * Owns: what a drain point does. Relies on: activation.h, which pushes the pool of a run.
 * Threads: the loop's own, no lock held. With an empty pool and no hooks a drain point is a few
 * comparisons. */
#ifndef GYRE_LOOP_DRAIN_H
#define GYRE_LOOP_DRAIN_H

#include "base/pool.h"
#include "loop/sleep.h"

/* Whether there is anything to do at a point; the mode's policy apart. */
static inline bool gy_drain_is_needed(const gy_run *run, GYRunLoopActivity point) {
    /* Acquire: as in gy_observer_round. */
    GYOptionFlags wanted = atomic_load_explicit(&run->mode->observers.points, memory_order_acquire);
    return (wanted & point) != 0 || run->drained != gy_pool_changes();
}

/* Of an iteration, where step 7 ends; if the mode's policy has the point. */
void gy_drain_now(gy_run *run, GYRunLoopActivity point);
static inline void gy_drain_point(gy_run *run, GYRunLoopActivity point) {
    if (gy_drain_is_needed(run, point)) gy_drain_now(run, point);
}

/* Beside the points: what was deferred is called, and no hook. */
void gy_drain_rest(gy_run *run);

/* After all Exit observers: ends the pool. The hooks of this point have it around them once more. */
void gy_drain_last(gy_run *run);
static inline void gy_drain_exit(gy_run *run) {
    if (gy_drain_is_needed(run, kGYDrainExit)) {
        gy_drain_last(run);
    } else {
        gy_pool_drop();
    }
}

/* Any thread. `mode` is interned. Setting is false, with errno, where memory is out or the loop has
 * ended. */
bool gy_drain_set_policy(GYRunLoopRef loop, GYStringRef mode, GYDrainPolicy policy);
GYDrainPolicy gy_drain_policy(GYRunLoopRef loop, GYStringRef mode);

#endif
