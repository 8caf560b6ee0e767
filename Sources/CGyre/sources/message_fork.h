/* What ports do at a fork (R7): their locks are held across it, and in the child they are forgotten.
 *
 * Owns: the list of guards, and the fork handlers. Relies on: nothing that is locked here being
 * taken under a loop's lock, for the loops' locks may be taken after these. Threads: any. */
#ifndef GYRE_SOURCES_MESSAGE_FORK_H
#define GYRE_SOURCES_MESSAGE_FORK_H

#include "base/list.h"
#include "base/lock.h"

typedef struct gy_fork_guard {
    gy_node node;
    gy_lock *lock;
    /* In the child, with its lock given up: closes what is the parent's. It calls out to nobody. */
    void (*forget)(void *owner);
    void *owner;
} gy_fork_guard;

/* False with errno: the handlers could not be set. */
bool gy_fork_guard_add(gy_fork_guard *guard);
void gy_fork_guard_remove(gy_fork_guard *guard);

#endif
