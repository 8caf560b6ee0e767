#include "sources/message_queue.h"

#include "base/clock.h"
#include "base/object.h"
#include "loop/loop.h"
#include "loop/signal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the object ---- */

static void clear(gy_mailbox *mailbox) {
    mailbox->first = mailbox->newest = NULL;
    mailbox->end = &mailbox->newest;
    atomic_store_explicit(&mailbox->count, 0, memory_order_relaxed);
    atomic_store_explicit(&mailbox->size, 0, memory_order_relaxed);
}

/* In the child of a fork: the messages are the parent's, and other threads' waits are over. Their
 * memory is left alone: who sent them, and waits, may be gone. The sources learn of it when they are
 * performed. */
static void forget(void *owner) {
    gy_mailbox *mailbox = owner;
    pthread_cond_init(&mailbox->has_room, NULL);
    atomic_store_explicit(&mailbox->waiting_senders, 0, memory_order_relaxed);
    mailbox->is_closed = true;
    clear(mailbox);
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

/* The guards in the order of the locks, for a fork takes them so. */
static bool add_guards(gy_mailbox *mailbox) {
    mailbox->taking_guard = (gy_fork_guard){.lock = &mailbox->taking};
    mailbox->guard = (gy_fork_guard){.lock = &mailbox->lock, .forget = forget, .owner = mailbox};
    if (!gy_fork_guard_add(&mailbox->taking_guard)) return false;
    return gy_fork_guard_add(&mailbox->guard); /* the first has set the handlers: it cannot fail */
}

gy_mailbox *gy_mailbox_create(void) {
    gy_mailbox *mailbox = calloc(1, sizeof *mailbox);
    if (mailbox == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&mailbox->references, 1);
    gy_lock_init(&mailbox->taking, GY_RANK_LOOP);
    gy_lock_init(&mailbox->lock, GY_RANK_TABLE);
    gy_list_init(&mailbox->remotes);
    mailbox->end = &mailbox->newest;
    if (make_condition(&mailbox->has_room) && add_guards(mailbox)) return mailbox;
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
    gy_fork_guard_remove(&mailbox->taking_guard);
    pthread_cond_destroy(&mailbox->has_room);
    gy_lock_destroy(&mailbox->taking);
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
    bool has_messages = atomic_load_explicit(&mailbox->count, memory_order_seq_cst) > 0;
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
    bool has_messages = atomic_load_explicit(&mailbox->count, memory_order_seq_cst) > 0;
    gy_lock_give(&mailbox->lock);
    gy_place_release(removed);
    if (has_messages)
        gy_mailbox_announce(mailbox); /* the one that left may have been about to take them */
}

/* ---- messages ---- */

static bool has_room_for(const gy_mailbox *mailbox, size_t size) {
    size_t used = atomic_load_explicit(&mailbox->size, memory_order_relaxed);
    return atomic_load_explicit(&mailbox->count, memory_order_seq_cst) <
               GY_MESSAGE_PORT_QUEUE_MAX &&
           (used == 0 || used + size <= GY_MAILBOX_SIZE_MAX);
}

/* The lock. False: no time is left. */
static bool wait_for_room(gy_mailbox *mailbox, int64_t deadline_ns) {
    if (deadline_ns == GY_NEVER)
        return pthread_cond_wait(&mailbox->has_room, &mailbox->lock.mutex) == 0;
    struct timespec until = {(time_t)(deadline_ns / GY_NS_PER_SECOND),
                             (long)(deadline_ns % GY_NS_PER_SECOND)};
    return pthread_cond_timedwait(&mailbox->has_room, &mailbox->lock.mutex, &until) == 0;
}

/* The lock: until there is room, the mailbox is closed, or time is over. */
static int32_t find_room_later(gy_mailbox *mailbox, size_t size, int64_t timeout_ns) {
    int64_t deadline_ns = gy_ns_add(gy_clock_now_ns(), timeout_ns);
    bool may_wait = true;
    /* Sequentially consistent: pairs with the look of gy_mailbox_take. */
    atomic_fetch_add_explicit(&mailbox->waiting_senders, 1, memory_order_seq_cst);
    while (may_wait && !mailbox->is_closed && !has_room_for(mailbox, size)) {
        may_wait = wait_for_room(mailbox, deadline_ns);
    }
    atomic_fetch_sub_explicit(&mailbox->waiting_senders, 1, memory_order_relaxed);
    if (mailbox->is_closed) return kGYMessagePortIsInvalid;
    return has_room_for(mailbox, size) ? kGYMessagePortSuccess : kGYMessagePortSendTimeout;
}

/* The lock. */
static int32_t find_room(gy_mailbox *mailbox, size_t size, int64_t timeout_ns) {
    if (mailbox->is_closed) return kGYMessagePortIsInvalid;
    if (has_room_for(mailbox, size)) return kGYMessagePortSuccess;
    if (timeout_ns <= 0) return kGYMessagePortSendTimeout;
    return find_room_later(mailbox, size, timeout_ns);
}

/* The lock. True: there was no message before. */
static bool append(gy_mailbox *mailbox, gy_message *message) {
    message->next = NULL;
    *mailbox->end = message;
    mailbox->end = &message->next;
    atomic_fetch_add_explicit(&mailbox->size, gy_message_size(message), memory_order_relaxed);
    return atomic_fetch_add_explicit(&mailbox->count, 1, memory_order_seq_cst) == 0;
}

int32_t gy_mailbox_post(gy_mailbox *mailbox, gy_message *message, int64_t timeout_ns) {
    size_t size = gy_message_size(message);
    bool was_empty = false;
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); /* the lock would stay taken */
    gy_lock_take(&mailbox->lock);
    int32_t result = find_room(mailbox, size, timeout_ns);
    if (result == kGYMessagePortSuccess) was_empty = append(mailbox, message);
    gy_lock_give(&mailbox->lock);
    pthread_setcancelstate(old, NULL);
    /* Who takes one of several marks its source again: one announcement is enough. */
    if (was_empty) gy_mailbox_announce(mailbox);
    return result;
}

bool gy_mailbox_put(gy_mailbox *mailbox, gy_message *message) {
    gy_lock_take(&mailbox->lock);
    bool is_open = !mailbox->is_closed;
    if (is_open) append(mailbox, message);
    gy_lock_give(&mailbox->lock);
    return is_open;
}

bool gy_mailbox_has_room(gy_mailbox *mailbox) { return has_room_for(mailbox, 0); }

bool gy_mailbox_has_messages(gy_mailbox *mailbox) {
    return atomic_load_explicit(&mailbox->count, memory_order_seq_cst) > 0;
}

/* The lock of those who take: what has come since goes to the end, which is reached. */
static gy_message *fetch(gy_mailbox *mailbox) {
    gy_lock_take(&mailbox->lock);
    gy_message *messages = mailbox->newest;
    mailbox->newest = NULL;
    mailbox->end = &mailbox->newest;
    gy_lock_give(&mailbox->lock);
    return messages;
}

static void tell_senders(gy_mailbox *mailbox) {
    gy_lock_take(&mailbox->lock);
    pthread_cond_broadcast(&mailbox->has_room);
    gy_lock_give(&mailbox->lock);
}

gy_message *gy_mailbox_take(gy_mailbox *mailbox, bool *is_more) {
    *is_more = false;
    gy_lock_take(&mailbox->taking);
    if (mailbox->first == NULL) mailbox->first = fetch(mailbox);
    gy_message *message = mailbox->first;
    if (message != NULL) {
        mailbox->first = message->next;
        atomic_fetch_sub_explicit(&mailbox->size, gy_message_size(message), memory_order_relaxed);
        *is_more = atomic_fetch_sub_explicit(&mailbox->count, 1, memory_order_seq_cst) > 1;
    }
    gy_lock_give(&mailbox->taking);
    if (atomic_load_explicit(&mailbox->waiting_senders, memory_order_seq_cst) > 0)
        tell_senders(mailbox);
    return message;
}

static void destroy_all(gy_message *message) {
    while (message != NULL) {
        gy_message *next = message->next;
        gy_message_destroy(message);
        message = next;
    }
}

void gy_mailbox_close(gy_mailbox *mailbox) {
    gy_lock_take(&mailbox->taking);
    gy_lock_take(&mailbox->lock);
    mailbox->is_closed = true;
    gy_message *first = mailbox->first, *newest = mailbox->newest;
    clear(mailbox);
    pthread_cond_broadcast(&mailbox->has_room);
    gy_lock_give(&mailbox->lock);
    gy_lock_give(&mailbox->taking);
    destroy_all(first);
    destroy_all(newest);
}
