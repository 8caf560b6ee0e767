#include "loop/drain.h"

#include "loop/observers.h"

/* Deferred calls may have left nested runs by a jump of their own. */
static void drain_pool(GYRunLoopRef loop) {
    uint32_t depth = loop->depth;
    gy_pool_drain(gy_loop_innermost(loop)->pool);
    if (loop->depth != depth) loop->unwind_to(loop, depth);
}

/* A new pool takes the place of the drained one before the hooks are called (R204): the same one,
 * which is empty. */
void gy_drain_now(GYRunLoopRef loop, GYRunLoopActivity point) {
    drain_pool(loop);
    gy_observer_round(loop, point);
}

void gy_drain_exit(GYRunLoopRef loop) {
    gy_drain_now(loop, kGYDrainExit);
    drain_pool(loop);
    gy_pool_pop(gy_loop_innermost(loop)->pool);
}
