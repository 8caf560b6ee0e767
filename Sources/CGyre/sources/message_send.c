#include "sources/message_send.h"

#include "base/clock.h"
#include "loop/registry.h"
#include "loop/run.h"
#include "loop/sources.h"

#include <errno.h>

/* ---- the wait for a reply ---- */

/* R265: every reply, and nothing else that this request waits for, ends the run; what else ends it
 * does not end the wait. */
static int32_t await(gy_answer *answer, const gy_request *request) {
    int64_t deadline_ns = GY_NEVER, left_ns = request->reply_timeout_ns;
    if (left_ns != GY_NEVER) deadline_ns = gy_ns_add(gy_clock_now_ns(), left_ns);
    while (!gy_answer_is_given(answer)) {
        gy_run_in_mode(answer->loop, request->reply_mode, left_ns, true);
        if (gy_answer_is_given(answer)) break;
        if (gy_loop_winds_down(answer->loop)) {
            errno = ECANCELED;
            return kGYMessagePortTransportError;
        }
        if (deadline_ns == GY_NEVER) continue;
        left_ns = deadline_ns - gy_clock_now_ns();
        if (left_ns <= 0) return kGYMessagePortReceiveTimeout;
    }
    return answer->result;
}

/* NULL with errno: nothing to wait with. */
static gy_answer *begin_to_wait(const gy_request *request) {
    GYRunLoopRef loop = gy_registry_current();
    gy_answer *answer = loop == NULL ? NULL : gy_answer_create(loop);
    if (answer == NULL) return NULL;
    if (gy_source_add(loop, answer->source, request->reply_mode)) return answer;
    if (errno == 0) errno = ESRCH;
    gy_answer_release(answer);
    return NULL;
}

static void end_to_wait(gy_answer *answer) {
    int saved = errno;
    gy_source_invalidate(answer->source);
    gy_answer_release(answer);
    errno = saved;
}

/* ---- within the process ---- */

static int32_t post(GYMessagePortRef remote, const gy_request *request, gy_answer *answer) {
    gy_message *message = gy_message_create(request->id, request->data, answer);
    if (message == NULL) return kGYMessagePortTransportError;
    int32_t result = gy_mailbox_post(remote->mailbox, message, request->send_timeout_ns);
    if (result != kGYMessagePortSuccess) gy_message_destroy(message);
    return result;
}

static int32_t post_and_await(GYMessagePortRef remote, const gy_request *request,
                              GYDataRef *reply) {
    gy_answer *answer = begin_to_wait(request);
    if (answer == NULL) return kGYMessagePortTransportError;
    int32_t result = kGYMessagePortIsInvalid;
    if (gy_message_port_expect(remote, answer)) result = post(remote, request, answer);
    if (result == kGYMessagePortSuccess) result = await(answer, request);
    if (result == kGYMessagePortSuccess) *reply = gy_retain(answer->data);
    gy_message_port_forgo(remote, answer);
    end_to_wait(answer);
    return result;
}

int32_t gy_message_send(GYMessagePortRef remote, const gy_request *request, GYDataRef *reply) {
    *reply = NULL;
    if (!gy_message_port_is_valid(remote)) return kGYMessagePortIsInvalid;
    gy_retain(remote);
    int32_t result = request->reply_mode == NULL ? post(remote, request, NULL)
                                                 : post_and_await(remote, request, reply);
    int saved = errno;
    gy_release(remote);
    errno = saved;
    return result;
}
