/* What can be a port: each kind of descriptor, and those that are none. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <pty.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static int eventfd_with(unsigned value, int flags) {
    int fd = eventfd(value, EFD_CLOEXEC | EFD_NONBLOCK | flags);
    REQUIRE(fd >= 0);
    return fd;
}

static void drop(port *p) {
    loop_drop(p->source);
    close(p->fd);
}

/* Counters. */

/* R91 */
LOOP_TEST(an_eventfd_that_is_never_read_is_reported_once_for_each_post) {
    port p = {.fd = eventfd_with(0, 0)};
    port_watch(&p);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    for (int posted = 1; posted <= 3; posted++) {
        eventfd_write(p.fd, 1);
        port_polls(3);
        EXPECT_INT(p.performs, posted);
    }
    drop(&p);
}

/* R91 */
LOOP_TEST(several_posts_before_the_report_are_one) {
    port p = {.fd = eventfd_with(0, 0), .reads = 8};
    port_watch(&p);
    for (int i = 0; i < 5; i++) eventfd_write(p.fd, 1);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    uint64_t value = 0;
    memcpy(&value, p.data, sizeof value);
    EXPECT_INT(value, 5);
    drop(&p);
}

/* R91: a callback that reads until there is no more meets EAGAIN, and later posts are told. */
LOOP_TEST(an_eventfd_read_to_the_end_is_reported_again_when_it_is_posted_again) {
    port p = {.fd = eventfd_with(1, 0), .reads_to_end = true};
    port_watch(&p);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    eventfd_write(p.fd, 1);
    port_polls(3);
    EXPECT_INT(p.performs, 2);
    drop(&p);
}

/* R91: once more at most in each mode and after each addition. */
LOOP_TEST(an_unread_eventfd_may_be_reported_once_more_in_another_mode_or_when_added_again) {
    port p = {.fd = eventfd_with(1, 0)};
    port_watch(&p);
    loop_in(OTHER, p.source);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    for (int i = 0; i < 3; i++) loop_poll(OTHER);
    EXPECT(p.performs <= 2);
    port_leave(&p, DEFAULT);
    loop_in(DEFAULT, p.source);
    port_polls(3);
    EXPECT(p.performs <= 3);
    drop(&p);
}

/* R91: a semaphore's count is taken one by one, so it is level-triggered. */
LOOP_TEST(a_semaphore_eventfd_is_reported_while_its_count_is_not_zero) {
    port p = {.fd = eventfd_with(3, EFD_SEMAPHORE), .reads = 8};
    port_watch(&p);
    port_polls(6);
    EXPECT_INT(p.performs, 3);
    p.reads = 0;
    eventfd_write(p.fd, 1);
    port_polls(4);
    EXPECT_INT(p.performs, 7);
    drop(&p);
}

static void stops_at_three(port *self) {
    if (self->performs == 3) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R91. The kernel does not go on with a periodic one that is not read, so it is set each time. */
LOOP_TEST(a_timerfd_that_is_never_read_is_reported_for_each_expiration) {
    port p = {.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    struct itimerspec once = {{0, 0}, {0, 10000000}};
    port_watch(&p);
    for (int expired = 1; expired <= 3; expired++) {
        int64_t start_ns = test_now_ns();
        REQUIRE(timerfd_settime(p.fd, 0, &once, NULL) == 0);
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 20, true), kGYRunLoopRunHandledSource);
        EXPECT(test_now_ns() - start_ns >= 10000000);
        port_polls(2);
        EXPECT_INT(p.performs, expired);
    }
    drop(&p);
}

/* R91 */
LOOP_TEST(a_periodic_timerfd_that_is_read_is_reported_for_each_expiration) {
    port p = {.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), .reads = 8};
    struct itimerspec periodic = {{0, 5000000}, {0, 5000000}};
    p.act = stops_at_three;
    port_watch(&p);
    int64_t start_ns = test_now_ns();
    REQUIRE(timerfd_settime(p.fd, 0, &periodic, NULL) == 0);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    EXPECT_INT(p.performs, 3);
    EXPECT(test_now_ns() - start_ns >= 15000000);
    drop(&p);
}

/* R99: edges that were fetched and not served are kept by a mark. */
LOOP_TEST(posts_to_many_eventfds_are_all_served_by_runs_that_return_after_one) {
    port ports[20];
    for (int i = 0; i < 20; i++) {
        ports[i] = (port){.fd = eventfd_with(1, 0)};
        port_watch(&ports[i]);
    }
    for (int i = 0; i < 20; i++) {
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
    }
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 0, true), kGYRunLoopRunTimedOut);
    for (int i = 0; i < 20; i++) {
        EXPECT_INT(ports[i].performs, 1);
        drop(&ports[i]);
    }
}

/* Files that epoll refuses. */

static int file_with(const char *text) {
    char path[] = "/tmp/gyre-port-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    REQUIRE(fd >= 0);
    unlink(path);
    port_write(fd, text);
    REQUIRE(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void leaves_at_end(port *self) {
    if (self->saw_end) GYRunLoopSourceInvalidate(self->source);
}

/* R89, R90, F23, F73: all its data and then its end. */
LOOP_TEST(a_regular_file_delivers_its_data_and_its_end) {
    port p = {.fd = file_with("some text in a file"), .reads = 4, .act = leaves_at_end};
    port_watch(&p);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(p.data, "some text in a file");
    EXPECT_INT(p.performs, 6);
    drop(&p);
}

/* R89, R33, F73: always ready means one turn in each iteration, beside the others. */
LOOP_TEST(files_that_are_always_ready_take_turns_with_pipes_and_timers) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    port file = {.fd = file_with("")}, other_file = {.fd = file_with("")}, pipe = {.fd = ends[0]};
    atomic_int firings = 0;
    port_watch(&file);
    port_watch(&other_file);
    port_watch(&pipe);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1e-9, loop_timer_counts, &firings));
    port_polls(18);
    EXPECT_INT(atomic_load(&firings), 9);
    EXPECT_INT(file.performs, 3);
    EXPECT_INT(other_file.performs, 3);
    EXPECT_INT(pipe.performs, 3);
    loop_drop(timer);
    drop(&file);
    drop(&other_file);
    loop_drop(pipe.source);
    port_close(ends);
}

/* R89: with and without a run that would wait. */
LOOP_TEST(a_directory_and_a_device_without_poll_are_always_ready) {
    const char *paths[] = {"/", "/dev/null"};
    for (int i = 0; i < 2; i++) {
        port p = {.fd = open(paths[i], O_RDONLY | O_CLOEXEC), .act = stops_at_three};
        REQUIRE(p.fd >= 0);
        errno = EINVAL;
        port_watch(&p);
        EXPECT_INT(errno, 0);
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        EXPECT_INT(p.performs, 3);
        drop(&p);
    }
}

/* R88, R89: the events of an always ready file are those that were asked for. */
LOOP_TEST(an_always_ready_file_reports_the_wanted_events) {
    port p = {.fd = file_with("x")};
    port_watch2(&p, EPOLLIN | EPOLLOUT);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLIN | EPOLLOUT);
    drop(&p);
}

/* Numbers that are no descriptors. */

/* R90, R13 */
LOOP_TEST(a_negative_port_keeps_the_mode_and_never_fires) {
    const int numbers[] = {-1, -2147483647};
    for (int i = 0; i < 2; i++) {
        port p = {.fd = numbers[i]};
        errno = EINVAL;
        port_watch(&p);
        EXPECT_INT(errno, 0);
        EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), p.source, DEFAULT));
        EXPECT_INT(port_iterations_of_run(0.02), 1);
        EXPECT_INT(p.performs, 0);
        loop_drop(p.source);
        EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    }
}

static int closed_number(void) {
    int fd = eventfd_with(0, 0);
    close(fd);
    return fd;
}

/* R89 */
LOOP_TEST(a_closed_descriptor_is_refused_with_ebadf) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    port p = {.fd = closed_number()};
    port_make(&p);
    const GYRunLoopMode modes[] = {DEFAULT, OTHER, kGYRunLoopCommonModes};
    for (int i = 0; i < 3; i++) {
        errno = 0;
        GYRunLoopAddSource(rl, p.source, modes[i]);
        EXPECT_INT(errno, EBADF);
        EXPECT(!GYRunLoopContainsSource(rl, p.source, modes[i]));
    }
    EXPECT(!GYRunLoopContainsSource(rl, p.source, DEFAULT));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(OTHER), kGYRunLoopRunFinished);
    EXPECT_INT(p.performs, 0);
    loop_drop(p.source);
}

/* R89: what was refused can be added later, and errno is 0 then. */
LOOP_TEST(a_source_that_was_refused_can_be_added_once_its_descriptor_is_open) {
    port p = {.fd = closed_number()};
    port_make(&p);
    loop_in(DEFAULT, p.source);
    EXPECT_INT(errno, EBADF);
    p.fd = eventfd_with(1, 0);
    loop_in(DEFAULT, p.source);
    EXPECT_INT(errno, 0);
    port_polls(1);
    EXPECT_INT(p.performs, 1);
    drop(&p);
}

/* R89: one number above what the table of descriptors can hold. */
LOOP_TEST(a_number_that_no_descriptor_has_is_refused_with_ebadf) {
    port p = {.fd = 2147483647};
    port_watch(&p);
    EXPECT_INT(errno, EBADF);
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), p.source, DEFAULT));
    loop_drop(p.source);
}

/* Other descriptors. */

/* R90: an epoll set is ready when one of its own is. */
LOOP_TEST(an_epoll_set_is_a_port) {
    int inner = eventfd_with(0, 0), set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    REQUIRE(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, inner, &event) == 0);
    port p = {.fd = set};
    port_watch(&p);
    port_polls(1);
    EXPECT_INT(p.performs, 0);
    eventfd_write(inner, 1);
    port_polls(1);
    EXPECT_INT(p.performs, 1);
    drop(&p);
    close(inner);
}

static bool is_epoll_set(int fd) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    return length > 0 && strcmp(target, "anon_inode:[eventpoll]") == 0;
}

/* R89: whichever of its own sets a loop is given, nothing of it breaks. */
LOOP_TEST(a_loop_survives_being_given_its_own_epoll_sets) {
    port pipe_port = {.fd = eventfd_with(0, 0)};
    port_watch(&pipe_port);
    port_polls(1);
    for (int fd = 0; fd < 100; fd++) {
        if (!is_epoll_set(fd)) continue;
        port p = {.fd = fd};
        loop_in(DEFAULT, port_make(&p));
        bool taken = GYRunLoopContainsSource(GYRunLoopGetCurrent(), p.source, DEFAULT);
        if (!taken) EXPECT(errno == EINVAL || errno == ELOOP);
        port_polls(2);
        loop_drop(p.source);
    }
    eventfd_write(pipe_port.fd, 1);
    port_polls(2);
    EXPECT_INT(pipe_port.performs, 1);
    drop(&pipe_port);
}

static void accepts_one(port *self) {
    int taken = accept4(self->fd, NULL, NULL, SOCK_CLOEXEC);
    if (taken >= 0) close(taken);
}

/* R92: level-triggered, so that one connection can be accepted in each callout. */
LOOP_TEST(a_listening_socket_is_reported_for_each_waiting_connection) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    port p = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    p.act = accepts_one;
    socklen_t size = sizeof address.sun_family; /* the kernel chooses an abstract name */
    REQUIRE(bind(p.fd, (struct sockaddr *)&address, size) == 0 && listen(p.fd, 5) == 0);
    size = sizeof address;
    REQUIRE(getsockname(p.fd, (struct sockaddr *)&address, &size) == 0);
    port_watch(&p);
    int clients[3];
    for (int i = 0; i < 3; i++) {
        clients[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(connect(clients[i], (struct sockaddr *)&address, size) == 0);
    }
    port_polls(6);
    EXPECT_INT(p.performs, 3);
    for (int i = 0; i < 3; i++) close(clients[i]);
    drop(&p);
}

/* R92, F23: a terminal delivers line by line. */
LOOP_TEST(a_terminal_delivers_what_is_typed) {
    int master, slave;
    REQUIRE(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    fcntl(slave, F_SETFL, O_NONBLOCK);
    port p = {.fd = slave, .reads = 100};
    port_watch(&p);
    port_polls(1);
    EXPECT_INT(p.performs, 0);
    port_write(master, "first\nsecond\n");
    while (p.performs < 2) {
        REQUIRE(GYRunLoopRunInMode(DEFAULT, 10, true) == kGYRunLoopRunHandledSource);
    }
    EXPECT_STR(p.data, "first\nsecond\n");
    drop(&p);
    close(master);
}

TEST_MAIN()
