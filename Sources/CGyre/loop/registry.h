/* Which thread has which loop, the main loop, and what happens at the end of a thread and at a
 * fork.
 *
 * Owns: the list of loops, one reference to each until its thread ends. Threads: any. */
#ifndef GYRE_LOOP_REGISTRY_H
#define GYRE_LOOP_REGISTRY_H

#include "loop/loop.h"

/* What a layer above has to do at a fork. Its locks, of rank table, are taken before it and given
 * back after it in both processes, unranked; last of all, with no lock held and the loops as R7
 * wants them, the child calls `in_child`. */
typedef struct gy_fork_hooks {
    void (*before)(void);
    void (*after)(void);
    void (*in_child)(void);
    struct gy_fork_hooks *next; /* the registry's */
} gy_fork_hooks;

/* They stay for good; once is enough. False with errno, and they are not called. */
bool gy_registry_at_fork(gy_fork_hooks *hooks);

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
