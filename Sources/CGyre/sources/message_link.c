#include "sources/message_link.h"

#include "base/object.h"
#include "wait/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Of all connections together: what their senders may leave unfinished (R264). Relaxed: it bounds
 * memory and orders nothing. */
static _Atomic size_t unfinished;

bool gy_link_begin_parts(gy_link *link, size_t length) {
    size_t before = atomic_fetch_add_explicit(&unfinished, length, memory_order_relaxed);
    if (before + length <= GY_LINK_UNFINISHED_MAX) link->whole = malloc(length);
    if (link->whole == NULL) atomic_fetch_sub_explicit(&unfinished, length, memory_order_relaxed);
    return link->whole != NULL;
}

void gy_link_drop_parts(gy_link *link) {
    if (link->whole != NULL) {
        atomic_fetch_sub_explicit(&unfinished, link->parts.first.length, memory_order_relaxed);
    }
    free(link->whole);
    link->whole = NULL;
    for (uint32_t i = 0; i < link->kept_count; i++) gy_sys_close(link->kept[i]);
    free(link->kept);
    link->kept = NULL;
    link->kept_count = 0;
    link->parts.first.kind = 0;
}

/* ---- the object ---- */

/* In the child of a fork: the connection is the parent's alone. */
static void forget(void *owner) {
    gy_link *link = owner;
    gy_sys_close(link->fd);
    link->fd = -1;
    link->is_shut = true;
    link->is_receiving = link->is_sending = false;
    gy_link_drop_parts(link);
    pthread_cond_init(&link->is_free, NULL);
}

static bool make_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error == 0) {
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        error = pthread_cond_init(condition, &attributes);
        pthread_condattr_destroy(&attributes);
    }
    if (error != 0) errno = error;
    return error == 0;
}

gy_link *gy_link_create(int fd) {
    gy_link *link = calloc(1, sizeof *link);
    if (link != NULL) {
        atomic_init(&link->references, 1);
        gy_lock_init(&link->lock, GY_RANK_TABLE);
        link->fd = fd;
        link->guard = (gy_fork_guard){.lock = &link->lock, .forget = forget, .owner = link};
        if (make_condition(&link->is_free) && gy_fork_guard_add(&link->guard)) return link;
        free(link);
    }
    gy_sys_close(fd);
    if (link == NULL) errno = ENOMEM;
    return NULL;
}

gy_link *gy_link_retain(gy_link *link) {
    /* Relaxed: the caller has a reference already. */
    if (link != NULL) atomic_fetch_add_explicit(&link->references, 1, memory_order_relaxed);
    return link;
}

void gy_link_release(gy_link *link) {
    if (link == NULL) return;
    /* Release on every drop, acquire on the last: all uses come before the end. */
    if (atomic_fetch_sub_explicit(&link->references, 1, memory_order_acq_rel) != 1) return;
    gy_fork_guard_remove(&link->guard);
    gy_sys_close(link->fd);
    gy_link_drop_parts(link);
    free(link->buffer);
    pthread_cond_destroy(&link->is_free);
    gy_lock_destroy(&link->lock);
    free(link);
}

void gy_link_set_owner(gy_link *link, void *owner) {
    gy_lock_take(&link->lock);
    link->owner = owner;
    gy_lock_give(&link->lock);
}

void *gy_link_owner(gy_link *link) {
    gy_lock_take(&link->lock);
    void *owner = gy_retain_if_live(link->owner) ? link->owner : NULL;
    gy_lock_give(&link->lock);
    return owner;
}

void gy_link_shut(gy_link *link) {
    gy_lock_take(&link->lock);
    if (!link->is_shut) shutdown(link->fd, SHUT_RDWR);
    link->is_shut = true;
    pthread_cond_broadcast(&link->is_free);
    gy_lock_give(&link->lock);
}

void gy_link_allow_waiting(gy_link *link) {
    struct timeval briefly = {0, (suseconds_t)(GY_LINK_BRIEFLY_NS / 1000)};
    int flags = fcntl(link->fd, F_GETFL);
    if (setsockopt(link->fd, SOL_SOCKET, SO_RCVTIMEO, &briefly, sizeof briefly) == 0)
        fcntl(link->fd, F_SETFL,
              flags & ~O_NONBLOCK); /* every other call says that it does not wait */
}

bool gy_link_has_ended(gy_link *link) {
    gy_lock_take(&link->lock);
    bool has_ended = link->is_shut || gy_sys_ready_now(link->fd, EPOLLRDHUP) != 0;
    gy_lock_give(&link->lock);
    return has_ended;
}
