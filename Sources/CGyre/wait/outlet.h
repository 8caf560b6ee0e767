/* One descriptor in place of a loop's wait, for a host that waits in a way of its own.
 *
 * Owns: an epoll set around the one that the loop waits in, so that a set made anew does not change
 * the number that the host has; a timerfd, for the loop's alarm is armed for whatever run comes in
 * between; and an eventfd, the bell, that is readable while there is something to do that the
 * kernel does not know of. Nothing is ever fetched from the outer set: the host alone looks at it,
 * level-triggered, and all in it is level-triggered too.
 * Threads: the loop's own; abandoned in the child of a fork. */
#ifndef GYRE_WAIT_OUTLET_H
#define GYRE_WAIT_OUTLET_H

#include "base/list.h"
#include "wait/poller.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gy_outlet {
    gy_node in_loop;
    int fd, timer_fd, bell_fd; /* all -1, or none */
    int set_fd;                /* the inner set that is watched; valid where `set` is not 0 */
    uint64_t set;              /* its number: gy_poller.set */
    int64_t armed_ns;          /* from when on the timerfd is readable; GY_NEVER: disarmed */
    bool is_rung;
} gy_outlet;

/* Not made yet. */
void gy_outlet_init(gy_outlet *outlet);
/* Makes the descriptors; readable. False with errno, and there are none. */
bool gy_outlet_make(gy_outlet *outlet);
/* Closes them, and touches none: what it watched is not its own. Also in the child of a fork. */
void gy_outlet_close(gy_outlet *outlet);

/* Readable from now on, until gy_outlet_wait or gy_outlet_rest. */
void gy_outlet_ring(gy_outlet *outlet);
/* Readable when the set is, and from a moment on. `epoll_fd` below zero: there is no set, and it is
 * readable every now and then, to have somebody look. Where the kernel refuses the timer it stays
 * readable, which is better than deaf. */
void gy_outlet_wait(gy_outlet *outlet, int epoll_fd, uint64_t set, int64_t until_ns);
/* Not readable, whatever happens. */
void gy_outlet_rest(gy_outlet *outlet);

#endif
