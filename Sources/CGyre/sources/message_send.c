#include "sources/message_send.h"

#include "base/clock.h"
#include "loop/registry.h"
#include "loop/run.h"
#include "loop/sources.h"
#include "sources/message_link_send.h"
#include "sources/message_remote.h"
#include "wait/sys.h"

#include <errno.h>
#include <fcntl.h>

/* A request that waits for its reply so long can wait for it a moment without a run. */
#define PATIENT_NS (50 * GY_LINK_BRIEFLY_NS)
/* How many requests do without that after one that waited in vain. */
#define DOUBTS 63

/* ---- the wait for a reply ---- */

/* R265: every reply, and nothing else that this request waits for, ends the run; what else ends it
 * does not end the wait. */
static int32_t await(gy_answer *answer, const gy_request *request) {
    int64_t deadline_ns = GY_NEVER, left_ns = request->reply_timeout_ns;
    if (left_ns != GY_NEVER) deadline_ns = gy_ns_add(gy_loop_now_ns(answer->loop), left_ns);
    while (!gy_answer_is_given(answer)) {
        gy_run_in_mode(answer->loop, request->reply_mode, left_ns, true);
        if (gy_answer_is_given(answer)) break;
        if (gy_loop_winds_down(answer->loop)) {
            errno = ECANCELED;
            return kGYMessagePortTransportError;
        }
        if (deadline_ns == GY_NEVER) continue;
        left_ns = deadline_ns - gy_loop_now_ns(answer->loop);
        if (left_ns <= 0) return kGYMessagePortReceiveTimeout;
    }
    return answer->result;
}

/* ---- within the process ---- */

/* Descriptors of the receiver's own, as those that come from another process are. */
static bool attach_duplicates(gy_message *message, const gy_request *request) {
    if (request->descriptor_count == 0) return true;
    int all[GY_WIRE_DESCRIPTORS_MAX] = {0};
    uint32_t count = 0;
    while (count < request->descriptor_count) {
        int fd = fcntl(request->descriptors[count], F_DUPFD_CLOEXEC, 0);
        if (fd < 0) break;
        all[count++] = fd;
    }
    if (count == request->descriptor_count && gy_message_attach(message, all, count)) return true;
    int saved = errno;
    while (count > 0) gy_sys_close(all[--count]);
    errno = saved;
    return false;
}

static gy_message *make_message(const gy_request *request) {
    gy_message *message = gy_message_create(request->id, request->data);
    if (message == NULL || attach_duplicates(message, request)) return message;
    int saved = errno;
    gy_message_free(message);
    errno = saved;
    return NULL;
}

static int32_t post(GYMessagePortRef remote, const gy_request *request, gy_answer *answer) {
    gy_message *message = make_message(request);
    if (message == NULL) return kGYMessagePortTransportError;
    if (answer != NULL)
        gy_message_expect_reply(message, gy_answer_reply, gy_answer_retain(answer), 0);
    int32_t result = gy_mailbox_post(remote->mailbox, message, request->send_timeout_ns);
    if (result != kGYMessagePortSuccess) gy_message_destroy(message);
    return result;
}

static int32_t ask_near(GYMessagePortRef remote, const gy_request *request, gy_answer *answer) {
    if (!gy_answer_begin_wait(answer, request->reply_mode)) return kGYMessagePortTransportError;
    int32_t result = post(remote, request, answer);
    return result == kGYMessagePortSuccess ? await(answer, request) : result;
}

/* ---- between processes ---- */

static int32_t result_of(int error) {
    if (error == 0) return kGYMessagePortSuccess;
    if (error == -ETIMEDOUT) return kGYMessagePortSendTimeout;
    if (error == -EPIPE) return kGYMessagePortIsInvalid;
    errno = -error;
    return kGYMessagePortTransportError;
}

static int32_t push(GYMessagePortRef remote, gy_link *link, const gy_request *request,
                    const gy_answer *answer) {
    gy_wire_header header = {.kind = GY_WIRE_REQUEST, .id = request->id};
    gy_outgoing out;
    if (answer != NULL) {
        header.number = answer->number;
        header.flags = GY_WIRE_WANTS_REPLY;
    }
    header.descriptors = (uint16_t)request->descriptor_count;
    gy_outgoing_begin(&out, &header, request->data);
    out.descriptors = request->descriptors;
    int error = gy_link_send(link, &out, request->send_timeout_ns, gy_remote_receive_one);
    gy_outgoing_end(&out);
    if (error == -EPIPE) gy_message_port_invalidate(remote);
    return result_of(error);
}

/* R265: a reply that comes at once is received without a run, which would cost as much again. What
 * comes for others meanwhile is given to them. Where it did not come at once the next requests do
 * without: the other side may be slow, or wait for something that this thread's runs do. */
static void await_briefly(gy_link *link, const gy_answer *answer, int64_t timeout_ns) {
    /* Relaxed: a guess, whoever makes it. */
    uint32_t doubts = atomic_load_explicit(&link->doubts, memory_order_relaxed);
    if (timeout_ns < PATIENT_NS) return;
    if (doubts > 0) {
        atomic_store_explicit(&link->doubts, doubts - 1, memory_order_relaxed);
        return;
    }
    int64_t end_ns = gy_clock_now_ns() + GY_LINK_BRIEFLY_NS;
    while (gy_remote_receive_soon(link) && !gy_answer_is_given(answer) &&
           gy_clock_now_ns() < end_ns) {
    }
    if (!gy_answer_is_given(answer))
        atomic_store_explicit(&link->doubts, DOUBTS, memory_order_relaxed);
}

static int32_t await_in_run(gy_link *link, const gy_request *request, gy_answer *answer) {
    GYRunLoopSourceRef source = gy_remote_source(link);
    if (source == NULL) return kGYMessagePortTransportError;
    int32_t result = kGYMessagePortTransportError;
    if (gy_source_add(answer->loop, source, request->reply_mode) &&
        gy_answer_begin_wait(answer, request->reply_mode))
        result = await(answer, request);
    int saved = errno;
    gy_source_invalidate(source);
    gy_release(source);
    errno = saved;
    return result;
}

static int32_t ask_far(GYMessagePortRef remote, gy_link *link, const gy_request *request,
                       gy_answer *answer) {
    int32_t result = push(remote, link, request, answer);
    if (result != kGYMessagePortSuccess) return result;
    await_briefly(link, answer, request->reply_timeout_ns);
    return gy_answer_is_given(answer) ? answer->result : await_in_run(link, request, answer);
}

/* ---- both ---- */

static int32_t send_only(GYMessagePortRef remote, const gy_request *request) {
    if (remote->mailbox != NULL) return post(remote, request, NULL);
    gy_link *link = gy_message_port_link(remote);
    if (link == NULL) return kGYMessagePortIsInvalid;
    int32_t result = push(remote, link, request, NULL);
    gy_link_release(link);
    return result;
}

static int32_t ask(GYMessagePortRef remote, const gy_request *request, gy_answer *answer) {
    if (!gy_message_port_expect(remote, answer)) return kGYMessagePortIsInvalid;
    if (remote->mailbox != NULL) return ask_near(remote, request, answer);
    gy_link *link = gy_message_port_link(remote);
    if (link == NULL) return kGYMessagePortIsInvalid;
    int32_t result = ask_far(remote, link, request, answer);
    gy_link_release(link);
    return result;
}

static int32_t send_and_await(GYMessagePortRef remote, const gy_request *request,
                              GYDataRef *reply) {
    GYRunLoopRef loop = gy_registry_current();
    gy_answer *answer = loop == NULL ? NULL : gy_answer_create(loop);
    if (answer == NULL) return kGYMessagePortTransportError;
    int32_t result = ask(remote, request, answer);
    int saved = errno;
    if (result == kGYMessagePortSuccess) *reply = gy_retain(answer->data);
    gy_message_port_forgo(remote, answer);
    gy_answer_end_wait(answer);
    gy_answer_release(answer);
    errno = saved;
    return result;
}

int32_t gy_message_send(GYMessagePortRef remote, const gy_request *request, GYDataRef *reply) {
    *reply = NULL;
    if (!gy_message_port_is_valid(remote)) return kGYMessagePortIsInvalid;
    gy_retain(remote);
    int32_t result = request->reply_mode == NULL ? send_only(remote, request)
                                                 : send_and_await(remote, request, reply);
    int saved = errno;
    gy_release(remote);
    errno = saved;
    return result;
}
