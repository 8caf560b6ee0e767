/* What a local port has for each remote port of another process: the connection, the source that
 * watches it, and replies that wait for room.
 *
 * Owns: callers, each counted. While there are replies to be sent, nothing is received: so what a
 * process makes others keep for it is bounded (R264), and no loop waits for it. Relies on: its host,
 * which lists it and receives. Threads: any; a lock of its own, rank table. */
#ifndef GYRE_SOURCES_MESSAGE_CALLER_H
#define GYRE_SOURCES_MESSAGE_CALLER_H

#include "sources/message_link_send.h"
#include "sources/message_queue.h"

/* How much of replies that were not sent a caller may have: room for four of the largest. */
#define GY_CALLER_UNSENT_MAX (4 * (size_t)GY_WIRE_LENGTH_MAX)

typedef struct gy_caller gy_caller;

typedef struct gy_caller_host {
    gy_mailbox *mailbox;
    /* There is something to receive, or the other side has hung up. */
    void (*on_input)(gy_caller *caller, bool has_hung_up);
    /* Takes the caller off the list and ends it. `wrong`, unless NULL, is reported. */
    void (*drop)(gy_caller *caller, const char *wrong);
    void (*release)(struct gy_caller_host *host);
} gy_caller_host;

/* A reply that waits. */
typedef struct gy_unsent {
    struct gy_unsent *next;
    gy_wire_header header;
    GYDataRef data; /* retained */
} gy_unsent;

struct gy_caller {
    _Atomic uint32_t references;
    gy_node node;         /* in its host's list; the host's lock */
    gy_link *link;        /* constant */
    gy_caller_host *host; /* constant, retained */
    gy_fork_guard guard;
    _Atomic uint32_t calls;  /* callouts in progress that began with its input */
    _Atomic bool is_stalled; /* input was left, for the mailbox had no room */
    gy_lock lock;            /* protects the rest */
    GYRunLoopSourceRef source; /* watches for input, or for room to send; NULL: it has ended */
    bool is_writing;           /* which of the two */
    bool is_flushing; /* somebody sends replies; nobody else does, and `current` is his */
    bool has_current;
    gy_outgoing current;
    gy_unsent *first, *last;
    size_t size; /* of what waits */
};

/* Takes the connection over, and one reference to the host. NULL with errno; then the reference is
 * the caller's still. */
gy_caller *gy_caller_create(gy_caller_host *host, int fd);
gy_caller *gy_caller_retain(gy_caller *caller);
void gy_caller_release(gy_caller *caller);

/* The source of the moment, retained; NULL: it has ended. */
GYRunLoopSourceRef gy_caller_source(gy_caller *caller);
/* Closes the connection; replies that were not sent are dropped. */
void gy_caller_end(gy_caller *caller);
/* The reply function of messages, whose sender is the caller. */
void gy_caller_reply(void *sender, uint32_t number, int32_t result, GYDataRef data);

#endif
