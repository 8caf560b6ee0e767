/* The main queue of libdispatch in the main loop: when it is served, and when it has work.
 *
 * Owns: the loop's `queue`, the rules R210 to R214. The handle is one more descriptor that is watched
 * along in the sets of the main loop, edge-triggered as the others of our own: its edge only says
 * that there may be work, and the read before the drain whether there is. So work that comes while
 * the queue is not served, in a private mode or inside a drain, makes no loop spin and is not lost.
 * Relies on: wait/dispatch for finding it; step 10 (run.c) for the drain.
 * Threads: the loop's own, no lock held but where told. */
#ifndef GYRE_LOOP_MAIN_QUEUE_H
#define GYRE_LOOP_MAIN_QUEUE_H

#include "loop/loop.h"

/* Before a wait: looks for a libdispatch that was loaded since, if this mode would serve it. A pass
 * that does not sleep asks in the first and then in every 64th one. */
void gy_main_queue_look_for(GYRunLoopRef loop, const gy_mode *mode, bool sleeps);

/* Whether a drain of the main queue is in progress below the innermost run (R211). */
bool gy_main_queue_is_draining(GYRunLoopRef loop);
/* Whether a run in the mode serves it. */
static inline bool gy_main_queue_is_served(GYRunLoopRef loop, const gy_mode *mode) {
    return loop->queue.dispatch.handle >= 0 && mode->is_common && !gy_main_queue_is_draining(loop);
}
/* Served, and there may be work, as a look or a wait has told. */
static inline bool gy_main_queue_is_ready(GYRunLoopRef loop, const gy_mode *mode) {
    return loop->queue.is_ready && gy_main_queue_is_served(loop, mode);
}

/* Asks the handle itself. */
bool gy_main_queue_look(GYRunLoopRef loop);
/* Reads it: true if there is work, which the caller then drains. */
bool gy_main_queue_take(GYRunLoopRef loop);

/* The main thread is about to end: libdispatch may have taken it over. */
void gy_main_queue_end(GYRunLoopRef loop);

#endif
