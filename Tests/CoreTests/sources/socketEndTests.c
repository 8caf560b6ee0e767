/* Sockets: which object a descriptor has, who keeps it, and how it ends. */
#define _GNU_SOURCE 1
#include "sources/talker.h"

#include <sys/resource.h>

static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

/* R290 */
LOOP_TEST(a_descriptor_has_one_object_until_that_is_invalid) {
    int ends[2];
    talk_pair(SOCK_STREAM, ends);
    GYSocketRef first = GYSocketCreateWithNative(NULL, ends[0], DATA, talker_is_called, NULL);
    GYSocketRef same = GYSocketCreateWithNative(NULL, ends[0], READ, NULL, NULL);
    GYSocketRef other = GYSocketCreateWithNative(NULL, ends[1], READ, NULL, NULL);
    EXPECT(first == same && other != first);
    GYSocketSetSocketFlags(first, 0);
    GYSocketInvalidate(first);
    GYSocketRef next = GYSocketCreateWithNative(NULL, ends[0], READ, NULL, NULL);
    EXPECT(next != first && GYSocketIsValid(next));
    GYRelease(first);
    GYRelease(same);
    GYRelease(next);
    GYRelease(other);
    EXPECT(!is_open(ends[0]) && !is_open(ends[1]));
}

/* R290: the old one was closed behind the library's back. */
LOOP_TEST(a_new_socket_is_not_taken_for_one_that_had_its_number) {
    GYSocketRef old = GYSocketCreate(NULL, PF_UNIX, SOCK_STREAM, 0, READ, NULL, NULL);
    int fd = GYSocketGetNative(old);
    close(fd);
    GYSocketRef new = GYSocketCreate(NULL, PF_UNIX, SOCK_DGRAM, 0, READ, NULL, NULL);
    EXPECT_INT(GYSocketGetNative(new), fd);
    EXPECT(new != old);
    GYSocketSetSocketFlags(old, 0);
    GYRelease(old);
    GYSocketRef same = GYSocketCreateWithNative(NULL, fd, READ, NULL, NULL);
    EXPECT(same == new);
    GYRelease(same);
    GYRelease(new);
    EXPECT(!is_open(fd));
}

static void ends_itself(talker *self) { talker_end(self); }

/* R294, F83 */
LOOP_TEST(a_callback_may_invalidate_and_release_its_own_socket) {
    const GYOptionFlags types[] = {READ, DATA, READ | WRITE, DATA | WRITE, WRITE};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        int ends[2];
        talker t = {.act = ends_itself};
        talk_pair(SOCK_STREAM, ends);
        port_write(ends[1], "x");
        talker_begin(&t, ends[0], types[i]);
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
        EXPECT_INT(t.calls, 1);
        EXPECT(!is_open(ends[0]));
        close(ends[1]);
    }
}

/* R294 */
LOOP_TEST(a_socket_is_closed_by_its_end_unless_its_flag_is_cleared) {
    for (int keeps = 0; keeps <= 1; keeps++) {
        int ends[2];
        talker t = {0};
        talk_pair(SOCK_STREAM, ends);
        talker_begin(&t, ends[0], READ);
        if (keeps != 0) GYSocketSetSocketFlags(t.object, 3);
        GYSocketInvalidate(t.object);
        EXPECT(!GYSocketIsValid(t.object));
        EXPECT_INT(GYSocketGetNative(t.object), -1);
        EXPECT(!GYRunLoopSourceIsValid(t.source));
        EXPECT(GYSocketCreateRunLoopSource(NULL, t.object, 0) == NULL);
        EXPECT_INT(is_open(ends[0]), keeps);
        talker_end(&t);
        if (keeps != 0) close(ends[0]);
        close(ends[1]);
    }
}

static int releases;

static const void *retains(const void *info) { return (const char *)info + 1; }
static void counts_release(const void *info) {
    EXPECT(*(const char *)info == 'b');
    releases++;
}

/* R294 */
LOOP_TEST(info_is_retained_and_released_once) {
    int ends[2];
    GYSocketContext context = {.info = "ab", .retain = retains, .release = counts_release};
    GYSocketContext read = {.version = 0};
    talk_pair(SOCK_STREAM, ends);
    GYSocketRef s = GYSocketCreateWithNative(NULL, ends[0], READ, NULL, &context);
    GYRunLoopSourceRef source = GYSocketCreateRunLoopSource(NULL, s, 3);
    EXPECT_INT(GYRunLoopSourceGetOrder(source), 3);
    GYSocketGetContext(s, &read);
    EXPECT(*(char *)read.info == 'b' && read.retain == retains);
    loop_in(DEFAULT, source);
    GYRelease(s);
    EXPECT_INT(releases, 0);
    GYSocketInvalidate(s);
    EXPECT_INT(releases, 1);
    GYRelease(source);
    EXPECT_INT(releases, 1);
    s = GYSocketCreateWithNative(NULL, ends[1], READ, NULL, &context);
    GYRelease(s);
    EXPECT_INT(releases, 2);
}

/* R291, in a mode of its own. */
LOOP_TEST(a_socket_is_served_in_the_modes_that_hold_it) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    GYSocketContext context = {.info = &t};
    talker_watch(&t, GYSocketCreateWithNative(NULL, ends[0], DATA, talker_is_called, &context),
                 GYSTR("sockets"));
    port_write(ends[1], "x");
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunFinished);
    EXPECT_INT(t.calls, 0);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("sockets"), 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(t.data, "x");
    talker_end(&t);
    close(ends[1]);
}

/* R291, R89: nothing is lost by it. */
LOOP_TEST(a_connection_waits_while_there_is_no_descriptor_for_it) {
    talker server = {0};
    struct rlimit limit, none = {0, 0};
    GYSocketContext context = {.info = &server};
    GYDataRef any = address_of_name("no-room");
    GYSocketSignature own = {PF_UNIX, SOCK_STREAM, 0, any};
    talker_watch(&server,
                 GYSocketCreateWithSocketSignature(NULL, &own, ACCEPT, talker_is_called, &context),
                 DEFAULT);
    GYSocketRef client = GYSocketCreateConnectedToSocketSignature(NULL, &own, 0, NULL, NULL, 10);
    REQUIRE(client != NULL);
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none.rlim_max = limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    port_polls(3);
    EXPECT_INT(server.calls, 0);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    port_polls(2);
    EXPECT_INT(server.calls, 1);
    if (server.accepted >= 0) close(server.accepted);
    GYRelease(client);
    talker_end(&server);
    GYRelease(any);
}

static void echoes(void *given) {
    int fd = *(int *)given;
    char byte;
    while (read(fd, &byte, 1) == 1 && write(fd, &byte, 1) == 1) continue;
}

static void says_next(talker *self) {
    if (self->length == 1000) {
        GYRunLoopStop(GYRunLoopGetCurrent());
    } else if (self->type == DATA) {
        GYDataRef data = data_of("x");
        EXPECT_INT(GYSocketSendData(self->object, NULL, data, 10), kGYSocketSuccess);
        GYRelease(data);
    }
}

/* R291 */
LOOP_TEST(a_thousand_turns_with_another_thread_lose_nothing) {
    int ends[2];
    talker t = {.act = says_next};
    talk_pair(SOCK_STREAM, ends);
    pthread_t thread = test_thread_start(echoes, &ends[1]);
    talker_begin(&t, ends[0], DATA);
    port_write(ends[0], "x");
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_INT(t.calls, 1000);
    talker_end(&t);
    test_thread_join(thread);
    close(ends[1]);
}

static void toggles(void *given) {
    talker *t = given;
    for (int i = 0; i < 2000; i++) {
        GYSocketDisableCallBacks(t->object, DATA | WRITE);
        GYSocketEnableCallBacks(t->object, DATA | WRITE);
    }
}

/* R291 */
LOOP_TEST(threads_may_enable_and_disable_callbacks_of_a_loop_that_runs) {
    int ends[2];
    size_t sent = 0;
    talker t = {0};
    talk_pair(SOCK_STREAM | SOCK_NONBLOCK, ends);
    talker_begin(&t, ends[0], DATA | WRITE);
    pthread_t one = test_thread_start(toggles, &t), two = test_thread_start(toggles, &t);
    for (int i = 0; i < 500; i++) {
        if (write(ends[1], "x", 1) == 1) sent++;
        port_polls(1);
    }
    test_thread_join(one);
    test_thread_join(two);
    while (t.length < sent) port_polls(1);
    EXPECT_INT(t.length, sent);
    talker_end(&t);
    close(ends[1]);
}

static void speaks_in_child(void *given) {
    talker *t = given;
    port_polls(2);
    EXPECT_STR(t->data, "x");
    talker_end(t);
    _exit(test_failures() > 0);
}

/* R7, R290: the lock of all sockets is no one's there. */
LOOP_TEST(sockets_go_on_in_the_child_of_a_fork) {
    int ends[2];
    talker t = {0};
    talk_pair(SOCK_STREAM, ends);
    talker_begin(&t, ends[0], DATA);
    port_polls(1);
    port_write(ends[1], "x");
    EXPECT_INT(test_child(speaks_in_child, &t), 0);
    port_write(ends[1], "y");
    port_polls(2);
    EXPECT_STR(t.data, "y");
    talker_end(&t);
    close(ends[1]);
}

TEST_MAIN()
