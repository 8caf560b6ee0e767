/* The mailbox of a local port: messages that wait to be received, and who is to be woken for them.
 *
 * Owns: the queue with its bounds (R264), and the places: which sources receive from it, in which
 * modes of which loops. Counted: the local port has it, and each remote port in the process, which
 * so outlives neither the other's end nor its memory. Threads: any; two locks of its own,
 * so that a sender and a receiver seldom meet, never taken under a loop's. */
#ifndef GYRE_SOURCES_MESSAGE_QUEUE_H
#define GYRE_SOURCES_MESSAGE_QUEUE_H

#include "sources/message.h"
#include "sources/message_fork.h"

/* Room for four of the largest messages. */
#define GY_MAILBOX_SIZE_MAX (4 * (size_t)GY_MESSAGE_PORT_LENGTH_MAX)

/* One mode that a source of the port is in. All three are retained. */
typedef struct gy_place {
    GYRunLoopSourceRef source;
    GYRunLoopRef loop;
    GYStringRef mode;
} gy_place;

typedef struct gy_mailbox {
    _Atomic uint32_t references;
    _Atomic bool is_stalled; /* a sender of another process has more, and there was no room */
    /* Of messages in both lists. Who raises the count from 0 announces; who lowers it to something
     * else goes on: sequentially consistent, for a sender that waits for room looks at it after it
     * has said that it waits, and a receiver the other way round. */
    _Atomic uint32_t count;
    _Atomic size_t size;
    _Atomic uint32_t waiting_senders;
    gy_lock taking; /* protects `first`; taken before the other, and so of another rank */
    gy_fork_guard taking_guard;
    gy_message *first; /* in the order in which they are to be received */
    gy_lock lock; /* protects everything below */
    gy_fork_guard guard;
    gy_message *newest, **end; /* what came after those, oldest first */
    pthread_cond_t has_room;
    bool is_closed;
    gy_place *places;
    uint32_t place_count, place_room;
    gy_node remotes; /* of the remote ports in this process (message_port.h) */
} gy_mailbox;

/* NULL with errno. */
gy_mailbox *gy_mailbox_create(void);
gy_mailbox *gy_mailbox_retain(gy_mailbox *mailbox);
void gy_mailbox_release(gy_mailbox *mailbox);

/* Takes the message over if the result is 0, and wakes whoever receives; else kGYMessagePort…
 * `timeout_ns`: how long to wait for room. */
int32_t gy_mailbox_post(gy_mailbox *mailbox, gy_message *message, int64_t timeout_ns);
/* Puts a message of another process in, whatever room there is; false: the mailbox is closed. Nobody
 * is woken. */
bool gy_mailbox_put(gy_mailbox *mailbox, gy_message *message);
bool gy_mailbox_has_room(gy_mailbox *mailbox);
bool gy_mailbox_has_messages(gy_mailbox *mailbox);
/* Signals the sources that receive from it, and wakes their loops. */
void gy_mailbox_announce(gy_mailbox *mailbox);
/* The first message, the caller's from now on, and whether there are more; NULL: none. */
gy_message *gy_mailbox_take(gy_mailbox *mailbox, bool *is_more);
/* Nothing is taken in any more, and what is there is answered as undelivered. */
void gy_mailbox_close(gy_mailbox *mailbox);

/* False with errno. Messages that wait are announced to the newcomer. */
bool gy_mailbox_add_place(gy_mailbox *mailbox, gy_place place);
void gy_mailbox_remove_place(gy_mailbox *mailbox, gy_place place);
/* The place of an index, retained; its source is NULL beyond the last. */
gy_place gy_mailbox_place(gy_mailbox *mailbox, uint32_t index);
void gy_place_release(gy_place place);
/* All places, retained; the array is the caller's to free. NULL: none, or no memory. */
gy_place *gy_mailbox_copy_places(gy_mailbox *mailbox, uint32_t *count);
bool gy_mailbox_has_place(gy_mailbox *mailbox, gy_place place);

#endif
