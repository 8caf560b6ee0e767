/* Step 8 of an iteration: looking for events, or sleeping until there is one.
 *
 * Owns: the choice between the two, and what is done where the kernel refuses. What it finds goes
 * to the mode's list of ready ports, and `now_ns` tells which timers are due.
 * Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_SLEEP_H
#define GYRE_LOOP_SLEEP_H

#include "loop/loop.h"

/* What one run remembers from iteration to iteration; on the run's stack. */
typedef struct gy_run {
    GYRunLoopRef loop;
    gy_mode *mode;       /* NULL until it has begun */
    uint64_t number;     /* of its activation */
    int64_t deadline_ns; /* GY_NEVER: none */
    bool is_poll;        /* the time-out is zero or less (R51) */
    bool returns_after_source;
    bool has_gone_round; /* an iteration has come to step 6 */
    bool is_early; /* step 6 has found work of the main queue: no look in step 8 (R213) */
    bool queue_goes_first; /* what step 8 finds of the main queue, step 6 would have found */
    bool has_handled;     /* this iteration has performed a source */
    bool polls;           /* and does not wait (R32) */
    bool is_idle;         /* and has nothing left to do in user space */
    bool has_looked;      /* at the descriptors, in this run */
    int64_t looked_at_ns; /* when it last did */
    int64_t now_ns;       /* as read in step 8, where the mode has anything that asks for it */
    uint64_t drained; /* gy_pool_changes when the run's pool was last empty */
} gy_run;

/* Looks only, when `may_sleep` is false or there is something to do already; else sleeps until a
 * wake-up, a due timer, a ready port or the run's deadline. Closes the window for wake-ups. */
void gy_sleep(gy_run *run, bool may_sleep);

#endif
