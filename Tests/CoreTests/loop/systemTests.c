/* What the system refuses, takes away or changes: descriptors above all. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#define DEFAULT kGYRunLoopDefaultMode
#define COMMON kGYRunLoopCommonModes
#define OTHER GYSTR("other")

/* Room for descriptors. */

static void limit_descriptors(int count) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = (rlim_t)count;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* Duplicates of one descriptor that take all the room but `left`. */
static int fillers[64], filler_count;

static void leave_room(int left) {
    int fd;
    limit_descriptors(32);
    while ((fd = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0) fillers[filler_count++] = fd;
    while (left-- > 0) close(fillers[--filler_count]);
}

static void give_room_back(void) {
    while (filler_count > 0) close(fillers[--filler_count]);
}

/* One item of each kind, and which of them the loop took. */
typedef struct {
    int ends[2];
    GYRunLoopSourceRef source, port;
    GYRunLoopTimerRef timer;
    GYRunLoopObserverRef observer;
} kinds;

static void traces_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *word) {
    (void)observer;
    (void)activity;
    loop_traces(word);
}

static void make_kinds(kinds *k) {
    port_pipe(k->ends);
    port_write(k->ends[1], "x");
    k->source = loop_source0(0, loop_traces, "source");
    k->port = loop_port(k->ends[0], loop_traces, "port");
    k->timer = loop_timer(-1, 0, loop_timer_traces, "timer");
    k->observer = loop_observer(kGYRunLoopBeforeTimers, true, 0, traces_observer, "observer");
    GYRunLoopSourceSignal(k->source);
}

static void drop_kinds(kinds *k) {
    loop_drop(k->source);
    loop_drop(k->port);
    loop_drop(k->timer);
    loop_drop(k->observer);
    port_close(k->ends);
}

/* R89: an addition went well or changed nothing, and errno tells which. */
static bool add_source(GYRunLoopSourceRef source, GYRunLoopMode mode) {
    errno = EINVAL;
    loop_in(mode, source);
    int error = errno;
    bool there = GYRunLoopContainsSource(GYRunLoopGetCurrent(), source, mode);
    EXPECT_INT(error, there ? 0 : EMFILE);
    return there;
}

static bool add_timer(GYRunLoopTimerRef timer, GYRunLoopMode mode) {
    errno = EINVAL;
    loop_in(mode, timer);
    int error = errno;
    bool there = GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, mode);
    EXPECT_INT(error, there ? 0 : EMFILE);
    return there;
}

/* What was taken works; what was refused can be added when there is room again. */
static void use_with_room(void *left) {
    kinds k;
    make_kinds(&k);
    leave_room(*(int *)left);
    REQUIRE(GYRunLoopGetCurrent() != NULL);
    bool has_source = add_source(k.source, DEFAULT), has_port = add_source(k.port, DEFAULT);
    bool has_timer = add_timer(k.timer, DEFAULT);
    loop_in(DEFAULT, k.observer);
    for (int i = 0; i < 3; i++) loop_poll(DEFAULT);
    const char *trace = test_trace_take();
    EXPECT_INT(strstr(trace, "source") != NULL, has_source);
    EXPECT_INT(strstr(trace, "port") != NULL, has_port);
    EXPECT_INT(strstr(trace, "timer") != NULL, has_timer);
    give_room_back();
    EXPECT(add_source(k.source, DEFAULT));
    EXPECT(add_source(k.port, DEFAULT));
    GYRunLoopTimerSetNextFireDate(k.timer, 0);
    if (!has_timer) EXPECT(add_timer(k.timer, DEFAULT));
    GYRunLoopSourceSignal(k.source);
    for (int i = 0; i < 3; i++) loop_poll(DEFAULT);
    trace = test_trace_take();
    EXPECT(strstr(trace, "source") != NULL && strstr(trace, "port") != NULL);
    drop_kinds(&k);
}

/* R89: no room, room for one descriptor, two ... */
TEST(with_any_room_for_descriptors_an_addition_works_or_changes_nothing) {
    for (int left = 0; left <= 6; left++) test_thread(use_with_room, &left);
}

/* R54, R89: a run whose mode needs nothing of the system keeps its time-out without it. */
static void sleeps_without_room(void *unused) {
    (void)unused;
    GYRunLoopSourceRef source = loop_source0(0, loop_traces, "source");
    leave_room(0);
    int64_t start_ns = test_now_ns();
    if (add_source(source, DEFAULT)) {
        EXPECT_INT(loop_run(0.02), kGYRunLoopRunTimedOut);
        EXPECT(test_now_ns() - start_ns >= 20000000);
    } else {
        EXPECT_INT(loop_run(0.02), kGYRunLoopRunFinished);
    }
    give_room_back();
    loop_drop(source);
}

TEST(a_run_keeps_its_time_out_without_a_single_descriptor) {
    test_thread(sleeps_without_room, NULL);
}

/* R89: what is there already goes on. */
LOOP_TEST(a_refused_port_does_not_disturb_what_is_there) {
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_traces, "source"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.01, 0, loop_timer_traces, "timer"));
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .word = "port"};
    port_make(&p);
    leave_room(0);
    EXPECT(!add_source(p.source, DEFAULT));
    EXPECT(!add_source(p.source, OTHER));
    EXPECT_STR(loop_all_modes_text(GYRunLoopGetCurrent()), "kCFRunLoopDefaultMode");
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.05), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "source timer");
    give_room_back();
    loop_drop(source);
    loop_drop(p.source);
    GYRelease(timer);
    close(p.fd);
}

/* R89, R18: all common modes or none. There is room for the set of one mode. */
LOOP_TEST(a_common_port_that_one_mode_cannot_take_is_in_none) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef here = loop_keep(DEFAULT), there = loop_keep(OTHER);
    GYRunLoopAddCommonMode(rl, OTHER);
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .word = "port"};
    port_make(&p);
    loop_poll(DEFAULT);
    leave_room(1);
    EXPECT(!add_source(p.source, COMMON));
    EXPECT(!GYRunLoopContainsSource(rl, p.source, DEFAULT));
    EXPECT(!GYRunLoopContainsSource(rl, p.source, OTHER));
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "");
    EXPECT(add_source(p.source, OTHER));
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "port");
    give_room_back();
    loop_drop(p.source);
    loop_drop(here);
    loop_drop(there);
    close(p.fd);
}

/* R89, R17 */
LOOP_TEST(a_mode_that_cannot_take_the_common_ports_does_not_become_common) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .word = "port"};
    EXPECT(add_source(port_make(&p), COMMON));
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    leave_room(0);
    errno = 0;
    GYRunLoopAddCommonMode(rl, OTHER);
    EXPECT_INT(errno, EMFILE);
    EXPECT(!GYRunLoopContainsSource(rl, p.source, OTHER));
    give_room_back();
    GYRunLoopSourceRef later = loop_source0(0, NULL, &p);
    GYRunLoopAddSource(rl, later, COMMON);
    EXPECT(!GYRunLoopContainsSource(rl, later, OTHER));
    GYRunLoopAddCommonMode(rl, OTHER);
    EXPECT_INT(errno, 0);
    EXPECT(GYRunLoopContainsSource(rl, p.source, OTHER));
    EXPECT(GYRunLoopContainsSource(rl, later, OTHER));
    loop_drop(later);
    loop_drop(p.source);
    loop_drop(keep);
    close(p.fd);
}

/* R89: modes without a descriptor of their own need none of the system's. */
LOOP_TEST(two_hundred_modes_work_within_sixteen_descriptors) {
    GYRunLoopMode modes[200];
    GYRunLoopSourceRef sources[200];
    GYRunLoopTimerRef timers[200];
    int fired = 0;
    atomic_int performed = 0, firings = 0;
    limit_descriptors(16);
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "mode %d", i);
        modes[i] = GYRunLoopModeNamed(name);
        sources[i] = loop_source0(i, loop_counts, &performed);
        timers[i] = loop_timer(0, 0, loop_timer_counts, &firings);
        EXPECT(add_source(sources[i], modes[i]) && add_timer(timers[i], modes[i]));
        GYRunLoopSourceSignal(sources[i]);
    }
    for (int i = 0; i < 200; i++) fired += loop_poll(modes[i]) == kGYRunLoopRunTimedOut;
    EXPECT_INT(fired, 200);
    EXPECT_INT(atomic_load(&performed), 200);
    EXPECT_INT(atomic_load(&firings), 200);
    for (int i = 0; i < 200; i++) {
        loop_drop(sources[i]);
        GYRelease(timers[i]);
        GYRelease(modes[i]);
    }
}

/* What a loop holds of the system. */

static void counts_descriptors(void *unused) {
    (void)unused;
    int before = test_descriptor_count();
    GYRunLoopSourceRef source = loop_keep(DEFAULT);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.001, 0, loop_timer_stops, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT(test_descriptor_count() <= before + 3);
    int with_loop = test_descriptor_count();
    GYRunLoopSourceRef other = loop_keep(OTHER);
    GYRunLoopRunInMode(OTHER, 0.001, false);
    EXPECT_INT(test_descriptor_count(), with_loop);
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    GYRunLoopSourceRef watched = loop_in(OTHER, loop_port(fd, loop_traces, "port"));
    GYRunLoopRunInMode(OTHER, 0.001, false);
    EXPECT(test_descriptor_count() <= with_loop + 2);
    loop_drop(watched);
    close(fd);
    loop_drop(source);
    loop_drop(other);
    GYRelease(timer);
}

/* Three for a loop, one for a mode that watches a descriptor. */
TEST(a_loop_holds_three_descriptors_and_a_mode_with_a_port_one) {
    test_thread(counts_descriptors, NULL);
    test_thread(counts_descriptors, NULL);
}

/* A child that runs another program inherits nothing. */
LOOP_TEST(all_descriptors_of_a_loop_are_closed_on_exec) {
    bool was_open[128];
    for (int fd = 0; fd < 128; fd++) was_open[fd] = fcntl(fd, F_GETFD) >= 0;
    port p = {.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    port_watch(&p);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.001, 0, loop_timer_stops, NULL));
    loop_run(10);
    int made = 0;
    for (int fd = 0; fd < 128; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (was_open[fd] || flags < 0) continue;
        made++;
        EXPECT((flags & FD_CLOEXEC) != 0);
    }
    EXPECT(made > 1);
    GYRelease(timer);
    loop_drop(p.source);
    close(p.fd);
}

/* Damage. */

static bool leads_to(int fd, const char *kind) {
    char link[64], target[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    return length > 0 && strstr(target, kind) != NULL;
}

static GYRunLoopRef woken_loop;

static void wakes_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(woken_loop);
    GYRunLoopWakeUp(woken_loop);
}

static void stops_loop(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *unused) {
    (void)observer;
    (void)activity;
    (void)unused;
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R150: a counter that is full refuses the write, and a refused write makes no edge. */
LOOP_TEST(a_wake_up_is_not_lost_when_the_counter_of_the_eventfd_is_full) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    int filled = 0;
    loop_run(0.001);
    for (int fd = 0; fd < 128; fd++) {
        if (!leads_to(fd, "[eventfd]")) continue;
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
        filled += eventfd_write(fd, UINT64_MAX - 1) == 0;
    }
    EXPECT_INT(filled, 1);
    loop_run(0.001);
    woken_loop = GYRunLoopGetCurrent();
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAfterWaiting, true, 0, stops_loop, NULL));
    for (int i = 0; i < 3; i++) {
        pthread_t thread = test_thread_start(wakes_when_asleep, NULL);
        EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
        test_thread_join(thread);
    }
    loop_drop(observer);
    loop_drop(keep);
}

/* Closes the loop's own descriptors of a kind: in a child, for their numbers are then at large. */
static void runs_without(void *kind) {
    atomic_int firings = 0;
    GYRunLoopSourceRef source = loop_in(OTHER, loop_source0(0, loop_traces, "source"));
    GYRunLoopTimerRef timer = loop_timer(0.001, 0.001, loop_timer_counts, &firings);
    loop_in(OTHER, timer);
    GYRunLoopRunInMode(OTHER, 0.005, false);
    test_capture_log();
    for (int fd = 3; fd < 128; fd++) {
        if (leads_to(fd, kind)) close(fd);
    }
    atomic_store(&firings, 0);
    GYRunLoopSourceSignal(source);
    int64_t start_ns = test_now_ns();
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 0.05, false), kGYRunLoopRunTimedOut);
    EXPECT(test_now_ns() - start_ns >= 50000000);
    EXPECT(atomic_load(&firings) > 0);
    EXPECT_STR(test_trace_take(), "source");
    const char *log = test_log();
    EXPECT(strchr(log, '\n') == NULL);
    if (strcmp(kind, "[eventpoll]") == 0) EXPECT(strstr(log, "gyre: ") != NULL);
    GYRelease(timer);
}

/* R89: reported once; timers, time-outs and signalled sources go on with what is left. */
TEST(a_loop_goes_on_when_somebody_closes_its_descriptors) {
    static const char *const own[] = {"[eventpoll]", "[timerfd]", "[eventfd]"};
    for (int i = 0; i < 3; i++) EXPECT_INT(test_child(runs_without, (void *)own[i]), 0);
}

TEST_MAIN()
