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

/* The same in pieces, for a wait in other hands (embed.h). */

/* The beginning; true: the loop is asleep now. */
bool gy_sleep_begin(gy_run *run, bool may_sleep);

/* What to wait for while it is: a set, by its descriptor, below zero where there is none that can
 * be waited in, and its number; and a moment. */
typedef struct gy_sleep_place {
    int epoll_fd;
    uint64_t set;
    int64_t until_ns; /* of the monotonic clock, whatever the loop goes by */
} gy_sleep_place;
gy_sleep_place gy_sleep_place_now(gy_run *run);
/* Looks, while it is: whether the sleep is over. If not, the place may be another one. */
bool gy_sleep_is_over(gy_run *run);

/* The end, with a look where it is not asleep. */
void gy_sleep_end(gy_run *run);

#endif
