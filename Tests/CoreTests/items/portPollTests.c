/* Ports of a loop that has lost its epoll set and waits by ppoll: nothing is lost, none is left
 * out, and the loop does not spin. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <gyre/GYTime.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

#define DEFAULT kGYRunLoopDefaultMode
#define MANY 300

/* The number of descriptors that may be open, and that ppoll takes at once; returns the old one. */
static rlim_t limit_descriptors(rlim_t count) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t old = limit.rlim_cur;
    limit.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    return old;
}

static bool is_epoll_set(int fd) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    return length > 0 && strcmp(target, "anon_inode:[eventpoll]") == 0;
}

/* Every epoll set of the process becomes another file, and no new one can be made when the loop
 * finds out. The number of the default mode's set belongs to nobody then. */
static void lose_sets(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 3; fd < 1024; fd++) {
        if (is_epoll_set(fd)) REQUIRE(dup3(null, fd, O_CLOEXEC) == fd);
    }
    close(null);
    rlim_t old = limit_descriptors(0);
    loop_poll(DEFAULT);
    limit_descriptors(old);
    test_allow_descriptors(1);
}

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Runs for a while with nothing to do but wait. A loop that spins would use up the processor. */
#define EXPECT_NO_SPIN()                                                                           \
    do {                                                                                           \
        int64_t before_ns = cpu_ns();                                                              \
        EXPECT_INT(loop_run(0.5), kGYRunLoopRunTimedOut);                                          \
        EXPECT(cpu_ns() - before_ns < 100000000);                                                  \
    } while (0)

static void stops(port *self __attribute__((unused))) { GYRunLoopStop(GYRunLoopGetCurrent()); }

/* A port that is never ready, so that the mode has one. */
static port quiet_port(void) { return (port){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}; }

/* R89, R97: a hang-up is told once, then the port is silent. */
LOOP_TEST(a_hang_up_is_told_once_without_a_set) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 10};
    port_watch(&p);
    lose_sets();
    close(ends[1]);
    EXPECT_NO_SPIN();
    EXPECT_INT(p.performs, 1);
    EXPECT(p.saw_end);
    loop_drop(p.source);
    close(ends[0]);
}

/* R89, R95 */
LOOP_TEST(a_descriptor_that_the_client_closed_does_not_make_a_loop_without_a_set_spin) {
    port quiet = quiet_port(), p = quiet_port();
    port_watch(&quiet);
    port_watch(&p);
    lose_sets();
    close(p.fd);
    EXPECT_NO_SPIN();
    EXPECT_INT(p.performs, 0);
    REQUIRE(eventfd_write(quiet.fd, 1) == 0);
    port_polls(1);
    EXPECT_INT(quiet.performs, 1);
    loop_drop(p.source);
    loop_drop(quiet.source);
    close(quiet.fd);
}

/* R99, R89: the set that reports it cannot be replaced by a new one. */
LOOP_TEST(a_closed_descriptor_with_a_duplicate_does_not_spin_where_no_new_set_can_be_made) {
    int ends[2];
    port_pipe(ends);
    port quiet = quiet_port(), p = {.fd = ends[0]};
    port_watch(&quiet);
    port_watch(&p);
    ends[0] = fcntl(p.fd, F_DUPFD_CLOEXEC, 0);
    close(p.fd);
    loop_drop(p.source);
    test_capture_log();
    rlim_t old = limit_descriptors(0);
    port_write(ends[1], "x");
    EXPECT_NO_SPIN();
    limit_descriptors(old);
    EXPECT(strstr(test_log(), "(R99)") != NULL);
    loop_drop(quiet.source);
    close(quiet.fd);
    port_close(ends);
}

/* R33, R89: more than one call of poll asks for, all ready all the time. */
LOOP_TEST(ports_take_turns_without_a_set_however_many_there_are) {
    static port ports[MANY];
    int ends[2];
    limit_descriptors(MANY + 100);
    port_pipe(ends);
    port_write(ends[1], "x");
    for (int i = 0; i < MANY; i++) {
        ports[i].fd = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
        REQUIRE(ports[i].fd >= 0);
        port_watch(&ports[i]);
    }
    lose_sets();
    int served = 0;
    for (int i = 0; i < MANY; i++) served += ports[i].performs;
    for (; served < 3 * MANY; served++) {
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
    }
    for (int i = 0; i < MANY; i++) {
        EXPECT(ports[i].performs >= 1);
        loop_drop(ports[i].source);
        close(ports[i].fd);
    }
    port_close(ends);
}

/* R89: the last of many is found by a loop that sleeps. */
LOOP_TEST(a_sleeping_loop_without_a_set_sees_each_of_many_ports) {
    static port ports[MANY];
    limit_descriptors(MANY + 100);
    for (int i = 0; i < MANY; i++) {
        ports[i] = quiet_port();
        ports[i].reads = 8;
        port_watch(&ports[i]);
    }
    lose_sets();
    for (int i = 0; i < MANY; i++) {
        REQUIRE(eventfd_write(ports[i].fd, 1) == 0);
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
        EXPECT_INT(ports[i].performs, 1);
    }
    for (int i = 0; i < MANY; i++) {
        loop_drop(ports[i].source);
        close(ports[i].fd);
    }
}

typedef struct {
    GYRunLoopRef rl;
    port *late;
} addition;

static void adds_when_asleep(void *info) {
    addition *self = info;
    loop_wait_asleep(self->rl);
    GYRunLoopAddSource(self->rl, self->late->source, DEFAULT);
}

/* R89: poll takes no notice of what is added while it waits. */
LOOP_TEST(a_port_that_is_added_to_a_sleeping_loop_without_a_set_is_seen) {
    port quiet = quiet_port(), late = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
    late.act = stops;
    port_watch(&quiet);
    lose_sets();
    port_make(&late);
    addition a = {GYRunLoopGetCurrent(), &late};
    pthread_t thread = test_thread_start(adds_when_asleep, &a);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    EXPECT_INT(late.performs, 1);
    test_thread_join(thread);
    loop_drop(late.source);
    loop_drop(quiet.source);
    close(late.fd);
    close(quiet.fd);
}

/* R89, R91: poll knows no edges; what is not read is told again, but not without a pause. */
LOOP_TEST(an_unread_eventfd_does_not_make_a_loop_without_a_set_spin) {
    port p = quiet_port();
    port_watch(&p);
    lose_sets();
    REQUIRE(eventfd_write(p.fd, 1) == 0);
    int64_t start_ns = test_now_ns();
    EXPECT_NO_SPIN();
    int64_t pauses = (test_now_ns() - start_ns) / 10000000;
    EXPECT(p.performs >= 1);
    EXPECT(p.performs <= pauses + 1);
    loop_drop(p.source);
    close(p.fd);
}

static void posts_again(port *self) {
    if (self->performs < 20) REQUIRE(eventfd_write(self->fd, 1) == 0);
    if (self->performs == 20) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R89, R91: also when the new post cannot be told from the old one. */
LOOP_TEST(every_post_to_an_eventfd_that_is_read_is_told_without_a_set) {
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .reads = 8, .act = posts_again};
    port_watch(&p);
    lose_sets();
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    EXPECT_INT(p.performs, 20);
    loop_drop(p.source);
    close(p.fd);
}

static void runs_again(port *self) {
    if (self->performs < 5) loop_run(0.05);
}

/* R89, R98: poll's level is told to nested runs with pauses, so that none recurses without end. */
LOOP_TEST(an_unread_pipe_is_not_told_at_once_again_inside_its_callout_without_a_set) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    port quiet = quiet_port(), p = {.fd = ends[0], .act = runs_again};
    port_watch(&quiet);
    port_watch(&p);
    lose_sets();
    int64_t start_ns = test_now_ns();
    while (p.performs == 0) loop_poll(DEFAULT);
    EXPECT(p.performs <= 2 + (test_now_ns() - start_ns) / 10000000);
    loop_drop(p.source);
    loop_drop(quiet.source);
    close(quiet.fd);
    port_close(ends);
}

/* R89: poll refuses more at once than may be open, so it is asked for fewer. */
LOOP_TEST(a_loop_without_a_set_serves_all_ports_under_a_low_limit) {
    enum { COUNT = 20 };
    port ports[COUNT];
    for (int i = 0; i < COUNT; i++) {
        ports[i] = quiet_port();
        ports[i].reads = 8;
        port_watch(&ports[i]);
    }
    lose_sets();
    test_capture_log();
    rlim_t old = limit_descriptors(3);
    for (int i = 0; i < COUNT; i++) {
        REQUIRE(eventfd_write(ports[i].fd, 1) == 0);
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
        EXPECT_INT(ports[i].performs, 1);
    }
    limit_descriptors(old);
    for (int i = 0; i < COUNT; i++) {
        loop_drop(ports[i].source);
        close(ports[i].fd);
    }
}

static void wakes_and_stops(void *rl) {
    loop_wait_asleep(rl);
    GYRunLoopStop(rl);
}

/* R89, R54: where poll itself is refused, timers, time-outs and stops go on. */
LOOP_TEST(a_loop_that_may_not_even_poll_keeps_its_times_and_does_not_spin) {
    port quiet = quiet_port();
    atomic_int firings = 0;
    port_watch(&quiet);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(60, 0, loop_timer_counts, &firings));
    lose_sets();
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() + 0.05);
    rlim_t old = limit_descriptors(0);
    int64_t start_ns = test_now_ns();
    EXPECT_NO_SPIN();
    EXPECT(test_now_ns() - start_ns >= 500000000);
    EXPECT_INT(atomic_load(&firings), 1);
    pthread_t thread = test_thread_start(wakes_and_stops, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    limit_descriptors(old);
    GYRelease(timer);
    loop_drop(quiet.source);
    close(quiet.fd);
}

typedef struct {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
} waker;

static void asks_for_input(void *given) {
    waker *self = given;
    loop_wait_asleep(self->rl);
    GYRunLoopSourceSetEvents(self->source, EPOLLIN);
}

/* R220, R89: a loop that sleeps in ppoll has asked for what was wanted before. */
LOOP_TEST(events_set_by_another_thread_are_noticed_without_a_set) {
    int ends[2];
    port_pipe(ends);
    port quiet = quiet_port(), p = {.fd = ends[0], .reads = 1, .act = stops};
    port_watch(&quiet);
    port_watch2(&p, 0);
    port_write(ends[1], "x");
    lose_sets();
    waker other = {GYRunLoopGetCurrent(), p.source};
    pthread_t thread = test_thread_start(asks_for_input, &other);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT_STR(p.data, "x");
    loop_drop(p.source);
    loop_drop(quiet.source);
    close(quiet.fd);
    port_close(ends);
}

/* R220 */
LOOP_TEST(what_nobody_waits_for_does_not_spin_without_a_set) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    lose_sets();
    GYRunLoopSourceSetEvents(p.source, 0);
    port_write(ends[1], "x");
    EXPECT_NO_SPIN();
    EXPECT_INT(p.performs, 0);
    GYRunLoopSourceSetEvents(p.source, EPOLLIN);
    port_polls(1);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    port_close(ends);
}

TEST_MAIN()
