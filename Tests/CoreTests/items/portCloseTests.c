/* Descriptors that a client closes while they are registered, and their numbers used again. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <sys/eventfd.h>

#define DEFAULT kGYRunLoopDefaultMode

static int line_count(const char *text) {
    int count = *text != '\0';
    for (; *text != '\0'; text++) count += *text == '\n';
    return count;
}

/* Opens the read end of a new pipe under a number that has just become free. */
static int pipe_at(int number, const char *text) {
    int ends[2];
    port_pipe(ends);
    if (ends[1] == number) {
        int moved = dup(ends[1]);
        REQUIRE(moved >= 0);
        close(ends[1]);
        ends[1] = moved;
    }
    if (ends[0] != number) {
        REQUIRE(dup3(ends[0], number, O_CLOEXEC) == number);
        close(ends[0]);
    }
    port_write(ends[1], text);
    return ends[1];
}

/* R95 */
LOOP_TEST(closing_a_registered_descriptor_neither_crashes_nor_spins) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    port_write(ends[1], "x");
    port_close(ends);
    EXPECT(port_iterations_of_run(0.05) <= 2);
    loop_drop(p.source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
}

static void closes_own(port *self) {
    close(self->fd);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), self->source, DEFAULT);
}

/* R95: the usual mistake, close and then remove, in the callback itself. */
LOOP_TEST(a_callback_may_close_its_descriptor_before_it_removes_the_source) {
    int ends[2], other[2];
    port_pipe(ends);
    port_pipe(other);
    port p = {.fd = ends[0], .act = closes_own}, q = {.fd = other[0], .reads = 1};
    port_watch(&p);
    port_watch(&q);
    port_write(ends[1], "x");
    port_polls(2);
    port_write(other[1], "y");
    port_polls(2);
    EXPECT_INT(p.performs, 1);
    EXPECT_INT(q.performs, 1);
    loop_drop(p.source);
    loop_drop(q.source);
    close(ends[1]);
    port_close(other);
}

/* R95, R99: the number belongs to another file by then, which another source watches. */
LOOP_TEST(a_source_whose_number_was_reused_is_not_performed_for_the_new_file) {
    int ends[2];
    port_pipe(ends);
    port old = {.fd = ends[0]}, new = {.fd = ends[0], .reads = 1};
    port_watch(&old);
    port_polls(1);
    close(ends[0]);
    int write_end = pipe_at(old.fd, "new");
    port_watch(&new);
    EXPECT_INT(errno, 0);
    port_polls(6);
    EXPECT_INT(old.performs, 0);
    EXPECT_INT(new.performs, 3);
    loop_drop(old.source);
    port_write(write_end, "er");
    port_polls(3);
    EXPECT_STR(new.data, "newer");
    loop_drop(new.source);
    close(new.fd);
    close(write_end);
    close(ends[1]);
}

/* R95: removing the old source leaves the registration of the new file alone, in either order. */
LOOP_TEST(removing_a_source_whose_number_was_reused_does_not_disturb_the_new_one) {
    int ends[2];
    port_pipe(ends);
    port old = {.fd = ends[0]}, new = {.fd = ends[0], .reads = 1};
    port_watch(&old);
    close(ends[0]);
    int write_end = pipe_at(old.fd, "ab");
    port_leave(&old, DEFAULT);
    port_watch(&new);
    port_polls(3);
    EXPECT_INT(old.performs, 0);
    EXPECT_STR(new.data, "ab");
    loop_drop(new.source);
    close(new.fd);
    close(write_end);
    close(ends[1]);
    loop_drop(old.source);
}

typedef struct {
    port victim, fresh;
    int write_end; /* of the file that gets the victim's number */
} takeover;

/* Has the victim's number given to a new file, which is not ready, and watches that. */
static void takes_over(port *self) {
    takeover *change = self->info;
    if (change->write_end != 0) return;
    loop_drop(change->victim.source);
    close(change->victim.fd);
    change->write_end = pipe_at(change->victim.fd, "");
    change->fresh.fd = change->victim.fd;
    port_watch(&change->fresh);
}

/* R95, R99: what was fetched for the old file is not given to the source of the new one. */
LOOP_TEST(an_event_fetched_for_a_closed_file_is_dropped) {
    int ends[2], victims[2];
    port_pipe(ends);
    port_pipe(victims);
    takeover change = {.victim = {.fd = victims[0]}, .fresh = {.reads = 1}};
    port killer = {.fd = ends[0], .reads = 1, .act = takes_over, .info = &change};
    port_watch(&killer);
    port_watch(&change.victim);
    port_write(ends[1], "x");
    port_write(victims[1], "x");
    EXPECT(port_iterations_of_run(0.05) <= 4);
    EXPECT_INT(killer.performs, 1);
    EXPECT_INT(change.fresh.performs, 0);
    port_write(change.write_end, "y");
    port_polls(2);
    EXPECT_STR(change.fresh.data, "y");
    loop_drop(killer.source);
    loop_drop(change.fresh.source);
    close(change.fresh.fd);
    close(change.write_end);
    close(victims[1]);
    port_close(ends);
}

/* R99, F72: epoll watches the open file, which lives on in the duplicate. */
LOOP_TEST(a_closed_descriptor_with_a_duplicate_does_not_make_the_loop_spin_before_its_removal) {
    int ends[2];
    port_pipe(ends);
    port p = {.fd = ends[0]};
    port_watch(&p);
    port_polls(1);
    int duplicate = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    close(ends[0]);
    port_write(ends[1], "x");
    test_capture_log();
    EXPECT(port_iterations_of_run(0.2) <= 1000);
    EXPECT(line_count(test_log()) <= 1);
    loop_drop(p.source);
    close(duplicate);
    close(ends[1]);
}

/* R99, F72: the registration cannot be deleted any more; the mode gets a set without it. */
LOOP_TEST(events_of_a_file_that_lives_on_in_a_duplicate_are_dropped_after_the_removal) {
    int ends[2], others[2];
    port_pipe(ends);
    port_pipe(others);
    port p = {.fd = ends[0]}, other = {.fd = others[0], .reads = 1};
    port_watch(&p);
    port_watch(&other);
    port_polls(1);
    int duplicate = fcntl(ends[0], F_DUPFD_CLOEXEC, 0), count = test_descriptor_count();
    close(ends[0]);
    test_capture_log();
    port_leave(&p, DEFAULT);
    port_write(ends[1], "x");
    EXPECT(port_iterations_of_run(0.05) <= 3);
    EXPECT_INT(p.performs, 0);
    EXPECT_INT(line_count(test_log()), 1);
    port_write(others[1], "ab");
    port_polls(4);
    EXPECT_STR(other.data, "ab");
    EXPECT_STR(test_log(), "");
    EXPECT_INT(test_descriptor_count(), count - 1);
    loop_drop(p.source);
    loop_drop(other.source);
    close(duplicate);
    close(ends[1]);
    port_close(others);
}

/* R99: the old file lives on in a duplicate and its number belongs to a new one. */
LOOP_TEST(a_file_that_lives_on_is_not_taken_for_the_one_that_has_its_number) {
    int ends[2];
    port_pipe(ends);
    port old = {.fd = ends[0]}, new = {.fd = ends[0], .reads = 1};
    port_watch(&old);
    port_polls(1);
    int duplicate = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    close(ends[0]);
    int write_end = pipe_at(old.fd, "");
    test_capture_log();
    GYRunLoopSourceInvalidate(old.source);
    port_watch(&new);
    port_write(ends[1], "x");
    EXPECT(port_iterations_of_run(0.05) <= 4);
    EXPECT_INT(old.performs, 0);
    EXPECT(new.performs == 0);
    port_write(write_end, "y");
    port_polls(2);
    EXPECT_STR(new.data, "y");
    GYRelease(old.source);
    loop_drop(new.source);
    close(new.fd);
    close(write_end);
    close(duplicate);
    close(ends[1]);
}

/* R95: also where the only descriptor of the mode was closed and the mode is run no more. */
LOOP_TEST(a_source_whose_descriptor_was_closed_can_be_given_another_after_its_removal) {
    port p = {.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    port_watch(&p);
    close(p.fd);
    port_leave(&p, DEFAULT);
    p.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    loop_in(DEFAULT, p.source);
    port_polls(2);
    EXPECT_INT(p.performs, 1);
    loop_drop(p.source);
    close(p.fd);
}

TEST_MAIN()
