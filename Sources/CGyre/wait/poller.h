/* A set of descriptors and the wait for them.
 *
 * Owns: an epoll set and the list of what is registered in it. Each registration is one descriptor;
 * who is interested in it hangs from `members`, which this file does not look into.
 * Relies on: the loop's lock for everything but gy_poller_wait, which the loop's own thread calls
 * without it. Other threads register while it waits: the kernel takes notice at once. */
#ifndef GYRE_WAIT_POLLER_H
#define GYRE_WAIT_POLLER_H

#include "base/list.h"
#include "base/set.h"
#include "wait/sys.h"

typedef struct gy_watch {
    int fd;
    uint32_t
        generation; /* carried by each event: tells a new registration from an old one's echo */
    uint32_t events;     /* as registered; 0: not registered at the moment */
    gy_node members;
} gy_watch;

typedef struct gy_poller {
    int epoll_fd; /* -1 until made, and after a failure: the wait is done without it then */
    int wake_fd, alarm_fd; /* watched along; -1: none. Not owned. */
    gy_set watches;
    uint32_t next_generation;
    bool may_echo; /* a registration could not be deleted: its file may live on in a duplicate */
    bool has_echo; /* and an event came that belongs to none that is left */
    bool was_remade; /* after the set itself failed once */
} gy_poller;

void gy_poller_init(gy_poller *poller);
void gy_poller_end(gy_poller *poller);

/* Makes the set, watching the two descriptors; one that is made already learns of a new alarm.
 * 0 or a negative errno. */
int gy_poller_prepare(gy_poller *poller, int wake_fd, int alarm_fd);
/* Forgets the set, without touching it: in the child of a fork it is the parent's. */
void gy_poller_abandon(gy_poller *poller);
/* A new set with the registrations that are left; what the system refuses is left out. */
int gy_poller_remake(gy_poller *poller);

gy_watch *gy_poller_find(gy_poller *poller, int fd);
/* Registers a descriptor. NULL with errno; EPERM: a file that is always ready. */
gy_watch *gy_poller_watch(gy_poller *poller, int fd, uint32_t events);
/* Changes what a registration reports; the kernel looks at the descriptor anew. ENOENT: the number
 * has come to mean another file; EBADF: it is closed. */
int gy_poller_change(gy_poller *poller, gy_watch *watch, uint32_t events);
/* Ends a registration and frees it. */
void gy_poller_unwatch(gy_poller *poller, gy_watch *watch);

/* Waits; below zero: for ever. Returns how many events, or a negative errno. */
int gy_poller_wait(const gy_poller *poller, struct epoll_event *events, int room,
                   int64_t timeout_ns);
/* The registration an event belongs to; NULL for the wake-up, the alarm and echoes. */
gy_watch *gy_poller_resolve(gy_poller *poller, const struct epoll_event *event);

/* For a wait without an epoll set: what to hand to poll, and back. */
unsigned gy_poller_fill(const gy_poller *poller, int wake_fd, struct pollfd *fds, unsigned room);
int gy_poller_collect(const gy_poller *poller, const struct pollfd *fds, unsigned count,
                      struct epoll_event *events, int room);

#endif
