/* A run's own drain pool: when it is there, when it drains (R200 to R206). */
#include "support/drain.h"

#include "api/misuse.h"

#include <gyre/GYString.h>
#include <limits.h>

#define DEFAULT kGYRunLoopDefaultMode
#define INNER GYSTR("inner")

/* An observer at each end of the range of orders, and one that traces all activities. */
typedef struct watchers {
    GYRunLoopObserverRef first, middle, last;
} watchers;

static watchers watch(GYOptionFlags activities, GYRunLoopObserverCallBack callout) {
    return (watchers){
        drain_observer(DEFAULT, activities, LONG_MIN, callout, "[first]"),
        loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAllActivities)),
        drain_observer(DEFAULT, activities, LONG_MAX, callout, "[last]"),
    };
}

static void unwatch(watchers w) {
    loop_drop(w.first);
    loop_drop(w.middle);
    loop_drop(w.last);
}

/* R201, R206: the pool takes what they defer, and drains behind the last of them. */
LOOP_TEST(entry_observers_of_any_order_find_a_pool) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watchers w = watch(kGYRunLoopEntry, drain_observer_defers);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources wait [last] [first] wake exit");
    unwatch(w);
    loop_drop(keep);
}

/* R200, R206 */
LOOP_TEST(the_drain_before_the_sleep_comes_after_all_before_waiting_observers) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watchers w = watch(kGYRunLoopBeforeWaiting, drain_observer_defers);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources wait [last] [first] wake exit");
    unwatch(w);
    loop_drop(keep);
}

/* R201, R206 */
LOOP_TEST(the_drain_at_exit_comes_after_all_exit_observers) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watchers w = watch(kGYRunLoopExit, drain_observer_defers);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit [last] [first]");
    unwatch(w);
    loop_drop(keep);
}

/* R201 */
LOOP_TEST(what_is_deferred_after_the_sleep_is_called_at_the_next_drain_point) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watchers w = watch(kGYRunLoopAfterWaiting, drain_observer_defers);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit [last] [first]");
    unwatch(w);
    loop_drop(keep);
}

static void stops_and_defers(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *word) {
    drain_observer_defers(observer, activity, word);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

LOOP_TEST(a_run_that_is_stopped_at_its_entry_drains_at_its_exit) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    watchers w = watch(kGYRunLoopEntry, stops_and_defers);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry exit [last] [first]");
    unwatch(w);
    loop_drop(keep);
}

/* R203 */
LOOP_TEST(a_polling_run_drains_where_step_7_would_end) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 0, loop_timer_traces, "timer"));
    GYRunLoopObserverRef trace = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceRef source = drain_source(DEFAULT, drain_defers, "[deferred]");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources [deferred] timer exit");
    loop_drop(source);
    loop_drop(trace);
    loop_drop(timer);
}

typedef struct busy {
    GYRunLoopSourceRef source;
    int turns;
} busy;

static void goes_round(void *info) {
    busy *b = info;
    test_trace("turn");
    drain_defer("drain");
    if (--b->turns > 0) GYRunLoopSourceSignal(b->source);
}

/* R203 */
LOOP_TEST(a_busy_loop_that_never_waits_drains_in_each_iteration) {
    busy b = {.turns = 3};
    b.source = drain_source(DEFAULT, goes_round, &b);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "turn drain turn drain turn drain");
    loop_drop(b.source);
}

/* R202 */

static void runs_inner(void *unused) {
    (void)unused;
    drain_defer("outer");
    GYRunLoopSourceRef source = drain_source(INNER, drain_defers, "inner");
    loop_poll(INNER);
    test_trace("back");
    loop_drop(source);
}

LOOP_TEST(a_nested_run_drains_its_own_and_not_what_the_outer_one_deferred) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, runs_inner, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "inner back outer");
    loop_drop(source);
}

static void ends_inner(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *unused) {
    (void)observer;
    (void)activity;
    runs_inner(unused);
}

LOOP_TEST(a_run_nested_in_an_exit_observer_has_a_pool_of_its_own) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer = drain_observer(DEFAULT, kGYRunLoopExit, 0, ends_inner, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "inner back outer");
    loop_drop(observer);
    loop_drop(keep);
}

/* Pools of the program's own. */

static void pushes_and_pops(void *unused) {
    (void)unused;
    drain_defer("loop's");
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("own");
    GYDrainPoolPop(pool);
    test_trace("popped");
}

LOOP_TEST(a_pool_pushed_in_a_callback_nests_in_that_of_the_run) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, pushes_and_pops, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "own popped loop's");
    loop_drop(source);
}

static GYDrainPoolToken forgotten;

static void pushes_and_forgets(void *unused) {
    (void)unused;
    drain_defer("loop's");
    forgotten = GYDrainPoolPush();
    drain_defer("forgotten");
}

LOOP_TEST(a_pool_left_by_a_callback_is_drained_with_that_of_the_run_and_gone) {
    test_capture_log();
    GYRunLoopSourceRef source = drain_source(DEFAULT, pushes_and_forgets, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "forgotten loop's");
    EXPECT_STR(test_log(), "");
    GYDrainPoolPop(forgotten);
    EXPECT_REPORTED("GYDrainPoolPop");
    loop_drop(source);
}

static void pops_outer(void *pool) {
    GYDrainPoolPop(*(GYDrainPoolToken *)pool);
    EXPECT_REPORTED("GYDrainPoolPop");
}

/* R202 */
LOOP_TEST(a_pool_from_before_the_run_cannot_be_popped_inside_it) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("outer");
    GYRunLoopSourceRef source = drain_source(DEFAULT, pops_outer, &pool);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "outer");
    EXPECT_STR(test_log(), "");
    loop_drop(source);
}

static void defers_popping_outer(void *pool) { GYDefer(pops_outer, pool); }

LOOP_TEST(deferred_work_of_a_run_cannot_pop_a_pool_from_before_it) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_popping_outer, &pool);
    loop_poll(DEFAULT);
    GYDrainPoolPop(pool);
    EXPECT_STR(test_log(), "");
    loop_drop(source);
}

/* R205 */
LOOP_TEST(outside_a_run_there_is_no_pool) {
    test_capture_log();
    GYRunLoopSourceRef source = drain_source(DEFAULT, drain_defers, "inside");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "inside");
    EXPECT(!GYDefer(loop_traces, "outside"));
    EXPECT_REPORTED("GYDefer");
    loop_drop(source);
}

TEST_MAIN()
