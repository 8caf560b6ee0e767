/* The other end goes away: hang-ups are told once, and all data before them is. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <gyre/GYString.h>
#include <pty.h>
#include <sys/socket.h>

#define DEFAULT kGYRunLoopDefaultMode

static void open_socket_pair(int ends[2]) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
}

/* R97 */
LOOP_TEST(a_callback_that_reads_piece_by_piece_gets_all_data_and_is_told_the_end_once) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 3};
    port_watch(&p);
    port_write(ends[1], "ten bytes!");
    close(ends[1]);
    port_polls(4);
    EXPECT_STR(p.data, "ten bytes!");
    EXPECT(!p.saw_end);
    port_polls(1);
    EXPECT(p.saw_end);
    port_polls(3);
    EXPECT_INT(p.performs, 5);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97: an end without data. */
LOOP_TEST(the_end_of_an_empty_pipe_is_told_once) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 3};
    port_watch(&p);
    port_polls(1);
    EXPECT_INT(p.performs, 0);
    close(ends[1]);
    EXPECT_INT(port_iterations_of_run(0.05), 2);
    EXPECT_INT(p.performs, 1);
    EXPECT(p.saw_end);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97 */
LOOP_TEST(a_callback_that_does_not_read_is_told_a_hang_up_once_and_cannot_make_the_loop_spin) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    port_write(ends[1], "unread");
    port_polls(2);
    EXPECT_INT(p.performs, 2);
    close(ends[1]);
    EXPECT_INT(port_iterations_of_run(0.05), 2);
    EXPECT_INT(p.performs, 3);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97 */
LOOP_TEST(a_hang_up_is_told_again_when_the_source_is_added_again) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 1};
    port_watch(&p);
    close(ends[1]);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    port_leave(&p, DEFAULT);
    loop_in(DEFAULT, p.source);
    port_polls(3);
    EXPECT_INT(p.performs, 2);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97: what the silent port does not get, the others do. */
LOOP_TEST(a_port_that_has_hung_up_does_not_disturb_the_others) {
    int gone[2], alive[2];
    port_pipe(gone);
    port_pipe(alive);
    port silent = {.fd = gone[0]}, p = {.fd = alive[0], .reads = 1};
    port_watch(&silent);
    port_watch(&p);
    close(gone[1]);
    port_polls(2);
    port_write(alive[1], "ab");
    port_polls(3);
    EXPECT_INT(silent.performs, 1);
    EXPECT_STR(p.data, "ab");
    loop_drop(silent.source);
    loop_drop(p.source);
    close(gone[0]);
    port_close(alive);
}

/* R97, R88 */
LOOP_TEST(a_version_2_source_is_told_which_hang_up_came) {
    int ends[2];
    open_socket_pair(ends);
    port p = {.fd = ends[0], .reads = 10};
    port_watch2(&p, EPOLLIN | EPOLLRDHUP);
    shutdown(ends[1], SHUT_WR);
    port_polls(2);
    EXPECT_INT(p.events, EPOLLIN | EPOLLRDHUP);
    EXPECT_INT(p.performs, 1);
    close(ends[1]);
    port_polls(2);
    EXPECT(p.performs <= 2);
    if (p.performs == 2) EXPECT((p.events & EPOLLHUP) != 0);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97, R88: hang-ups and errors come unasked. */
LOOP_TEST(a_source_that_wants_no_event_is_told_a_hang_up) {
    int ends[2];
    open_socket_pair(ends);
    port p = {.fd = ends[0]};
    port_watch2(&p, 0);
    port_write(ends[1], "x");
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    close(ends[1]);
    port_polls(3);
    EXPECT_INT(p.performs, 1);
    EXPECT((p.events & EPOLLHUP) != 0);
    loop_drop(p.source);
    close(ends[0]);
}

static void fill(int fd) {
    static const char block[4096];
    while (write(fd, block, sizeof block) > 0) continue;
}

/* R97: a writer whose reader is gone. */
LOOP_TEST(the_error_of_a_pipe_without_a_reader_is_told_once) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[1]};
    fill(ends[1]);
    port_watch2(&p, EPOLLOUT);
    port_polls(2);
    EXPECT_INT(p.performs, 0);
    close(ends[0]);
    EXPECT_INT(port_iterations_of_run(0.05), 2);
    EXPECT_INT(p.performs, 1);
    EXPECT((p.events & EPOLLERR) != 0);
    loop_drop(p.source);
    close(ends[1]);
}

/* R97: a socket that was reset. */
LOOP_TEST(data_left_unread_by_the_peer_ends_a_socket_without_a_spin) {
    int ends[2];
    open_socket_pair(ends);
    port p = {.fd = ends[0], .reads = 1};
    port_watch(&p);
    port_write(ends[0], "never read");
    port_write(ends[1], "abc");
    close(ends[1]);
    EXPECT(port_iterations_of_run(0.05) <= 7);
    EXPECT(p.performs >= 1 && p.performs <= 6);
    loop_drop(p.source);
    close(ends[0]);
}

/* R97, F23: the terminal's other side is closed; its reads give EIO. */
LOOP_TEST(a_terminal_that_hangs_up_is_told_once_after_its_data) {
    int master, slave;
    REQUIRE(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    fcntl(master, F_SETFL, O_NONBLOCK);
    port p = {.fd = master, .reads_to_end = true};
    port_watch(&p);
    port_write(slave, "bye");
    close(slave);
    EXPECT(port_iterations_of_run(0.05) <= 3);
    EXPECT_STR(p.data, "bye");
    EXPECT(p.performs >= 1 && p.performs <= 2);
    loop_drop(p.source);
    close(master);
}

static void reads_rest_at_end(port *self) {
    if (self->performs == 2) self->reads = 100;
}

/* R97 */
LOOP_TEST(a_callback_that_takes_more_and_more_is_performed_until_it_takes_nothing) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0], .reads = 1, .act = reads_rest_at_end};
    port_watch(&p);
    port_write(ends[1], "0123456789");
    close(ends[1]);
    port_polls(8);
    EXPECT_INT(p.performs, 4);
    EXPECT_STR(p.data, "0123456789");
    EXPECT(p.saw_end);
    loop_drop(p.source);
    close(ends[0]);
}

TEST_MAIN()
