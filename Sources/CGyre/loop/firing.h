/* Step 10's timers: those that have come due are taken together and fired one by one (R103).
 * Owns the order of a step. Threads: the loop's own; "the lock" as told. */
#ifndef GYRE_LOOP_FIRING_H
#define GYRE_LOOP_FIRING_H

#include "loop/loose.h"

/* Fires every timer of the innermost run's mode that is due at `now_ns`. No lock held. */
void gy_firing_run(GYRunLoopRef loop, int64_t now_ns);

/* Before a run nested in a callout of a firing timer: what is due and not yet fired waits in the
 * heap again, so that the nested run of that mode finds it. The lock. */
void gy_firing_put_back(GYRunLoopRef loop, const gy_mode *mode);

/* The rest of a step whose frame is gone. No lock held. */
void gy_firing_drop(GYRunLoopRef loop, gy_firing *firing);

#endif
