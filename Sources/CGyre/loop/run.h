/* A run and its iterations: the heart. Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_RUN_H
#define GYRE_LOOP_RUN_H

#include "loop/sleep.h"

/* Runs the calling thread's loop in a mode (an interned name). `timeout_ns`: GY_NEVER for none,
 * zero or less for one pass that does not wait. */
GYRunLoopRunResult gy_run_in_mode(GYRunLoopRef loop, GYStringRef mode, int64_t timeout_ns,
                                  bool returns_after_source);

/* Whether that would return at once: the mode is unknown or empty (R15). */
bool gy_run_is_empty(GYRunLoopRef loop, GYStringRef mode);

/* A run in pieces, for who has a way of its own to wait between them. */

/* No result: the run goes on. */
enum { GY_RUN_GOES_ON = 0 };

/* All before the first iteration. Of `run` the loop and what it returns after are given, the rest
 * is zero; `frame` is an address in the stack frame that it belongs to. Where it does not begin at
 * all, `run->mode` stays NULL. */
GYRunLoopRunResult gy_run_begin(gy_run *run, GYStringRef mode, int64_t timeout_ns,
                                const void *frame);
/* Steps 1 to 7; whether step 8 may sleep. */
bool gy_run_begin_iteration(gy_run *run);
/* Whether this one has had BeforeWaiting, and is to have AfterWaiting. */
static inline bool gy_run_waits(const gy_run *run) { return !run->polls && !run->is_early; }
/* Steps 9 to 12. */
GYRunLoopRunResult gy_run_end_iteration(gy_run *run);
/* All after the last iteration. */
void gy_run_end(gy_run *run);

#endif
