/* Ports and nested runs: re-entry of a port's callout, and readiness fetched before the nesting. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <gyre/GYString.h>
#include <sys/eventfd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static int depth, deepest, writes_left, write_end;

static void nests_in(GYRunLoopMode mode) {
    if (++depth > deepest) deepest = depth;
    if (depth < 10) loop_poll(mode);
    depth--;
}

static void nests(port *self) {
    (void)self;
    if (writes_left > 0) {
        writes_left--;
        port_write(write_end, "y");
    }
    nests_in(DEFAULT);
}

static void nests_in_other(port *self) {
    (void)self;
    nests_in(OTHER);
}

/* R98: once for what is unread; after the return the port is level-triggered as before. */
LOOP_TEST(a_port_whose_callout_does_not_read_is_reported_once_to_the_runs_nested_in_it) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .act = nests};
    port_watch(&p);
    port_write(ends[1], "x");
    port_polls(1);
    EXPECT_INT(deepest, 2);
    EXPECT_INT(p.performs, 2);
    port_polls(1);
    EXPECT_INT(deepest, 2);
    EXPECT_INT(p.performs, 4);
    loop_drop(p.source);
    port_close(ends);
}

/* R98 */
LOOP_TEST(a_new_arrival_is_reported_to_a_run_nested_in_the_nested_callout) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .act = nests};
    port_watch(&p);
    write_end = ends[1];
    writes_left = 3;
    port_write(ends[1], "x");
    port_polls(1);
    EXPECT_INT(writes_left, 0);
    EXPECT(deepest >= 4 && deepest <= 5);
    loop_drop(p.source);
    port_close(ends);
}

/* R98 */
LOOP_TEST(a_port_is_reported_once_to_a_nested_run_of_another_mode) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .act = nests_in_other};
    port_watch(&p);
    loop_in(OTHER, p.source);
    port_write(ends[1], "x");
    port_polls(1);
    EXPECT_INT(deepest, 2);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    port_close(ends);
}

/* R98, R91: an edge that was told is not told again. */
LOOP_TEST(an_eventfd_is_reported_at_most_once_more_to_the_runs_nested_in_its_callout) {
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .act = nests};
    port_watch(&p);
    port_polls(1);
    EXPECT(deepest <= 2);
    int performs = p.performs;
    port_polls(2);
    EXPECT_INT(p.performs, performs);
    loop_drop(p.source);
    close(p.fd);
}

typedef struct {
    GYRunLoopRef rl;
    int fd;
} later_message;

static void sends_when_asleep(void *info) {
    later_message *message = info;
    loop_wait_asleep(message->rl);
    port_write(message->fd, "second");
}

/* Has the message sent only once the nested run is asleep. */
static void waits_for_the_next_message(port *self) {
    if (self->performs > 1) return;
    later_message message = {GYRunLoopGetCurrent(), write_end};
    pthread_t sender = test_thread_start(sends_when_asleep, &message);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
    test_thread_join(sender);
    EXPECT_STR(self->data, "firstsecond");
}

/* R98 */
LOOP_TEST(a_callback_may_wait_in_a_nested_run_for_the_next_message_of_its_own_port) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 100, .act = waits_for_the_next_message};
    port_watch(&p);
    write_end = ends[1];
    port_write(ends[1], "first");
    port_polls(2);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    port_close(ends);
}

static void read_all(int fd) {
    char bytes[64];
    while (read(fd, bytes, sizeof bytes) > 0) continue;
}

typedef struct {
    port *ports;
    bool nests;
} pair;

/* Takes what the other one has, so that neither is ready any more. */
static void takes_both(port *self) {
    pair *both = self->info;
    read_all(both->ports[0].fd);
    read_all(both->ports[1].fd);
    if (both->nests) loop_poll(OTHER);
}

static void make_pair(pair *both, int ends[2][2]) {
    for (int i = 0; i < 2; i++) {
        port_pipe(ends[i]);
        port_write(ends[i][1], "x");
        both->ports[i] = (port){.fd = ends[i][0], .act = takes_both, .info = both};
        port_watch(&both->ports[i]);
    }
}

static void drop_pair(pair *both, int ends[2][2]) {
    for (int i = 0; i < 2; i++) {
        loop_drop(both->ports[i].source);
        port_close(ends[i]);
    }
}

/* R99: a nested run of any mode makes the loop ask anew. */
LOOP_TEST(readiness_fetched_before_a_nested_run_is_forgotten) {
    port ports[2];
    int ends[2][2];
    pair both = {ports, true};
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    make_pair(&both, ends);
    EXPECT_INT(loop_run(0.02), kGYRunLoopRunTimedOut);
    EXPECT_INT(ports[0].performs + ports[1].performs, 1);
    drop_pair(&both, ends);
    loop_drop(keep);
}

/* R99 */
LOOP_TEST(readiness_fetched_by_one_run_is_forgotten_when_that_run_ends) {
    port ports[2];
    int ends[2][2];
    pair both = {ports, false};
    make_pair(&both, ends);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 0, true), kGYRunLoopRunTimedOut);
    EXPECT_INT(ports[0].performs + ports[1].performs, 1);
    drop_pair(&both, ends);
}

/* R99 */
LOOP_TEST(a_port_whose_bytes_another_callout_has_just_taken_is_performed_once_at_most) {
    port ports[2];
    int ends[2][2];
    pair both = {ports, false};
    make_pair(&both, ends);
    EXPECT(port_iterations_of_run(0.02) <= 3);
    EXPECT(ports[0].performs <= 1 && ports[1].performs <= 1);
    EXPECT(ports[0].performs + ports[1].performs >= 1);
    drop_pair(&both, ends);
}

static void polls_default(port *self) {
    (void)self;
    loop_poll(DEFAULT);
}

/* R99: forgotten level-triggered readiness is there when it is asked for; an edge leaves a mark. */
LOOP_TEST(nothing_is_lost_when_every_callout_of_many_ready_ports_runs_the_loop) {
    port ports[20];
    int ends[10][2];
    for (int i = 0; i < 20; i++) {
        ports[i] = (port){.reads = 8, .act = polls_default};
        if (i < 10) {
            port_pipe(ends[i]);
            port_write(ends[i][1], "x");
            ports[i].fd = ends[i][0];
        } else {
            ports[i].fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        }
        port_watch(&ports[i]);
    }
    port_polls(20);
    for (int i = 0; i < 20; i++) {
        EXPECT_INT(ports[i].performs, 1);
        loop_drop(ports[i].source);
        close(ports[i].fd);
        if (i < 10) close(ends[i][1]);
    }
}

static void runs_other_until_stopped(port *self) {
    (void)self;
    GYRunLoopRunInMode(OTHER, 0.01, false);
}

/* R99: the mark is per mode, so a post that came while another mode ran is told in the first. */
LOOP_TEST(an_eventfd_posted_while_another_mode_runs_is_reported_in_its_own) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    port a = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .reads = 8};
    port b = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .reads = 8};
    a.act = runs_other_until_stopped;
    b.act = runs_other_until_stopped;
    port_watch(&a);
    port_watch(&b);
    port_polls(3);
    EXPECT_INT(a.performs, 1);
    EXPECT_INT(b.performs, 1);
    loop_drop(a.source);
    loop_drop(b.source);
    close(a.fd);
    close(b.fd);
    loop_drop(keep);
}

TEST_MAIN()
