/* A run and its iterations: the heart. Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_RUN_H
#define GYRE_LOOP_RUN_H

#include "loop/loop.h"

/* Runs the calling thread's loop in a mode (an interned name). `timeout_ns`: GY_NEVER for none,
 * zero or less for one pass that does not wait. */
GYRunLoopRunResult gy_run_in_mode(GYRunLoopRef loop, GYStringRef mode, int64_t timeout_ns,
                                  bool returns_after_source);

/* Whether that would return at once: the mode is unknown or empty (R15). */
bool gy_run_is_empty(GYRunLoopRef loop, GYStringRef mode);

#endif
