#include "sources/message_listener.h"

#include "base/object.h"
#include "loop/current.h"
#include "loop/sources.h"
#include "sources/message_address.h"
#include "sources/message_place.h"
#include "wait/sys.h"

#include <errno.h>
#include <gyre/GYRunLoopTimer.h>
#include <stdlib.h>

/* How long nothing is accepted where there is no descriptor for a connection. */
#define PAUSE_NS INT64_C(100000000)
#define NAP_NS INT64_C(1000000)

typedef struct listener {
    gy_lock lock; /* taken by nobody but a fork: the number changes in the child alone */
    gy_fork_guard guard;
    gy_listener_host *host;    /* retained */
    gy_mailbox *mailbox;       /* retained */
    GYRunLoopSourceRef source; /* whose info it is, not retained; set once it is made */
    int fd;
} listener;

/* In the child of a fork: the name is the parent's. */
static void forget(void *owner) {
    listener *l = owner;
    gy_sys_close(l->fd);
    l->fd = -1;
}

/* ---- the pause ---- */

static const void *retain_source(const void *source) { return gy_retain(source); }
static void release_source(const void *source) { gy_release(source); }

/* One that has ended meanwhile cannot be added. */
static void listen_again(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    GYRunLoopSourceRef source = info;
    const listener *l = source->info;
    gy_place_join_all(l->mailbox, source);
}

/* A timer may need a descriptor too, the first of a loop: false where that is refused. */
static bool add_timer(gy_place place, GYRunLoopTimerRef timer) {
    if (place.loop != gy_current_loop) return false;
    GYRunLoopAddTimer(place.loop, timer, place.mode);
    return GYRunLoopContainsTimer(place.loop, timer, place.mode);
}

/* In every mode in which the port receives: takes the source out, if the timer gets into one of
 * this loop's. */
static bool replace(const listener *l, GYRunLoopTimerRef timer) {
    uint32_t count;
    bool is_added = false;
    gy_place *places = gy_mailbox_copy_places(l->mailbox, &count);
    for (uint32_t i = 0; i < count; i++) is_added |= add_timer(places[i], timer);
    for (uint32_t i = 0; i < count; i++) {
        if (is_added) gy_source_remove(places[i].loop, l->source, places[i].mode);
        gy_place_release(places[i]);
    }
    free(places);
    return is_added;
}

static void pause_listening(const listener *l) {
    GYRunLoopTimerContext context = {
        .info = l->source, .retain = retain_source, .release = release_source};
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAfter(PAUSE_NS, 0, 0, listen_again, &context);
    /* Without one it is asked again at once, and again. */
    if (timer == NULL || !replace(l, timer)) gy_sys_nap(NAP_NS);
    gy_release(timer);
}

/* ---- the source ---- */

static void perform(void *info, uint32_t events) {
    (void)events;
    const listener *l = info;
    if (l->fd < 0) return;
    int fd = gy_address_accept(l->fd);
    if (fd >= 0) {
        l->host->on_connection(l->host, fd);
    } else if (fd != -EAGAIN) {
        pause_listening(l);
    }
}

static int get_port(void *info) { return ((listener *)info)->fd; }

static void release(const void *info) {
    listener *l = (listener *)(uintptr_t)info;
    gy_fork_guard_remove(&l->guard);
    gy_sys_close(l->fd);
    l->host->release(l->host);
    gy_mailbox_release(l->mailbox);
    gy_lock_destroy(&l->lock);
    free(l);
}

static listener *create(gy_listener_host *host, gy_mailbox *mailbox, int fd) {
    listener *l = calloc(1, sizeof *l);
    if (l == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    gy_lock_init(&l->lock, GY_RANK_TABLE);
    l->guard = (gy_fork_guard){.lock = &l->lock, .forget = forget, .owner = l};
    l->fd = fd;
    if (!gy_fork_guard_add(&l->guard)) {
        free(l);
        return NULL;
    }
    l->host = host;
    host->retain(host);
    l->mailbox = gy_mailbox_retain(mailbox);
    return l;
}

GYRunLoopSourceRef gy_listener_source(gy_listener_host *host, gy_mailbox *mailbox, int fd) {
    listener *l = create(host, mailbox, fd);
    if (l == NULL) {
        gy_sys_close(fd);
        return NULL;
    }
    GYRunLoopSourceContext2 context = {.version = 2,
                                       .info = l,
                                       .release = release,
                                       .getPort = get_port,
                                       .events = EPOLLIN,
                                       .performEvents = perform};
    l->source = GYRunLoopSourceCreate(NULL, 0, (GYRunLoopSourceContext *)(void *)&context);
    if (l->source != NULL) return l->source;
    release(l);
    errno = ENOMEM;
    return NULL;
}
