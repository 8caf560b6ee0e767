/* The socket that listens under the name of a local port, and the source that watches it.
 *
 * Owns: the socket; it is closed with the last reference to the source. Threads: any. */
#ifndef GYRE_SOURCES_MESSAGE_LISTENER_H
#define GYRE_SOURCES_MESSAGE_LISTENER_H

#include "sources/message_queue.h"

typedef struct gy_listener_host {
    /* A connection, the host's from now on. */
    void (*on_connection)(struct gy_listener_host *host, int fd);
    void (*retain)(struct gy_listener_host *host);
    void (*release)(struct gy_listener_host *host);
} gy_listener_host;

/* Takes the socket over; NULL with errno. The source goes where those of the mailbox are, and holds
 * a reference to both. Where there is no descriptor for a connection it pauses, and connections wait
 * in the kernel. */
GYRunLoopSourceRef gy_listener_source(gy_listener_host *host, gy_mailbox *mailbox, int fd);

#endif
