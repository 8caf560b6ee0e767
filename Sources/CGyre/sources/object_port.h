/* Ports without a name, whose messages are objects.
 *
 * Owns: the layout of such messages. Relies on: message ports, whose layout, mailbox and sources
 * they have. Threads: any. */
#ifndef GYRE_SOURCES_OBJECT_PORT_H
#define GYRE_SOURCES_OBJECT_PORT_H

#include "sources/message_port.h"

struct GYPortMessage {
    gy_object head;
    uint32_t id;
    GYArrayRef components; /* retained; NULL: none */
    GYPortRef reply_port;  /* retained; NULL: none */
};

static inline GYMessagePortRef gy_object_port_base(GYPortRef port) {
    return (GYMessagePortRef)(void *)port;
}

/* NULL with errno. `info` is taken over, not retained. */
GYPortRef gy_object_port_create(GYPortCallBack callout, const GYPortContext *context);
/* kGYMessagePort… */
int32_t gy_object_port_send(GYPortRef port, uint32_t id, GYArrayRef components,
                            GYPortRef reply_port, int64_t timeout_ns);

#endif
