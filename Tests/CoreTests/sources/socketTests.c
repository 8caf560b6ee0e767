/* Sockets: what they are called back for, and how often. */
#define _GNU_SOURCE 1
#include "sources/talker.h"

/* ---- data ---- */

/* R291 */
LOOP_TEST(data_are_read_and_handed_over_with_the_end_told_once) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], DATA);
    port_write(ends[1], "hello");
    port_polls(2);
    EXPECT_INT(t.type, DATA);
    EXPECT_STR(t.data, "hello");
    EXPECT_INT(t.calls, 1);
    port_write(ends[1], " again");
    close(ends[1]);
    port_polls(5);
    EXPECT_STR(t.data, "hello again");
    EXPECT_INT(t.ends, 1);
    EXPECT_INT(t.calls, 3);
    EXPECT_INT(port_iterations_of_run(0.01), 1);
    GYSocketEnableCallBacks(t.object, DATA);
    port_polls(3);
    EXPECT_INT(t.ends, 2);
    talker_end(&t);
}

/* R292: the peer may send what it likes; the loop takes one piece in a turn. */
LOOP_TEST(one_callback_brings_no_more_than_a_piece) {
    int ends[2];
    talker t = {0};
    static char block[100000];
    talk_pair(SOCK_STREAM | SOCK_NONBLOCK, ends);
    talker_begin(&t, ends[0], DATA);
    ssize_t sent = write(ends[1], block, sizeof block);
    REQUIRE(sent > 40000);
    port_polls(1);
    EXPECT_INT(t.calls, 1);
    EXPECT(t.length > 0 && t.length <= 16384);
    port_polls(2);
    EXPECT_INT(t.calls, 3);
    EXPECT(t.length <= 3 * 16384);
    talker_end(&t);
    close(ends[1]);
}

/* R291 */
LOOP_TEST(each_datagram_comes_whole_and_an_empty_one_is_no_end) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_DGRAM, ends);
    talker_begin(&t, ends[0], DATA);
    port_write(ends[1], "one");
    REQUIRE(send(ends[1], "", 0, 0) == 0);
    port_write(ends[1], "two");
    port_polls(5);
    EXPECT_STR(t.data, "onetwo");
    EXPECT_INT(t.calls, 3);
    EXPECT_INT(t.ends, 1);
    talker_end(&t);
    close(ends[1]);
}

/* R291 */
LOOP_TEST(a_datagram_comes_with_the_address_of_its_sender) {
    talker t = {.stops = true};
    GYSocketContext context = {.info = &t};
    GYDataRef any = any_port_of_loopback(), data = data_of("over UDP");
    GYSocketSignature own = {PF_INET, SOCK_DGRAM, IPPROTO_UDP, any};
    talker_watch(&t,
                 GYSocketCreateWithSocketSignature(NULL, &own, DATA, talker_is_called, &context),
                 DEFAULT);
    GYDataRef there = GYSocketCopyAddress(t.object);
    GYSocketRef sender = GYSocketCreate(NULL, PF_INET, SOCK_DGRAM, 0, 0, NULL, NULL);
    EXPECT_INT(GYSocketSendData(sender, there, data, 10), kGYSocketSuccess);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(t.data, "over UDP");
    EXPECT(t.has_address);
    talker_end(&t);
    GYSocketInvalidate(sender);
    GYRelease(sender);
    GYRelease(any);
    GYRelease(there);
    GYRelease(data);
}

/* ---- reading and writing by oneself ---- */

/* R291 */
LOOP_TEST(a_read_callback_is_called_while_there_is_something_to_read) {
    int ends[2];
    char byte;
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], READ);
    port_polls(1);
    EXPECT_INT(t.calls, 0);
    port_write(ends[1], "x");
    port_polls(3);
    EXPECT_INT(t.calls, 3);
    EXPECT_INT(t.type, READ);
    EXPECT(!t.has_address);
    REQUIRE(read(ends[0], &byte, 1) == 1);
    port_polls(2);
    EXPECT_INT(t.calls, 3);
    close(ends[1]);
    EXPECT(port_iterations_of_run(0.01) <= 3);
    EXPECT_INT(t.calls, 4);
    talker_end(&t);
}

/* R291 */
LOOP_TEST(without_its_flag_a_read_callback_is_called_once_each_time_it_is_enabled) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], READ);
    GYOptionFlags flags = GYSocketGetSocketFlags(t.object);
    EXPECT_INT(flags, 3 | kGYSocketCloseOnInvalidate);
    GYSocketSetSocketFlags(t.object,
                           flags & ~(GYOptionFlags)kGYSocketAutomaticallyReenableReadCallBack);
    port_write(ends[1], "x");
    for (int i = 1; i <= 3; i++) {
        port_polls(3);
        EXPECT_INT(t.calls, i);
        GYSocketEnableCallBacks(t.object, READ);
    }
    talker_end(&t);
    close(ends[1]);
}

/* R291 */
LOOP_TEST(a_write_callback_is_called_once_unless_its_flag_is_set) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], WRITE);
    port_polls(3);
    EXPECT_INT(t.calls, 1);
    EXPECT_INT(t.type, WRITE);
    GYSocketEnableCallBacks(t.object, WRITE);
    port_polls(3);
    EXPECT_INT(t.calls, 2);
    GYSocketSetSocketFlags(t.object, GYSocketGetSocketFlags(t.object) |
                                         kGYSocketAutomaticallyReenableWriteCallBack);
    GYSocketEnableCallBacks(t.object, WRITE);
    port_polls(3);
    EXPECT_INT(t.calls, 5);
    GYSocketDisableCallBacks(t.object, WRITE);
    port_polls(2);
    EXPECT_INT(t.calls, 5);
    talker_end(&t);
    close(ends[1]);
}

/* R291 */
LOOP_TEST(disabled_callbacks_are_not_called_and_nothing_spins) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], DATA | WRITE);
    GYSocketDisableCallBacks(t.object, DATA | WRITE);
    port_write(ends[1], "x");
    close(ends[1]);
    EXPECT(port_iterations_of_run(0.01) <= 2);
    EXPECT_INT(t.calls, 0);
    GYSocketEnableCallBacks(t.object, READ);
    port_polls(3);
    EXPECT_STR(t.data, "x");
    EXPECT_INT(t.ends, 1);
    talker_end(&t);
}

/* ---- listening and connecting ---- */

static GYSocketRef listen_at(GYDataRef address, int family, talker *self) {
    GYSocketContext context = {.info = self};
    GYSocketSignature own = {family, SOCK_STREAM, 0, address};
    return GYSocketCreateWithSocketSignature(NULL, &own, ACCEPT, talker_is_called, &context);
}

/* An echo of one word over a connection that is made in the background, and its end. */
static void converse(GYDataRef address, int family) {
    talker server = {.stops = true}, client = {.stops = true}, peer = {.stops = true};
    GYSocketContext context = {.info = &client};
    GYDataRef data = data_of("word");
    talker_watch(&server, listen_at(address, family, &server), DEFAULT);
    GYDataRef there = GYSocketCopyAddress(server.object);
    talker_watch(
        &client,
        GYSocketCreate(NULL, family, SOCK_STREAM, 0, DATA | CONNECT, talker_is_called, &context),
        DEFAULT);
    EXPECT_INT(GYSocketConnectToAddress(client.object, there, -1), kGYSocketSuccess);
    while (client.error < 0 || server.accepted < 0) {
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    }
    EXPECT_INT(client.error, 0);
    EXPECT_INT(client.calls, 1);
    EXPECT_INT(server.type, ACCEPT);
    EXPECT(server.has_address);
    talker_begin(&peer, server.accepted, DATA);
    EXPECT_INT(GYSocketSendData(client.object, NULL, data, 10), kGYSocketSuccess);
    while (peer.length < 4) EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(peer.data, "word");
    EXPECT_INT(GYSocketSendData(peer.object, NULL, data, 0), kGYSocketSuccess);
    while (client.length < 4) EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(client.data, "word");
    talker_end(&client);
    while (peer.ends == 0) EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    talker_end(&peer);
    talker_end(&server);
    GYRelease(there);
    GYRelease(data);
}

/* R293 */
LOOP_TEST(two_sockets_converse_over_tcp) {
    GYDataRef address = any_port_of_loopback();
    converse(address, PF_INET);
    GYRelease(address);
}

/* R293 */
LOOP_TEST(two_sockets_converse_over_unix_sockets) {
    GYDataRef address = address_of_name("converse");
    converse(address, PF_UNIX);
    GYRelease(address);
}

/* An address at which nobody listens. */
static GYDataRef deserted(void) {
    talker nobody = {0};
    GYDataRef any = any_port_of_loopback();
    GYSocketRef s = listen_at(any, PF_INET, &nobody);
    GYDataRef there = GYSocketCopyAddress(s);
    GYRelease(s);
    GYRelease(any);
    return there;
}

/* R293 */
LOOP_TEST(a_refused_connection_is_told_with_its_error_once) {
    talker t = {.stops = true};
    GYSocketContext context = {.info = &t};
    GYDataRef there = deserted();
    talker_watch(
        &t, GYSocketCreate(NULL, PF_INET, 0, 0, READ | CONNECT | WRITE, talker_is_called, &context),
        DEFAULT);
    EXPECT(port_iterations_of_run(0.01) <= 2);
    EXPECT_INT(t.calls, 0);
    if (GYSocketConnectToAddress(t.object, there, -1) == kGYSocketSuccess) {
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
        EXPECT_INT(t.error, ECONNREFUSED);
        EXPECT_INT(t.type, CONNECT);
    }
    EXPECT(port_iterations_of_run(0.01) <= 2);
    EXPECT_INT(t.calls, 1);
    talker_end(&t);
    GYRelease(there);
}

/* R293 */
LOOP_TEST(connecting_with_a_time_limit_waits_and_calls_nothing_back) {
    talker server = {0}, t = {0};
    GYSocketContext context = {.info = &t};
    GYDataRef any = any_port_of_loopback(), nowhere = deserted();
    talker_watch(&server, listen_at(any, PF_INET, &server), DEFAULT);
    GYDataRef there = GYSocketCopyAddress(server.object);
    GYSocketSignature signature = {PF_INET, SOCK_STREAM, IPPROTO_TCP, there};
    GYSocketRef s = GYSocketCreateConnectedToSocketSignature(NULL, &signature, CONNECT | WRITE,
                                                             talker_is_called, &context, 10);
    talker_watch(&t, s, DEFAULT);
    GYDataRef peer = GYSocketCopyPeerAddress(s);
    EXPECT(peer != NULL && GYEqual(peer, there));
    EXPECT_INT(fcntl(GYSocketGetNative(s), F_GETFL) & O_NONBLOCK, 0);
    port_polls(2);
    EXPECT_INT(t.error, -1);
    EXPECT_INT(t.type, WRITE);
    signature.address = nowhere;
    EXPECT(GYSocketCreateConnectedToSocketSignature(NULL, &signature, 0, NULL, NULL, 10) == NULL);
    EXPECT_INT(errno, ECONNREFUSED);
    talker_end(&t);
    port_polls(1);
    if (server.accepted >= 0) close(server.accepted);
    talker_end(&server);
    GYRelease(peer);
    GYRelease(there);
    GYRelease(nowhere);
    GYRelease(any);
}

/* R293: a listening socket whose queue is full answers nobody; how full that is, is the kernel's
 * affair. */
LOOP_TEST(a_connection_that_is_not_made_in_time_is_a_time_out) {
    GYDataRef any = any_port_of_loopback();
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(bind(listener, (const struct sockaddr *)GYDataGetBytePtr(any), 16) == 0);
    REQUIRE(listen(listener, 0) == 0);
    GYSocketRef s = GYSocketCreateWithNative(NULL, listener, 0, NULL, NULL);
    GYDataRef there = GYSocketCopyAddress(s);
    GYSocketRef clients[8];
    GYSocketError last = kGYSocketSuccess;
    int count = 0;
    while (last == kGYSocketSuccess && count < 8) {
        clients[count] = GYSocketCreate(NULL, PF_INET, 0, 0, 0, NULL, NULL);
        last = GYSocketConnectToAddress(clients[count++], there, 0.02);
    }
    EXPECT_INT(last, kGYSocketTimeout);
    while (count > 0) GYRelease(clients[--count]);
    GYRelease(s);
    GYRelease(there);
    GYRelease(any);
}

/* R293: made and told in the background, however the socket blocks. */
LOOP_TEST(a_socket_blocks_again_once_it_is_connected_in_the_background) {
    talker server = {0}, t = {.stops = true};
    GYSocketContext context = {.info = &t};
    GYDataRef any = address_of_name("blocking");
    talker_watch(&server, listen_at(any, PF_UNIX, &server), DEFAULT);
    talker_watch(&t,
                 GYSocketCreate(NULL, PF_UNIX, SOCK_STREAM, 0, CONNECT, talker_is_called, &context),
                 DEFAULT);
    EXPECT_INT(GYSocketConnectToAddress(t.object, any, -1), kGYSocketSuccess);
    while (t.error < 0) loop_run(1e20);
    EXPECT_INT(t.error, 0);
    EXPECT_INT(fcntl(GYSocketGetNative(t.object), F_GETFL) & O_NONBLOCK, 0);
    port_polls(2);
    if (server.accepted >= 0) close(server.accepted);
    talker_end(&t);
    talker_end(&server);
    GYRelease(any);
}

/* R293: the program connects it by itself. */
LOOP_TEST(a_connection_made_by_the_program_is_noticed_when_callbacks_are_enabled) {
    talker server = {0}, t = {0};
    GYDataRef any = address_of_name("by-itself");
    talker_watch(&server, listen_at(any, PF_UNIX, &server), DEFAULT);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    talker_begin(&t, fd, READ | WRITE);
    port_polls(2);
    EXPECT_INT(t.calls, 0);
    REQUIRE(connect(fd, (const struct sockaddr *)GYDataGetBytePtr(any),
                    (socklen_t)GYDataGetLength(any)) == 0);
    GYSocketEnableCallBacks(t.object, WRITE);
    port_polls(2);
    EXPECT_INT(t.type, WRITE);
    EXPECT_INT(t.calls, 1);
    if (server.accepted >= 0) close(server.accepted);
    talker_end(&t);
    talker_end(&server);
    GYRelease(any);
}

/* R293 */
LOOP_TEST(sending_stops_at_its_time_limit_and_never_raises_a_signal) {
    int ends[2];
    static char block[1 << 20];
    talk_pair(SOCK_STREAM, ends);
    GYSocketRef s = GYSocketCreateWithNative(NULL, ends[0], 0, NULL, NULL);
    GYDataRef much = GYDataCreate(NULL, (const uint8_t *)block, sizeof block);
    int64_t start_ns = test_now_ns();
    EXPECT_INT(GYSocketSendData(s, NULL, much, 0.02), kGYSocketTimeout);
    EXPECT(test_now_ns() - start_ns >= 20000000);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    EXPECT_INT(GYSocketSendData(s, NULL, much, 0), kGYSocketTimeout);
    close(ends[1]);
    EXPECT_INT(GYSocketSendData(s, NULL, much, 0), kGYSocketError);
    EXPECT(errno == EPIPE || errno == ECONNRESET);
    GYRelease(much);
    GYRelease(s);
}

TEST_MAIN()
