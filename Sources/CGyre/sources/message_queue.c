#include "sources/message_queue.h"

#include "base/clock.h"
#include "base/object.h"
#include "loop/loop.h"
#include "loop/signal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the object ---- */

/* In the child of a fork: the messages are the parent's, and other threads' waits are over. Their
 * memory is left alone: who sent them, and waits, may be gone. The sources learn of it when they are
 * performed. */
static void forget(void *owner) {
    gy_mailbox *mailbox = owner;
    pthread_cond_init(&mailbox->has_room, NULL);
    mailbox->waiting_senders = 0;
    mailbox->is_closed = true;
    mailbox->first = mailbox->last = NULL;
    mailbox->count = 0;
    mailbox->size = 0;
    for (uint32_t i = 0; i < mailbox->place_count; i++) gy_signal(mailbox->places[i].source);
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

gy_mailbox *gy_mailbox_create(void) {
    gy_mailbox *mailbox = calloc(1, sizeof *mailbox);
    if (mailbox == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&mailbox->references, 1);
    gy_lock_init(&mailbox->lock, GY_RANK_TABLE);
    gy_list_init(&mailbox->remotes);
    mailbox->guard = (gy_fork_guard){.lock = &mailbox->lock, .forget = forget, .owner = mailbox};
    if (make_condition(&mailbox->has_room) && gy_fork_guard_add(&mailbox->guard)) return mailbox;
    free(mailbox);
    return NULL;
}

gy_mailbox *gy_mailbox_retain(gy_mailbox *mailbox) {
    /* Relaxed: the caller has a reference already. */
    atomic_fetch_add_explicit(&mailbox->references, 1, memory_order_relaxed);
    return mailbox;
}

void gy_mailbox_release(gy_mailbox *mailbox) {
    /* Release on every drop, acquire on the last: all uses come before the end. */
    if (atomic_fetch_sub_explicit(&mailbox->references, 1, memory_order_acq_rel) != 1) return;
    gy_mailbox_close(mailbox);
    gy_fork_guard_remove(&mailbox->guard);
    pthread_cond_destroy(&mailbox->has_room);
    gy_lock_destroy(&mailbox->lock);
    free(mailbox->places);
    free(mailbox);
}

/* ---- places ---- */

static gy_place retained(gy_place place) {
    return (gy_place){gy_retain(place.source), gy_retain(place.loop), gy_retain(place.mode)};
}

void gy_place_release(gy_place place) {
    gy_release(place.mode);
    gy_release(place.source);
    gy_release(place.loop);
}

/* The lock. */
static bool reserve_place(gy_mailbox *mailbox) {
    if (mailbox->place_count < mailbox->place_room) return true;
    uint32_t room = mailbox->place_room == 0 ? 1 : 2 * mailbox->place_room;
    gy_place *places = realloc(mailbox->places, room * sizeof *places);
    if (places == NULL) {
        errno = ENOMEM;
        return false;
    }
    mailbox->places = places;
    mailbox->place_room = room;
    return true;
}

bool gy_mailbox_add_place(gy_mailbox *mailbox, gy_place place) {
    gy_lock_take(&mailbox->lock);
    bool added = reserve_place(mailbox);
    if (added) mailbox->places[mailbox->place_count++] = retained(place);
    bool has_messages = mailbox->first != NULL;
    gy_lock_give(&mailbox->lock);
    if (added && has_messages) {
        gy_signal(place.source);
        gy_wake_up(&place.loop->wake);
    }
    return added;
}

static bool is_same_place(gy_place a, gy_place b) {
    return a.source == b.source && a.loop == b.loop && a.mode == b.mode;
}

gy_place gy_mailbox_place(gy_mailbox *mailbox, uint32_t index) {
    gy_place place = {NULL, NULL, NULL};
    gy_lock_take(&mailbox->lock);
    if (index < mailbox->place_count) place = retained(mailbox->places[index]);
    gy_lock_give(&mailbox->lock);
    return place;
}

gy_place *gy_mailbox_copy_places(gy_mailbox *mailbox, uint32_t *count) {
    gy_lock_take(&mailbox->lock);
    *count = mailbox->place_count;
    gy_place *places = *count == 0 ? NULL : malloc(*count * sizeof *places);
    if (places == NULL) *count = 0;
    for (uint32_t i = 0; i < *count; i++) places[i] = retained(mailbox->places[i]);
    gy_lock_give(&mailbox->lock);
    return places;
}

/* Every source is marked before any loop is woken: a loop that takes the message uses up one mark
 * only, which it finds whichever of its modes it runs in. */
void gy_mailbox_announce(gy_mailbox *mailbox) {
    gy_place place;
    for (uint32_t i = 0; (place = gy_mailbox_place(mailbox, i)).source != NULL; i++) {
        gy_signal(place.source);
        gy_wake_up(&place.loop->wake);
        gy_place_release(place);
    }
}

bool gy_mailbox_has_place(gy_mailbox *mailbox, gy_place place) {
    bool has = false;
    gy_lock_take(&mailbox->lock);
    for (uint32_t i = 0; i < mailbox->place_count && !has; i++) {
        has = is_same_place(mailbox->places[i], place);
    }
    gy_lock_give(&mailbox->lock);
    return has;
}

void gy_mailbox_remove_place(gy_mailbox *mailbox, gy_place place) {
    gy_place removed = {NULL, NULL, NULL};
    gy_lock_take(&mailbox->lock);
    for (uint32_t i = 0; i < mailbox->place_count; i++) {
        if (!is_same_place(mailbox->places[i], place)) continue;
        removed = mailbox->places[i];
        mailbox->places[i] = mailbox->places[--mailbox->place_count];
        break;
    }
    bool has_messages = mailbox->first != NULL;
    gy_lock_give(&mailbox->lock);
    gy_place_release(removed);
    if (has_messages)
        gy_mailbox_announce(mailbox); /* the one that left may have been about to take them */
}

/* ---- messages ---- */

static bool has_room_for(const gy_mailbox *mailbox, const gy_message *message) {
    return mailbox->count < GY_MESSAGE_PORT_QUEUE_MAX &&
           (mailbox->size == 0 || mailbox->size + gy_message_size(message) <= GY_MAILBOX_SIZE_MAX);
}

/* The lock. False: no time is left. */
static bool wait_for_room(gy_mailbox *mailbox, int64_t deadline_ns) {
    int error;
    mailbox->waiting_senders++;
    if (deadline_ns == GY_NEVER) {
        error = pthread_cond_wait(&mailbox->has_room, &mailbox->lock.mutex);
    } else {
        struct timespec until = {(time_t)(deadline_ns / GY_NS_PER_SECOND),
                                 (long)(deadline_ns % GY_NS_PER_SECOND)};
        error = pthread_cond_timedwait(&mailbox->has_room, &mailbox->lock.mutex, &until);
    }
    mailbox->waiting_senders--;
    return error == 0;
}

/* The lock: until there is room, the mailbox is closed, or time is over. */
static int32_t find_room(gy_mailbox *mailbox, const gy_message *message, int64_t timeout_ns) {
    int64_t deadline_ns = 0; /* read off the clock when there is something to wait for */
    bool may_wait = timeout_ns > 0;
    while (!mailbox->is_closed && !has_room_for(mailbox, message)) {
        if (!may_wait) return kGYMessagePortSendTimeout;
        if (deadline_ns == 0) deadline_ns = gy_ns_add(gy_clock_now_ns(), timeout_ns);
        may_wait = wait_for_room(mailbox, deadline_ns);
    }
    return mailbox->is_closed ? kGYMessagePortIsInvalid : kGYMessagePortSuccess;
}

/* The lock. */
static void append(gy_mailbox *mailbox, gy_message *message) {
    message->next = NULL;
    if (mailbox->first == NULL) {
        mailbox->first = message;
    } else {
        mailbox->last->next = message;
    }
    mailbox->last = message;
    mailbox->count++;
    mailbox->size += gy_message_size(message);
}

int32_t gy_mailbox_post(gy_mailbox *mailbox, gy_message *message, int64_t timeout_ns) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); /* the lock would stay taken */
    gy_lock_take(&mailbox->lock);
    int32_t result = find_room(mailbox, message, timeout_ns);
    bool was_empty = mailbox->first == NULL;
    if (result == kGYMessagePortSuccess) append(mailbox, message);
    gy_lock_give(&mailbox->lock);
    pthread_setcancelstate(old, NULL);
    /* Who empties the queue only in part marks its source again: one announcement is enough. */
    if (result == kGYMessagePortSuccess && was_empty) gy_mailbox_announce(mailbox);
    return result;
}

bool gy_mailbox_put(gy_mailbox *mailbox, gy_message *message) {
    gy_lock_take(&mailbox->lock);
    bool is_open = !mailbox->is_closed;
    if (is_open) append(mailbox, message);
    gy_lock_give(&mailbox->lock);
    return is_open;
}

bool gy_mailbox_has_room(gy_mailbox *mailbox) {
    gy_lock_take(&mailbox->lock);
    bool has_room = mailbox->is_closed || (mailbox->count < GY_MESSAGE_PORT_QUEUE_MAX &&
                                           mailbox->size < GY_MAILBOX_SIZE_MAX);
    gy_lock_give(&mailbox->lock);
    return has_room;
}

gy_message *gy_mailbox_take(gy_mailbox *mailbox, bool *is_more) {
    gy_lock_take(&mailbox->lock);
    gy_message *message = mailbox->first;
    if (message != NULL) {
        mailbox->first = message->next;
        mailbox->count--;
        mailbox->size -= gy_message_size(message);
    }
    *is_more = mailbox->first != NULL;
    if (mailbox->waiting_senders > 0) pthread_cond_broadcast(&mailbox->has_room);
    gy_lock_give(&mailbox->lock);
    return message;
}

void gy_mailbox_close(gy_mailbox *mailbox) {
    gy_lock_take(&mailbox->lock);
    mailbox->is_closed = true;
    gy_message *message = mailbox->first;
    mailbox->first = mailbox->last = NULL;
    mailbox->count = 0;
    mailbox->size = 0;
    pthread_cond_broadcast(&mailbox->has_room);
    gy_lock_give(&mailbox->lock);
    while (message != NULL) {
        gy_message *next = message->next;
        gy_message_destroy(message);
        message = next;
    }
}
