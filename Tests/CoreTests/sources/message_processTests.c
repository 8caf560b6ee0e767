/* Message ports of two processes: what arrives, large messages, and ends of either side at any
 * moment. */
#include "sources/peer.h"

/* R268 */
LOOP_TEST(a_message_goes_to_another_process_and_its_reply_comes_back) {
    GYStringRef name = port_name("process");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    EXPECT(GYMessagePortIsRemote(remote) && GYMessagePortIsValid(remote));
    for (int i = 0; i < 100; i++) EXPECT_STR(port_ask(remote, PEER_ECHOES, "hello", 10), "1:hello");
    GYMessagePortRef same = port_remote(name);
    EXPECT(same == remote);
    GYRelease(same);
    GYRelease(remote);
    peer_end(&p);
    EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL && errno == ENOENT);
    GYRelease(name);
}

/* R268 */
LOOP_TEST(no_data_and_empty_data_are_told_apart) {
    GYStringRef name = port_name("empty");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    GYDataRef reply = NULL;
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "", 10), "1:");
    EXPECT_STR(port_ask(remote, PEER_IS_SILENT, "x", 10), "(null)");
    EXPECT_STR(port_ask(remote, PEER_REPLIES_LENGTH, "0", 10), "");
    EXPECT_INT(GYMessagePortSendRequest(remote, PEER_ECHOES, NULL, 10, 10, GYSTR("m"), &reply), 0);
    EXPECT_STR(port_text(reply), "1:(null)");
    GYRelease(reply);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

/* R268, R261 */
LOOP_TEST(a_name_is_taken_by_one_process) {
    GYStringRef name = port_name("taken");
    peer p = peer_start("serve", name);
    GYBoolean should_free = false;
    EXPECT(GYMessagePortCreateLocal(NULL, name, port_echoes, NULL, &should_free) == NULL);
    EXPECT_INT(errno, EADDRINUSE);
    EXPECT_INT(should_free, true);
    GYMessagePortRef nameless = port_local(NULL, port_echoes, NULL);
    EXPECT(!GYMessagePortSetName(nameless, name) && errno == EADDRINUSE);
    peer_kill(&p);
    EXPECT(GYMessagePortSetName(nameless, name));
    GYRelease(nameless);
    GYRelease(name);
}

static void expect_length(GYMessagePortRef remote, size_t length) {
    char digits[32], expected[64];
    GYDataRef data = peer_pattern(length), reply = NULL;
    snprintf(expected, sizeof expected, "%s", peer_sum_text(data));
    int32_t result =
        GYMessagePortSendRequest(remote, PEER_COUNTS_BYTES, data, 10, 10, GYSTR("m"), &reply);
    EXPECT_INT(result, 0);
    EXPECT_STR(port_text(reply), expected);
    if (reply != NULL) GYRelease(reply);
    snprintf(digits, sizeof digits, "%zu", length);
    GYDataRef digits_data = port_data(digits);
    result = GYMessagePortSendRequest(remote, PEER_REPLIES_LENGTH, digits_data, 10, 10, GYSTR("m"),
                                      &reply);
    EXPECT_INT(result, 0);
    EXPECT_STR(peer_sum_text(reply), expected);
    if (reply != NULL) GYRelease(reply);
    GYRelease(digits_data);
    GYRelease(data);
}

static void try_lengths(void) {
    static const size_t lengths[] = {0,
                                     1,
                                     4096,
                                     32767,
                                     32768,
                                     32769,
                                     65536,
                                     65537,
                                     262144,
                                     1000003,
                                     GY_MESSAGE_PORT_LENGTH_MAX - 1,
                                     GY_MESSAGE_PORT_LENGTH_MAX};
    GYStringRef name = port_name("lengths");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) expect_length(remote, lengths[i]);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

/* R268 */
LOOP_TEST(messages_of_every_length_arrive_whole) { try_lengths(); }

/* R266 */
LOOP_TEST(a_peer_killed_in_the_middle_of_a_request_ends_it) {
    GYStringRef name = port_name("killed");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_STR(port_ask(remote, PEER_DIES, "now", 1e10), "-5");
    EXPECT(!GYMessagePortIsValid(remote));
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "x", 1e10), "-3");
    GYRelease(remote);
    peer_wait(&p);
    GYRelease(name);
}

static void kills(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    kill(*(pid_t *)info, SIGKILL);
}

/* R266 */
LOOP_TEST(a_peer_killed_while_it_is_stuck_ends_the_request) {
    GYStringRef name = port_name("stuck");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    GYRunLoopTimerRef timer = loop_in(GYSTR("replies"), loop_timer(0.01, 0, kills, &p.pid));
    EXPECT_STR(port_ask(remote, PEER_HANGS, "x", 1e10), "-5");
    GYRelease(timer);
    GYRelease(remote);
    peer_wait(&p);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(a_peer_that_has_died_before_is_found_dead) {
    GYStringRef name = port_name("dead");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    peer_kill(&p);
    EXPECT_INT(port_send(remote, PEER_ECHOES, "x"), kGYMessagePortIsInvalid);
    EXPECT(!GYMessagePortIsValid(remote));
    GYRelease(remote);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(a_port_that_ends_in_another_process_ends_here) {
    GYStringRef name = port_name("far end");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_STR(port_ask(remote, PEER_ENDS_PORT, "x", 1e10), "-5");
    EXPECT(!GYMessagePortIsValid(remote));
    EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL && errno == ENOENT);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

static void ended(GYMessagePortRef port, void *info) {
    EXPECT(info == NULL && !GYMessagePortIsValid(port));
    test_trace("ended");
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R266 */
LOOP_TEST(a_peers_death_is_told_to_the_loop_that_waits_for_it) {
    GYStringRef name = port_name("watched");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    GYMessagePortSetInvalidationCallBack(remote, ended);
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "x", 10), "1:x");
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0.01, 0, kills, &p.pid));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "ended");
    EXPECT_INT(loop_run(0), kGYRunLoopRunFinished);
    GYRelease(timer);
    GYRelease(remote);
    peer_wait(&p);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(what_is_not_asked_for_is_not_watched) {
    GYStringRef name = port_name("not watched");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_INT(loop_run(0), kGYRunLoopRunFinished);
    GYMessagePortSetInvalidationCallBack(remote, ended);
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    GYMessagePortSetInvalidationCallBack(remote, NULL);
    EXPECT_INT(loop_run(0), kGYRunLoopRunFinished);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

/* R264 */
LOOP_TEST(a_peer_that_does_not_receive_makes_the_sender_time_out) {
    GYStringRef name = port_name("does not receive");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    EXPECT_INT(port_send(remote, PEER_HANGS, "x"), 0);
    int32_t result;
    int sent = 0;
    GYDataRef data = peer_pattern(10000);
    do {
        result = GYMessagePortSendRequest(remote, PEER_ECHOES, data, 0, 0, NULL, NULL);
    } while (result == 0 && ++sent < 100000);
    EXPECT_INT(result, kGYMessagePortSendTimeout);
    EXPECT(sent > 0 && GYMessagePortIsValid(remote));
    int64_t before = test_now_ns();
    result = GYMessagePortSendRequest(remote, PEER_ECHOES, data, 0.02, 0, NULL, NULL);
    EXPECT_INT(result, kGYMessagePortSendTimeout);
    EXPECT(test_now_ns() - before >= 20000000);
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "x", 0.01), "-1");
    GYRelease(data);
    peer_kill(&p);
    EXPECT_INT(port_send(remote, PEER_ECHOES, "x"), kGYMessagePortIsInvalid);
    GYRelease(remote);
    GYRelease(name);
}

/* R265 */
LOOP_TEST(a_reply_that_comes_too_late_is_dropped) {
    GYStringRef name = port_name("late");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    for (int i = 0; i < 1000; i++) port_ask(remote, PEER_ECHOES, "late", 0);
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "in time", 10), "1:in time");
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

/* R264 */
LOOP_TEST(replies_that_are_not_received_hold_up_nobody_else) {
    GYStringRef name = port_name("flood");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    for (int i = 0; i < 200; i++) port_ask(remote, PEER_REPLIES_LENGTH, "30000", 0);
    peer q = peer_start("ask", name);
    char text[32] = "";
    REQUIRE(write(q.to, "x", 1) == 1);
    EXPECT(read(q.from, text, sizeof text - 1) > 0);
    peer_end(&q);
    EXPECT_STR(port_ask(remote, PEER_ECHOES, "in the end", 10), "1:in the end");
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

static GYDataRef kills_sender(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)info;
    test_trace("%s", port_text(data));
    kill(id, SIGKILL);
    waitpid(id, NULL, WNOHANG);
    GYRunLoopStop(GYRunLoopGetCurrent());
    return port_data("to a dead one");
}

/* R266 */
LOOP_TEST(a_sender_killed_in_the_middle_of_a_request_harms_nobody) {
    GYStringRef name = port_name("sender");
    GYMessagePortRef local = port_local(name, kills_sender, NULL);
    port_listen(local, kGYRunLoopDefaultMode);
    for (int i = 0; i < 3; i++) {
        peer p = peer_start("ask", name);
        REQUIRE(write(p.to, "x", 1) == 1);
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), "from a peer");
        int status;
        waitpid(p.pid, &status, 0);
        close(p.to);
        close(p.from);
        loop_run_until_idle(kGYRunLoopDefaultMode);
    }
    EXPECT(GYMessagePortIsValid(local));
    port_end(local);
    GYRelease(name);
}

static GYDataRef counts(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)data;
    if (id == ++*(int *)info) return NULL;
    test_fail(__FILE__, __LINE__, "message %d came as number %d", (int)id, *(int *)info);
    return NULL;
}

static void sends_and_leaves(void *info) {
    GYMessagePortRef remote = port_remote(info);
    for (int32_t i = 1; i <= 3000; i++) {
        EXPECT_INT(GYMessagePortSendRequest(remote, i, NULL, 1e10, 0, NULL, NULL), 0);
    }
    GYRelease(remote);
}

/* R262, R264 */
TEST(what_a_sender_sent_before_it_left_arrives) {
    int count = 0;
    GYStringRef name = port_name("left");
    pid_t child = fork();
    if (child == 0) {
        GYMessagePortRef local = NULL;
        local = port_local(name, counts, &count);
        port_listen(local, GYSTR("mode"));
        while (count < 3000) {
            if (!EXPECT_INT(GYRunLoopRunInMode(GYSTR("mode"), 10, true), 4)) break;
        }
        port_end(local);
        _exit(test_failures() > 0);
    }
    GYMessagePortRef remote;
    TEST_WAIT_UNTIL((remote = GYMessagePortCreateRemote(NULL, name)) != NULL);
    GYRelease(remote);
    sends_and_leaves((void *)(uintptr_t)name);
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    GYRelease(name);
}

/* R266 */
LOOP_TEST(ten_thousand_connections_leave_no_descriptor) {
    GYStringRef name = port_name("of many");
    peer p = peer_start("serve", name);
    for (int i = 0; i < 10000; i++) {
        GYMessagePortRef remote = port_remote(name);
        if (i % 100 == 0) EXPECT_STR(port_ask(remote, PEER_ECHOES, "x", 10), "1:x");
        GYRelease(remote);
    }
    peer_end(&p);
    GYRelease(name);
}

PEER_MAIN()
