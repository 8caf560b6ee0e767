/* Sending over a connection: a message becomes packets.
 *
 * Owns nothing. Threads: any; the packets of a message in parts are not mixed with others. */
#ifndef GYRE_SOURCES_MESSAGE_LINK_SEND_H
#define GYRE_SOURCES_MESSAGE_LINK_SEND_H

#include "sources/message_link.h"

typedef struct gy_outgoing {
    gy_wire_header header;
    GYDataRef data;         /* retained; NULL: none */
    const int *descriptors; /* passed along; the caller's */
    uint32_t sent;          /* bytes of the data, when it goes in parts */
    int memory_file;        /* -1: none */
    bool has_begun;         /* a packet of it has been sent, and it is not the last */
} gy_outgoing;

/* `header` has the kind, id, number and whether a reply is wanted; the rest is filled in. */
void gy_outgoing_begin(gy_outgoing *out, const gy_wire_header *header, GYDataRef data);
void gy_outgoing_end(gy_outgoing *out);

/* Sends what can be sent at once. 0: all is sent; -EAGAIN: there is no room; -EPIPE: the other side
 * is gone; or another negative errno, and the message is not sent. */
int gy_link_push(gy_link *link, gy_outgoing *out);
/* gy_link_push that waits for room: -ETIMEDOUT after `timeout_ns`. `on_input` is called, without
 * the lock, when something can be received meanwhile. */
int gy_link_send(gy_link *link, gy_outgoing *out, int64_t timeout_ns,
                 void (*on_input)(gy_link *link));

#endif
