/* A message on its way to a local port, and the answer that its sender waits for.
 *
 * Owns: the layout of both. A message belongs to whoever has it: sender, queue, receiver. An answer
 * is counted: the sender and the message have it. Threads: a message one at a time; an answer is
 * given by any thread and read by the sender's. */
#ifndef GYRE_SOURCES_MESSAGE_H
#define GYRE_SOURCES_MESSAGE_H

#include <gyre/GYData.h>
#include "base/list.h"

#include <gyre/GYMessagePort.h>

#include <stdatomic.h>

enum gy_answer_state {
    GY_ANSWER_AWAITED,
    GY_ANSWER_BEING_GIVEN, /* somebody is writing it, the only one */
    GY_ANSWER_GIVEN,
};

typedef struct gy_answer {
    gy_node in_port; /* among those that a remote port waits for; that port's lock */
    uint32_t number; /* what a reply of another process names it by; constant */
    _Atomic uint32_t references;
    _Atomic uint32_t state;
    int32_t result;    /* valid once given */
    GYDataRef data;    /* valid once given; retained */
    GYRunLoopRef loop; /* the sender's; retained */
    /* In the reply mode: its signal ends the run that waits. Retained; NULL: no run waits yet. */
    _Atomic(GYRunLoopSourceRef) source;
} gy_answer;

/* For a request of the calling thread, whose loop it is; NULL with errno. */
gy_answer *gy_answer_create(GYRunLoopRef loop);
/* Makes a run in a mode (an interned name) end when the answer is given; false with errno. One that
 * was given before is found by gy_answer_is_given. */
bool gy_answer_begin_wait(gy_answer *answer, GYStringRef mode);
void gy_answer_end_wait(gy_answer *answer);
gy_answer *gy_answer_retain(gy_answer *answer);
void gy_answer_release(gy_answer *answer);

/* Gives the answer, unless one has been given, and wakes who waits. `data` is retained. No lock. */
void gy_answer_give(gy_answer *answer, int32_t result, GYDataRef data);
/* gy_answer_give as the reply function of a message. */
void gy_answer_reply(void *answer, uint32_t number, int32_t result, GYDataRef data);
/* The sender's thread. */
bool gy_answer_is_given(const gy_answer *answer);

/* What becomes of the sender of a message: `result` is success and the reply, or
 * kGYMessagePortBecameInvalidError where nobody received it. Gives up the reference that the message
 * has to the sender. No lock is held. */
typedef void (*gy_reply_function)(void *sender, uint32_t number, int32_t result, GYDataRef data);

typedef struct gy_message {
    struct gy_message *next;
    int32_t id;
    uint32_t number;
    GYDataRef data; /* retained; NULL: none */
    int *descriptors; /* passed along, closed with the message; -1: taken */
    uint32_t descriptor_count;
    gy_reply_function reply; /* NULL: no reply is wanted, or it has been given */
    void *sender; /* the reply function's */
} gy_message;

/* Retains the data; NULL with errno. */
gy_message *gy_message_create(int32_t id, GYDataRef data);
/* Takes descriptors over; false with errno, and they are the caller's still. */
bool gy_message_attach(gy_message *message, const int *descriptors, uint32_t count);
/* A reply is wanted: by `sender`, whose reference the message takes over. */
void gy_message_expect_reply(gy_message *message, gy_reply_function reply, void *sender,
                             uint32_t number);
void gy_message_reply(gy_message *message, int32_t result, GYDataRef data);
/* Whoever waits for a reply learns that there will be none. No lock. */
void gy_message_destroy(gy_message *message);
/* The same, and nobody is told. */
void gy_message_free(gy_message *message);

/* How much of a queue's room it takes. */
size_t gy_message_size(const gy_message *message);

#endif
