/* Timers fired by hand: called out at once by whoever asks, with the bookkeeping of a firing.
 *
 * Owns: the loop's list of such calls. A call may be left by an exception or a jump; so what it
 * needs afterwards is on the heap, with the address of its frame, as for a run (activation.h).
 * Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_HAND_H
#define GYRE_LOOP_HAND_H

#include "loop/loose.h"

enum gy_hand_result {
    GY_HAND_FIRED,
    GY_HAND_INVALID,
    GY_HAND_ELSEWHERE, /* in the loop of another thread, or being called by one */
    GY_HAND_NO_MEMORY,
};

/* R191. `loop` is the calling thread's; what has lost its frame below `frame` has been ended. */
enum gy_hand_result gy_hand_fire(GYRunLoopRef loop, GYRunLoopTimerRef timer, const void *frame);

/* Ends the calls whose frames lie below `frame`; those inside the call that is `until`. */
void gy_hand_unwind(GYRunLoopRef loop, const void *frame);
void gy_hand_unwind_to(GYRunLoopRef loop, const gy_hand *until);

#endif
