/* Putting a loop right after frames of its runs went away without returning: by a C++ exception, by
 * a jump, or with the thread. Owns nothing. Threads: the loop's own, no lock held. */
#ifndef GYRE_LOOP_UNWIND_H
#define GYRE_LOOP_UNWIND_H

#include "loop/loop.h"

/* Ends every activation, and every call by hand, whose frame lies below `frame`: items in a callout
 * are called no more and are free again, what a step had picked and not got to waits for the next
 * run, and what was deferred into its drain pool is called. */
void gy_unwind(GYRunLoopRef loop, const void *frame);
/* Ends those beyond a mark: a callout has returned, and what ran inside it has not. */
void gy_unwind_to(GYRunLoopRef loop, gy_mark mark);
/* All of them: the thread is ending. */
void gy_unwind_all(GYRunLoopRef loop);

#endif
