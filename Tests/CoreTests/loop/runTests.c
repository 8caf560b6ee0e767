/* The order of one run and one iteration, each asserted as one string (R30 to R39). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <unistd.h>

static int pipe_ends[2];

static void open_pipe_with_a_byte(void) {
    REQUIRE(pipe(pipe_ends) == 0);
    REQUIRE(write(pipe_ends[1], "x", 1) == 1);
}

static void close_pipe(void) {
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

/* Traces every activity of the default mode, before all other observers. */
static GYRunLoopObserverRef trace_all(void) {
    return loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
}

static void perform_word(const char *word) {
    EXPECT(GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, loop_traces, (void *)word,
                            NULL));
}

static void trace_and_perform(void *word) {
    loop_traces(word);
    perform_word("block");
}

static void timer_traces_and_performs(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    trace_and_perform(word);
}

/* The order of a whole run. */

/* R30, R31 */
LOOP_TEST(a_run_without_work_goes_round_once_and_waits) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    loop_drop(keep);
    loop_drop(observer);
}

/* R31, R35, R38: steps 3, 4 and 11 run blocks; the source keeps the iteration from waiting. */
LOOP_TEST(an_iteration_runs_blocks_then_sources_then_blocks_and_does_not_wait) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, trace_and_perform, "source"));
    GYRunLoopSourceSignal(source);
    perform_word("first");
    EXPECT_INT(loop_run_until_idle(kGYRunLoopDefaultMode), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources first source block "
                                  "timers sources wait wake exit");
    loop_drop(source);
    loop_drop(observer);
}

/* R31, R35 */
LOOP_TEST(a_timer_fires_after_the_wake_and_its_block_runs_in_the_same_iteration) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.005, 0, timer_traces_and_performs, "timer"));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer block exit");
    loop_drop(timer);
    loop_drop(observer);
}

static void take_byte_and_perform(void *word) {
    char byte;
    EXPECT_INT(read(pipe_ends[0], &byte, 1), 1);
    trace_and_perform(word);
}

/* R31, R35 */
LOOP_TEST(a_port_is_served_after_the_wake_and_its_block_runs_in_the_same_iteration) {
    open_pipe_with_a_byte();
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef port =
        loop_in(kGYRunLoopDefaultMode, loop_port(pipe_ends[0], take_byte_and_perform, "port"));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake port block exit");
    loop_drop(port);
    loop_drop(observer);
    close_pipe();
}

static void wake_then_stop(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *count) {
    (void)observer;
    (void)activity;
    if (atomic_fetch_add((atomic_int *)count, 1) == 0) {
        GYRunLoopWakeUp(GYRunLoopGetCurrent());
    } else {
        GYRunLoopStop(GYRunLoopGetCurrent());
    }
}

/* R31: the first wait ends by the wake-up, the second by the stop. */
LOOP_TEST(a_wake_up_is_an_iteration_with_nothing_served) {
    atomic_int count = 0;
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef waker =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeWaiting, true, 1, wake_then_stop, &count));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timers sources wait wake exit");
    loop_drop(waker);
    loop_drop(keep);
    loop_drop(observer);
}

static void remove_source(GYRunLoopTimerRef timer, void *source) {
    (void)timer;
    GYRunLoopSourceInvalidate(source);
    test_trace("removed");
}

static void stop_in_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *word) {
    (void)observer;
    (void)activity;
    loop_stops(word);
}

/* R30: one run for each of the four results. */
LOOP_TEST(every_entry_has_its_exit_whatever_ends_the_run) {
    GYRunLoopObserverRef ends =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, NULL, NULL));
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, loop_timer_stops, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    loop_drop(timer);
    timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, remove_source, source));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "entry exit entry exit entry exit entry removed exit");
    loop_drop(timer);
    loop_drop(source);
    loop_drop(ends);
}

/* R30, R46 */
LOOP_TEST(a_run_stopped_by_an_entry_observer_makes_no_iteration) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "source"));
    GYRunLoopObserverRef stopper = loop_in(
        kGYRunLoopDefaultMode, loop_observer(kGYRunLoopEntry, true, 1, stop_in_observer, "stop"));
    GYRunLoopSourceSignal(source);
    perform_word("block");
    EXPECT_INT(loop_run(0), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry stop exit");
    loop_drop(stopper);
    loop_drop(source);
    loop_drop(observer);
}

static void run_nested(void *mode) {
    test_trace("(");
    EXPECT_INT(loop_poll(mode), kGYRunLoopRunTimedOut);
    test_trace(")");
}

/* R30: the nested run is a whole run of its own, inside step 4 of the outer one. */
LOOP_TEST(a_nested_run_is_a_whole_run_inside_the_callout) {
    GYRunLoopMode inner = GYSTR("inner");
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopObserverRef nested_observer =
        loop_in(inner, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceRef keep = loop_keep(inner);
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, run_nested, (void *)inner));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run_until_idle(kGYRunLoopDefaultMode), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources ( entry timers sources exit ) "
                                  "timers sources wait wake exit");
    loop_drop(source);
    loop_drop(keep);
    loop_drop(nested_observer);
    loop_drop(observer);
}

/* Polling. */

/* R32, F43 */
LOOP_TEST(a_polling_iteration_skips_the_waiting_activities) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources exit");
    loop_drop(keep);
    loop_drop(observer);
}

/* R32, F52, F77: once, though it repeats and is due again by then. */
LOOP_TEST(a_polling_iteration_fires_a_due_timer_once) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopTimerRef timer = loop_timer(-1, 1e-9, timer_traces_and_performs, "timer");
    loop_in(kGYRunLoopDefaultMode, timer);
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources timer block exit");
    loop_drop(timer);
    loop_drop(observer);
}

/* R32, R93 */
LOOP_TEST(a_polling_iteration_serves_a_ready_port) {
    open_pipe_with_a_byte();
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef port =
        loop_in(kGYRunLoopDefaultMode, loop_port(pipe_ends[0], take_byte_and_perform, "port"));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "entry timers sources port block exit");
    loop_drop(port);
    loop_drop(observer);
    close_pipe();
}

/* R31, R32: having performed a source, the iteration polls, and still serves the due timer. */
LOOP_TEST(an_iteration_that_performed_a_source_still_fires_a_due_timer) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "source"));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 0, loop_timer_stops, "timer"));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources source timer exit");
    loop_drop(timer);
    loop_drop(source);
    loop_drop(observer);
}

/* What takes effect when. */

static void signal_source(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *source) {
    (void)observer;
    (void)activity;
    GYRunLoopSourceSignal(source);
}

/* R39 */
LOOP_TEST(a_source_signalled_before_sources_is_performed_in_the_same_iteration) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_stops, "source"));
    GYRunLoopObserverRef signaller =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeSources, false, 1, signal_source, source));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources source exit");
    loop_drop(signaller);
    loop_drop(source);
    loop_drop(observer);
}

static GYRunLoopTimerRef added_timer;

static void add_due_timer(void *word) {
    loop_traces(word);
    added_timer = loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 0, loop_timer_stops, "timer"));
}

/* R39 */
LOOP_TEST(a_timer_added_by_a_source_fires_in_the_same_iteration) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, add_due_timer, "source"));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources source timer exit");
    loop_drop(added_timer);
    loop_drop(source);
    loop_drop(observer);
}

static void add_due_timer_in_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                      void *word) {
    (void)observer;
    (void)activity;
    add_due_timer(word);
}

/* R39: the step that waits looks at the timers after the observers of step 7. */
LOOP_TEST(a_timer_added_before_waiting_ends_that_wait) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef adder =
        loop_in(kGYRunLoopDefaultMode, loop_observer(kGYRunLoopBeforeWaiting, false, 1,
                                                     add_due_timer_in_observer, "adds"));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait adds wake timer exit");
    loop_drop(added_timer);
    loop_drop(adder);
    loop_drop(keep);
    loop_drop(observer);
}

static void remove_and_wake(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                            void *source) {
    (void)observer;
    if (activity == kGYRunLoopEntry) GYRunLoopSourceInvalidate(source);
    if (activity == kGYRunLoopBeforeWaiting) GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

/* R39, R41, R153 */
LOOP_TEST(a_mode_emptied_by_an_entry_observer_ends_the_run_after_its_first_iteration) {
    GYRunLoopObserverRef observer = trace_all();
    GYRunLoopSourceRef source = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef remover =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopAllActivities, true, 1, remove_and_wake, source));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    loop_drop(remover);
    loop_drop(source);
    loop_drop(observer);
}

static void trace_waiting(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *unused) {
    (void)observer;
    (void)activity;
    (void)unused;
    test_trace("%d", GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
}

static void trace_waiting_in_timer(GYRunLoopTimerRef timer, void *unused) {
    trace_waiting(NULL, 0, unused);
    (void)timer;
}

/* R37, R152: seen from the outside it is true; loop_worker_start waits for that. */
LOOP_TEST(no_callout_finds_its_loop_waiting) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopAllActivities, true, 1, trace_waiting, NULL));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.002, 0, trace_waiting_in_timer, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "0 0 0 0 0 0 0");
    loop_drop(timer);
    loop_drop(observer);
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    EXPECT(GYRunLoopIsWaiting(worker.rl));
    loop_worker_drop(&worker);
}

TEST_MAIN()
