/* The sending side: requests, and the wait for their replies.
 *
 * Owns nothing. Threads: any; the wait runs the calling thread's loop. */
#ifndef GYRE_SOURCES_MESSAGE_SEND_H
#define GYRE_SOURCES_MESSAGE_SEND_H

#include "sources/message_port.h"

typedef struct gy_request {
    int32_t id;
    GYDataRef data;
    int64_t send_timeout_ns;
    int64_t reply_timeout_ns;
    const int *descriptors; /* passed along; the caller's */
    uint32_t descriptor_count;
    GYStringRef reply_mode; /* interned; NULL: no reply is wanted */
} gy_request;

/* kGYMessagePort…; `reply` is set to the data of the reply, the caller's, where it is success. */
int32_t gy_message_send(GYMessagePortRef remote, const gy_request *request, GYDataRef *reply);

#endif
