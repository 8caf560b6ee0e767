/* File descriptors: what they are called back for, and how often. */
#define _GNU_SOURCE 1
#include "sources/descriptor.h"

#include <errno.h>
#include <sys/eventfd.h>

/* ---- one-shot ---- */

/* R221 */
LOOP_TEST(nothing_is_enabled_at_first) {
    int ends[2];
    watch w = {0};
    watch_sockets(ends);
    w.fd = ends[0];
    watch_begin(&w, 0);
    port_write(ends[1], "x");
    port_polls(2);
    EXPECT_INT(w.calls, 0);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    EXPECT_INT(errno, 0);
    port_polls(2);
    EXPECT_INT(w.calls, 1);
    EXPECT_INT(w.types, READ);
    watch_end(&w);
    port_close(ends);
}

/* R221 */
LOOP_TEST(a_callback_is_called_once_each_time_it_is_enabled) {
    int ends[2];
    watch w = {0};
    port_pipe(ends);
    port_write(ends[1], "unread");
    w.fd = ends[0];
    watch_begin(&w, READ);
    for (int i = 1; i <= 3; i++) {
        port_polls(3);
        EXPECT_INT(w.calls, i);
        GYFileDescriptorEnableCallBacks(w.object, READ);
        GYFileDescriptorEnableCallBacks(w.object, READ);
    }
    watch_end(&w);
    port_close(ends);
}

/* R221: what the callback leaves is there for the next call. */
LOOP_TEST(a_callback_that_enables_itself_gets_all_data_piece_by_piece) {
    int ends[2];
    watch w = {.reads = 3, .again = READ};
    port_pipe(ends);
    port_write(ends[1], "ten bytes!");
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(6);
    EXPECT_STR(w.data, "ten bytes!");
    EXPECT_INT(w.calls, 4);
    watch_end(&w);
    port_close(ends);
}

/* R221 */
LOOP_TEST(each_type_is_disabled_by_its_own_callback_alone) {
    int ends[2];
    watch w = {0};
    watch_sockets(ends);
    w.fd = ends[0];
    watch_begin(&w, READ | WRITE);
    port_polls(2);
    EXPECT_INT(w.types, WRITE);
    EXPECT_INT(w.calls, 1);
    port_write(ends[1], "x");
    port_polls(2);
    EXPECT_INT(w.types, READ);
    EXPECT_INT(w.calls, 2);
    watch_end(&w);
    port_close(ends);
}

/* R221 */
LOOP_TEST(what_holds_together_is_told_in_one_call) {
    int ends[2];
    watch w = {0};
    watch_sockets(ends);
    port_write(ends[1], "x");
    w.fd = ends[0];
    watch_begin(&w, READ | WRITE);
    port_polls(3);
    EXPECT_INT(w.types, READ | WRITE);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    port_close(ends);
}

static void disables_other(watch *self) {
    watch *other = self->info;
    GYFileDescriptorDisableCallBacks(other->object, READ);
}

/* R221, R95: of the same batch. */
LOOP_TEST(a_callback_that_was_disabled_is_not_called_though_its_readiness_was_seen) {
    int ends[2][2];
    watch w[2] = {{.act = disables_other}, {.act = disables_other}};
    for (int i = 0; i < 2; i++) {
        port_pipe(ends[i]);
        port_write(ends[i][1], "x");
        w[i].fd = ends[i][0];
        w[i].info = &w[1 - i];
        watch_begin(&w[i], READ);
    }
    port_polls(4);
    EXPECT_INT(w[0].calls + w[1].calls, 1);
    for (int i = 0; i < 2; i++) {
        watch_end(&w[i]);
        port_close(ends[i]);
    }
}

enum { EVENTS = 10000 };

static void *writes_events(void *end) {
    for (int i = 0; i < EVENTS; i++) {
        char byte = (char)i;
        while (write(*(int *)end, &byte, 1) != 1) sched_yield();
    }
    return NULL;
}

static void writes(void *end) { writes_events(end); }

static int bytes_seen;

static void counts_a_byte(GYFileDescriptorRef f, GYOptionFlags types, void *stop_at) {
    char byte;
    (void)types;
    if (read(GYFileDescriptorGetNativeDescriptor(f), &byte, 1) == 1) {
        EXPECT(byte == (char)bytes_seen);
        bytes_seen++;
    }
    GYFileDescriptorEnableCallBacks(f, READ);
    if (bytes_seen == *(int *)stop_at) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R221: an event between the read and the enabling is not lost, nor one between that and the wait.
 * The loop sleeps without a limit, so a lost one would end the case by its own. */
LOOP_TEST(no_event_is_lost_while_callbacks_are_enabled_again_and_again) {
    int ends[2], all = EVENTS;
    port_pipe(ends);
    GYFileDescriptorContext context = {.info = &all};
    GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, ends[0], false, counts_a_byte, &context);
    GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    loop_in(DEFAULT, source);
    GYFileDescriptorEnableCallBacks(f, READ);
    pthread_t writer = test_thread_start(writes, &ends[1]);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_INT(bytes_seen, EVENTS);
    test_thread_join(writer);
    GYFileDescriptorInvalidate(f);
    GYRelease(source);
    GYRelease(f);
    port_close(ends);
}

typedef struct {
    watch *target;
    test_event *called;
} hand_over;

static void tells(watch *self) {
    char byte;
    while (read(self->fd, &byte, 1) == 1) continue;
    test_event_signal(((hand_over *)self->info)->called);
}

/* R221: from a thread that is not the loop's, while that sleeps. */
LOOP_TEST(a_sleeping_loop_learns_that_another_thread_has_enabled_a_callback) {
    int ends[2];
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    port_pipe(ends);
    watch w = {.fd = ends[0], .act = tells};
    hand_over h = {.target = &w};
    w.info = &h;
    watch_make(&w, 0);
    w.source = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 0);
    GYRunLoopAddSource(worker.rl, w.source, DEFAULT);
    for (int i = 0; i < 200; i++) {
        test_event called = TEST_EVENT_INIT;
        h.called = &called;
        if (i % 2 == 0) port_write(ends[1], "x");
        if (i % 3 == 0) loop_wait_asleep(worker.rl);
        GYFileDescriptorEnableCallBacks(w.object, READ);
        if (i % 2 == 1) port_write(ends[1], "x");
        test_event_wait(&called);
    }
    loop_worker_drop(&worker);
    EXPECT_INT(w.calls, 200);
    watch_end(&w);
    port_close(ends);
}

/* ---- persistent ---- */

/* R222 */
LOOP_TEST(a_persistent_callback_is_called_until_it_is_disabled) {
    int ends[2];
    watch w = {.persists = true};
    port_pipe(ends);
    port_write(ends[1], "unread");
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(4);
    EXPECT_INT(w.calls, 4);
    GYFileDescriptorDisableCallBacks(w.object, READ);
    port_polls(3);
    EXPECT_INT(w.calls, 4);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    port_polls(1);
    EXPECT_INT(w.calls, 5);
    watch_end(&w);
    port_close(ends);
}

/* R222: a level, also where a source of version 1 has an edge. */
LOOP_TEST(an_eventfd_is_ready_for_as_long_as_it_can_be_read) {
    watch w = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .persists = true};
    watch_begin(&w, READ);
    port_polls(3);
    EXPECT_INT(w.calls, 3);
    w.reads = 8;
    port_polls(3);
    EXPECT_INT(w.calls, 4);
    watch_end(&w);
    close(w.fd);
}

/* R222: room to write, as long as it is asked for. */
LOOP_TEST(types_of_a_persistent_callback_change_one_by_one) {
    int ends[2];
    watch w = {.persists = true};
    watch_sockets(ends);
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(1);
    EXPECT_INT(w.calls, 0);
    GYFileDescriptorEnableCallBacks(w.object, WRITE);
    port_polls(2);
    EXPECT_INT(w.calls, 2);
    EXPECT_INT(w.types, WRITE);
    port_write(ends[1], "x");
    port_polls(1);
    EXPECT_INT(w.types, READ | WRITE);
    GYFileDescriptorDisableCallBacks(w.object, WRITE);
    port_polls(1);
    EXPECT_INT(w.types, READ);
    watch_end(&w);
    port_close(ends);
}

/* ---- hang-ups and errors ---- */

/* R221 */
LOOP_TEST(the_end_of_a_pipe_is_something_to_read) {
    int ends[2];
    watch w = {0};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&w, READ);
    close(ends[1]);
    port_polls(3);
    EXPECT_INT(w.types, READ);
    EXPECT_INT(w.calls, 1);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    port_polls(3);
    EXPECT_INT(w.calls, 2);
    watch_end(&w);
    close(ends[0]);
}

/* R221 */
LOOP_TEST(a_hang_up_is_told_apart_where_that_is_asked_for) {
    int ends[2];
    watch w = {0};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&w, READ | HANG_UP | ERROR);
    close(ends[1]);
    port_polls(3);
    EXPECT_INT(w.types, READ | HANG_UP);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    close(ends[0]);
}

/* R221 */
LOOP_TEST(an_error_is_told_apart_where_that_is_asked_for) {
    int ends[2];
    watch told = {.again = 0}, plain = {.again = 0};
    port_pipe(ends);
    told.fd = ends[1];
    plain.fd = fcntl(ends[1], F_DUPFD_CLOEXEC, 0);
    while (write(ends[1], "full", 4) > 0) continue;
    watch_begin(&told, ERROR | HANG_UP);
    watch_begin(&plain, WRITE);
    port_polls(2);
    EXPECT_INT(told.calls + plain.calls, 0);
    close(ends[0]);
    port_polls(4);
    EXPECT_INT(told.types, ERROR);
    EXPECT_INT(plain.types, WRITE);
    EXPECT_INT(told.calls + plain.calls, 2);
    watch_end(&told);
    watch_end(&plain);
    close(plain.fd);
    close(ends[1]);
}

/* R221: half a connection. */
LOOP_TEST(the_end_of_what_the_peer_sends_is_a_hang_up_and_leaves_room_to_write) {
    int ends[2];
    watch w = {.persists = true};
    watch_sockets(ends);
    w.fd = ends[0];
    watch_begin(&w, READ | HANG_UP);
    shutdown(ends[1], SHUT_WR);
    port_polls(3);
    EXPECT_INT(w.types, READ | HANG_UP);
    EXPECT_INT(w.calls, 1);
    GYFileDescriptorEnableCallBacks(w.object, WRITE);
    port_polls(2);
    EXPECT_INT(w.types, WRITE);
    EXPECT_INT(w.calls, 3);
    watch_end(&w);
    port_close(ends);
}

/* R221, R97: no busy loop, whatever is enabled. */
LOOP_TEST(a_hang_up_that_nobody_reads_does_not_make_the_loop_spin) {
    static const GYOptionFlags types[] = {0, READ, WRITE, HANG_UP, ERROR, READ | WRITE | HANG_UP};
    for (size_t i = 0; i < 2 * (sizeof types / sizeof types[0]); i++) {
        int ends[2];
        watch w = {.persists = i % 2 == 0};
        watch_sockets(ends);
        w.fd = ends[0];
        watch_begin(&w, types[i / 2]);
        GYFileDescriptorDisableCallBacks(w.object, WRITE);
        port_write(ends[0], "never read, so the peer's end is an error");
        close(ends[1]);
        EXPECT(port_iterations_of_run(0.01) <= 3);
        EXPECT(w.calls <= 1);
        watch_end(&w);
        close(ends[0]);
    }
}

/* ---- several on one descriptor ---- */

/* R221 */
LOOP_TEST(several_objects_on_one_descriptor_are_called_each_for_its_own) {
    int ends[2];
    watch reader = {.again = READ}, writer = {0}, idle = {0};
    watch_sockets(ends);
    reader.fd = writer.fd = idle.fd = ends[0];
    watch_begin(&reader, READ);
    watch_begin(&writer, WRITE);
    watch_begin(&idle, 0);
    port_write(ends[1], "x");
    port_polls(6);
    EXPECT_INT(writer.calls, 1);
    EXPECT_INT(writer.types, WRITE);
    EXPECT(reader.calls >= 4);
    EXPECT_INT(reader.types, READ);
    EXPECT_INT(idle.calls, 0);
    watch_end(&writer);
    port_polls(2);
    EXPECT_INT(reader.types, READ);
    watch_end(&reader);
    GYFileDescriptorEnableCallBacks(idle.object, READ);
    port_polls(2);
    EXPECT_INT(idle.calls, 1);
    watch_end(&idle);
    port_close(ends);
}

/* R221: enabled once is called once, in whichever mode. */
LOOP_TEST(an_object_in_several_modes_is_called_once_each_time_it_is_enabled) {
    int ends[2];
    watch w = {0};
    port_pipe(ends);
    port_write(ends[1], "x");
    w.fd = ends[0];
    watch_begin(&w, READ);
    loop_in(OTHER, w.source);
    loop_poll(OTHER);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    EXPECT_INT(w.calls, 1);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    EXPECT_INT(w.calls, 2);
    watch_end(&w);
    port_close(ends);
}

/* R221, F72: a duplicate is another descriptor of the same file. */
LOOP_TEST(duplicates_of_a_file_are_watched_each_by_itself) {
    int ends[2];
    watch first = {.again = READ, .closes = true}, second = {.again = READ};
    port_pipe(ends);
    first.fd = ends[0];
    second.fd = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    watch_begin(&first, READ);
    watch_begin(&second, READ);
    port_write(ends[1], "x");
    port_polls(4);
    EXPECT(first.calls >= 1 && second.calls >= 1);
    watch_end(&first);
    int before = second.calls;
    port_polls(2);
    EXPECT_INT(second.calls, before + 2);
    watch_end(&second);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    close(second.fd);
    close(ends[1]);
}

/* ---- files, and what cannot be watched ---- */

/* R89 */
LOOP_TEST(regular_files_and_directories_are_always_ready) {
    const char *paths[] = {"/proc/self/exe", "/"};
    for (int i = 0; i < 2; i++) {
        watch w = {.fd = open(paths[i], O_RDONLY | O_CLOEXEC), .closes = true};
        watch_begin(&w, READ);
        port_polls(3);
        EXPECT_INT(w.calls, 1);
        EXPECT_INT(port_iterations_of_run(0.01), 1);
        GYFileDescriptorEnableCallBacks(w.object, READ | WRITE);
        port_polls(3);
        EXPECT_INT(w.calls, 2);
        EXPECT_INT(w.types, READ | WRITE);
        watch_end(&w);
    }
}

/* R89, F73: and take turns with others. */
LOOP_TEST(a_persistent_file_leaves_the_others_their_turn) {
    int ends[2];
    watch file = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), .persists = true};
    watch w = {.reads = 1, .again = READ};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&file, READ);
    watch_begin(&w, READ);
    port_write(ends[1], "abc");
    port_polls(8);
    EXPECT_STR(w.data, "abc");
    EXPECT(file.calls >= 3);
    watch_end(&file);
    watch_end(&w);
    close(file.fd);
    port_close(ends);
}

/* R221: a nested run finds it disabled, unless the callback has enabled it by then. */
static void runs_inside(watch *self) {
    if (self->info != NULL) GYFileDescriptorEnableCallBacks(self->object, READ);
    self->info = NULL;
    GYRunLoopRunInMode(DEFAULT, 0, true);
}

LOOP_TEST(a_run_nested_in_a_callback_calls_it_only_if_it_was_enabled) {
    int ends[2];
    watch w = {.act = runs_inside};
    port_pipe(ends);
    port_write(ends[1], "x");
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(3);
    EXPECT_INT(w.calls, 1);
    w.info = &w;
    GYFileDescriptorEnableCallBacks(w.object, READ);
    port_polls(3);
    EXPECT_INT(w.calls, 3);
    watch_end(&w);
    port_close(ends);
}

TEST_MAIN()
