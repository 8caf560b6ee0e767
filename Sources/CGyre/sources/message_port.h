/* Ports as objects: what they are made of, how they come by a name, and how they end.
 *
 * Owns: the layout of local and remote ports, validity, the callbacks. Relies on: the mailbox, for
 * messages within the process. Threads: any; each port has a lock of its own, rank table, never
 * held across a callout. */
#ifndef GYRE_SOURCES_MESSAGE_PORT_H
#define GYRE_SOURCES_MESSAGE_PORT_H

#include "sources/message_link.h"
#include "sources/message_name.h"
#include "sources/message_queue.h"

#include <gyre/GYPort.h>

struct GYMessagePort {
    gy_object head;
    gy_port_name name;
    _Atomic bool is_valid;
    gy_lock lock;
    gy_fork_guard guard;
    GYPortCallBack object_callout; /* constant; that of a GYPort, whose own calls it */
    GYMessagePortCallBack callout;  /* constant; a local port's */
    GYMessagePortContext context;   /* its info is NULL after the end; the lock */
    GYMessagePortInvalidationCallBack invalidation; /* the lock */
    gy_node answers; /* that a remote port's requests wait for, each retained; the lock */
    bool is_told; /* the invalidation callback had its turn; the lock */
    gy_mailbox *mailbox; /* its own, or that of the local port it sends to, which may be NULL: that
                          * is in another process. Constant */
    gy_node in_mailbox; /* of a remote port: among those that end with it; the mailbox's lock */
    gy_link *link; /* of a remote port to another process; NULL after the end; the lock */
    uint32_t next_number; /* of its requests there; the lock */
    GYRunLoopSourceRef watch; /* tells of the other's end, or NULL; the lock */
    struct gy_server *server; /* of a local port that other processes find; the lock */
    void (*end_server)(struct gy_server *server); /* valid with it; takes the reference over */
};

static inline bool gy_message_port_is_valid(GYMessagePortRef port) {
    /* Acquire: pairs with the exchange in gy_message_port_invalidate. */
    return atomic_load_explicit(&port->is_valid, memory_order_acquire);
}

/* A GYPort has the same layout, and a type of its own: NULL stands for that of message ports.
 * A local port with a mailbox of its own, without a name. NULL with errno. `info` is taken over, not
 * retained. */
GYMessagePortRef gy_message_port_create_local(const gy_type *type, GYMessagePortCallBack callout,
                                              const GYMessagePortContext *context);
/* The finaliser of both types. */
void gy_message_port_finalize(void *object);
/* A remote port, entered under a name of a user's. It takes the mailbox and the link over, one of
 * which is NULL. NULL with errno: EADDRINUSE, there is one of that name; ENOENT, the local port has
 * ended. */
GYMessagePortRef gy_message_port_create_remote(GYStringRef name, uint32_t user, gy_mailbox *mailbox,
                                               gy_link *link);
/* The local port of a name, retained; NULL: there is none in this process. */
GYMessagePortRef gy_message_port_local(GYStringRef name);
/* Of a remote port, retained; NULL: it has ended, or is in one process with the other. */
gy_link *gy_message_port_link(GYMessagePortRef port);

/* A request begins to wait: its answer is given when the port ends, at the latest. False: it has
 * ended. */
bool gy_message_port_expect(GYMessagePortRef port, gy_answer *answer);
void gy_message_port_forgo(GYMessagePortRef port, gy_answer *answer);
/* The answer that is expected under a number, the caller's now; NULL: none. */
gy_answer *gy_message_port_take_answer(GYMessagePortRef port, uint32_t number);

/* R266. Calls out: no lock. */
void gy_message_port_invalidate(GYMessagePortRef port);
/* Sets it; calls it where the port has ended. */
void gy_message_port_set_invalidation(GYMessagePortRef port,
                                      GYMessagePortInvalidationCallBack callout);

#endif
