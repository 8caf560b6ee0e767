/* What a source asks of its descriptor, changed while modes hold it. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static void open_socket_pair(int ends[2]) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
}

static void set(const port *p, uint32_t events) {
    errno = 0;
    EXPECT(GYRunLoopSourceSetEvents(p->source, events));
    EXPECT_INT(errno, 0);
}

static uint32_t events_of(const port *p) {
    GYRunLoopSourceContext2 context = {.version = 2};
    GYRunLoopSourceGetContext(p->source, (GYRunLoopSourceContext *)&context);
    return context.events;
}

/* R220 */
LOOP_TEST(a_source_is_performed_for_the_events_that_were_set_last) {
    int ends[2];
    open_socket_pair(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    port_write(ends[1], "x");
    set(&p, 0);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    set(&p, EPOLLOUT);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLOUT);
    set(&p, EPOLLIN | EPOLLOUT);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLIN | EPOLLOUT);
    set(&p, EPOLLIN);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLIN);
    EXPECT_INT(p.performs, 3);
    EXPECT_INT(events_of(&p), EPOLLIN);
    loop_drop(p.source);
    port_close(ends);
}

/* R220 */
LOOP_TEST(events_that_are_none_are_left_out) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, 0);
    set(&p, EPOLLIN | EPOLLET | EPOLLONESHOT | EPOLLERR);
    EXPECT_INT(events_of(&p), EPOLLIN);
    port_write(ends[1], "x");
    port_polls(3);
    EXPECT_INT(p.performs, 3);
    loop_drop(p.source);
    port_close(ends);
}

/* R220: also before any mode holds it, and while it is in none. */
LOOP_TEST(events_set_outside_a_mode_hold_in_the_next_one) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_make2(&p, EPOLLIN);
    port_write(ends[1], "x");
    set(&p, 0);
    loop_in(DEFAULT, p.source);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    port_leave(&p, DEFAULT);
    set(&p, EPOLLIN);
    loop_in(DEFAULT, p.source);
    port_polls(2);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    port_close(ends);
}

/* R220 */
LOOP_TEST(events_are_set_in_every_mode_of_every_loop) {
    int ends[2];
    loop_worker worker;
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, 0);
    loop_in(OTHER, p.source);
    loop_worker_start(&worker, GYSTR("worker"));
    GYRunLoopAddSource(worker.rl, p.source, GYSTR("worker"));
    loop_wait_asleep(worker.rl);
    port_write(ends[1], "x");
    port_polls(1);
    loop_poll(OTHER);
    loop_wait_asleep(worker.rl);
    EXPECT_INT(p.performs, 0);
    GYRunLoopRemoveSource(worker.rl, p.source, GYSTR("worker"));
    set(&p, EPOLLIN);
    port_polls(1);
    loop_poll(OTHER);
    EXPECT_INT(p.performs, 2);
    set(&p, 0);
    port_polls(1);
    loop_poll(OTHER);
    EXPECT_INT(p.performs, 2);
    loop_worker_drop(&worker);
    loop_drop(p.source);
    port_close(ends);
}

static void reads_and_signals(port *self) { test_event_signal(self->info); }

/* R220 */
LOOP_TEST(a_sleeping_loop_learns_of_events_that_another_thread_sets) {
    int ends[2];
    loop_worker worker;
    test_event performed = TEST_EVENT_INIT;
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 1, .act = reads_and_signals, .info = &performed};
    port_make2(&p, 0);
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopAddSource(worker.rl, p.source, DEFAULT);
    port_write(ends[1], "x");
    loop_wait_asleep(worker.rl);
    set(&p, EPOLLIN);
    test_event_wait(&performed);
    loop_worker_drop(&worker);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    port_close(ends);
}

static void turns_off(port *self) {
    port *victim = self->info;
    if (victim->source != NULL) GYRunLoopSourceSetEvents(victim->source, 0);
}

/* R220, R95: what was fetched together with what performs now. */
LOOP_TEST(events_that_were_fetched_and_are_not_waited_for_any_more_are_not_performed) {
    int ends[2][2];
    port ports[2] = {{.act = turns_off}, {.act = turns_off}};
    for (int i = 0; i < 2; i++) {
        port_pipe(ends[i]);
        ports[i].fd = ends[i][0];
        ports[i].info = &ports[1 - i];
        port_watch2(&ports[i], EPOLLIN);
        port_write(ends[i][1], "x");
    }
    port_polls(4);
    EXPECT_INT(ports[0].performs + ports[1].performs, 4);
    EXPECT(ports[0].performs == 0 || ports[1].performs == 0);
    for (int i = 0; i < 2; i++) {
        loop_drop(ports[i].source);
        port_close(ends[i]);
    }
}

/* R220: nobody waits for it, so it costs one look of the kernel's and no iteration. */
LOOP_TEST(what_is_not_waited_for_wakes_nobody) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    port_polls(1);
    set(&p, 0);
    port_write(ends[1], "x");
    EXPECT_INT(port_iterations_of_run(0.05), 1);
    EXPECT_INT(p.performs, 0);
    set(&p, EPOLLIN);
    port_polls(1);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    port_close(ends);
}

/* R220: several sources of one descriptor do not disturb each other. */
LOOP_TEST(each_source_of_a_descriptor_is_performed_for_its_own_events) {
    int ends[2];
    open_socket_pair(ends);
    port reader = {.fd = ends[0]}, writer = {.fd = ends[0]};
    port_watch2(&reader, EPOLLIN);
    port_watch2(&writer, EPOLLOUT);
    set(&writer, 0);
    port_write(ends[1], "x");
    port_polls(4);
    EXPECT(reader.performs >= 2);
    EXPECT_INT(writer.performs, 0);
    set(&writer, EPOLLOUT);
    set(&reader, 0);
    reader.performs = 0;
    port_polls(4);
    EXPECT_INT(reader.performs, 0);
    EXPECT_INT(writer.performs, 4);
    EXPECT_INT(writer.events, EPOLLOUT);
    loop_drop(reader.source);
    loop_drop(writer.source);
    port_close(ends);
}

/* R220, R97 */
LOOP_TEST(a_hang_up_is_told_again_when_its_events_are_asked_for_again) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    close(ends[1]);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    set(&p, EPOLLIN);
    port_polls(2);
    EXPECT_INT(p.performs, 1);
    set(&p, 0);
    set(&p, EPOLLIN);
    port_polls(3);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    close(ends[0]);
}

static void asks_for_room(port *self) {
    if (self->performs == 1) GYRunLoopSourceSetEvents(self->source, EPOLLIN | EPOLLOUT);
}

/* R220, R97: a half of the connection is closed, and the other one is still of use. */
LOOP_TEST(room_to_write_can_be_asked_for_after_the_end_was_told) {
    int ends[2];
    open_socket_pair(ends);
    port p = {.fd = ends[0], .act = asks_for_room};
    port_watch2(&p, EPOLLIN);
    shutdown(ends[1], SHUT_WR);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLIN | EPOLLRDHUP);
    port_polls(2);
    EXPECT_INT(p.events, EPOLLOUT);
    EXPECT_INT(p.performs, 3);
    loop_drop(p.source);
    port_close(ends);
}

/* R220, R91 */
LOOP_TEST(an_eventfd_that_was_told_is_told_again_when_it_is_asked_for_again) {
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
    port_watch2(&p, EPOLLIN);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    set(&p, 0);
    port_polls(1);
    set(&p, EPOLLIN);
    port_polls(3);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    close(p.fd);
}

/* R220, R91: what came while nobody waited for it. */
LOOP_TEST(an_edge_that_came_while_it_was_not_waited_for_is_not_lost) {
    port p = {.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    port_watch2(&p, EPOLLIN);
    port_polls(1);
    set(&p, 0);
    uint64_t one = 1;
    REQUIRE(write(p.fd, &one, sizeof one) == sizeof one);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    set(&p, EPOLLIN);
    port_polls(2);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    close(p.fd);
}

/* R220, R89: a file is always ready for what is asked, and lets the loop sleep for the rest. */
LOOP_TEST(a_file_of_which_nothing_is_asked_lets_the_loop_sleep) {
    port p = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    port_watch2(&p, EPOLLIN);
    port_polls(2);
    EXPECT_INT(p.performs, 2);
    EXPECT_INT(p.events, EPOLLIN);
    set(&p, 0);
    EXPECT_INT(port_iterations_of_run(0.05), 1);
    EXPECT_INT(p.performs, 2);
    set(&p, EPOLLIN | EPOLLOUT);
    port_polls(1);
    EXPECT_INT(p.events, EPOLLIN | EPOLLOUT);
    loop_drop(p.source);
    close(p.fd);
}

/* R220 */
LOOP_TEST(events_of_a_closed_descriptor_are_refused_and_the_source_falls_silent) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    close(ends[0]);
    errno = 0;
    EXPECT(!GYRunLoopSourceSetEvents(p.source, EPOLLIN | EPOLLPRI));
    EXPECT(errno == EBADF || errno == ENOENT);
    EXPECT_INT(events_of(&p), EPOLLIN | EPOLLPRI);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    loop_drop(p.source);
    close(ends[1]);
}

/* R220, F72: the file lives on in a duplicate, where nobody waits for it. */
LOOP_TEST(a_closed_descriptor_with_a_duplicate_that_nobody_waits_for_does_not_make_the_loop_spin) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, EPOLLIN);
    port_polls(1);
    set(&p, 0);
    int duplicate = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    close(ends[0]);
    port_write(ends[1], "x");
    test_capture_log();
    EXPECT(port_iterations_of_run(0.05) <= 2);
    EXPECT_INT(p.performs, 0);
    loop_drop(p.source);
    close(duplicate);
    close(ends[1]);
}

typedef struct {
    port *target;
    atomic_bool ends;
} toggler;

static void toggles(void *given) {
    toggler *self = given;
    while (!atomic_load(&self->ends)) {
        GYRunLoopSourceSetEvents(self->target->source, 0);
        GYRunLoopSourceSetEvents(self->target->source, EPOLLIN);
    }
}

/* R220: the port enters and leaves while another thread sets its events. */
LOOP_TEST(events_set_while_the_source_is_being_added_hold) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_make2(&p, EPOLLIN);
    port_write(ends[1], "x");
    toggler other = {.target = &p};
    pthread_t thread = test_thread_start(toggles, &other);
    for (int i = 0; i < 2000; i++) {
        loop_in(DEFAULT, p.source);
        if (i % 8 == 0) port_polls(1);
        if (i < 1999) port_leave(&p, DEFAULT);
    }
    atomic_store(&other.ends, true);
    test_thread_join(thread);
    p.performs = 0;
    port_polls(2);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    port_close(ends);
}

/* R220 */
TEST(setting_events_of_what_has_none_is_refused_and_reported) {
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL), port1 = loop_port(-1, NULL, NULL);
    test_capture_log();
    EXPECT(!GYRunLoopSourceSetEvents(NULL, EPOLLIN));
    EXPECT_STR(test_log(), "gyre: GYRunLoopSourceSetEvents: the source is NULL (R170)");
    EXPECT(!GYRunLoopSourceSetEvents(source, EPOLLIN));
    EXPECT(!GYRunLoopSourceSetEvents(port1, EPOLLIN));
    EXPECT_STR(test_log(), "gyre: GYRunLoopSourceSetEvents: not a source of version 2 (R220)\n"
                           "gyre: GYRunLoopSourceSetEvents: not a source of version 2 (R220)");
    loop_drop(source);
    loop_drop(port1);
}

/* R220 */
TEST(setting_events_of_an_invalid_source_changes_nothing) {
    port p = {.fd = 0};
    port_make2(&p, EPOLLIN);
    GYRunLoopSourceInvalidate(p.source);
    test_capture_log();
    set(&p, 0);
    EXPECT_STR(test_log(), "");
    GYRelease(p.source);
}

TEST_MAIN()
