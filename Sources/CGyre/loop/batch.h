/* Step 4: signalled version 0 sources, taken together and performed one by one (R74 to R76).
 *
 * Owns: the list of one such step, on the heap and hanging from its activation like that of timers.
 * Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_BATCH_H
#define GYRE_LOOP_BATCH_H

#include "loop/loop.h"

/* Performs the sources of the innermost run's mode that are signalled now; with `only_one` it stops
 * after the first. True if any was performed. */
bool gy_batch_run(GYRunLoopRef loop, bool only_one);

/* The rest of a step whose frame is gone. The sources stay signalled. */
void gy_batch_drop(GYRunLoopRef loop, struct gy_batch *batch);

#endif
