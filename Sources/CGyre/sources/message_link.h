/* One connection between a remote port and a local port of two processes.
 *
 * Owns: the socket, and what has come of a message that is not whole yet. Relies on: the format
 * (message_wire), and on the sources that watch the socket being gone before the last reference is.
 * Counted: the number is not closed, and so not reused, while somebody uses it. Threads: any; a lock of its own, rank table. */
#ifndef GYRE_SOURCES_MESSAGE_LINK_H
#define GYRE_SOURCES_MESSAGE_LINK_H

#include "sources/message_fork.h"
#include "sources/message_wire.h"

#include <gyre/GYData.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct gy_link {
    _Atomic uint32_t references;
    _Atomic uint32_t doubts; /* for so many requests no reply is expected at once */
    gy_lock lock; /* protects everything below */
    gy_fork_guard guard;
    int fd;       /* -1: in the child of a fork */
    bool is_shut; /* nothing is sent or received any more */
    void *owner;  /* the remote port, which holds the link and is not held by it; NULL: none */
    bool is_receiving; /* somebody waits for a packet, without the lock, and has the buffer */
    bool is_sending; /* somebody is between the packets of one message */
    pthread_cond_t is_free;
    uint8_t *buffer; /* one packet; NULL: none has come yet */
    gy_wire_parts parts;
    uint8_t *whole;     /* the bytes of a message in parts; NULL: none is in progress */
    int *kept;          /* the descriptors that came with its first packet */
    uint32_t kept_count;
} gy_link;

/* Takes the socket over, also where it fails: NULL with errno. */
gy_link *gy_link_create(int fd);
gy_link *gy_link_retain(gy_link *link);
void gy_link_release(gy_link *link);

void gy_link_set_owner(gy_link *link, void *owner);
/* Retained; NULL: none, or it is about to go. */
void *gy_link_owner(gy_link *link);

/* Both sides see the end; the socket is closed with the last reference. */
void gy_link_shut(gy_link *link);
/* Whether the other side is gone. */
bool gy_link_has_ended(gy_link *link);

/* How long gy_link_receive_soon waits, on a connection that gy_link_allow_waiting was called for. */
#define GY_LINK_BRIEFLY_NS INT64_C(1000000)
void gy_link_allow_waiting(gy_link *link);

/* How much memory messages that are not whole take, those of all connections of the process. */
#define GY_LINK_UNFINISHED_MAX (4 * (size_t)GY_WIRE_LENGTH_MAX)

/* Makes room for a message in parts, whose first packet is in `parts`; false: too much is there, or
 * no memory. The lock. */
bool gy_link_begin_parts(gy_link *link, size_t length);
/* Forgets a message that is not whole, and closes what came with it. The lock, or the last
 * reference. */
void gy_link_drop_parts(gy_link *link);

#endif
