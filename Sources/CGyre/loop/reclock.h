/* A loop changes over to another clock, and clocks are moved while loops sleep by them.
 *
 * Owns: which loop goes by which clock. Relies on: the registry's lock and the loop's, held
 * together over a change, so that who moves a clock finds the loops that go by it. */
#ifndef GYRE_LOOP_RECLOCK_H
#define GYRE_LOOP_RECLOCK_H

#include "loop/loop.h"

enum gy_reclock_result {
    GY_RECLOCKED,
    GY_RECLOCK_RUNS,  /* a run, or a call of a timer by hand, is in progress */
    GY_RECLOCK_TAKEN, /* another loop goes by a clock that advances itself */
    GY_RECLOCK_DEAD,
};

/* The loop's own thread, no lock held. Each timer keeps its distance from now. */
enum gy_reclock_result gy_reclock_set(GYRunLoopRef loop, GYManualClockRef clock);
/* Retained; NULL: the monotonic clock. Any thread, no lock held. */
GYManualClockRef gy_reclock_copy(GYRunLoopRef loop);

/* The clock has been moved: the loops that sleep by it look. Any thread, no lock held. */
void gy_reclock_tell(GYManualClockRef clock);

#endif
