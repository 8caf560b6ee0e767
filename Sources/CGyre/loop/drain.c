#include "loop/drain.h"

#include "loop/current.h"
#include "loop/observers.h"

#include <errno.h>

/* Deferred calls may have left nested runs by a jump of their own. */
static void drain_pool(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_mark mark = {loop->depth, loop->by_hand};
    gy_pool_drain(gy_loop_innermost(loop)->pool);
    if (loop->depth != mark.depth || loop->by_hand != mark.by_hand) loop->unwind_to(loop, mark);
    run->drained = gy_pool_changes();
}

/* Relaxed: a policy stands for itself, and is followed as soon as it is seen. */
static GYDrainPolicy policy_of(const gy_mode *mode) {
    return atomic_load_explicit(&mode->drain_policy, memory_order_relaxed);
}

static bool has_point(const gy_mode *mode, GYRunLoopActivity point) {
    switch (policy_of(mode)) {
    case kGYDrainPolicyBeforeWaiting: return point == kGYDrainBeforeWaiting;
    case kGYDrainPolicyOnExit: return false;
    default: return true;
    }
}

/* A new pool takes the place of the drained one before the hooks are called (R204): the same one,
 * which is empty. */
static void drain_and_tell(gy_run *run, GYRunLoopActivity point) {
    drain_pool(run);
    gy_observer_round(run->loop, point);
}

void gy_drain_now(gy_run *run, GYRunLoopActivity point) {
    if (has_point(run->mode, point)) drain_and_tell(run, point);
}

void gy_drain_rest(gy_run *run) {
    if (run->drained != gy_pool_changes()) drain_pool(run);
}

void gy_drain_last(gy_run *run) {
    drain_and_tell(run, kGYDrainExit);
    drain_pool(run);
    gy_pool_pop(gy_loop_innermost(run->loop)->pool);
}

static bool set_policy_locked(GYRunLoopRef loop, GYStringRef name, GYDrainPolicy policy) {
    if (!gy_loop_takes_items(loop)) {
        errno = ESRCH;
        return false;
    }
    gy_mode *mode = gy_loop_need_mode(loop, name);
    if (mode == NULL) return false;
    mode->is_given = true;
    atomic_store_explicit(&mode->drain_policy, policy, memory_order_relaxed);
    return true;
}

bool gy_drain_set_policy(GYRunLoopRef loop, GYStringRef name, GYDrainPolicy policy) {
    gy_loop_lock(loop);
    bool ok = set_policy_locked(loop, name, policy);
    gy_loop_unlock(loop);
    return ok;
}

GYDrainPolicy gy_drain_policy(GYRunLoopRef loop, GYStringRef name) {
    gy_loop_lock(loop);
    const gy_mode *mode = gy_loop_find_mode(loop, name);
    GYDrainPolicy policy = mode == NULL ? kGYDrainPolicyEveryIteration : policy_of(mode);
    gy_loop_unlock(loop);
    return policy;
}
