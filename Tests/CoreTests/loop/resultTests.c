/* Results of runs and stopping (R40 to R48). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <sched.h>
#include <unistd.h>

static GYRunLoopRunResult run_until_source(double seconds) {
    return GYRunLoopRunInMode(kGYRunLoopDefaultMode, seconds, true);
}

/* R40, F10 */
TEST(the_four_results_have_their_numbers) {
    EXPECT_INT(kGYRunLoopRunFinished, 1);
    EXPECT_INT(kGYRunLoopRunStopped, 2);
    EXPECT_INT(kGYRunLoopRunTimedOut, 3);
    EXPECT_INT(kGYRunLoopRunHandledSource, 4);
}

/* R40 */
LOOP_TEST(a_timer_is_no_handled_source) {
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, loop_timer_traces, "t"));
    EXPECT_INT(run_until_source(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "t");
    loop_drop(timer);
}

/* R40, R67, F27 */
LOOP_TEST(a_block_is_no_handled_source) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, loop_traces, "block", NULL);
    EXPECT_INT(run_until_source(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "block");
    loop_drop(keep);
}

/* R40 */
LOOP_TEST(observers_and_timers_that_repeat_are_no_handled_source) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopBeforeSources));
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0.001, 0.001, NULL, NULL));
    EXPECT_INT(run_until_source(0.01), kGYRunLoopRunTimedOut);
    loop_drop(timer);
    loop_drop(observer);
    loop_drop(keep);
}

/* R40 */
LOOP_TEST(a_source_is_reported_as_handled_only_to_who_asks) {
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "s"));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(run_until_source(0), kGYRunLoopRunHandledSource);
    EXPECT_INT(run_until_source(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "s s");
    loop_drop(source);
}

/* R40, R70: a source without a perform callback is performed by doing nothing. */
LOOP_TEST(a_signalled_source_without_a_callback_is_handled) {
    GYRunLoopSourceRef source = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(run_until_source(10), kGYRunLoopRunHandledSource);
    loop_drop(source);
}

/* R40, R93, F31 */
LOOP_TEST(a_port_that_was_ready_before_the_run_is_handled_in_its_first_pass) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    GYRunLoopSourceRef port =
        loop_in(kGYRunLoopDefaultMode, loop_port(ends[0], loop_traces, "port"));
    EXPECT_INT(write(ends[1], "x", 1), 1);
    EXPECT_INT(run_until_source(0), kGYRunLoopRunHandledSource);
    EXPECT_INT(run_until_source(10), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "port port");
    loop_drop(port);
    close(ends[0]);
    close(ends[1]);
}

/* Priority. */

static GYRunLoopSourceRef removed_source;

static void remove_and_stop(void *word) {
    GYRunLoopSourceInvalidate(removed_source);
    loop_stops(word);
}

/* R41 */
LOOP_TEST(handled_source_wins_over_time_out_stop_and_emptiness) {
    removed_source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, remove_and_stop, NULL));
    GYRunLoopSourceSignal(removed_source);
    EXPECT_INT(run_until_source(0), kGYRunLoopRunHandledSource);
    GYRelease(removed_source);
}

/* R41 */
LOOP_TEST(time_out_wins_over_stop_and_emptiness) {
    removed_source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, remove_and_stop, NULL));
    GYRunLoopSourceSignal(removed_source);
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    GYRelease(removed_source);
}

/* R41 */
LOOP_TEST(stop_wins_over_emptiness) {
    removed_source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, remove_and_stop, NULL));
    GYRunLoopSourceSignal(removed_source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    GYRelease(removed_source);
}

/* R41 */
LOOP_TEST(emptiness_is_looked_at_after_the_blocks_of_the_iteration) {
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, loop_timer_traces, "t"));
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, loop_traces, "block", NULL);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "block t");
    loop_drop(timer);
}

/* R41, R47 */
LOOP_TEST(a_stop_that_lost_to_another_result_does_not_stop_the_next_run) {
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_stops, NULL));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(run_until_source(10), kGYRunLoopRunHandledSource);
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    loop_drop(source);
}

/* The form without an end. */

static atomic_int rounds;

static void count_rounds(void *source) {
    if (atomic_fetch_add(&rounds, 1) < 2) {
        GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)source);
    } else {
        GYRunLoopSourceInvalidate(*(GYRunLoopSourceRef *)source);
    }
}

/* R42 */
LOOP_TEST(run_goes_on_after_sources_and_ends_when_the_mode_is_empty) {
    GYRunLoopSourceRef source = NULL;
    source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, count_rounds, &source));
    GYRunLoopSourceSignal(source);
    GYRunLoopRun();
    EXPECT_INT(atomic_load(&rounds), 3);
    GYRelease(source);
}

/* R42, R43 */
LOOP_TEST(run_ends_when_it_is_stopped) {
    GYRunLoopObserverRef ends =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.001, 1, loop_timer_stops, "timer"));
    GYRunLoopRun();
    EXPECT_STR(test_trace_take(), "entry timer exit");
    loop_drop(timer);
    loop_drop(ends);
}

/* Stopping. */

static void stop_when_asleep(void *rl) {
    loop_wait_asleep(rl);
    GYRunLoopStop(rl);
}

/* R43, F56, F88 */
LOOP_TEST(a_stop_from_another_thread_ends_a_sleep_without_limit) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 20; i++) {
        pthread_t stopper = test_thread_start(stop_when_asleep, GYRunLoopGetCurrent());
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
        test_thread_join(stopper);
    }
    loop_drop(keep);
}

static void stop_in_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *word) {
    (void)observer;
    (void)activity;
    loop_stops(word);
}

/* R43 */
LOOP_TEST(a_stop_before_timers_still_carries_out_the_rest_of_the_iteration) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopObserverRef stopper =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeTimers, false, 1, stop_in_observer, "stop"));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 0, loop_timer_traces, "timer"));
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, loop_traces, "block", NULL);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers stop sources block wait wake timer exit");
    loop_drop(timer);
    loop_drop(stopper);
    loop_drop(observer);
}

/* R43 */
LOOP_TEST(a_stop_before_timers_still_performs_signalled_sources) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopObserverRef stopper =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeTimers, false, 1, stop_in_observer, "stop"));
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "source"));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers stop sources source exit");
    loop_drop(source);
    loop_drop(stopper);
    loop_drop(observer);
}

/* R43: with nothing to do in it, the wait of a stopped run ends at once. */
LOOP_TEST(a_stop_before_waiting_ends_that_wait) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopObserverRef stopper =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeWaiting, false, 1, stop_in_observer, "stop"));
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait stop wake exit");
    loop_drop(keep);
    loop_drop(stopper);
    loop_drop(observer);
}

/* R44, F29, F88 */
LOOP_TEST(a_stop_while_nothing_runs_does_not_stop_the_next_run) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopStop(GYRunLoopGetCurrent());
    GYRunLoopStop(GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

static void stop_twice_inside(void *mode) {
    GYRunLoopTimerRef timer = loop_in(mode, loop_timer(-1, 0, loop_timer_stops, "inner"));
    GYRunLoopTimerRef again = loop_in(mode, loop_timer(-1, 0, loop_timer_stops, "twice"));
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, false), kGYRunLoopRunStopped);
    loop_drop(timer);
    loop_drop(again);
}

/* R45 */
LOOP_TEST(several_stops_of_a_nested_run_end_that_run_only) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, stop_twice_inside, (void *)GYSTR("inner")));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "inner twice");
    loop_drop(source);
}

static void stop_inside_and_after(void *mode) {
    stop_twice_inside(mode);
    loop_stops("outer");
}

/* R45 */
LOOP_TEST(a_stop_after_a_nested_run_reaches_the_outer_one) {
    GYRunLoopSourceRef source = loop_in(
        kGYRunLoopDefaultMode, loop_source0(0, stop_inside_and_after, (void *)GYSTR("inner")));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "inner twice outer");
    loop_drop(source);
}

static void stop_then_run_inside(void *mode) {
    loop_stops("outer");
    GYRunLoopSourceRef keep = loop_keep(mode);
    EXPECT_INT(GYRunLoopRunInMode(mode, 0.005, false), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

/* R45: a stop of the outer run does not touch a run that is nested in it later. */
LOOP_TEST(a_nested_run_is_not_stopped_by_an_earlier_stop_of_the_outer_one) {
    GYRunLoopSourceRef source = loop_in(
        kGYRunLoopDefaultMode, loop_source0(0, stop_then_run_inside, (void *)GYSTR("inner")));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "outer");
    loop_drop(source);
}

/* R46; R30 with the Entry form of it is in runTests.c. */
LOOP_TEST(a_stop_at_exit_changes_neither_this_result_nor_the_next_run) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef stopper = loop_in(
        kGYRunLoopDefaultMode, loop_observer(kGYRunLoopExit, false, 0, stop_in_observer, "stop"));
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "stop");
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    loop_drop(stopper);
    loop_drop(keep);
}

static void run_once_inside(void *mode) {
    GYRunLoopSourceRef keep = loop_keep(mode);
    EXPECT_INT(loop_poll(mode), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

/* R46 */
LOOP_TEST(a_stop_at_the_exit_of_a_nested_run_does_not_stop_the_outer_run) {
    GYRunLoopObserverRef stopper =
        loop_in(GYSTR("inner"), loop_observer(kGYRunLoopExit, true, 0, stop_in_observer, "stop"));
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, run_once_inside, (void *)GYSTR("inner")));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "stop");
    loop_drop(source);
    loop_drop(stopper);
}

typedef struct {
    GYRunLoopRef rl;
    test_event about_to_wait;
} stop_race;

static void stop_between_deciding_and_sleeping(void *given) {
    stop_race *race = given;
    test_event_wait(&race->about_to_wait);
    GYRunLoopStop(race->rl);
}

static void tell_about_to_wait(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                               void *race) {
    (void)observer;
    (void)activity;
    test_event_signal(&((stop_race *)race)->about_to_wait);
}

/* R48 */
LOOP_TEST(a_stop_between_deciding_to_sleep_and_sleeping_is_not_lost) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 300; i++) {
        stop_race race = {GYRunLoopGetCurrent(), TEST_EVENT_INIT};
        GYRunLoopObserverRef teller =
            loop_in(kGYRunLoopDefaultMode,
                    loop_observer(kGYRunLoopBeforeWaiting, true, 0, tell_about_to_wait, &race));
        pthread_t stopper = test_thread_start(stop_between_deciding_and_sleeping, &race);
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
        test_thread_join(stopper);
        loop_drop(teller);
    }
    loop_drop(keep);
}

static void sleep_with_a_call_alone(void *place) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "", NULL);
    atomic_store((_Atomic(GYRunLoopRef) *)place, (GYRunLoopRef)GYRetain(rl));
    GYRunLoopRun();
}

/* R48: each loop sleeps for the first time, and nothing was added for which it would have made its
 * descriptors before. The stop comes as early as it can. */
TEST(a_stop_in_the_first_moment_of_a_loops_first_sleep_is_not_lost) {
    for (int i = 0; i < 300; i++) {
        _Atomic(GYRunLoopRef) place = NULL;
        pthread_t thread = test_thread_start(sleep_with_a_call_alone, &place);
        while (atomic_load(&place) == NULL) sched_yield();
        while (!GYRunLoopIsWaiting(atomic_load(&place))) continue;
        GYRunLoopStop(atomic_load(&place));
        test_thread_join(thread);
        GYRelease(atomic_load(&place));
    }
}

/* R13, R15, R16 */
LOOP_TEST(a_mode_is_empty_as_long_as_a_run_in_it_would_return_at_once) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT(GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopIsModeEmpty(GYSTR("unknown")));
    EXPECT(GYRunLoopIsModeEmpty(kGYRunLoopCommonModes));
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    GYRunLoopSourceRef source = loop_keep(kGYRunLoopDefaultMode);
    EXPECT(!GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    loop_drop(source);
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(1000, 0, NULL, NULL));
    EXPECT(!GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    loop_drop(timer);
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT(GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    loop_drop(observer);
    GYRunLoopPerform(rl, GYSTR("unknown"), loop_traces, "ran", NULL);
    EXPECT(!GYRunLoopIsModeEmpty(GYSTR("unknown")));
    loop_poll(GYSTR("unknown"));
    EXPECT(GYRunLoopIsModeEmpty(GYSTR("unknown")));
    EXPECT_STR(test_trace_take(), "ran");
}

/* R14 */
TEST(a_common_mode_of_the_main_loop_is_never_empty) {
    EXPECT(!GYRunLoopIsModeEmpty(kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopIsModeEmpty(GYSTR("private")));
}

TEST_MAIN()
