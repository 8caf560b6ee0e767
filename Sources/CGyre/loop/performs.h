/* Performed work: handing it over, running it, taking it back, waiting for it.
 *
 * Owns: the rules R60 to R68 and the states of a perform. Threads: as told per function; none of
 * these may be called with a lock held. */
#ifndef GYRE_LOOP_PERFORMS_H
#define GYRE_LOOP_PERFORMS_H

#include "loop/loop.h"

extern const gy_type gy_perform_type;

/* Any thread. Takes the block over if it returns true; false: the loop has ended. */
bool gy_perform_enqueue(GYRunLoopRef loop, gy_block *block);
/* A perform that can be asked about and taken back, enqueued or started as a timer. NULL with
 * errno. */
GYRunLoopPerformRef gy_perform_create(GYRunLoopRef loop, GYTypeRef mode, int64_t delay_ns,
                                      GYPerformFunction function, void *info,
                                      GYPerformFunction release);
GYRunLoopPerformState gy_perform_state(const struct GYRunLoopPerformRequest *perform);
GYRunLoopPerformState gy_perform_cancel(GYRunLoopPerformRef perform);
GYRunLoopPerformState gy_perform_cancel_and_wait(GYRunLoopPerformRef perform);
/* Waits until the call has returned or will never be made; true if it was made. */
bool gy_perform_wait(GYRunLoopPerformRef perform);

/* Any thread: makes the modes that have been given a block and nothing else yet (R10). */
void gy_perform_make_modes(GYRunLoopRef loop);

/* The loop's own thread: steps 3, 4 and 11. */
void gy_perform_run_step(GYRunLoopRef loop);
/* The loop's own thread: whether a pending block would run in the mode (R13). */
bool gy_perform_would_run(GYRunLoopRef loop, const gy_mode *mode);

/* For frames that are gone: the call in progress counts as made, the blocks taken wait again. */
void gy_perform_finish_block(gy_block *block);
void gy_perform_put_back(GYRunLoopRef loop, gy_block *taken);

/* Teardown: what is pending is released without being run (R4). */
void gy_perform_end(GYRunLoopRef loop);

/* In the child of a fork: a call that another thread was making is over, one it was to make never
 * comes. No callback is called. */
void gy_perform_settle_in_child(GYRunLoopPerformRef perform);
void gy_perform_settle_block_in_child(const gy_block *block);
void gy_perform_end_in_child(GYRunLoopRef loop);

#endif
