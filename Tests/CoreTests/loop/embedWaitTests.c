/* The descriptor of an embedding: readable for everything that the loop has to do, and for nothing
 * else (R301, F86). */
#define _GNU_SOURCE 1
#include "support/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYClock.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#define MODE GYSTR("embedded")

static GYRunLoopEmbeddingRef prepared(void) {
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    return e;
}

/* What another thread does while the loop sleeps. */
typedef struct other {
    GYRunLoopRef rl;
    GYRunLoopTimerRef timer;
    GYRunLoopSourceRef source;
    int fd;
} other;

/* Lets another thread do something, which has to make the descriptor readable; dispatches until
 * `count` is there. */
static void expect_told(GYRunLoopEmbeddingRef e, test_function what, other *o, atomic_int *count) {
    pthread_t thread = test_thread_start(what, o);
    while (atomic_load(count) == 0) EMBED_GOES_ON(embed_turn(e));
    test_thread_join(thread);
    EXPECT_INT(atomic_load(count), 1);
    embed_until_idle(e);
}

static atomic_int count;
static void counts(void *unused) {
    (void)unused;
    atomic_fetch_add(&count, 1);
}

static void add_timer(void *info) {
    other *o = info;
    GYRunLoopAddTimer(o->rl, o->timer, MODE);
}
static void move_timer(void *info) {
    other *o = info;
    GYRunLoopTimerSetNextFireAt(o->timer, test_now_ns() + 1000000);
}
static void signal_and_wake(void *info) {
    other *o = info;
    GYRunLoopSourceSignal(o->source);
    GYRunLoopWakeUp(o->rl);
}
static void add_source(void *info) {
    other *o = info;
    GYRunLoopAddSource(o->rl, o->source, MODE);
}
static void perform_and_wake(void *info) {
    other *o = info;
    EXPECT(GYRunLoopPerform(o->rl, MODE, counts, NULL, NULL));
    GYRunLoopWakeUp(o->rl);
}
static void write_byte(void *info) { EXPECT_INT(write(((other *)info)->fd, "x", 1), 1); }

LOOP_TEST(a_timer_that_another_thread_adds_is_told) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = prepared();
    other o = {.rl = GYRunLoopGetCurrent(),
               .timer = loop_timer(0.002, 0, loop_timer_counts, &count)};
    expect_told(e, add_timer, &o, &count);
    embed_drop(e);
    loop_drop(o.timer);
    loop_drop(keep);
}

LOOP_TEST(a_timer_that_another_thread_moves_is_told) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    other o = {.timer = loop_in(MODE, loop_timer(1000, 0, loop_timer_counts, &count))};
    GYRunLoopEmbeddingRef e = prepared();
    expect_told(e, move_timer, &o, &count);
    embed_drop(e);
    loop_drop(o.timer);
    loop_drop(keep);
}

LOOP_TEST(a_signal_with_a_wake_up_and_performed_work_are_told) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, loop_counts, &count));
    GYRunLoopEmbeddingRef e = prepared();
    other o = {.rl = GYRunLoopGetCurrent(), .source = source};
    expect_told(e, signal_and_wake, &o, &count);
    atomic_store(&count, 0);
    expect_told(e, perform_and_wake, &o, &count);
    embed_drop(e);
    loop_drop(source);
}

static int port_end = -1;
static void takes_byte(void *unused) {
    char byte;
    EXPECT_INT(read(port_end, &byte, 1), 1);
    counts(unused);
}

/* The mode's first descriptor: from then on it waits in a set of its own. */
LOOP_TEST(the_first_descriptor_of_a_mode_is_told_from_another_thread) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    port_end = ends[0];
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = prepared();
    other o = {
        .rl = GYRunLoopGetCurrent(), .source = loop_port(ends[0], takes_byte, NULL), .fd = ends[1]};
    test_thread(add_source, &o);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e)); /* nothing has come, but the set is another */
    EXPECT(!embed_is_readable(e, 0));
    expect_told(e, write_byte, &o, &count);
    /* A second one, while the first is there. */
    GYRunLoopRemoveSource(o.rl, o.source, MODE);
    atomic_store(&count, 0);
    EXPECT_INT(write(ends[1], "x", 1), 1);
    expect_told(e, add_source, &o, &count);
    embed_drop(e);
    loop_drop(o.source);
    loop_drop(keep);
    close(ends[0]);
    close(ends[1]);
}

/* Added by the host itself between the two. */
LOOP_TEST(what_the_host_adds_is_told) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    port_end = ends[0];
    EXPECT_INT(write(ends[1], "x", 1), 1);
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = prepared();
    GYRunLoopSourceRef port = loop_in(MODE, loop_port(ends[0], takes_byte, NULL));
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    embed_until_idle(e);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.001, 0, loop_timer_counts, &count));
    while (atomic_load(&count) == 1) EMBED_GOES_ON(embed_turn(e));
    embed_until_idle(e);
    EXPECT_INT(atomic_load(&count), 2);
    embed_drop(e);
    loop_drop(port);
    loop_drop(timer);
    loop_drop(keep);
    close(ends[0]);
    close(ends[1]);
}

/* F86: due, readable; after the pass, not any more. */
LOOP_TEST(a_due_timer_makes_it_readable_until_it_has_fired) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.01, 0, loop_timer_counts, &count));
    int64_t deadline_ns = GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    embed_wait(e);
    EXPECT(test_now_ns() >= deadline_ns);
    EXPECT_INT(atomic_load(&count), 0);
    EXPECT(embed_is_readable(e, 0)); /* a level, not an edge */
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e)); /* of a host that had something else to do */
    EXPECT(embed_is_readable(e, 0));
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_INT(atomic_load(&count), 1);
    EXPECT(embed_is_readable(e, 0)); /* not prepared */
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), INT64_MAX);
    embed_drop(e);
    loop_drop(timer);
    loop_drop(keep);
}

/* R114: a timer put off ends the wait of the host, of whom the run does not hear. */
LOOP_TEST(a_timer_that_was_put_off_is_not_seen_and_leaves_it_quiet) {
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(1000, 0, loop_timer_counts, &count));
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = prepared();
    int64_t soon_ns = test_now_ns() + 20000000;
    GYRunLoopTimerSetNextFireAt(timer, soon_ns);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e)); /* the host's timerfd is set */
    GYRunLoopTimerSetNextFireAt(timer, soon_ns + INT64_C(1000000000000));
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    while (test_now_ns() < soon_ns) {
        embed_wait(e);
        EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    }
    EXPECT(!embed_is_readable(e, 20));
    GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), timer, MODE);
    EXPECT(!embed_is_readable(e, 0));
    EXPECT_STR(test_trace_take(), "entry timers sources wait");
    EXPECT_INT(atomic_load(&count), 0);
    embed_drop(e);
    loop_drop(tracer);
    loop_drop(timer);
}

static void ignores(void *unused) { (void)unused; }

/* R109: the tolerance is used here too. */
LOOP_TEST(the_deadline_is_the_latest_that_all_tolerances_allow) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(1000, 0, loop_timer_counts, &count));
    GYRunLoopTimerSetTolerance(timer, 500);
    GYRunLoopEmbeddingRef e = prepared();
    int64_t first_ns = GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), MODE);
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), first_ns + INT64_C(500000000000));
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), 0);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), 0);
    embed_drop(e);
    loop_drop(timer);
    loop_drop(keep);
}

/* R89: always ready, one turn per iteration. */
LOOP_TEST(a_regular_file_keeps_it_readable) {
    char path[] = "/tmp/embedXXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    unlink(path);
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = prepared();
    GYRunLoopSourceRef file = loop_in(MODE, loop_port(fd, loop_counts, &count));
    for (int i = 0; i < 10; i++) EMBED_GOES_ON(embed_turn(e));
    EXPECT(atomic_load(&count) >= 8);
    EXPECT(embed_is_readable(e, 0));
    loop_drop(file);
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(keep);
    close(fd);
}

/* R99: the mode gets a new set, and the number that the host has stays good. */
LOOP_TEST(a_set_made_anew_does_not_change_the_descriptor) {
    int ends[2], kept[2];
    REQUIRE(pipe(ends) == 0 && pipe(kept) == 0);
    test_capture_log();
    GYRunLoopSourceRef gone = loop_in(MODE, loop_port(ends[0], ignores, NULL));
    port_end = kept[0];
    GYRunLoopSourceRef port = loop_in(MODE, loop_port(kept[0], takes_byte, NULL));
    GYRunLoopEmbeddingRef e = prepared();
    int descriptor = GYRunLoopEmbeddingGetDescriptor(e);
    int duplicate = dup(ends[0]);
    close(ends[0]); /* its file lives on: the registration cannot be deleted */
    loop_drop(gone);
    EXPECT_INT(write(ends[1], "x", 1), 1);
    for (int i = 0; i < 5; i++) EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    embed_until_idle(e);
    EXPECT_INT(write(kept[1], "x", 1), 1);
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    EXPECT_INT(GYRunLoopEmbeddingGetDescriptor(e), descriptor);
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(port);
    close(duplicate);
    close(ends[1]);
    close(kept[0]);
    close(kept[1]);
}

/* Makes the mode replace its set: a descriptor is closed while its file lives on in a duplicate.
 * All numbers are high, so that the sets keep to the lowest. */
static void lose_a_descriptor(void) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    int high = fcntl(ends[0], F_DUPFD_CLOEXEC, 200),
        other_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 200);
    close(ends[0]);
    close(ends[1]);
    GYRunLoopSourceRef gone = loop_in(MODE, loop_port(high, ignores, NULL));
    int duplicate = fcntl(high, F_DUPFD_CLOEXEC, 200);
    close(high);
    loop_drop(gone);
    EXPECT_INT(write(other_end, "x", 1), 1);
    for (int i = 0; i < 5; i++) loop_poll(MODE);
    close(duplicate);
    close(other_end);
}

/* In nested runs, so that the host's side does not see the first one: the second has the number of
 * the set that it knows. */
LOOP_TEST(a_set_with_the_number_of_an_older_one_is_taken_for_another) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    test_capture_log();
    port_end = ends[0];
    GYRunLoopSourceRef port = loop_in(MODE, loop_port(ends[0], takes_byte, NULL));
    GYRunLoopEmbeddingRef e = prepared();
    lose_a_descriptor();
    lose_a_descriptor();
    embed_until_idle(e);
    EXPECT_INT(write(ends[1], "x", 1), 1);
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(port);
    close(ends[0]);
    close(ends[1]);
}

/* The number of descriptors that may be open; returns the old one. */
static rlim_t limit_descriptors(rlim_t number) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t old = limit.rlim_cur;
    limit.rlim_cur = number;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    return old;
}

static rlim_t lowest_free(void) {
    int lowest = dup(0);
    close(lowest);
    return (rlim_t)lowest;
}

/* R89: an addition to two modes fails in the second. The first is empty again, and has a set that
 * nobody needs, but the host waits for it. */
LOOP_TEST(an_addition_that_fails_leaves_the_wait_alone) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode), second = loop_keep(MODE);
    GYRunLoopAddCommonMode(rl, MODE);
    GYRunLoopSourceRef port = loop_port(ends[0], ignores, NULL);
    GYRunLoopAddSource(rl, port, kGYRunLoopDefaultMode);
    GYRunLoopEmbeddingRef e = embed(kGYRunLoopDefaultMode);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    GYRunLoopRemoveSource(rl, port, kGYRunLoopDefaultMode);
    rlim_t old = limit_descriptors(lowest_free());
    GYRunLoopAddSource(rl, port, kGYRunLoopCommonModes);
    int error = errno;
    limit_descriptors(old);
    EXPECT_INT(error, EMFILE);
    EXPECT(!GYRunLoopContainsSource(rl, port, kGYRunLoopDefaultMode));
    GYRunLoopWakeUp(rl);
    EXPECT(embed_is_readable(e, 0));
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    embed_drop(e);
    loop_drop(port);
    loop_drop(keep);
    loop_drop(second);
    close(ends[0]);
    close(ends[1]);
}

/* Wake-ups from many threads: none is lost. */
enum { WAKERS = 4, ROUNDS = 500 };
static void wakes_often(void *info) {
    other *o = info;
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(GYRunLoopPerform(o->rl, MODE, counts, NULL, NULL));
        GYRunLoopWakeUp(o->rl);
        if (i % 16 == 0) test_pause();
    }
}

LOOP_TEST(no_wake_up_is_lost_between_the_host_and_the_loop) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    other o = {.rl = GYRunLoopGetCurrent()};
    pthread_t threads[WAKERS];
    for (int i = 0; i < WAKERS; i++) threads[i] = test_thread_start(wakes_often, &o);
    while (atomic_load(&count) < WAKERS * ROUNDS) EMBED_GOES_ON(embed_turn(e));
    for (int i = 0; i < WAKERS; i++) test_thread_join(threads[i]);
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(keep);
}

/* ---- clocks that the kernel does not know ---- */

static GYManualClockRef go_by_manual_clock(bool advances_itself) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, advances_itself);
    REQUIRE(clock != NULL && GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    return clock;
}

static void move_by_a_second(void *clock) { GYManualClockAdvance(clock, 1000000000); }

/* R301, R312 */
LOOP_TEST(a_manual_clock_makes_it_readable_when_it_is_moved_and_not_before) {
    GYManualClockRef clock = go_by_manual_clock(false);
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(2, 0, loop_timer_counts, &count));
    GYRunLoopEmbeddingRef e = prepared();
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), INT64_MAX);
    test_thread(move_by_a_second, clock);
    embed_until_idle(e);
    EXPECT_INT(atomic_load(&count), 0);
    pthread_t thread = test_thread_start(move_by_a_second, clock);
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    test_thread_join(thread);
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(timer);
    loop_drop(keep);
    GYRelease(clock);
}

/* R301, R313 */
LOOP_TEST(a_clock_that_advances_itself_keeps_it_readable_while_there_are_timers) {
    enum { HOUR = 3600, DAY = 24 };
    GYManualClockRef clock = go_by_manual_clock(true);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(HOUR, HOUR, loop_timer_counts, &count));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), 0);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
    while (atomic_load(&count) < DAY) EMBED_GOES_ON(embed_turn(e));
    EXPECT_INT(GYManualClockGetNow(clock), HOUR * DAY * INT64_C(1000000000));
    embed_drop(e);
    loop_drop(timer);
    GYRelease(clock);
}

/* ---- what the system refuses ---- */

static bool link_is(int fd, const char *wanted) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    return length > 0 && strcmp(target, wanted) == 0;
}

/* R89: nothing is left behind, and it works when there is room again. */
LOOP_TEST(without_descriptors_it_is_not_made) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(MODE);
    EXPECT_INT(GYRunLoopRunInMode(MODE, 0, false), kGYRunLoopRunTimedOut);
    int before = test_descriptor_count();
    for (rlim_t room = 0; room < 3; room++) {
        rlim_t old = limit_descriptors(lowest_free() + room);
        errno = 0;
        EXPECT(GYRunLoopEmbeddingCreate(rl, MODE) == NULL);
        EXPECT_INT(errno, EMFILE);
        limit_descriptors(old);
        EXPECT_INT(test_descriptor_count(), before);
    }
    embed_drop(prepared());
    loop_drop(keep);
}

/* R89, R301: the loop's sets have become other files and cannot be made anew. */
LOOP_TEST(without_a_set_it_is_readable_often_enough) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    port_end = ends[0];
    test_capture_log();
    GYRunLoopSourceRef port = loop_in(MODE, loop_port(ends[0], takes_byte, NULL));
    GYRunLoopEmbeddingRef e = prepared();
    int outer = GYRunLoopEmbeddingGetDescriptor(e), null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 3; fd < 200; fd++) {
        if (fd != outer && link_is(fd, "anon_inode:[eventpoll]")) dup3(null, fd, O_CLOEXEC);
    }
    close(null);
    rlim_t old = limit_descriptors(0);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    limit_descriptors(old);
    test_allow_descriptors(1); /* whose number is nobody's now */
    EXPECT_INT(write(ends[1], "x", 1), 1);
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    embed_wait(e);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    embed_drop(e);
    loop_drop(port);
    close(ends[0]);
    close(ends[1]);
}

/* R301: better busy than deaf. */
LOOP_TEST(without_a_timerfd_it_stays_readable) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = prepared();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = GYRunLoopEmbeddingGetDescriptor(e); fd < 200; fd++) {
        if (link_is(fd, "anon_inode:[timerfd]")) dup3(null, fd, O_CLOEXEC);
    }
    close(null);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.005, 0, loop_timer_counts, &count));
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    embed_drop(e);
    loop_drop(timer);
    loop_drop(keep);
}

/* ---- a host around epoll ---- */

/* F18, F55 */
LOOP_TEST(a_bare_epoll_loop_is_a_host) {
    int host = epoll_create1(EPOLL_CLOEXEC);
    GYRunLoopTimerRef ticks = loop_in(MODE, loop_timer(0.001, 0.001, loop_timer_counts, &count));
    GYRunLoopEmbeddingRef e = embed(MODE);
    struct epoll_event event = {.events = EPOLLIN};
    REQUIRE(epoll_ctl(host, EPOLL_CTL_ADD, GYRunLoopEmbeddingGetDescriptor(e), &event) == 0);
    int waits = 0;
    while (atomic_load(&count) < 20) {
        EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
        EXPECT_INT(epoll_wait(host, &event, 1, 10000), 1);
        EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
        waits++;
    }
    EXPECT(waits <= 20 * 2); /* a tick, and at most one wake for nothing */
    close(host);
    embed_drop(e);
    loop_drop(ticks);
}

TEST_MAIN()
