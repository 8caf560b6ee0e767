/* Port sources: versions 1 and 2, turns, removal, several sources on one descriptor. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <gyre/GYString.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static GYRunLoopRunResult run_until_handled(double seconds) {
    return GYRunLoopRunInMode(DEFAULT, seconds, true);
}

/* What is performed, and with what. */

/* R92, F5: nothing is read but by the callback. */
LOOP_TEST(all_bytes_of_a_pipe_reach_the_callback) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 5};
    port_watch(&p);
    port_write(ends[1], "twelve bytes");
    port_polls(6);
    EXPECT_INT(p.performs, 3);
    EXPECT_STR(p.data, "twelve bytes");
    loop_drop(p.source);
    port_close(ends);
}

/* R92 */
LOOP_TEST(a_pipe_that_is_not_read_is_reported_again_and_again) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    port_write(ends[1], "x");
    port_polls(4);
    EXPECT_INT(p.performs, 4);
    loop_drop(p.source);
    port_close(ends);
}

/* R93, R32, F31: what was ready before the run is served by its first pass. */
LOOP_TEST(performing_a_port_is_handling_a_source_in_a_polling_run_too) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 1};
    port_watch(&p);
    port_write(ends[1], "xy");
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunHandledSource);
    EXPECT_INT(run_until_handled(10), kGYRunLoopRunHandledSource);
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
    loop_drop(p.source);
    port_close(ends);
}

/* R88 */
LOOP_TEST(a_version_2_source_is_told_which_events_came) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    port reading = {.fd = ends[0], .reads = 10}, both = {.fd = ends[1], .reads = 10};
    port_watch2(&reading, EPOLLIN);
    port_polls(1);
    EXPECT_INT(reading.performs, 0);
    port_write(ends[1], "x");
    port_polls(2);
    EXPECT_INT(reading.events, EPOLLIN);
    EXPECT_INT(reading.performs, 1);
    port_watch2(&both, EPOLLIN | EPOLLOUT);
    port_polls(1);
    EXPECT_INT(both.events, EPOLLOUT);
    port_write(ends[0], "y");
    port_polls(1);
    EXPECT_INT(both.events, EPOLLIN | EPOLLOUT);
    loop_drop(reading.source);
    loop_drop(both.source);
    port_close(ends);
}

/* R88 */
LOOP_TEST(a_version_2_source_without_an_events_callback_uses_the_plain_one) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[1]};
    GYRunLoopSourceContext2 context = {.version = 2, .info = &p, .getPort = port_descriptor};
    context.perform = port_perform;
    context.events = EPOLLOUT;
    p.source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    loop_in(DEFAULT, p.source);
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunHandledSource);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    port_close(ends);
}

/* R96 */
LOOP_TEST(the_descriptor_is_asked_for_when_the_source_is_added_and_not_before) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    GYRunLoopSourceRef source = port_make(&p);
    EXPECT_INT(p.asked, 0);
    loop_in(DEFAULT, source);
    EXPECT(p.asked >= 1);
    loop_drop(source);
    port_close(ends);
}

static int told_descriptor;

static void lists_modes(void *rl) { GYRelease(GYRunLoopCopyAllModes(rl)); }

static int uses_the_loop_from_another_thread(void *rl) {
    test_thread(lists_modes, rl);
    return told_descriptor;
}

/* R174, R170: another thread that needs the lock would wait for ever. */
LOOP_TEST(no_lock_is_held_while_a_source_is_asked_for_its_descriptor) {
    int ends[2];
    port_pipe(ends);
    told_descriptor = ends[0];
    GYRunLoopSourceContext1 context = {.version = 1, .info = GYRunLoopGetCurrent()};
    context.getPort = uses_the_loop_from_another_thread;
    GYRunLoopSourceRef source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    loop_in(DEFAULT, source);
    loop_in(kGYRunLoopCommonModes, source);
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), OTHER);
    EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), source, OTHER));
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, kGYRunLoopCommonModes);
    loop_drop(source);
    port_close(ends);
}

/* R95 */
LOOP_TEST(signalling_a_port_source_does_nothing) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    GYRunLoopSourceSignal(p.source);
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
    EXPECT_INT(p.performs, 0);
    loop_drop(p.source);
    port_close(ends);
}

/* Turns. */

/* R94, R33: one port in each iteration, each of them in turn; their orders are not used. */
LOOP_TEST(ready_ports_take_turns_one_in_each_iteration) {
    port ports[3];
    int ends[3][2];
    for (int i = 0; i < 3; i++) {
        port_pipe(ends[i]);
        ports[i] = (port){.fd = ends[i][0]};
        GYRunLoopSourceContext1 context = {.version = 1, .info = &ports[i]};
        context.getPort = port_descriptor;
        context.perform = port_perform;
        ports[i].source =
            GYRunLoopSourceCreate(kGYAllocatorDefault, -i, (GYRunLoopSourceContext *)&context);
        loop_in(DEFAULT, ports[i].source);
        port_write(ends[i][1], "x");
    }
    port_polls(1);
    EXPECT_INT(ports[0].performs + ports[1].performs + ports[2].performs, 1);
    port_polls(8);
    for (int i = 0; i < 3; i++) EXPECT_INT(ports[i].performs, 3);
    for (int i = 0; i < 3; i++) {
        loop_drop(ports[i].source);
        port_close(ends[i]);
    }
}

static void stops_at_three(port *self) {
    if (self->performs == 3) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R33: due timers first, unless the iteration before served timers while a port was ready. */
LOOP_TEST(a_timer_that_is_always_due_and_a_port_that_is_always_ready_alternate) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .word = "port", .act = stops_at_three};
    port_watch(&p);
    port_write(ends[1], "x");
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1e-9, loop_timer_traces, "timer"));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "timer port timer port timer port");
    port_polls(4);
    EXPECT_STR(test_trace_take(), "timer port timer port");
    loop_drop(timer);
    loop_drop(p.source);
    port_close(ends);
}

static void signals_itself(void *info) { GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)info); }

static void stops(port *self) {
    (void)self;
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R34 */
LOOP_TEST(a_source_that_is_always_signalled_does_not_starve_a_port) {
    int ends[2];
    port_pipe(ends);
    GYRunLoopSourceRef busy = NULL;
    busy = loop_in(DEFAULT, loop_source0(0, signals_itself, &busy));
    GYRunLoopSourceSignal(busy);
    port p = {.fd = ends[0], .act = stops};
    port_watch(&p);
    port_write(ends[1], "x");
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_INT(p.performs, 1);
    loop_drop(busy);
    loop_drop(p.source);
    port_close(ends);
}

/* Removal. */

static void removes_others(port *self) {
    port *ports = self->info;
    for (int i = 0; i < 3; i++) {
        if (&ports[i] != self) port_leave(&ports[i], DEFAULT);
    }
}

static void invalidates_others(port *self) {
    port *ports = self->info;
    for (int i = 0; i < 3; i++) {
        if (&ports[i] != self) GYRunLoopSourceInvalidate(ports[i].source);
    }
}

static void make_three_ready(port ports[3], int ends[3][2], void (*act)(port *)) {
    for (int i = 0; i < 3; i++) {
        port_pipe(ends[i]);
        port_write(ends[i][1], "x");
        ports[i] = (port){.fd = ends[i][0], .reads = 1, .act = act, .info = ports};
        port_watch(&ports[i]);
    }
}

static void drop_three(port ports[3], int ends[3][2]) {
    for (int i = 0; i < 3; i++) {
        loop_drop(ports[i].source);
        port_close(ends[i]);
    }
}

static int performs_of(port ports[3]) {
    return ports[0].performs + ports[1].performs + ports[2].performs;
}

/* R95 */
LOOP_TEST(a_ready_port_that_an_earlier_callback_removed_is_not_performed_until_it_is_added_again) {
    port ports[3];
    int ends[3][2];
    make_three_ready(ports, ends, removes_others);
    EXPECT_INT(loop_run(0.02), kGYRunLoopRunTimedOut);
    EXPECT_INT(performs_of(ports), 1);
    for (int i = 0; i < 3; i++) ports[i].act = NULL;
    for (int i = 0; i < 3; i++) loop_in(DEFAULT, ports[i].source);
    port_polls(4);
    for (int i = 0; i < 3; i++) EXPECT_INT(ports[i].performs, 1);
    drop_three(ports, ends);
}

/* R95, R80 */
LOOP_TEST(a_ready_port_that_an_earlier_callback_invalidated_is_not_performed) {
    port ports[3];
    int ends[3][2];
    make_three_ready(ports, ends, invalidates_others);
    EXPECT_INT(loop_run(0.02), kGYRunLoopRunTimedOut);
    EXPECT_INT(performs_of(ports), 1);
    drop_three(ports, ends);
}

/* R95 */
LOOP_TEST(a_removed_port_source_reports_nothing_and_no_longer_keeps_the_mode) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    port_leave(&p, DEFAULT);
    port_write(ends[1], "x");
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_INT(p.performs, 0);
    loop_drop(p.source);
    port_close(ends);
}

/* Several sources, several modes. */

/* R33: both have their turn; one that is removed does not take the other with it. */
LOOP_TEST(two_sources_on_one_descriptor_are_both_performed) {
    int ends[2];
    port_pipe(ends);
    port a = {.fd = ends[0]}, b = {.fd = ends[0]};
    port_watch(&a);
    port_watch(&b);
    port_write(ends[1], "x");
    port_polls(4);
    EXPECT_INT(a.performs, 2);
    EXPECT_INT(b.performs, 2);
    port_leave(&a, DEFAULT);
    port_polls(2);
    EXPECT_INT(a.performs, 2);
    EXPECT_INT(b.performs, 4);
    loop_drop(a.source);
    loop_drop(b.source);
    port_close(ends);
}

/* R88 */
LOOP_TEST(two_sources_on_one_socket_may_want_different_events) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    port in = {.fd = ends[0], .reads = 1}, out = {.fd = ends[0]};
    port_watch2(&in, EPOLLIN);
    port_watch2(&out, EPOLLOUT);
    port_polls(3);
    EXPECT_INT(in.performs, 0);
    EXPECT_INT(out.performs, 3);
    EXPECT_INT(out.events, EPOLLOUT);
    port_leave(&out, DEFAULT);
    port_write(ends[1], "x");
    port_polls(2);
    EXPECT_INT(out.performs, 3);
    EXPECT_INT(in.performs, 1);
    EXPECT_INT(in.events, EPOLLIN);
    loop_drop(in.source);
    loop_drop(out.source);
    port_close(ends);
}

/* R79, R95: a descriptor in two modes is reported in whichever runs; removed from one it stays. */
LOOP_TEST(a_port_source_may_be_in_several_modes) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    loop_in(OTHER, p.source);
    port_write(ends[1], "x");
    port_polls(1);
    loop_poll(OTHER);
    EXPECT_INT(p.performs, 2);
    port_leave(&p, DEFAULT);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunFinished);
    loop_poll(OTHER);
    EXPECT_INT(p.performs, 3);
    loop_drop(p.source);
    port_close(ends);
}

/* R18, R17 */
LOOP_TEST(a_common_port_source_is_reported_in_modes_that_join_later) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 1};
    loop_in(kGYRunLoopCommonModes, port_make(&p));
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), OTHER);
    port_write(ends[1], "xy");
    loop_poll(OTHER);
    loop_poll(DEFAULT);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    port_close(ends);
}

/* R171, R39: a loop that sleeps without any port in its mode sees one that another thread adds. */
TEST(a_ready_port_added_from_another_thread_is_served_by_a_sleeping_loop) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    atomic_int count = 0;
    GYRunLoopSourceRef source = loop_port(ends[0], loop_counts, &count);
    GYRunLoopAddSource(worker.rl, source, DEFAULT);
    TEST_WAIT_UNTIL(atomic_load(&count) > 0);
    loop_worker_drop(&worker);
    loop_drop(source);
    port_close(ends);
}

static int room_for_descriptors(int wanted) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t needed = (rlim_t)wanted + 100;
    if (limit.rlim_cur < needed) limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < needed ? (int)limit.rlim_cur - 100 : wanted;
}

/* R33, R94: each of a thousand ready descriptors is served once, whatever their number. */
LOOP_TEST(a_thousand_descriptors_are_each_served_once) {
    int count = room_for_descriptors(1000), served = 0;
    port *ports = calloc((size_t)count, sizeof *ports);
    REQUIRE(ports != NULL);
    for (int i = 0; i < count; i++) {
        ports[i].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        REQUIRE(ports[i].fd >= 0);
        ports[i].reads = 8;
        port_watch(&ports[i]);
    }
    for (int i = 0; i < count; i++) REQUIRE(eventfd_write(ports[i * 7919 % count].fd, 1) == 0);
    while (run_until_handled(0) == kGYRunLoopRunHandledSource) served++;
    EXPECT_INT(served, count);
    for (int i = 0; i < count; i++) {
        EXPECT_INT(ports[i].performs, 1);
        loop_drop(ports[i].source);
        close(ports[i].fd);
    }
    free(ports);
}

TEST_MAIN()
