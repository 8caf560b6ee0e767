/* File descriptors: who keeps them, how they end, and who closes what. */
#define _GNU_SOURCE 1
#include "sources/descriptor.h"

#include <errno.h>
#include <sys/resource.h>

static bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

/* ---- closing ---- */

/* R223 */
LOOP_TEST(the_descriptor_is_closed_only_where_that_was_asked_for) {
    for (int closes = 0; closes <= 1; closes++) {
        int ends[2];
        port_pipe(ends);
        watch w = {.fd = ends[0], .closes = closes != 0};
        watch_begin(&w, READ);
        EXPECT_INT(GYFileDescriptorGetNativeDescriptor(w.object), ends[0]);
        GYFileDescriptorInvalidate(w.object);
        EXPECT(!GYFileDescriptorIsValid(w.object));
        EXPECT_INT(GYFileDescriptorGetNativeDescriptor(w.object), -1);
        EXPECT_INT(is_open(ends[0]), closes == 0);
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
        GYRelease(w.object);
        GYRelease(w.source);
        if (closes == 0) close(ends[0]);
        close(ends[1]);
    }
}

/* R223: the number may be another file's by the second time. */
LOOP_TEST(the_descriptor_is_closed_once) {
    int ends[2];
    port_pipe(ends);
    watch w = {.fd = ends[0], .closes = true};
    watch_begin(&w, READ);
    GYFileDescriptorInvalidate(w.object);
    REQUIRE(dup3(ends[1], ends[0], O_CLOEXEC) == ends[0]);
    GYFileDescriptorInvalidate(w.object);
    GYRelease(w.object);
    GYRelease(w.source);
    EXPECT(is_open(ends[0]));
    port_close(ends);
}

/* R223 */
LOOP_TEST(the_last_release_closes_what_was_never_invalidated) {
    int ends[2];
    port_pipe(ends);
    watch w = {.fd = ends[0], .closes = true};
    watch_begin(&w, READ);
    GYRelease(w.source);
    GYRelease(w.object);
    EXPECT(is_open(ends[0]));
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), w.source, DEFAULT);
    EXPECT(!is_open(ends[0]));
    close(ends[1]);
}

/* R223, F72: the kernel has forgotten the file before its number is free. */
LOOP_TEST(a_file_that_lives_on_in_a_duplicate_is_not_watched_any_more) {
    int ends[2];
    port_pipe(ends);
    watch w = {.fd = ends[0], .closes = true, .persists = true};
    int duplicate = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watch_begin(&w, READ);
    test_capture_log();
    watch_end(&w);
    port_write(ends[1], "x");
    EXPECT_INT(port_iterations_of_run(0.02), 1);
    EXPECT_INT(w.calls, 0);
    EXPECT_STR(test_log(), "");
    loop_drop(keep);
    close(duplicate);
    close(ends[1]);
}

/* R99, F72: the client has closed it too early, and another file has its number. */
LOOP_TEST(a_descriptor_closed_while_it_is_registered_is_not_called_for_the_next_file) {
    int ends[2], others[2];
    port_pipe(ends);
    watch old = {.fd = ends[0]}, new = {.reads = 1, .again = READ};
    watch_begin(&old, READ);
    port_polls(1);
    port_pipe(others);
    REQUIRE(dup3(others[0], ends[0], O_CLOEXEC) == ends[0]); /* closes the old file */
    close(others[0]);
    new.fd = ends[0];
    watch_begin(&new, READ);
    port_write(others[1], "ab");
    port_polls(4);
    EXPECT_INT(old.calls, 0);
    EXPECT_STR(new.data, "ab");
    watch_end(&old);
    port_write(others[1], "c");
    port_polls(2);
    EXPECT_STR(new.data, "abc");
    watch_end(&new);
    close(ends[0]);
    close(ends[1]);
    close(others[1]);
}

/* ---- ending in callbacks ---- */

static void ends_itself(watch *self) {
    watch_end(self);
    close(self->fd);
}

/* R223, F83 */
LOOP_TEST(a_callback_may_invalidate_and_release_its_own_object) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    watch w = {.fd = ends[0], .act = ends_itself, .again = READ};
    watch_begin(&w, READ);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    EXPECT_INT(w.calls, 1);
    close(ends[1]);
}

/* The other one is not called any more, so it does not do the same. */
static void ends_both(watch *self) {
    watch_end(self->info);
    watch_end(self);
}

/* R223, R95, F83: whose readiness came with the same look. */
LOOP_TEST(a_callback_may_end_another_object_whose_turn_was_to_come) {
    for (int closes = 0; closes <= 1; closes++) {
        int ends[2][2];
        watch w[2] = {{.act = ends_both}, {.act = ends_both}};
        for (int i = 0; i < 2; i++) {
            port_pipe(ends[i]);
            port_write(ends[i][1], "x");
            w[i].fd = ends[i][0];
            w[i].closes = closes != 0;
            w[i].info = &w[1 - i];
            watch_begin(&w[i], READ);
        }
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
        EXPECT_INT(w[0].calls + w[1].calls, 1);
        for (int i = 0; i < 2; i++) {
            EXPECT_INT(is_open(ends[i][0]), closes == 0);
            if (closes == 0) close(ends[i][0]);
            close(ends[i][1]);
        }
    }
}

/* ---- sources ---- */

/* R223 */
LOOP_TEST(an_object_has_one_source_for_as_long_as_that_is_valid_and_held) {
    watch w = {.fd = 0};
    watch_make(&w, 0);
    GYRunLoopSourceRef first = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 5);
    GYRunLoopSourceRef same = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 7);
    EXPECT(first == same);
    EXPECT_INT(GYRunLoopSourceGetOrder(same), 5);
    GYRunLoopSourceInvalidate(first);
    EXPECT(GYFileDescriptorIsValid(w.object));
    GYRunLoopSourceRef next = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 7);
    EXPECT(next != first && GYRunLoopSourceIsValid(next));
    EXPECT_INT(GYRunLoopSourceGetOrder(next), 7);
    GYRelease(first);
    GYRelease(same);
    GYFileDescriptorInvalidate(w.object);
    EXPECT(!GYRunLoopSourceIsValid(next));
    EXPECT(GYFileDescriptorCreateRunLoopSource(NULL, w.object, 0) == NULL);
    GYRelease(next);
    GYRelease(w.object);
}

/* R223: what was enabled before there was a source, and with another one. */
LOOP_TEST(what_is_enabled_belongs_to_the_object_and_not_to_its_source) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    watch w = {.fd = ends[0]};
    watch_begin(&w, READ);
    GYRunLoopSourceInvalidate(w.source);
    GYRelease(w.source);
    w.source = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 0);
    loop_in(DEFAULT, w.source);
    port_polls(2);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    port_close(ends);
}

static int releases;

static void *retains(void *info) { return (char *)info + 1; }
static void counts_release(void *info) {
    EXPECT(*(char *)info == 'b');
    releases++;
}
static void no_callback(GYFileDescriptorRef f, GYOptionFlags types, void *info) {
    (void)f, (void)types;
    EXPECT(*(char *)info == 'b');
    EXPECT_INT(releases, 0);
    GYFileDescriptorInvalidate(f);
    EXPECT_INT(releases, 0);
    EXPECT(*(char *)info == 'b');
}

static GYFileDescriptorRef make_counted(int fd) {
    static char text[] = "ab";
    GYFileDescriptorContext context = {.info = text, .retain = retains, .release = counts_release};
    GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, fd, false, no_callback, &context);
    releases = 0;
    return f;
}

/* R223 */
LOOP_TEST(a_mode_keeps_the_object_by_its_source_and_nothing_keeps_itself) {
    int ends[2];
    port_pipe(ends);
    GYFileDescriptorRef f = make_counted(ends[0]);
    GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    loop_in(DEFAULT, source);
    GYRelease(f);
    EXPECT_INT(releases, 0);
    GYRelease(source);
    EXPECT_INT(releases, 0);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, DEFAULT);
    EXPECT_INT(releases, 1);
    f = make_counted(ends[0]);
    GYRelease(GYFileDescriptorCreateRunLoopSource(NULL, f, 0));
    source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    GYRelease(source);
    EXPECT_INT(releases, 0);
    GYRelease(f);
    EXPECT_INT(releases, 1);
    port_close(ends);
}

/* R223: inside, `info` is still there. */
LOOP_TEST(info_is_released_when_the_callback_that_invalidated_has_returned) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    GYFileDescriptorRef f = make_counted(ends[0]);
    GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    loop_in(DEFAULT, source);
    GYFileDescriptorEnableCallBacks(f, READ);
    GYRelease(source);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    EXPECT_INT(releases, 1);
    GYFileDescriptorContext context = {.version = 0, .info = &context};
    GYFileDescriptorGetContext(f, &context);
    EXPECT(context.info == NULL && context.release == counts_release);
    GYRelease(f);
    EXPECT_INT(releases, 1);
    port_close(ends);
}

typedef struct {
    test_event inside, may_return;
    atomic_int releases;
} slow;

static void is_slow(GYFileDescriptorRef f, GYOptionFlags types, void *info) {
    slow *self = info;
    (void)f, (void)types;
    test_event_signal(&self->inside);
    test_event_wait(&self->may_return);
    EXPECT_INT(atomic_load(&self->releases), 0);
}

static void counts_slow_release(void *info) { atomic_fetch_add(&((slow *)info)->releases, 1); }

/* R223 */
LOOP_TEST(info_outlives_a_callback_that_another_thread_invalidates) {
    int ends[2];
    loop_worker worker;
    slow s = {TEST_EVENT_INIT, TEST_EVENT_INIT, 0};
    GYFileDescriptorContext context = {.info = &s, .release = counts_slow_release};
    port_pipe(ends);
    port_write(ends[1], "x");
    loop_worker_start(&worker, DEFAULT);
    GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, ends[0], true, is_slow, &context);
    GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    GYFileDescriptorEnableCallBacks(f, READ);
    GYRunLoopAddSource(worker.rl, source, DEFAULT);
    GYRelease(source);
    test_event_wait(&s.inside);
    GYFileDescriptorInvalidate(f);
    EXPECT(!is_open(ends[0]));
    GYRelease(f);
    EXPECT_INT(atomic_load(&s.releases), 0);
    test_event_signal(&s.may_return);
    TEST_WAIT_UNTIL(atomic_load(&s.releases) == 1);
    loop_worker_drop(&worker);
    EXPECT_INT(atomic_load(&s.releases), 1);
    close(ends[1]);
}

/* ---- the system's limits ---- */

static int fillers[64], filler_count;

static void leave_room(int left) {
    struct rlimit limit;
    int fd;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 32;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while ((fd = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0) fillers[filler_count++] = fd;
    while (left-- > 0) close(fillers[--filler_count]);
}

static void give_room_back(void) {
    while (filler_count > 0) close(fillers[--filler_count]);
}

/* R89: without room for the mode's set of descriptors. */
LOOP_TEST(an_object_whose_source_was_refused_can_be_watched_later) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    watch w = {.fd = ends[0]};
    watch_make(&w, READ);
    w.source = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 0);
    leave_room(0);
    loop_in(DEFAULT, w.source);
    EXPECT_INT(errno, EMFILE);
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), w.source, DEFAULT));
    GYFileDescriptorEnableCallBacks(w.object, READ);
    EXPECT_INT(errno, 0);
    give_room_back();
    loop_in(DEFAULT, w.source);
    EXPECT_INT(errno, 0);
    port_polls(2);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    port_close(ends);
}

/* R221 */
LOOP_TEST(a_descriptor_that_is_not_open_is_refused) {
    GYFileDescriptorContext context = {.version = 0};
    test_capture_log();
    errno = 0;
    EXPECT(GYFileDescriptorCreate(NULL, 1000000, true, no_callback, &context) == NULL);
    EXPECT_INT(errno, EBADF);
    EXPECT_STR(test_log(), "");
}

/* R221, R99 */
LOOP_TEST(enabling_what_the_client_has_closed_is_refused_and_harms_nobody) {
    int ends[2], others[2];
    port_pipe(ends);
    port_pipe(others);
    watch w = {.fd = ends[0]}, other = {.fd = others[0], .reads = 1, .again = READ};
    watch_begin(&w, READ);
    watch_begin(&other, READ);
    close(ends[0]);
    GYFileDescriptorEnableCallBacks(w.object, WRITE);
    EXPECT(errno == EBADF || errno == ENOENT);
    port_write(others[1], "ab");
    port_polls(3);
    EXPECT_STR(other.data, "ab");
    EXPECT_INT(w.calls, 0);
    watch_end(&w);
    watch_end(&other);
    close(ends[1]);
    port_close(others);
}

/* ---- threads and forks ---- */

enum { THREADS = 8, ROUNDS = 250 };

static void comes_and_goes(void *rl) {
    int ends[2];
    port_pipe(ends);
    port_write(ends[1], "x");
    for (int i = 0; i < ROUNDS; i++) {
        int fd = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
        GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, fd, true, is_slow, NULL);
        GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
        GYRunLoopAddSource(rl, source, DEFAULT);
        GYRelease(source);
        GYFileDescriptorEnableCallBacks(f, WRITE);
        GYFileDescriptorDisableCallBacks(f, WRITE);
        GYFileDescriptorInvalidate(f);
        GYRelease(f);
    }
    port_close(ends);
}

/* F97 */
LOOP_TEST(threads_may_make_and_end_objects_of_one_loop_at_once) {
    loop_worker worker;
    pthread_t threads[THREADS];
    loop_worker_start(&worker, DEFAULT);
    for (int i = 0; i < THREADS; i++) threads[i] = test_thread_start(comes_and_goes, worker.rl);
    for (int i = 0; i < THREADS; i++) test_thread_join(threads[i]);
    loop_worker_drop(&worker);
}

static void is_called_in_child(void *given) {
    watch *w = given;
    port_polls(2);
    EXPECT_INT(w->calls, 1);
    GYFileDescriptorEnableCallBacks(w->object, READ);
    port_polls(2);
    EXPECT_INT(w->calls, 2);
    watch_end(w);
    _exit(test_failures() > 0);
}

/* R7: each process has a registration of its own. */
LOOP_TEST(an_object_goes_on_in_the_child_of_a_fork_without_disturbing_the_parents) {
    int ends[2];
    port_pipe(ends);
    watch w = {.fd = ends[0], .closes = true};
    watch_begin(&w, READ);
    port_polls(1);
    port_write(ends[1], "x");
    EXPECT_INT(test_child(is_called_in_child, &w), 0);
    EXPECT_INT(w.calls, 0);
    port_polls(2);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    close(ends[1]);
}

static GYFileDescriptorRef left_behind;

static void ends_with_its_loop(void *given) {
    watch *w = given;
    watch_begin(w, READ);
    left_behind = w->object;
    GYRelease(w->source);
}

/* R4 */
TEST(an_object_outlives_the_loop_that_watched_it) {
    int ends[2];
    port_pipe(ends);
    watch w = {.fd = ends[0], .closes = true};
    test_thread(ends_with_its_loop, &w);
    EXPECT(GYFileDescriptorIsValid(left_behind));
    GYFileDescriptorEnableCallBacks(left_behind, READ);
    EXPECT_INT(errno, 0);
    GYRelease(left_behind);
    EXPECT(!is_open(ends[0]));
    close(ends[1]);
}

TEST_MAIN()
