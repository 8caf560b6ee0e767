/* Ports as objects: what they are made of, how they come by a name, and how they end.
 *
 * Owns: the layout of local and remote ports, validity, the callbacks. Relies on: the mailbox, for
 * messages within the process. Threads: any; each port has a lock of its own, rank table, never
 * held across a callout. */
#ifndef GYRE_SOURCES_MESSAGE_PORT_H
#define GYRE_SOURCES_MESSAGE_PORT_H

#include "sources/message_name.h"
#include "sources/message_queue.h"

struct GYMessagePort {
    gy_object head;
    gy_port_name name;
    _Atomic bool is_valid;
    gy_lock lock;
    gy_fork_guard guard;
    GYMessagePortCallBack callout;  /* constant; a local port's */
    GYMessagePortContext context;   /* its info is NULL after the end; the lock */
    GYMessagePortInvalidationCallBack invalidation; /* the lock */
    gy_node answers; /* that a remote port's requests wait for, each retained; the lock */
    bool is_told; /* the invalidation callback had its turn; the lock */
    gy_mailbox *mailbox; /* its own, or that of the local port it sends to; constant */
    gy_node in_mailbox;  /* of a remote port: among those that end with it; the mailbox's lock */
};

static inline bool gy_message_port_is_valid(GYMessagePortRef port) {
    /* Acquire: pairs with the exchange in gy_message_port_invalidate. */
    return atomic_load_explicit(&port->is_valid, memory_order_acquire);
}

/* NULL with errno. `info` is taken over, not retained. */
GYMessagePortRef gy_message_port_create_local(GYMessagePortCallBack callout,
                                              const GYMessagePortContext *context);
/* 0 or a negative errno, as gy_port_name_enter. */
int gy_message_port_set_name(GYMessagePortRef port, GYStringRef name);
/* The local port of a name, retained; NULL: there is none in this process. */
GYMessagePortRef gy_message_port_local(GYStringRef name);
/* The remote port of a name, retained, made if there is none yet; NULL with errno. */
GYMessagePortRef gy_message_port_remote(GYStringRef name);

/* A request begins to wait: its answer is given when the port ends, at the latest. False: it has
 * ended. */
bool gy_message_port_expect(GYMessagePortRef port, gy_answer *answer);
void gy_message_port_forgo(GYMessagePortRef port, gy_answer *answer);

/* R266. Calls out: no lock. */
void gy_message_port_invalidate(GYMessagePortRef port);
/* Sets it; calls it where the port has ended. */
void gy_message_port_set_invalidation(GYMessagePortRef port,
                                      GYMessagePortInvalidationCallBack callout);

#endif
