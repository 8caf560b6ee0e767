/* The main loop serves libdispatch's main queue (R210 to R214). */
#define _GNU_SOURCE 1
#include "support/dispatch.h"
#include "support/embed.h"

#include <gyre/GYDrainPool.h>
#include <gyre/GYString.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void queue_a_stop(void *word) { queue_work(loop_stops, word); }

/* R210 */
MAIN_QUEUE_TEST(work_queued_before_the_run_is_done_in_its_first_iteration) {
    queue_work(loop_traces, "a");
    queue_work(loop_traces, "b");
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "a b");
}

static void stops_on_the_main_thread(void *unused) {
    (void)unused;
    EXPECT_INT(syscall(SYS_gettid), getpid());
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetMain()));
    GYRunLoopStop(GYRunLoopGetMain());
}

static void queue_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(GYRunLoopGetMain());
    queue_work(stops_on_the_main_thread, NULL);
}

/* R210 */
MAIN_QUEUE_TEST(work_queued_by_another_thread_ends_the_sleep) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    pthread_t thread = test_thread_start(queue_when_asleep, NULL);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT(!GYRunLoopIsWaiting(rl));
}

/* R40, R212 */
MAIN_QUEUE_TEST(a_drain_counts_as_a_handled_source) {
    queue_work(loop_traces, "a");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunTimedOut);
    queue_work(loop_traces, "b");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "a b");
}

/* R212: finding the queue is no work. */
MAIN_QUEUE_TEST(a_queue_without_work_counts_as_nothing) {
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.01, true), kGYRunLoopRunTimedOut);
    queue_work(loop_traces, "a");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.01, true), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "a");
}

/* R210 */
MAIN_QUEUE_TEST(it_is_served_in_common_modes_alone) {
    GYRunLoopMode mode = GYSTR("m");
    GYRunLoopSourceRef keep = loop_keep(mode);
    queue_work(loop_traces, "a");
    EXPECT_INT(loop_poll(mode), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYRunLoopRunInMode(mode, 0.01, true), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), mode);
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "a");
    loop_drop(keep);
}

/* R114, R210: nothing of the queue is seen where it is not served. */
MAIN_QUEUE_TEST(work_queued_during_a_run_in_a_private_mode_wakes_nobody_and_is_not_lost) {
    GYRunLoopMode mode = GYSTR("m");
    loop_poll(kGYRunLoopDefaultMode);
    loop_in(mode, loop_trace_observer(kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting));
    GYRunLoopTimerRef stop = loop_in(mode, loop_timer(0.01, 0, loop_timer_stops, "stop"));
    queue_work(loop_traces, "a");
    EXPECT_INT(GYRunLoopRunInMode(mode, 1e20, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "wait wake stop");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "a");
    loop_drop(stop);
}

static void make_common_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(GYRunLoopGetMain());
    GYRunLoopAddCommonMode(GYRunLoopGetMain(), GYSTR("m"));
    queue_a_stop("a");
}

/* R17, R210 */
MAIN_QUEUE_TEST(a_mode_that_becomes_common_while_the_loop_sleeps_in_it_is_served) {
    GYRunLoopSourceRef keep = loop_keep(GYSTR("m"));
    GYRunLoopGetCurrent();
    pthread_t thread = test_thread_start(make_common_when_asleep, NULL);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 1e20, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "a");
    test_thread_join(thread);
    loop_drop(keep);
}

static void queue_in_another_thread(void *unused) {
    (void)unused;
    queue_work(loop_traces, "queue");
}

/* R210 */
MAIN_QUEUE_TEST(the_loop_of_another_thread_does_not_serve_it) {
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    test_thread(queue_in_another_thread, NULL);
    loop_worker_drop(&worker);
    EXPECT_STR(test_trace_take(), "");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "queue");
}

/* R212 */
MAIN_QUEUE_TEST(a_drain_runs_what_was_queued_when_it_began) {
    queue_work(queue_a_stop, "later");
    queue_work(loop_traces, "a");
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "a");
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "later");
}

static void run_nested(void *unused) {
    (void)unused;
    queue_work(loop_traces, "queued-inside");
    test_trace("begin");
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    EXPECT(GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.005, 0, loop_timer_traces, "timer"));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    loop_drop(timer);
    test_trace("end");
}

/* R14, R211 */
MAIN_QUEUE_TEST(a_run_nested_in_a_drain_does_not_serve_it_and_may_be_empty) {
    queue_work(run_nested, NULL);
    queue_work(loop_traces, "queued-behind");
    EXPECT(!GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "begin timer end queued-behind");
    EXPECT(!GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "queued-inside");
}

static void serve_nested(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    queue_work(loop_traces, "queue");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    test_trace("timer");
}

/* R211: it is the drain that shuts nested runs out, not the nesting. */
MAIN_QUEUE_TEST(a_run_nested_in_another_callout_serves_it) {
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, serve_nested, NULL));
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "queue timer");
    loop_drop(timer);
}

static void stop_and_queue(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    test_trace("timer");
    queue_a_stop("queue");
}

/* R31 step 6, R36 */
MAIN_QUEUE_TEST(work_that_is_found_early_skips_the_waiting) {
    loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, stop_and_queue, NULL));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer timers sources queue exit");
    loop_drop(timer);
}

static void traces_and_queues_again(void *left) {
    test_trace("queue");
    if (--*(int *)left > 0) {
        queue_work(traces_and_queues_again, left);
    } else {
        GYRunLoopStop(GYRunLoopGetCurrent());
    }
}

/* R31 step 6, R213: nor does the first iteration look early. */
MAIN_QUEUE_TEST(two_successive_iterations_do_not_both_look_early) {
    int left = 3;
    loop_in(kGYRunLoopDefaultMode,
            loop_trace_observer(kGYRunLoopBeforeSources | kGYRunLoopBeforeWaiting));
    queue_work(traces_and_queues_again, &left);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "sources wait queue sources wait queue sources wait queue");
}

static void defer_and_queue(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    GYDefer(loop_traces, "deferred");
    queue_a_stop("queue");
}

/* R203 */
MAIN_QUEUE_TEST(an_iteration_that_finds_work_early_drains_its_pool_before) {
    loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopBeforeWaiting));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, defer_and_queue, NULL));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "wait deferred queue");
    loop_drop(timer);
}

typedef struct {
    int ends[2];
    GYRunLoopSourceRef source;
    GYRunLoopTimerRef timer;
    int left;
    bool ends_soon;
} busy_loop;

static void queues_for_ever(void *busy) {
    if (((busy_loop *)busy)->ends_soon) return;
    test_trace("queue");
    if (--((busy_loop *)busy)->left == 0) GYRunLoopStop(GYRunLoopGetCurrent());
    queue_work(queues_for_ever, busy);
}

/* Timers that are always due, a port that stays ready and a queue that is never empty. */
static void begin_to_be_busy(busy_loop *busy, int turns) {
    *busy = (busy_loop){.left = turns};
    REQUIRE(pipe(busy->ends) == 0);
    REQUIRE(write(busy->ends[1], "x", 1) == 1);
    busy->source = loop_in(kGYRunLoopDefaultMode, loop_port(busy->ends[0], loop_traces, "port"));
    busy->timer = loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 1e-9, loop_timer_traces, "timer"));
    queue_work(queues_for_ever, busy);
}

static void end_being_busy(busy_loop *busy) {
    loop_drop(busy->source);
    loop_drop(busy->timer);
    close(busy->ends[0]);
    close(busy->ends[1]);
    busy->ends_soon = true;
    loop_poll(kGYRunLoopDefaultMode);
}

/* R33: runs of one iteration each, in which nothing is looked for early. */
MAIN_QUEUE_TEST(timers_queue_and_ports_take_turns_across_runs) {
    busy_loop busy;
    loop_poll(kGYRunLoopDefaultMode);
    begin_to_be_busy(&busy, -1);
    for (int i = 0; i < 8; i++) loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "timer queue timer port timer queue timer port");
    end_being_busy(&busy);
}

static int count_word(const char *text, const char *word) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) count++;
    return count;
}

/* Between two turns of any of them no more than four other turns come. */
static void expect_fair_turns(const char *words) {
    static const char *const kinds[] = {"timer", "queue", "port"};
    for (int i = 0; i < 3; i++) EXPECT(count_word(words, kinds[i]) >= 8);
}

/* R33, R213 */
MAIN_QUEUE_TEST(timers_queue_and_ports_take_turns_within_a_run) {
    busy_loop busy;
    begin_to_be_busy(&busy, 20);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    expect_fair_turns(test_trace_take());
    end_being_busy(&busy);
}

/* R33, R213 */
MAIN_QUEUE_TEST(they_take_turns_where_observers_see_the_waiting) {
    busy_loop busy;
    loop_in(kGYRunLoopDefaultMode, loop_observer(kGYRunLoopBeforeWaiting, true, 0, NULL, NULL));
    begin_to_be_busy(&busy, 20);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    expect_fair_turns(test_trace_take());
    end_being_busy(&busy);
}

/* R33, R213: without ports. */
MAIN_QUEUE_TEST(a_flood_of_work_does_not_starve_timers) {
    busy_loop busy;
    begin_to_be_busy(&busy, 20);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), busy.source, kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT(count_word(test_trace_take(), "queue timer queue timer") >= 9);
    end_being_busy(&busy);
}

static void signals_itself(void *source) { GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)source); }

/* R34 */
MAIN_QUEUE_TEST(a_busy_source_does_not_starve_the_queue) {
    static GYRunLoopSourceRef source;
    loop_poll(kGYRunLoopDefaultMode);
    source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, signals_itself, &source));
    GYRunLoopSourceSignal(source);
    queue_work(queue_a_stop, "a");
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "a");
    loop_drop(source);
}

static void be_stopped_after_work(void *unused) {
    (void)unused;
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
}

/* R7 */
MAIN_QUEUE_TEST(the_child_of_a_fork_does_not_serve_it) {
    queue_work(loop_traces, "a");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "a");
    queue_work(loop_traces, "b");
    EXPECT_INT(test_child(be_stopped_after_work, NULL), 0);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "b");
}

static void fork_inside(void *unused) {
    (void)unused;
    EXPECT_INT(test_child(be_stopped_after_work, NULL), 0);
    test_trace("parent");
}

/* R7 */
MAIN_QUEUE_TEST(a_fork_in_a_drain_leaves_the_queue_to_the_parent) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    queue_work(fork_inside, NULL);
    queue_work(loop_traces, "a");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "parent a");
    loop_drop(keep);
}

/* R89: no descriptor is left for an epoll set. */
MAIN_QUEUE_TEST(it_is_served_where_the_wait_is_done_by_poll) {
    queue_work(loop_traces, "a"); /* libdispatch makes the handle */
    test_capture_log();
    struct rlimit before, limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    limit = before;
    limit.rlim_cur = 4; /* of which the next free one is the handle's, or above */
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "a");
    queue_work(queue_a_stop, "b");
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "b");
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    setrlimit(RLIMIT_NOFILE, &before);
}

/* R210: timers of libdispatch's with the main queue as their target. */
MAIN_QUEUE_TEST(work_for_later_is_done_in_the_loop) {
    dispatch_after_f(dispatch_time(0, 5000000), &_dispatch_main_q, "later", loop_stops);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "later");
}

static void defers(void *word) {
    GYDefer(loop_traces, word);
    test_trace("work");
}

/* R200 */
MAIN_QUEUE_TEST(what_work_defers_goes_into_the_pool_of_the_run) {
    queue_work(defers, "deferred");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "work deferred");
}

static void queue_counts(void *count) {
    loop_wait_asleep(GYRunLoopGetMain());
    queue_work(loop_counts, count);
}

/* R210, R301 */
MAIN_QUEUE_TEST(an_embedded_mode_serves_it_too) {
    atomic_int count = 0;
    GYRunLoopEmbeddingRef e = embed(kGYRunLoopDefaultMode);
    embed_until_idle(e);
    pthread_t thread = test_thread_start(queue_counts, &count);
    while (atomic_load(&count) == 0) EMBED_GOES_ON(embed_turn(e));
    test_thread_join(thread);
    embed_until_idle(e);
    embed_drop(e);
}

TEST_MAIN()
