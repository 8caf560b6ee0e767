#include "sources/message_receive.h"

#include "loop/current.h"
#include "loop/signal.h"
#include "loop/sources.h"
#include "sources/message_deliver.h"
#include "sources/message_server.h"

#include <errno.h>
#include <stdlib.h>

/* How many messages one pass receives at most, before other sources get their turn. */
#define BATCH_MAX 64

/* What the info of a source points to. */
typedef struct inlet {
    GYMessagePortRef port;     /* retained */
    GYRunLoopSourceRef source; /* whose info it is, not retained; set once it is made */
} inlet;

/* ---- messages ---- */

typedef struct pass {
    const inlet *in;
    bool is_marked; /* the source is signalled, for a run nested in a callout */
} pass;

static void mark(void *info) {
    pass *p = info;
    if (!p->is_marked) gy_signal(p->in->source);
    p->is_marked = true;
}

/* Nothing is left for the mark to announce. Where a message has come after the last look it is put
 * back. */
static void take_mark_back(const inlet *in) {
    gy_loop_lock(gy_current_loop);
    gy_signal_use_up(gy_current_loop, in->source);
    gy_loop_unlock(gy_current_loop);
    if (gy_mailbox_has_messages(in->port->mailbox)) gy_signal(in->source);
}

/* R263: one message where the run is to return after a source, else as many as were there. */
static void receive(const inlet *in) {
    pass p = {in, false};
    bool takes_one = gy_loop_innermost(gy_current_loop)->performs_one, is_more = true;
    uint32_t left = takes_one ? 1 : BATCH_MAX;
    for (; left > 0 && is_more; left--) is_more = gy_message_deliver(in->port, mark, &p);
    if (!is_more && p.is_marked) take_mark_back(in);
}

/* The source is held by its run, and with it the inlet. */
static void perform(void *info) {
    const inlet *in = info;
    if (!gy_message_port_is_valid(in->port)) {
        gy_source_invalidate(in->source);
        return;
    }
    receive(in);
    gy_server_resume(in->port);
}

/* ---- the source ---- */

static gy_place place_of(const inlet *in, GYRunLoopRef loop, GYRunLoopMode mode) {
    return (gy_place){in->source, loop, mode};
}

static void schedule(void *info, GYRunLoopRef loop, GYRunLoopMode mode) {
    const inlet *in = info;
    gy_mailbox_add_place(in->port->mailbox, place_of(in, loop, mode));
    gy_server_join(in->port, loop, mode);
    if (!gy_message_port_is_valid(in->port)) gy_source_invalidate(in->source);
}

static void cancel(void *info, GYRunLoopRef loop, GYRunLoopMode mode) {
    const inlet *in = info;
    gy_mailbox_remove_place(in->port->mailbox, place_of(in, loop, mode));
    gy_server_part(in->port, loop, mode);
}

static void release(const void *info) {
    inlet *in = (inlet *)(uintptr_t)info;
    gy_release(in->port);
    free(in);
}

static GYBoolean equal(const void *a, const void *b) {
    return ((const inlet *)a)->port == ((const inlet *)b)->port;
}

static GYHashCode hash(const void *info) {
    return (GYHashCode)(uintptr_t)((const inlet *)info)->port;
}

GYRunLoopSourceRef gy_message_receive_source(GYMessagePortRef port, GYIndex order) {
    inlet *in = malloc(sizeof *in);
    if (in == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    GYRunLoopSourceContext context = {.info = in,
                                      .release = release,
                                      .equal = equal,
                                      .hash = hash,
                                      .schedule = schedule,
                                      .cancel = cancel,
                                      .perform = perform};
    *in = (inlet){gy_retain(port), NULL};
    in->source = GYRunLoopSourceCreate(NULL, order, &context);
    if (in->source != NULL) return in->source;
    int saved = errno;
    release(in);
    errno = saved;
    return NULL;
}
