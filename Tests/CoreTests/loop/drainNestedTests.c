/* Runs that are nested in deferred calls and in drain hooks (R150, R202), and what else a deferred
 * call may do. */
#include "support/drain.h"

#include <gyre/GYString.h>
#include <limits.h>

#define DEFAULT kGYRunLoopDefaultMode
#define INNER GYSTR("inner")

static void runs_inner(void *word) {
    test_trace("(%s", (const char *)word);
    GYRunLoopSourceRef source = drain_source(INNER, drain_defers, "inner");
    loop_poll(INNER);
    loop_drop(source);
    test_trace(")");
}

static void defers_a_run(void *unused) {
    (void)unused;
    drain_defer("oldest");
    GYDefer(runs_inner, "newest");
}

LOOP_TEST(a_run_nested_in_a_deferred_call_drains_its_own_pool) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_a_run, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "(newest inner ) oldest");
    loop_drop(source);
}

static void hook_runs_inner(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *word) {
    (void)hook;
    (void)point;
    drain_defer("outer");
    runs_inner(word);
}

LOOP_TEST(a_run_nested_in_a_hook_drains_its_own_pool) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit, 0, hook_runs_inner, "hook",
                          NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "(hook inner ) outer");
    loop_drop(keep);
}

/* R135: as an observer is. */
static void hook_runs_its_mode(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *word) {
    (void)hook;
    (void)point;
    test_trace("(%s", (const char *)word);
    loop_poll(DEFAULT);
    test_trace(")");
}

LOOP_TEST(a_hook_is_not_called_in_a_run_nested_in_its_own_call) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit, 0, hook_runs_its_mode,
                          "hook", NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "(hook )");
    loop_drop(keep);
}

/* R150: a nested run may use up a wake-up that the outer one was to see; then it does not sleep. */

static void wakes_and_runs_inner(void *unused) {
    (void)unused;
    GYRunLoopSourceRef keep = loop_keep(INNER);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EXPECT_INT(GYRunLoopRunInMode(INNER, 1e-9, false), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

static void hook_wakes_and_runs_inner(GYRunLoopObserverRef hook, GYRunLoopActivity point,
                                      void *unused) {
    (void)point;
    GYRunLoopObserverInvalidate(hook);
    wakes_and_runs_inner(unused);
}

static void defers_waking_once(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                               void *unused) {
    (void)observer;
    (void)activity;
    GYDefer(wakes_and_runs_inner, unused);
}

static void stops_in_the_second_round(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                      void *count) {
    (void)observer;
    (void)activity;
    if (++*(int *)count == 2) GYRunLoopStop(GYRunLoopGetCurrent());
}

static void expect_a_second_iteration(void) {
    int count = 0;
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef stopper = loop_in(
        DEFAULT, loop_observer(kGYRunLoopBeforeTimers, true, 0, stops_in_the_second_round, &count));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_INT(count, 2);
    loop_drop(stopper);
    loop_drop(keep);
}

LOOP_TEST(a_wake_up_seen_by_a_run_in_a_deferred_call_is_not_lost) {
    GYRunLoopObserverRef once =
        loop_observer(kGYRunLoopBeforeWaiting, false, 0, defers_waking_once, NULL);
    loop_in(DEFAULT, once);
    expect_a_second_iteration();
    loop_drop(once);
}

LOOP_TEST(a_wake_up_seen_by_a_run_in_a_hook_is_not_lost) {
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainBeforeWaiting, 0,
                          hook_wakes_and_runs_inner, NULL, NULL);
    expect_a_second_iteration();
}

/* Without a nested run. */

static void wakes(void *unused) {
    (void)unused;
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

static void defers_a_wake_up(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *unused) {
    (void)observer;
    (void)activity;
    GYDefer(wakes, unused);
}

LOOP_TEST(a_wake_up_from_a_deferred_call_ends_the_sleep_that_follows) {
    GYRunLoopObserverRef once =
        loop_observer(kGYRunLoopBeforeWaiting, false, 0, defers_a_wake_up, NULL);
    loop_in(DEFAULT, once);
    expect_a_second_iteration();
    loop_drop(once);
}

static void defers_a_stop(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *word) {
    (void)observer;
    (void)activity;
    GYDefer(loop_stops, word);
}

LOOP_TEST(a_stop_from_a_deferred_call_ends_the_run) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer =
        drain_observer(DEFAULT, kGYRunLoopBeforeWaiting, 0, defers_a_stop, "stops");
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "stops");
    loop_drop(observer);
    loop_drop(keep);
}

static GYRunLoopObserverRef shaken;

static void changes_everything(void *unused) {
    (void)unused;
    GYRunLoopObserverInvalidate(shaken);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainBeforePolling, 0,
                          drain_observer_traces, "added", NULL);
}

static void defers_changes(void *unused) { GYDefer(changes_everything, unused); }

/* The hooks of a point are those that are there after the drain. */
LOOP_TEST(a_deferred_call_may_add_and_end_hooks_of_its_point) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_changes, NULL);
    shaken = GYDrainHookCreate(kGYDrainBeforePolling, 0, drain_observer_traces, "ended", NULL);
    loop_in(DEFAULT, shaken);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "added");
    GYRelease(shaken);
    loop_drop(source);
}

TEST_MAIN()
