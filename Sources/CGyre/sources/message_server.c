#include "sources/message_server.h"

#include "base/check.h"
#include "loop/sources.h"
#include "sources/message_address.h"
#include "sources/message_caller.h"
#include "sources/message_deliver.h"
#include "sources/message_link_receive.h"
#include "sources/message_listener.h"
#include "sources/message_place.h"
#include "wait/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* How many packets one turn receives at most, where it receives more than one. */
#define PACKETS_MAX 2048

typedef struct gy_server {
    gy_caller_host host; /* first: a caller's host is its server */
    gy_listener_host listener_host;
    _Atomic uint32_t references;
    gy_fork_guard guard;
    gy_lock lock;            /* protects the rest */
    GYMessagePortRef port;   /* not retained; NULL: it has ended */
    GYRunLoopSourceRef listener; /* NULL: it has no name */
    gy_node callers;             /* each retained */
    uint32_t caller_count;
    uint32_t *users; /* who may connect, beside the own user */
    uint32_t user_count;
} gy_server;

/* ---- the object ---- */

static gy_server *server_of(gy_caller_host *host) { return (gy_server *)(void *)host; }

static gy_server *server_of_listener(gy_listener_host *host) {
    return gy_node_owner(host, gy_server, listener_host);
}

static gy_server *retain_server(gy_server *server) {
    /* Relaxed: the caller has a reference already. */
    if (server != NULL) atomic_fetch_add_explicit(&server->references, 1, memory_order_relaxed);
    return server;
}

static void release_server(gy_server *server) {
    if (server == NULL) return;
    /* Release on every drop, acquire on the last: all uses come before the end. */
    if (atomic_fetch_sub_explicit(&server->references, 1, memory_order_acq_rel) != 1) return;
    gy_fork_guard_remove(&server->guard);
    gy_mailbox_release(server->host.mailbox);
    gy_lock_destroy(&server->lock);
    free(server->users);
    free(server);
}

static void release_host(gy_caller_host *host) { release_server(server_of(host)); }
static void retain_listener_host(gy_listener_host *host) {
    retain_server(server_of_listener(host));
}
static void release_listener_host(gy_listener_host *host) {
    release_server(server_of_listener(host));
}

/* Retained; NULL: it has ended. */
static GYMessagePortRef port_of(gy_server *server) {
    gy_lock_take(&server->lock);
    GYMessagePortRef port = gy_retain_if_live(server->port) ? server->port : NULL;
    gy_lock_give(&server->lock);
    return port;
}

/* ---- callers ---- */

/* The reference that the list had is the caller's now. False: it is not listed any more. */
static bool unlist(gy_server *server, gy_caller *caller) {
    gy_lock_take(&server->lock);
    bool is_listed = gy_node_is_linked(&caller->node);
    if (is_listed) {
        gy_list_remove(&caller->node);
        server->caller_count--;
    }
    gy_lock_give(&server->lock);
    return is_listed;
}

static void drop(gy_caller *caller, const char *wrong) {
    if (!unlist(server_of(caller->host), caller)) return;
    if (wrong != NULL) gy_report_peer("GYMessagePort", wrong, "R269");
    gy_caller_end(caller);
    gy_caller_release(caller);
}

/* The message, with what was passed along; NULL: no memory, and that is closed. */
static gy_message *make_message(gy_incoming *in) {
    gy_message *message = gy_message_create(in->header.id, in->data);
    if (message != NULL && gy_message_attach(message, in->descriptors, in->descriptor_count))
        return message;
    for (uint32_t i = 0; i < in->descriptor_count; i++) gy_sys_close(in->descriptors[i]);
    if (message != NULL) gy_message_free(message);
    return NULL;
}

/* One message for the mailbox; NULL: all is well. */
static const char *take_in(gy_caller *caller, gy_incoming *in) {
    gy_message *message = make_message(in);
    gy_release(in->data);
    if (message == NULL) return "no memory for a message";
    if (in->header.kind != GY_WIRE_REQUEST) {
        gy_message_free(message);
        return "a reply to a local port";
    }
    if ((in->header.flags & GY_WIRE_WANTS_REPLY) != 0)
        gy_message_expect_reply(message, gy_caller_reply, gy_caller_retain(caller),
                                in->header.number);
    if (!gy_mailbox_put(caller->host->mailbox, message)) gy_message_destroy(message);
    return NULL;
}

static void stall(gy_caller *caller) {
    atomic_store_explicit(&caller->is_stalled, true, memory_order_relaxed);
    /* Release: pairs with the acquire in gy_server_resume, which then finds the caller's. */
    atomic_store_explicit(&caller->host->mailbox->is_stalled, true, memory_order_release);
}

/* Receives one message, or all that there is, as far as the mailbox has room. */
static void receive(gy_caller *caller, bool takes_all) {
    gy_incoming in;
    for (int i = 0; i < PACKETS_MAX; i++) {
        if (!gy_mailbox_has_room(caller->host->mailbox)) {
            stall(caller);
            return;
        }
        enum gy_link_result result = gy_link_receive(caller->link, &in);
        if (result == GY_LINK_NOTHING) return;
        const char *wrong = result == GY_LINK_MESSAGE ? take_in(caller, &in) : in.wrong;
        if (wrong != NULL || result == GY_LINK_ENDED) {
            drop(caller, wrong);
            return;
        }
        if (!takes_all) return;
    }
}

static void announce(void *mailbox) { gy_mailbox_announce(mailbox); }

/* A port whose callout is running is told of news alone (R98), and one that has hung up perhaps not
 * again (R97): then all is received. */
static void on_input(gy_caller *caller, bool has_hung_up) {
    GYMessagePortRef port = port_of(server_of(caller->host));
    if (port == NULL) return;
    bool is_nested = atomic_fetch_add_explicit(&caller->calls, 1, memory_order_relaxed) > 0;
    gy_caller_retain(caller);
    receive(caller, is_nested || has_hung_up);
    if (gy_message_port_is_valid(port)) gy_message_deliver(port, announce, port->mailbox);
    atomic_fetch_sub_explicit(&caller->calls, 1, memory_order_relaxed);
    gy_caller_release(caller);
    gy_release(port);
}

/* ---- connections ---- */

static bool is_allowed(gy_server *server, int fd) {
    uint32_t user;
    if (!gy_address_peer(fd, &user)) return false;
    bool is_allowed = user == geteuid();
    gy_lock_take(&server->lock);
    for (uint32_t i = 0; i < server->user_count && !is_allowed; i++) {
        is_allowed = server->users[i] == user || server->users[i] == GY_ANY_USER;
    }
    gy_lock_give(&server->lock);
    return is_allowed;
}

/* False: the port has ended, or there are too many. */
static bool list(gy_server *server, gy_caller *caller) {
    gy_lock_take(&server->lock);
    bool has_room = server->port != NULL && server->caller_count < GY_SERVER_CALLERS_MAX;
    if (has_room) {
        gy_list_append(&server->callers, &gy_caller_retain(caller)->node);
        server->caller_count++;
    }
    gy_lock_give(&server->lock);
    return has_room;
}

static void admit(gy_server *server, int fd) {
    gy_caller *caller = gy_caller_create(&retain_server(server)->host, fd);
    if (caller == NULL) {
        release_server(server);
        return;
    }
    GYRunLoopSourceRef source = gy_caller_source(caller);
    if (source != NULL && list(server, caller)) {
        gy_place_join_all(server->host.mailbox, source);
    } else {
        gy_caller_end(caller);
    }
    gy_release(source);
    gy_caller_release(caller);
}

static void on_connection(gy_listener_host *host, int fd) {
    gy_server *server = server_of_listener(host);
    if (is_allowed(server, fd)) {
        admit(server, fd);
    } else {
        gy_sys_close(fd);
    }
}

/* ---- beginning and end ---- */

static gy_server *create(GYMessagePortRef port) {
    gy_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    server->host = (gy_caller_host){gy_mailbox_retain(port->mailbox), on_input, drop, release_host};
    server->listener_host =
        (gy_listener_host){on_connection, retain_listener_host, release_listener_host};
    atomic_init(&server->references, 1);
    gy_lock_init(&server->lock, GY_RANK_TABLE);
    gy_list_init(&server->callers);
    server->port = port;
    server->guard = (gy_fork_guard){.lock = &server->lock};
    if (gy_fork_guard_add(&server->guard)) return server;
    gy_mailbox_release(server->host.mailbox);
    free(server);
    return NULL;
}

static gy_caller *first_caller(gy_server *server) {
    gy_caller *caller = NULL;
    gy_lock_take(&server->lock);
    if (!gy_list_is_empty(&server->callers))
        caller = gy_caller_retain(gy_node_owner(server->callers.next, gy_caller, node));
    gy_lock_give(&server->lock);
    return caller;
}

/* Of a port: takes its reference over. */
static void end(gy_server *server) {
    gy_lock_take(&server->lock);
    GYRunLoopSourceRef listener = server->listener;
    server->listener = NULL;
    server->port = NULL;
    gy_lock_give(&server->lock);
    if (listener != NULL) gy_source_invalidate(listener);
    gy_release(listener);
    for (gy_caller *caller; (caller = first_caller(server)) != NULL;) {
        drop(caller, NULL);
        gy_caller_release(caller);
    }
    release_server(server);
}

/* The port's, retained; NULL: it has none. */
static gy_server *server_of_port(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    gy_server *server = retain_server(port->server);
    gy_lock_give(&port->lock);
    return server;
}

/* The port's, made if there is none, retained; NULL with errno: EINVAL, it has ended. */
static gy_server *need_server(GYMessagePortRef port) {
    gy_server *server = server_of_port(port);
    if (server != NULL) return server;
    gy_server *made = create(port);
    if (made == NULL) return NULL;
    gy_lock_take(&port->lock);
    bool is_first = port->server == NULL && gy_message_port_is_valid(port);
    if (is_first) {
        port->server = made;
        port->end_server = end;
    }
    server = retain_server(port->server);
    gy_lock_give(&port->lock);
    if (!is_first) end(made);
    if (server == NULL) errno = EINVAL;
    return server;
}

/* False with errno; the socket is the server's, or closed. */
static bool listen_on(gy_server *server, int fd) {
    GYRunLoopSourceRef listener =
        gy_listener_source(&server->listener_host, server->host.mailbox, fd);
    if (listener == NULL) return false;
    gy_lock_take(&server->lock);
    bool is_open = server->port != NULL;
    GYRunLoopSourceRef old = is_open ? server->listener : listener;
    if (is_open) server->listener = gy_retain(listener);
    gy_lock_give(&server->lock);
    if (is_open) gy_place_join_all(server->host.mailbox, listener);
    if (old != NULL) gy_source_invalidate(old);
    if (old != listener) gy_release(old);
    gy_release(listener);
    return true;
}

int gy_server_set_name(GYMessagePortRef port, GYStringRef name) {
    gy_server *server = need_server(port);
    if (server == NULL) return -errno;
    int fd, error = gy_port_name_enter(&port->name, name, gy_address_listen, &fd);
    if (fd >= 0 && !listen_on(server, fd)) error = -errno;
    /* It may have ended meanwhile, and have left the registry before it entered. */
    if (!gy_message_port_is_valid(port)) gy_port_name_leave(&port->name);
    release_server(server);
    return error;
}

bool gy_server_allow(GYMessagePortRef port, uint32_t user) {
    gy_server *server = need_server(port);
    if (server == NULL) return false;
    gy_lock_take(&server->lock);
    uint32_t *users = realloc(server->users, (server->user_count + 1) * sizeof *users);
    if (users != NULL) {
        users[server->user_count++] = user;
        server->users = users;
    }
    gy_lock_give(&server->lock);
    release_server(server);
    if (users == NULL) errno = ENOMEM;
    return users != NULL;
}

/* ---- modes ---- */

/* The callers there are, retained; the array is to be freed. */
static gy_caller **copy_callers(gy_server *server, uint32_t *count) {
    *count = 0;
    gy_lock_take(&server->lock);
    gy_caller **callers = malloc((server->caller_count + 1) * sizeof(gy_caller *));
    for (gy_node *n = server->callers.next; callers != NULL && n != &server->callers; n = n->next) {
        callers[(*count)++] = gy_caller_retain(gy_node_owner(n, gy_caller, node));
    }
    gy_lock_give(&server->lock);
    return callers;
}

static GYRunLoopSourceRef listener_of(gy_server *server) {
    gy_lock_take(&server->lock);
    GYRunLoopSourceRef listener = gy_retain(server->listener);
    gy_lock_give(&server->lock);
    return listener;
}

typedef void change_function(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode);

static void add(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    gy_source_add(loop, source, mode);
}

static void change_all(GYMessagePortRef port, GYRunLoopRef loop, GYStringRef mode,
                       change_function *change) {
    gy_server *server = server_of_port(port);
    if (server == NULL) return;
    uint32_t count;
    gy_caller **callers = copy_callers(server, &count);
    for (uint32_t i = 0; i < count; i++) {
        GYRunLoopSourceRef source = gy_caller_source(callers[i]);
        if (source != NULL) change(loop, source, mode);
        gy_release(source);
        gy_caller_release(callers[i]);
    }
    free(callers);
    GYRunLoopSourceRef listener = listener_of(server);
    if (listener != NULL) change(loop, listener, mode);
    gy_release(listener);
    release_server(server);
}

void gy_server_join(GYMessagePortRef port, GYRunLoopRef loop, GYStringRef mode) {
    change_all(port, loop, mode, add);
}

void gy_server_part(GYMessagePortRef port, GYRunLoopRef loop, GYStringRef mode) {
    change_all(port, loop, mode, gy_source_remove);
}

static void resume(gy_server *server) {
    uint32_t count;
    gy_caller **callers = copy_callers(server, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (atomic_exchange_explicit(&callers[i]->is_stalled, false, memory_order_relaxed))
            receive(callers[i], true);
        gy_caller_release(callers[i]);
    }
    free(callers);
    gy_mailbox_announce(server->host.mailbox);
}

void gy_server_resume(GYMessagePortRef port) {
    /* Relaxed: what it says is looked at again. */
    if (!atomic_load_explicit(&port->mailbox->is_stalled, memory_order_relaxed)) return;
    gy_server *server = server_of_port(port);
    if (server == NULL) return;
    /* Acquire: pairs with the release in stall. */
    if (atomic_exchange_explicit(&port->mailbox->is_stalled, false, memory_order_acquire))
        resume(server);
    release_server(server);
}
