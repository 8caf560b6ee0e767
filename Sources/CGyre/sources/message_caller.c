#include "sources/message_caller.h"

#include "base/object.h"
#include "loop/sources.h"
#include "sources/message_place.h"
#include "wait/sys.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the object ---- */

gy_caller *gy_caller_retain(gy_caller *caller) {
    /* Relaxed: whoever asks has a reference already. */
    atomic_fetch_add_explicit(&caller->references, 1, memory_order_relaxed);
    return caller;
}

static void free_unsent(gy_unsent *unsent) {
    while (unsent != NULL) {
        gy_unsent *next = unsent->next;
        gy_release(unsent->data);
        free(unsent);
        unsent = next;
    }
}

void gy_caller_release(gy_caller *caller) {
    /* Release on every drop, acquire on the last: all uses come before the end. */
    if (atomic_fetch_sub_explicit(&caller->references, 1, memory_order_acq_rel) != 1) return;
    gy_fork_guard_remove(&caller->guard);
    if (caller->has_current) gy_outgoing_end(&caller->current);
    free_unsent(caller->first);
    gy_link_release(caller->link);
    caller->host->release(caller->host);
    gy_lock_destroy(&caller->lock);
    free(caller);
}

GYRunLoopSourceRef gy_caller_source(gy_caller *caller) {
    gy_lock_take(&caller->lock);
    GYRunLoopSourceRef source = gy_retain(caller->source);
    gy_lock_give(&caller->lock);
    return source;
}

void gy_caller_end(gy_caller *caller) {
    gy_lock_take(&caller->lock);
    GYRunLoopSourceRef source = caller->source;
    gy_unsent *unsent = caller->first;
    caller->source = NULL;
    caller->first = caller->last = NULL;
    gy_lock_give(&caller->lock);
    if (source != NULL) gy_source_invalidate(source);
    gy_release(source);
    free_unsent(unsent);
    gy_link_shut(caller->link);
}

/* ---- the source ---- */

static void flush(gy_caller *caller);

static void perform(void *info, uint32_t events) {
    gy_caller *caller = info;
    gy_lock_take(&caller->lock);
    bool is_writing = caller->is_writing;
    gy_lock_give(&caller->lock);
    if (is_writing) {
        flush(caller);
    } else {
        caller->host->on_input(caller, (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0);
    }
}

static const void *retain(const void *info) {
    return gy_caller_retain((gy_caller *)(uintptr_t)info);
}

static void release(const void *info) { gy_caller_release((gy_caller *)(uintptr_t)info); }

static int get_port(void *info) { return ((gy_caller *)info)->link->fd; }

static GYRunLoopSourceRef make_source(gy_caller *caller, bool is_writing) {
    GYRunLoopSourceContext2 context = {.version = 2,
                                       .info = caller,
                                       .retain = retain,
                                       .release = release,
                                       .getPort = get_port,
                                       .events = is_writing ? EPOLLOUT : EPOLLIN,
                                       .performEvents = perform};
    /* The order tells the two apart: equal ones could not be in a mode together (R82). */
    return GYRunLoopSourceCreate(NULL, is_writing, (GYRunLoopSourceContext *)(void *)&context);
}

gy_caller *gy_caller_create(gy_caller_host *host, int fd) {
    gy_caller *caller = calloc(1, sizeof *caller);
    gy_link *link = gy_link_create(fd);
    if (caller == NULL || link == NULL) {
        free(caller);
        gy_link_release(link);
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&caller->references, 1);
    gy_lock_init(&caller->lock, GY_RANK_TABLE);
    caller->link = link;
    caller->host = host;
    caller->guard = (gy_fork_guard){.lock = &caller->lock};
    if (!gy_fork_guard_add(&caller->guard)) {
        gy_link_release(link);
        free(caller);
        return NULL;
    }
    caller->source = make_source(caller, false);
    return caller;
}

/* Watches for the other of the two. False: no memory for it. */
static bool watch_for(gy_caller *caller, bool is_writing) {
    gy_lock_take(&caller->lock);
    bool is_so = caller->source == NULL || caller->is_writing == is_writing;
    gy_lock_give(&caller->lock);
    if (is_so) return true;
    GYRunLoopSourceRef source = make_source(caller, is_writing);
    if (source == NULL) return false;
    gy_lock_take(&caller->lock);
    GYRunLoopSourceRef old = caller->source;
    if (old != NULL) caller->source = gy_retain(source);
    caller->is_writing = is_writing;
    gy_lock_give(&caller->lock);
    if (old != NULL) {
        gy_place_join_all(caller->host->mailbox, source);
        gy_source_invalidate(old);
        gy_release(old);
    }
    gy_release(source);
    return true;
}

/* ---- replies ---- */

/* Whoever flushes: the reply to go on with, in `current`. False: none is left. */
static bool take_next(gy_caller *caller) {
    if (caller->has_current) return true;
    gy_lock_take(&caller->lock);
    gy_unsent *next = caller->first;
    if (next != NULL) caller->first = next->next;
    if (next != NULL) caller->size -= next->header.length;
    gy_lock_give(&caller->lock);
    if (next == NULL) return false;
    gy_outgoing_begin(&caller->current, &next->header, next->data);
    caller->has_current = true;
    next->next = NULL;
    free_unsent(next);
    return true;
}

/* 0: all is sent; a negative errno. */
static int send_all(gy_caller *caller) {
    int error = 0;
    while (error == 0 && take_next(caller)) {
        error = gy_link_push(caller->link, &caller->current);
        if (error == -EAGAIN) break;
        gy_outgoing_end(&caller->current);
        caller->has_current = false;
    }
    return error;
}

static bool begin_to_flush(gy_caller *caller) {
    gy_lock_take(&caller->lock);
    bool is_first = !caller->is_flushing;
    caller->is_flushing = true;
    gy_lock_give(&caller->lock);
    return is_first;
}

/* False: a reply has come after the last look. */
static bool finish_to_flush(gy_caller *caller, bool is_blocked) {
    gy_lock_take(&caller->lock);
    bool is_over = is_blocked || caller->first == NULL;
    if (is_over) caller->is_flushing = false;
    gy_lock_give(&caller->lock);
    return is_over;
}

/* Whoever flushes. One that cannot be sent at all ends the connection: so its requester learns that
 * it is lost. */
static void go_on_flushing(gy_caller *caller) {
    int error;
    do {
        error = send_all(caller);
        if (error == 0 || error == -EAGAIN) {
            if (!watch_for(caller, error == -EAGAIN)) error = -ENOMEM;
        }
    } while (!finish_to_flush(caller, error != 0));
    if (error != 0 && error != -EAGAIN) caller->host->drop(caller, NULL);
}

static void flush(gy_caller *caller) {
    if (begin_to_flush(caller)) go_on_flushing(caller);
}

/* True: nothing waits, and nobody sends: the caller flushes now. */
static bool begin_at_once(gy_caller *caller) {
    gy_lock_take(&caller->lock);
    bool is_idle = caller->source != NULL && !caller->is_flushing && !caller->has_current &&
                   caller->first == NULL;
    if (is_idle) caller->is_flushing = true;
    gy_lock_give(&caller->lock);
    return is_idle;
}

/* The lock. What is wrong with one more; NULL: nothing. */
static const char *append(gy_caller *caller, gy_unsent *unsent) {
    if (caller->size + unsent->header.length > GY_CALLER_UNSENT_MAX)
        return "replies that nobody receives";
    if (caller->first == NULL) {
        caller->first = unsent;
    } else {
        caller->last->next = unsent;
    }
    caller->last = unsent;
    caller->size += unsent->header.length;
    return NULL;
}

/* NULL: it waits to be sent, or nobody is to get it any more. */
static const char *enqueue(gy_caller *caller, const gy_wire_header *header, GYDataRef data) {
    gy_unsent *unsent = malloc(sizeof *unsent);
    if (unsent == NULL) return "no memory for a reply";
    *unsent = (gy_unsent){NULL, *header, gy_retain(data)};
    gy_lock_take(&caller->lock);
    bool has_ended = caller->source == NULL;
    const char *wrong = has_ended ? NULL : append(caller, unsent);
    gy_lock_give(&caller->lock);
    if (has_ended || wrong != NULL) free_unsent(unsent);
    return wrong;
}

static void send_reply(gy_caller *caller, const gy_wire_header *header, GYDataRef data) {
    if (begin_at_once(caller)) {
        gy_outgoing_begin(&caller->current, header, data);
        caller->has_current = true;
        go_on_flushing(caller);
        return;
    }
    const char *wrong = enqueue(caller, header, data);
    if (wrong == NULL) {
        flush(caller);
    } else {
        caller->host->drop(caller, wrong);
    }
}

void gy_caller_reply(void *sender, uint32_t number, int32_t result, GYDataRef data) {
    gy_caller *caller = sender;
    gy_wire_header header = {.kind = GY_WIRE_REPLY, .number = number};
    if (data != NULL) header.length = (uint32_t)GYDataGetLength(data);
    if (result != kGYMessagePortSuccess) {
        /* Its port ends, and with it the connection, which tells the other side. */
    } else if (data != NULL && GYDataGetLength(data) > GY_MESSAGE_PORT_LENGTH_MAX) {
        caller->host->drop(caller, "a reply that is too long");
    } else {
        send_reply(caller, &header, data);
    }
    gy_caller_release(caller);
}
