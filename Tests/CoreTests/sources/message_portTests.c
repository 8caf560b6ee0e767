/* Message ports within one process: who gets a message and when, replies, time-outs, ends. */
#include "sources/ports.h"

#include <errno.h>
#include <gyre/GYObject.h>
#include <stdlib.h>

/* R262 */
LOOP_TEST(a_message_arrives_with_its_id_and_data) {
    GYStringRef name = port_name("arrives");
    GYMessagePortRef local = port_local(name, port_echoes, NULL);
    port_listen(local, GYSTR("replies"));
    GYMessagePortRef remote = port_remote(name);
    EXPECT_STR(port_ask(remote, -7, "hello", 10), "-7:hello");
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R262 */
TEST(another_thread_receives_and_replies) {
    GYStringRef name = port_name("thread");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    GYMessagePortRef remote = port_remote(name);
    for (int i = 0; i < 100; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%d:x", i);
        EXPECT_STR(port_ask(remote, i, "x", 10), expected);
    }
    GYRelease(remote);
    port_server_end(&server);
    GYRelease(name);
}

/* R262 */
LOOP_TEST(messages_are_received_in_the_order_in_which_they_were_sent) {
    GYStringRef name = port_name("order");
    GYMessagePortRef local = port_local(name, port_traces, NULL);
    GYMessagePortRef remote = port_remote(name);
    port_listen(local, kGYRunLoopDefaultMode);
    EXPECT_INT(port_send(remote, 0, "a"), 0);
    EXPECT_INT(port_send(remote, 0, "b"), 0);
    EXPECT_INT(port_send(remote, 0, "c"), 0);
    loop_run_until_idle(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "a b c");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunTimedOut);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static GYDataRef runs_inside(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    port_traces(local, id, data, info);
    if (id > 0) GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false);
    test_trace("end");
    return NULL;
}

/* R263 */
LOOP_TEST(a_pass_receives_what_is_there_and_leaves_no_mark) {
    GYStringRef name = port_name("batch");
    GYMessagePortRef local = port_local(name, runs_inside, NULL);
    GYMessagePortRef remote = port_remote(name);
    port_listen(local, kGYRunLoopDefaultMode);
    EXPECT_INT(port_send(remote, 0, "a"), 0);
    EXPECT_INT(port_send(remote, 1, "b"), 0);
    EXPECT_INT(port_send(remote, 0, "c"), 0);
    EXPECT_INT(port_send(remote, 0, "d"), 0);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "a end b c end d end end");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunTimedOut);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R263 */
LOOP_TEST(what_was_sent_before_there_was_a_source_is_received) {
    GYStringRef name = port_name("early");
    GYMessagePortRef local = port_local(name, port_traces, NULL);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_INT(port_send(remote, 0, "early"), 0);
    port_listen(local, kGYRunLoopDefaultMode);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "early");
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static GYMessagePortRef sends_again;

static GYDataRef sends_one_more(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    port_traces(local, id, data, info);
    if (id > 0) EXPECT_INT(port_send(sends_again, id - 1, "more"), 0);
    return NULL;
}

/* R263 */
LOOP_TEST(each_message_is_an_event_of_its_own) {
    GYStringRef name = port_name("pass");
    GYMessagePortRef local = port_local(name, sends_one_more, NULL);
    sends_again = port_remote(name);
    port_listen(local, kGYRunLoopDefaultMode);
    EXPECT_INT(port_send(sends_again, 1, "first"), 0);
    EXPECT_INT(port_send(sends_again, 0, "second"), 0);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "first");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "second");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "more");
    port_end(local);
    GYRelease(sends_again);
    GYRelease(name);
}

static GYDataRef runs_nested(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    port_traces(local, id, data, info);
    if (id == 1) {
        EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
        EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
        test_trace("out");
    }
    return NULL;
}

/* R263 */
LOOP_TEST(a_run_nested_in_a_callout_receives_the_messages_that_are_left) {
    GYStringRef name = port_name("nested");
    GYMessagePortRef local = port_local(name, runs_nested, NULL);
    GYMessagePortRef remote = port_remote(name);
    port_listen(local, kGYRunLoopDefaultMode);
    EXPECT_INT(port_send(remote, 1, "a"), 0);
    EXPECT_INT(port_send(remote, 2, "b"), 0);
    EXPECT_INT(port_send(remote, 2, "c"), 0);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "a b c out");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunTimedOut);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static GYDataRef counts(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)id, (void)data;
    ++*(int *)info;
    return NULL;
}

/* R264 */
LOOP_TEST(a_full_queue_lets_a_sender_time_out_and_loses_nothing) {
    int count = 0, sent = 0;
    GYStringRef name = port_name("full");
    GYMessagePortRef local = port_local(name, counts, &count);
    GYMessagePortRef remote = port_remote(name);
    while (GYMessagePortSendRequest(remote, 0, NULL, 0, 0, NULL, NULL) == 0) sent++;
    EXPECT_INT(sent, GY_MESSAGE_PORT_QUEUE_MAX);
    int64_t before = test_now_ns();
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, NULL, 0.02, 0, NULL, NULL),
               kGYMessagePortSendTimeout);
    EXPECT(test_now_ns() - before >= 20000000);
    port_listen(local, kGYRunLoopDefaultMode);
    while (count < sent) {
        if (!EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), 4)) break;
    }
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, NULL, 0, 0, NULL, NULL), 0);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R264 */
LOOP_TEST(large_messages_fill_the_queue_by_their_bytes) {
    int count = 0, sent = 0;
    GYStringRef name = port_name("bytes");
    GYMessagePortRef local = port_local(name, counts, &count);
    GYMessagePortRef remote = port_remote(name);
    uint8_t *bytes = calloc(1, GY_MESSAGE_PORT_LENGTH_MAX);
    GYDataRef data = GYDataCreate(NULL, bytes, GY_MESSAGE_PORT_LENGTH_MAX);
    while (GYMessagePortSendRequest(remote, 0, data, 0, 0, NULL, NULL) == 0 && sent < 100) sent++;
    EXPECT(sent >= 1 && sent <= 4);
    GYRelease(data);
    free(bytes);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

typedef struct sender {
    GYMessagePortRef remote;
    test_event begins;
    int32_t result;
} sender;

static void sends_with_patience(void *info) {
    sender *s = info;
    test_event_signal(&s->begins);
    s->result = GYMessagePortSendRequest(s->remote, 0, NULL, 1e10, 0, NULL, NULL);
}

static int fill(GYMessagePortRef remote) {
    int sent = 0;
    while (GYMessagePortSendRequest(remote, 0, NULL, 0, 0, NULL, NULL) == 0) sent++;
    return sent;
}

/* R264 */
LOOP_TEST(a_sender_that_waits_for_room_gets_it) {
    int count = 0;
    GYStringRef name = port_name("room");
    GYMessagePortRef local = port_local(name, counts, &count);
    sender s = {port_remote(name), TEST_EVENT_INIT, 1};
    int sent = fill(s.remote);
    pthread_t thread = test_thread_start(sends_with_patience, &s);
    test_event_wait(&s.begins);
    port_listen(local, kGYRunLoopDefaultMode);
    while (count < sent + 1) {
        if (!EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), 4)) break;
    }
    test_thread_join(thread);
    EXPECT_INT(s.result, 0);
    port_end(local);
    GYRelease(s.remote);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(a_sender_that_waits_for_room_learns_of_the_end) {
    GYStringRef name = port_name("room end");
    GYMessagePortRef local = port_local(name, port_traces, NULL);
    sender s = {port_remote(name), TEST_EVENT_INIT, 1};
    fill(s.remote);
    pthread_t thread = test_thread_start(sends_with_patience, &s);
    test_event_wait(&s.begins);
    test_pause();
    port_end(local);
    test_thread_join(thread);
    EXPECT_INT(s.result, kGYMessagePortIsInvalid);
    GYRelease(s.remote);
    GYRelease(name);
}

/* R265 */
LOOP_TEST(without_a_receiver_no_reply_comes_and_that_is_not_told_early) {
    GYStringRef name = port_name("nobody");
    GYMessagePortRef local = port_local(name, port_echoes, NULL);
    GYMessagePortRef remote = port_remote(name);
    int64_t before = test_now_ns();
    EXPECT_STR(port_ask(remote, 0, "x", 0.02), "-2");
    EXPECT(test_now_ns() - before >= 20000000);
    EXPECT_STR(port_ask(remote, 0, "x", 0), "-2");
    EXPECT_STR(port_ask(remote, 0, "x", -1), "-2");
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static void stops_and_stops(GYRunLoopTimerRef timer, void *local) {
    GYRunLoopStop(GYRunLoopGetCurrent());
    test_trace("stop");
    if (local != NULL) port_listen(local, GYSTR("replies"));
    GYRunLoopTimerInvalidate(timer);
}

/* R265 */
LOOP_TEST(a_stop_does_not_end_a_request) {
    GYStringRef name = port_name("stop");
    GYMessagePortRef local = port_local(name, port_echoes, NULL);
    GYMessagePortRef remote = port_remote(name);
    GYRunLoopTimerRef timer = loop_in(GYSTR("replies"), loop_timer(0, 1, stops_and_stops, local));
    EXPECT_STR(port_ask(remote, 0, "x", 10), "0:x");
    EXPECT_STR(test_trace_take(), "stop");
    GYRelease(timer);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static void winds_down(GYRunLoopTimerRef timer, void *unused) {
    (void)timer, (void)unused;
    GYRunLoopWindDown(GYRunLoopGetCurrent());
}

/* R265 */
LOOP_TEST(a_loop_that_winds_down_waits_for_no_reply) {
    GYStringRef name = port_name("wind");
    GYMessagePortRef local = port_local(name, port_echoes, NULL);
    GYMessagePortRef remote = port_remote(name);
    GYRunLoopTimerRef timer = loop_in(GYSTR("replies"), loop_timer(0, 0, winds_down, NULL));
    errno = 0;
    EXPECT_STR(port_ask(remote, 0, "x", 1e10), "-4");
    EXPECT_INT(errno, ECANCELED);
    GYRelease(timer);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

static GYDataRef ends_itself(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    port_traces(local, id, data, info);
    GYMessagePortInvalidate(local);
    return port_data("last words");
}

static void ended(GYMessagePortRef port, void *info) {
    test_trace("%s-%s", GYMessagePortIsRemote(port) ? "remote" : "local",
               info == NULL ? "null" : (const char *)info);
    EXPECT(!GYMessagePortIsValid(port));
}

static void traces_release(const void *word) { test_trace("release-%s", (const char *)word); }

/* R266 */
LOOP_TEST(the_end_of_a_port_is_told_to_both_sides_and_to_what_waits) {
    GYStringRef name = port_name("ends");
    GYMessagePortContext context = {.info = "info", .release = traces_release};
    GYMessagePortRef local = GYMessagePortCreateLocal(NULL, name, port_traces, &context, NULL);
    GYMessagePortRef remote = port_remote(name);
    GYMessagePortSetInvalidationCallBack(local, ended);
    GYMessagePortSetInvalidationCallBack(remote, ended);
    EXPECT_INT(port_send(remote, 0, "never received"), 0);
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    GYMessagePortInvalidate(local);
    EXPECT_STR(test_trace_take(), "local-info remote-null release-info");
    EXPECT(!GYMessagePortIsValid(local) && !GYMessagePortIsValid(remote));
    EXPECT(!GYRunLoopSourceIsValid(source));
    EXPECT_INT(port_send(remote, 0, "x"), kGYMessagePortIsInvalid);
    EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL && errno == ENOENT);
    GYMessagePortContext read = {.version = 0};
    GYMessagePortGetContext(local, &read);
    EXPECT(read.info == NULL);
    GYMessagePortInvalidate(local);
    EXPECT_STR(test_trace_take(), "");
    GYMessagePortSetInvalidationCallBack(remote, NULL);
    GYMessagePortSetInvalidationCallBack(remote, ended);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(source);
    GYRelease(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(a_callback_set_after_the_end_is_called_at_once) {
    GYMessagePortRef local = port_local(NULL, port_traces, NULL);
    GYMessagePortInvalidate(local);
    GYMessagePortSetInvalidationCallBack(local, ended);
    EXPECT_STR(test_trace_take(), "local-null");
    EXPECT(GYMessagePortGetInvalidationCallBack(local) == ended);
    GYRelease(local);
}

/* R266 */
LOOP_TEST(a_port_may_end_in_its_own_callout) {
    GYStringRef name = port_name("itself");
    GYMessagePortRef local = port_local(name, ends_itself, NULL);
    GYMessagePortRef remote = port_remote(name);
    port_listen(local, GYSTR("replies"));
    EXPECT_INT(port_send(remote, 0, "first"), 0);
    EXPECT_INT(port_send(remote, 0, "second"), 0);
    EXPECT_STR(port_ask(remote, 0, "third", 10), "-5");
    EXPECT_STR(test_trace_take(), "first");
    GYRelease(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(a_request_in_progress_learns_of_the_end) {
    GYStringRef name = port_name("request end");
    GYMessagePortRef local = port_local(name, ends_itself, NULL);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_INT(port_send(remote, 0, "first"), 0);
    port_listen(local, GYSTR("replies"));
    EXPECT_STR(port_ask(remote, 0, "second", 1e10), "-5");
    EXPECT_STR(test_trace_take(), "first");
    GYRelease(local);
    GYRelease(remote);
    GYRelease(name);
}

static void ends_port(GYRunLoopTimerRef timer, void *port) {
    (void)timer;
    GYMessagePortInvalidate(port);
}

/* R266 */
LOOP_TEST(a_request_ends_with_its_own_remote_port) {
    GYStringRef name = port_name("remote end");
    GYMessagePortRef local = port_local(name, port_traces, NULL);
    GYMessagePortRef remote = port_remote(name);
    GYRunLoopTimerRef timer = loop_in(GYSTR("replies"), loop_timer(0, 0, ends_port, remote));
    EXPECT_STR(port_ask(remote, 0, "x", 1e10), "-5");
    EXPECT(GYMessagePortIsValid(local));
    GYRelease(timer);
    GYRelease(remote);
    port_end(local);
    GYRelease(name);
}

/* R261 */
LOOP_TEST(a_name_that_is_free_again_can_be_taken) {
    GYStringRef name = port_name("again");
    for (int i = 0; i < 3; i++) {
        GYMessagePortRef local = port_local(name, port_echoes, NULL);
        GYMessagePortRef remote = port_remote(name);
        port_listen(local, GYSTR("replies"));
        EXPECT_STR(port_ask(remote, i, "x", 10), i == 0 ? "0:x" : i == 1 ? "1:x" : "2:x");
        if (i == 1) GYMessagePortInvalidate(local);
        GYRelease(remote);
        GYRelease(local);
        if (i != 1) { /* the loop's source keeps the port */
            GYMessagePortRef same = port_local(name, port_echoes, NULL);
            EXPECT(GYMessagePortIsValid(same));
            port_end(same);
        }
    }
    GYRelease(name);
}

/* F83 */
LOOP_TEST(a_port_lives_as_long_as_a_loop_holds_its_source) {
    GYStringRef name = port_name("kept");
    GYMessagePortContext context = {.info = "info", .release = traces_release};
    GYMessagePortRef local = GYMessagePortCreateLocal(NULL, name, port_echoes, &context, NULL);
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    GYRelease(local);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, GYSTR("replies"));
    GYRelease(source);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_STR(port_ask(remote, 1, "x", 10), "1:x");
    EXPECT_STR(test_trace_take(), "");
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, GYSTR("replies"));
    EXPECT_STR(test_trace_take(), "release-info");
    EXPECT(!GYMessagePortIsValid(remote));
    GYRelease(remote);
    GYRelease(name);
}

/* R263 */
LOOP_TEST(two_sources_of_a_port_are_equal_and_a_mode_holds_one) {
    GYMessagePortRef local = port_local(NULL, port_traces, NULL);
    GYRunLoopSourceRef a = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    GYRunLoopSourceRef b = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    EXPECT(GYEqual(a, b) && GYHash(a) == GYHash(b));
    GYRunLoopAddSource(GYRunLoopGetCurrent(), a, kGYRunLoopDefaultMode);
    EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), b, kGYRunLoopDefaultMode));
    GYRelease(a);
    GYRelease(b);
    port_end(local);
}

/* R263 */
TEST(any_of_several_loops_receives) {
    GYStringRef name = port_name("several");
    atomic_int count = 0;
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    loop_worker other;
    loop_worker_start(&other, kGYRunLoopDefaultMode);
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, server.local, 0);
    GYRunLoopAddSource(other.rl, source, kGYRunLoopDefaultMode);
    GYMessagePortRef remote = port_remote(name);
    for (int i = 0; i < 200; i++) {
        if (strcmp(port_ask(remote, 1, "x", 10), "1:x") == 0) count++;
    }
    EXPECT_INT(count, 200);
    GYRunLoopRemoveSource(other.rl, source, kGYRunLoopDefaultMode);
    GYRelease(source);
    EXPECT_STR(port_ask(remote, 1, "x", 10), "1:x");
    GYRelease(remote);
    port_server_end(&server);
    loop_worker_drop(&other);
    GYRelease(name);
}

TEST_MAIN()
