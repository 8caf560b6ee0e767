#include "sources/message.h"

#include "base/object.h"
#include "loop/loop.h"
#include "loop/signal.h"
#include "loop/sources.h"
#include "wait/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Replies come before most other sources of their mode. */
#define REPLY_ORDER (-100)

static void perform_nothing(void *info) { (void)info; }

gy_answer *gy_answer_create(GYRunLoopRef loop) {
    gy_answer *answer = calloc(1, sizeof *answer);
    if (answer == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_init(&answer->references, 1);
    answer->result = kGYMessagePortBecameInvalidError;
    answer->loop = gy_retain(loop);
    return answer;
}

bool gy_answer_begin_wait(gy_answer *answer, GYStringRef mode) {
    GYRunLoopSourceContext context = {.info = answer, .perform = perform_nothing};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(NULL, REPLY_ORDER, &context);
    if (source == NULL) return false;
    if (!gy_source_add(answer->loop, source, mode)) {
        if (errno == 0) errno = ESRCH;
        gy_release(source);
        return false;
    }
    /* Sequentially consistent, as the accesses in gy_answer_give: who gives the answer sees the
     * source, or the sender, who looks afterwards, sees the answer. */
    atomic_store_explicit(&answer->source, source, memory_order_seq_cst);
    return true;
}

void gy_answer_end_wait(gy_answer *answer) {
    GYRunLoopSourceRef source = atomic_load_explicit(&answer->source, memory_order_relaxed);
    if (source != NULL) gy_source_invalidate(source);
}

gy_answer *gy_answer_retain(gy_answer *answer) {
    /* Relaxed: the caller has a reference already. */
    if (answer != NULL) atomic_fetch_add_explicit(&answer->references, 1, memory_order_relaxed);
    return answer;
}

void gy_answer_release(gy_answer *answer) {
    if (answer == NULL) return;
    /* Release on every drop, acquire on the last: all uses come before the end. */
    if (atomic_fetch_sub_explicit(&answer->references, 1, memory_order_acq_rel) != 1) return;
    gy_release(answer->data);
    gy_release(atomic_load_explicit(&answer->source, memory_order_relaxed));
    gy_release(answer->loop);
    free(answer);
}

void gy_answer_give(gy_answer *answer, int32_t result, GYDataRef data) {
    uint32_t state = GY_ANSWER_AWAITED;
    /* Relaxed: it only decides who writes; the store below is what the sender acquires. */
    if (!atomic_compare_exchange_strong_explicit(&answer->state, &state, GY_ANSWER_BEING_GIVEN,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return;
    }
    answer->result = result;
    answer->data = gy_retain(data);
    /* Its release half pairs with the acquire in gy_answer_is_given. */
    atomic_store_explicit(&answer->state, GY_ANSWER_GIVEN, memory_order_seq_cst);
    GYRunLoopSourceRef source = atomic_load_explicit(&answer->source, memory_order_seq_cst);
    if (source == NULL) return;
    gy_signal(source);
    gy_wake_up(&answer->loop->wake);
}

bool gy_answer_is_given(const gy_answer *answer) {
    return atomic_load_explicit(&answer->state, memory_order_seq_cst) == GY_ANSWER_GIVEN;
}

void gy_answer_reply(void *answer, uint32_t number, int32_t result, GYDataRef data) {
    (void)number;
    gy_answer_give(answer, result, data);
    gy_answer_release(answer);
}

gy_message *gy_message_create(int32_t id, GYDataRef data) {
    gy_message *message = malloc(sizeof *message);
    if (message == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    *message = (gy_message){.id = id, .data = gy_retain(data)};
    return message;
}

bool gy_message_attach(gy_message *message, const int *descriptors, uint32_t count) {
    if (count == 0) return true;
    message->descriptors = malloc(count * sizeof(int));
    if (message->descriptors == NULL) {
        errno = ENOMEM;
        return false;
    }
    memcpy(message->descriptors, descriptors, count * sizeof(int));
    message->descriptor_count = count;
    return true;
}

void gy_message_expect_reply(gy_message *message, gy_reply_function reply, void *sender,
                             uint32_t number) {
    message->reply = reply;
    message->sender = sender;
    message->number = number;
}

void gy_message_reply(gy_message *message, int32_t result, GYDataRef data) {
    gy_reply_function reply = message->reply;
    message->reply = NULL;
    if (reply != NULL) reply(message->sender, message->number, result, data);
}

void gy_message_free(gy_message *message) {
    for (uint32_t i = 0; i < message->descriptor_count; i++) gy_sys_close(message->descriptors[i]);
    free(message->descriptors);
    gy_release(message->data);
    free(message);
}

void gy_message_destroy(gy_message *message) {
    gy_message_reply(message, kGYMessagePortBecameInvalidError, NULL);
    gy_message_free(message);
}

size_t gy_message_size(const gy_message *message) {
    bool has_bytes = gy_object_is(message->data, GY_KIND_DATA);
    return sizeof *message + (has_bytes ? (size_t)GYDataGetLength(message->data) : 0);
}
