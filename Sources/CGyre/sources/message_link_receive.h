/* Receiving from a connection: packets become messages.
 *
 * Owns: how much of unfinished messages the process holds, for all connections. Threads: any. */
#ifndef GYRE_SOURCES_MESSAGE_LINK_RECEIVE_H
#define GYRE_SOURCES_MESSAGE_LINK_RECEIVE_H

#include "sources/message_link.h"

enum gy_link_result {
    GY_LINK_MESSAGE, /* a whole one */
    GY_LINK_PART,    /* something has come, and more of it will */
    GY_LINK_NOTHING,
    GY_LINK_ENDED,
    GY_LINK_BROKEN, /* the other side breaks the format, and `wrong` tells how */
};

typedef struct gy_incoming {
    gy_wire_header header;
    GYDataRef data;                           /* the caller's; NULL: none */
    int descriptors[GY_WIRE_DESCRIPTORS_MAX]; /* the caller's to close */
    uint32_t descriptor_count;
    const char *wrong;
} gy_incoming;

/* Receives at most one packet. GY_LINK_NOTHING too where another thread is about to. */
enum gy_link_result gy_link_receive(gy_link *link, gy_incoming *in);
/* The same, and waits for one, for GY_LINK_BRIEFLY_NS at most, or some milliseconds where the kernel
 * counts in those. */
enum gy_link_result gy_link_receive_soon(gy_link *link, gy_incoming *in);

#endif
