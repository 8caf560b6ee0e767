/* A set of descriptors and the wait for them.
 *
 * Owns: an epoll set and the list of what is registered in it. Each registration is one descriptor;
 * who is interested in it hangs from `members`, which this file does not look into.
 * Relies on: the loop's lock for everything. The wait itself is done by the loop's own thread
 * without it: other threads register meanwhile, and the kernel takes notice at once. */
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
    int64_t told_ns; /* when a wait without a set last told of an edge; 0: nothing to remember */
    gy_node members;
} gy_watch;

typedef struct gy_poller {
    int epoll_fd; /* -1 until made, and after a failure: the wait is done without it then */
    uint64_t set; /* counts the sets of all pollers: a number of its own for each that is made */
    int wake_fd, alarm_fd, clock_fd; /* watched along; -1: none. Not owned. */
    int queue_fd; /* of the main queue: likewise, once gy_poller_watch_queue has been told */
    gy_set watches;
    uint32_t next_generation;
    uint32_t poll_cursor; /* where the next wait without a set begins to ask */
    uint32_t poll_room;   /* how many it asks at once; 0: as many as gy_poll has room for */
    bool may_echo; /* a registration could not be deleted: its file may live on in a duplicate */
    bool has_echo; /* and an event came that belongs to none that is left */
    bool was_remade; /* after the set itself failed once */
} gy_poller;

void gy_poller_init(gy_poller *poller);
void gy_poller_end(gy_poller *poller);

/* Makes the set, watching the two descriptors; one that is made already learns of a new alarm.
 * 0 or a negative errno. */
int gy_poller_prepare(gy_poller *poller, int wake_fd, int alarm_fd);
/* Has a set that exists watch the main queue's eventfd along. 0 or a negative errno. */
int gy_poller_watch_queue(gy_poller *poller, int queue_fd);
/* Watches one that tells when the wall clock is set, from now on or, where there is no set yet, with
 * that. 0 or a negative errno. */
int gy_poller_watch_clock(gy_poller *poller, int clock_fd);
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

/* The registration an event belongs to; NULL for what is watched along and for echoes. */
gy_watch *gy_poller_resolve(gy_poller *poller, const struct epoll_event *event);
/* Whether one of the events is the main queue's. */
bool gy_poller_tells_of_queue(const struct epoll_event *events, int count);

/* For a wait without an epoll set: what to hand to poll, and back. What does not fit is asked by
 * the next wait, where this one left off. */
enum { GY_POLL_ROOM = 128 };

typedef struct gy_poll {
    struct pollfd fds[GY_POLL_ROOM];
    uint64_t data[GY_POLL_ROOM]; /* what epoll would return with the event */
    unsigned count;
    int64_t longest_ns; /* the wait may last no longer, for it does not see all; -1: for ever */
} gy_poll;

/* The two descriptors are asked along; below zero: not. */
void gy_poller_fill(gy_poller *poller, int wake_fd, int queue_fd, gy_poll *poll);
/* Poll has refused so many at once; true if fewer are to be tried. */
bool gy_poller_fill_less(gy_poller *poller, const gy_poll *poll);
/* `events` has GY_POLL_ROOM. */
int gy_poller_collect(gy_poller *poller, const gy_poll *poll, struct epoll_event *events);

#endif
