#include "loop/activation.h"

#include "base/pool.h"

#include <errno.h>
#include <stdlib.h>

/* The lock: other threads look at the innermost activation. */
static bool make_room(GYRunLoopRef loop) {
    if (loop->depth < loop->activation_room) return true;
    uint32_t room = loop->activation_room == 0 ? 4 : loop->activation_room * 2;
    gy_activation *activations = realloc(loop->activations, room * sizeof *activations);
    if (activations == NULL) {
        errno = ENOMEM;
        return false;
    }
    loop->activations = activations;
    loop->activation_room = room;
    return true;
}

/* Filled in where it stands, and copied from a constant rather than cleared: it is a large struct,
 * which gcc clears by a slow string instruction, and runs can be short. */
static void push(GYRunLoopRef loop, gy_mode *mode) {
    static const gy_activation fresh = {0};
    gy_activation *run = &loop->activations[loop->depth++];
    *run = fresh;
    run->mode = mode;
    run->run = ++loop->run_count;
    /* Acquire and release: a stop goes to the run that was innermost when it was made. */
    run->outer_stop = atomic_exchange_explicit(&loop->stop, GY_STOP_RUNNING, memory_order_acq_rel);
    run->around = gy_wake_window(&loop->wake);
}

/* The run around waits in the hands of a host, and what it waits for may be used up inside: it goes
 * on to look, as if this run were nested in its step 7 (R150). */
static void end_wait_of_host(GYRunLoopRef loop) {
    const gy_activation *around = gy_loop_innermost(loop);
    if (around == NULL || around->outlet == NULL) return;
    gy_wake_rouse(&loop->wake);
    gy_outlet_ring(around->outlet);
}

bool gy_activation_begin(GYRunLoopRef loop, gy_mode *mode, int64_t deadline_ns, const void *frame) {
    uint64_t pool = gy_pool_push(true);
    if (pool == 0) return false;
    gy_loop_lock(loop);
    bool ok = make_room(loop);
    if (ok) {
        end_wait_of_host(loop);
        push(loop, mode);
        gy_activation *run = gy_loop_innermost(loop);
        run->deadline_ns = deadline_ns;
        run->frame = frame;
        run->pool = pool;
    }
    gy_loop_unlock(loop);
    if (!ok) gy_pool_pop(pool); /* empty: no call, and errno stays */
    return ok;
}

void gy_activation_end(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    gy_activation *run = gy_loop_innermost(loop);
    /* A stop from here on is for the run around, one from before is forgotten (R46, R47). */
    atomic_store_explicit(&loop->stop, run->outer_stop, memory_order_release);
    gy_wake_restore(&loop->wake, run->around, run->owes_wake_up);
    loop->depth--;
    gy_loop_unlock(loop);
}

bool gy_activation_is_gone(GYRunLoopRef loop, const void *frame) {
    const gy_activation *innermost = gy_loop_innermost(loop);
    return innermost != NULL && (uintptr_t)innermost->frame <= (uintptr_t)frame;
}
