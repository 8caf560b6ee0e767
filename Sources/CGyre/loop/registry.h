/* Which thread has which loop, the main loop, and what happens at the end of a thread and at a
 * fork.
 *
 * Owns: the list of loops, one reference to each until its thread ends. Threads: any. */
#ifndef GYRE_LOOP_REGISTRY_H
#define GYRE_LOOP_REGISTRY_H

#include "loop/loop.h"

/* The calling thread's loop, made on first use. NULL with errno; ESRCH: the thread's loop has
 * ended, and the thread is about to. */
GYRunLoopRef gy_registry_current(void);
/* NULL: it has none yet, or none any more. */
GYRunLoopRef gy_registry_current_if_made(void);
/* Whether it is the calling thread's, also where the main thread has not asked for its own yet. */
bool gy_registry_is_own(GYRunLoopRef loop);
/* NULL with errno. */
GYRunLoopRef gy_registry_main(void);

#endif
