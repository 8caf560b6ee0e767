#include "sources/message_remote.h"

#include "base/check.h"
#include "loop/registry.h"
#include "loop/sources.h"
#include "sources/message_address.h"
#include "sources/message_link_receive.h"
#include "wait/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define HANG_UP (EPOLLHUP | EPOLLRDHUP | EPOLLERR)

/* ---- what comes back ---- */

/* NULL: all is well. */
static const char *give(GYMessagePortRef port, gy_incoming *in) {
    bool is_reply = in->header.kind == GY_WIRE_REPLY;
    gy_answer *answer = is_reply ? gy_message_port_take_answer(port, in->header.number) : NULL;
    if (answer != NULL) { /* else it comes too late */
        gy_answer_give(answer, kGYMessagePortSuccess, in->data);
        gy_answer_release(answer);
    }
    for (uint32_t i = 0; i < in->descriptor_count; i++) gy_sys_close(in->descriptors[i]);
    gy_release(in->data);
    return is_reply ? NULL : "a request to a remote port";
}

/* What has been received; false: nothing more is to be had now. */
static bool use(GYMessagePortRef port, enum gy_link_result result, gy_incoming *in) {
    if (result == GY_LINK_NOTHING) return false;
    const char *wrong = result == GY_LINK_MESSAGE ? give(port, in) : in->wrong;
    if (wrong != NULL) gy_report_peer("GYMessagePort", wrong, "R269");
    if (wrong != NULL || result == GY_LINK_ENDED) gy_message_port_invalidate(port);
    return wrong == NULL && result != GY_LINK_ENDED;
}

static bool receive(GYMessagePortRef port, gy_link *link) {
    gy_incoming in;
    enum gy_link_result result = gy_link_receive(link, &in);
    return use(port, result, &in);
}

static void receive_from(gy_link *link, bool takes_all) {
    GYMessagePortRef port = gy_link_owner(link);
    if (port == NULL) return;
    while (receive(port, link) && takes_all) {
    }
    gy_release(port);
}

void gy_remote_receive_one(gy_link *link) { receive_from(link, false); }

bool gy_remote_receive_soon(gy_link *link) {
    GYMessagePortRef port = gy_link_owner(link);
    if (port == NULL) return false;
    gy_incoming in;
    enum gy_link_result result = gy_link_receive_soon(link, &in);
    bool has_come = use(port, result, &in);
    gy_release(port);
    return has_come;
}

/* ---- sources ---- */

/* Each source has one of its own, so that no two are equal. */
typedef struct ear {
    gy_link *link; /* retained */
} ear;

static void perform(void *info, uint32_t events) {
    gy_link *link = gy_link_retain(((ear *)info)->link);
    receive_from(link, (events & HANG_UP) != 0);
    gy_link_release(link);
}

static int get_port(void *info) { return ((ear *)info)->link->fd; }

static void release(const void *info) {
    ear *e = (ear *)(uintptr_t)info;
    gy_link_release(e->link);
    free(e);
}

static GYRunLoopSourceRef make_source(gy_link *link, uint32_t events) {
    ear *e = malloc(sizeof *e);
    if (e == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    e->link = gy_link_retain(link);
    GYRunLoopSourceContext2 context = {.version = 2,
                                       .info = e,
                                       .release = release,
                                       .getPort = get_port,
                                       .events = events,
                                       .performEvents = perform};
    GYRunLoopSourceRef source =
        GYRunLoopSourceCreate(NULL, 0, (GYRunLoopSourceContext *)(void *)&context);
    if (source == NULL) release(e);
    return source;
}

GYRunLoopSourceRef gy_remote_source(gy_link *link) { return make_source(link, EPOLLIN); }

/* Takes the source over; the one before it ends. */
static void set_watch(GYMessagePortRef port, GYRunLoopSourceRef source) {
    gy_lock_take(&port->lock);
    GYRunLoopSourceRef old = port->watch;
    port->watch = port->link == NULL ? NULL : source;
    if (port->link == NULL) old = source;
    gy_lock_give(&port->lock);
    if (old != NULL) gy_source_invalidate(old);
    gy_release(old);
}

void gy_remote_watch(GYMessagePortRef port, bool is_wanted) {
    gy_link *link = gy_message_port_link(port);
    if (link == NULL) return;
    GYRunLoopRef loop = is_wanted ? gy_registry_current() : NULL;
    GYRunLoopSourceRef source = loop == NULL ? NULL : make_source(link, EPOLLRDHUP);
    if (source != NULL) gy_source_add(loop, source, kGYRunLoopCommonModes);
    set_watch(port, source);
    gy_link_release(link);
}

void gy_remote_check(GYMessagePortRef port) {
    gy_link *link = gy_message_port_link(port);
    if (link == NULL) return;
    if (gy_link_has_ended(link)) gy_message_port_invalidate(port);
    gy_link_release(link);
}

/* ---- by name ---- */

static GYMessagePortRef connect_to(GYStringRef name, uint32_t user) {
    int fd = gy_address_connect(name, user);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    gy_link *link = gy_link_create(fd);
    if (link == NULL) return NULL;
    gy_link_allow_waiting(link);
    return gy_message_port_create_remote(name, user, NULL, link);
}

static GYMessagePortRef make(GYStringRef name, uint32_t user) {
    GYMessagePortRef local = user == geteuid() ? gy_message_port_local(name) : NULL;
    if (local == NULL) return connect_to(name, user);
    GYMessagePortRef port =
        gy_message_port_create_remote(name, user, gy_mailbox_retain(local->mailbox), NULL);
    int saved = errno;
    gy_release(local);
    errno = saved;
    return port;
}

GYMessagePortRef gy_remote_find(GYStringRef name, uint32_t user) {
    GYMessagePortRef port;
    do { /* again where another thread was faster to make it */
        port = gy_port_name_find(name, true, user);
        if (port == NULL) port = make(name, user);
        if (port == NULL) continue;
        gy_remote_check(port);
        if (gy_message_port_is_valid(port)) return port;
        gy_release(port);
        port = NULL;
        errno = EADDRINUSE;
    } while (port == NULL && errno == EADDRINUSE);
    return port;
}
