/* A mode inside another loop: the order of things, and what the two halves of an iteration give. */
#include "support/embed.h"

#include <gyre/GYDrainPool.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <unistd.h>

#define MODE GYSTR("embedded")
#define OTHER GYSTR("other")

static void traces(void *word) { test_trace("%s", (const char *)word); }
static void perform(const char *word) {
    EXPECT(GYRunLoopPerform(GYRunLoopGetCurrent(), MODE, traces, (void *)(uintptr_t)word, NULL));
}

/* R31, R302, R303 */
LOOP_TEST(prepare_has_all_before_the_wait_and_dispatch_all_after_it) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, loop_traces, "source"));
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait");
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    embed_wait(e);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_STR(test_trace_take(), "wake");
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "timers sources source");
    embed_wait(e); /* it polls: R38 */
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "timers sources wait wake exit");
    embed_drop(e);
    loop_drop(tracer);
}

/* R302 */
LOOP_TEST(what_is_prepared_is_not_prepared_again) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    for (int i = 0; i < 3; i++) EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait");
    embed_drop(e);
    EXPECT_STR(test_trace_take(), "wake exit");
    loop_drop(tracer);
    loop_drop(keep);
}

/* R303, R114, R156 */
LOOP_TEST(a_dispatch_for_nothing_is_seen_by_nobody) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(1000, 0, loop_timer_traces, "timer"));
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    for (int i = 0; i < 5; i++) EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait");
    EXPECT(GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
    EXPECT(!embed_is_readable(e, 0));
    embed_drop(e);
    loop_drop(tracer);
    loop_drop(timer);
    loop_drop(keep);
}

/* R303: such a host works too. */
LOOP_TEST(a_host_that_only_dispatches_serves_all) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.002, 0, loop_timer_traces, "timer"));
    GYRunLoopSourceRef stop = loop_in(MODE, loop_port(ends[0], loop_stops, "port"));
    GYRunLoopEmbeddingRef e = embed(MODE);
    perform("work");
    GYRunLoopRunResult result = kGYRunLoopEmbeddingGoesOn;
    bool has_written = false;
    while (result == kGYRunLoopEmbeddingGoesOn) {
        embed_wait(e);
        result = GYRunLoopEmbeddingDispatch(e);
        if (!has_written && !GYRunLoopTimerIsValid(timer)) {
            has_written = write(ends[1], "x", 1) == 1;
        }
    }
    EXPECT_INT(result, kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "work timer port");
    embed_drop(e);
    loop_drop(stop);
    loop_drop(timer);
    close(ends[0]);
    close(ends[1]);
}

/* R12, R152 */
LOOP_TEST(between_the_two_the_loop_waits_in_its_mode) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    EXPECT(!GYRunLoopIsWaiting(rl));
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(GYRunLoopIsWaiting(rl));
    EXPECT_STR(loop_current_mode_text(), "embedded");
    GYRunLoopWakeUp(rl);
    EXPECT(GYRunLoopIsWaiting(rl));
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT(!GYRunLoopIsWaiting(rl));
    EXPECT_STR(loop_current_mode_text(), "embedded");
    embed_drop(e);
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_drop(keep);
}

/* R33, R301: what is left over in user space keeps the descriptor readable. */
LOOP_TEST(each_dispatch_serves_one_event) {
    enum { PORTS = 3 };
    static const char *const words[PORTS] = {"a", "b", "c"};
    int ends[PORTS][2];
    GYRunLoopSourceRef ports[PORTS];
    GYRunLoopEmbeddingRef e = embed(MODE);
    for (int i = 0; i < PORTS; i++) {
        REQUIRE(pipe(ends[i]) == 0);
        ports[i] = loop_in(MODE, loop_port(ends[i][0], loop_traces, (void *)(uintptr_t)words[i]));
    }
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    for (int i = 0; i < PORTS; i++) EXPECT_INT(write(ends[i][1], "x", 1), 1);
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_STR(test_trace_take(), "a");
    EMBED_GOES_ON(embed_turn(e));
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "b c");
    embed_drop(e);
    for (int i = 0; i < PORTS; i++) {
        loop_drop(ports[i]);
        close(ends[i][0]);
        close(ends[i][1]);
    }
}

/* R15, R304 */
LOOP_TEST(an_empty_mode_is_finished_and_is_begun_again_when_it_holds_something) {
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EXPECT_INT(GYRunLoopEmbeddingPrepare(e), kGYRunLoopRunFinished);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
    EXPECT(!embed_is_readable(e, 0));
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.001, 0, loop_timer_traces, "timer"));
    EXPECT_INT(embed_turn(e), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer exit");
    EXPECT(!embed_is_readable(e, 0));
    embed_drop(e);
    loop_drop(timer);
    loop_drop(tracer);
}

static void stop_at(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *wanted) {
    (void)observer;
    if (activity == *(GYRunLoopActivity *)wanted) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R43, R46 */
LOOP_TEST(a_stop_ends_the_run_where_an_ordinary_one_ends) {
    static const struct {
        GYRunLoopActivity at;
        const char *order;
    } stops[] = {
        {kGYRunLoopEntry, "entry exit"},
        {kGYRunLoopBeforeTimers, "entry timers sources wait wake exit"},
        {kGYRunLoopBeforeWaiting, "entry timers sources wait wake exit"},
    };
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        GYRunLoopActivity at = stops[i].at;
        GYRunLoopObserverRef stopper =
            loop_in(MODE, loop_observer(kGYRunLoopAllActivities, true, 1, stop_at, &at));
        EXPECT_INT(embed_turn(e), kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), stops[i].order);
        loop_drop(stopper);
    }
    embed_drop(e);
    loop_drop(tracer);
    loop_drop(keep);
}

/* R44, R49 */
LOOP_TEST(a_stop_while_no_run_is_in_progress_is_dropped_and_a_winding_down_is_final) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    GYRunLoopStop(rl);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    GYRunLoopWindDown(rl);
    embed_wait(e);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopEmbeddingPrepare(e), kGYRunLoopRunStopped);
    EXPECT(!embed_is_readable(e, 0));
    embed_drop(e);
    loop_drop(keep);
}

static void defers(void *word) { GYDefer(traces, word); }

/* R305 */
LOOP_TEST(what_a_call_defers_is_called_before_it_returns) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    GYDrainPoolToken hosts = GYDrainPoolPush();
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, defers, "deferred"));
    GYRunLoopSourceSignal(source);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "deferred");
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0, 0, loop_timer_traces, "timer"));
    GYDefer(traces, "host");
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "timer");
    /* Pushed before the run began, popped while it is in progress. */
    GYDrainPoolPop(hosts);
    EXPECT_STR(test_trace_take(), "host");
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    embed_drop(e);
    loop_drop(timer);
    loop_drop(source);
    loop_drop(keep);
}

static void defers_in_timer(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    GYDefer(traces, word);
    test_trace("timer");
}

/* R203, R305 */
LOOP_TEST(what_a_dispatch_defers_is_called_by_its_end) {
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0, 0, defers_in_timer, "deferred"));
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "timer deferred");
    embed_drop(e);
    loop_drop(keep);
    loop_drop(timer);
}

static void is_awake(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *unused) {
    (void)observer;
    (void)activity;
    (void)unused;
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetCurrent())); /* R152: in no callout */
}

/* R45, R305: runs of other modes between the two, and of the same. */
LOOP_TEST(a_run_nested_in_the_wait_makes_the_wait_end) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, loop_traces, "source"));
    GYRunLoopSourceRef other = loop_keep(OTHER);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(GYRunLoopGetCurrent()); /* used up by the nested run, as R150 says */
    GYRunLoopObserverRef looker =
        loop_in(OTHER, loop_observer(kGYRunLoopAllActivities, true, 0, is_awake, NULL));
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 0.001, false), kGYRunLoopRunTimedOut);
    loop_drop(looker);
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
    EXPECT_STR(loop_current_mode_text(), "embedded");
    EXPECT(embed_is_readable(e, 0));
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timers sources source");
    embed_drop(e);
    loop_drop(tracer);
    loop_drop(source);
    loop_drop(other);
}

/* Its deadline is told by a timerfd of its own (R301): a nested run arms the loop's for another
 * timer. */
LOOP_TEST(a_run_nested_in_the_wait_leaves_its_timers_on_time) {
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.05, 0, loop_timer_traces, "timer"));
    GYRunLoopTimerRef other = loop_in(OTHER, loop_timer(0.001, 0, loop_timer_traces, "other"));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 10, false), kGYRunLoopRunFinished);
    GYRunLoopRunResult result = GYRunLoopEmbeddingDispatch(e);
    while (result == kGYRunLoopEmbeddingGoesOn) result = embed_turn(e);
    EXPECT_INT(result, kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "other timer");
    embed_drop(e);
    loop_drop(timer);
    loop_drop(other);
}

/* R306, R62, R85 */
LOOP_TEST(what_the_host_signals_or_hands_over_waits_for_a_wake_up) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, loop_traces, "source"));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    GYRunLoopSourceSignal(source);
    perform("work");
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EMBED_GOES_ON(embed_turn(e));
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT_STR(test_trace_take(), "work source");
    embed_drop(e);
    loop_drop(source);
}

static void run_other(void *unused) {
    (void)unused;
    test_trace("<");
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 10, false), kGYRunLoopRunFinished);
    test_trace(">");
}

LOOP_TEST(a_callout_of_an_embedded_run_may_run_the_loop) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, run_other, NULL));
    GYRunLoopTimerRef other = loop_in(OTHER, loop_timer(0.001, 0, loop_timer_traces, "other"));
    GYRunLoopEmbeddingRef e = embed(MODE);
    GYRunLoopSourceSignal(source);
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "< other >");
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(source);
    loop_drop(other);
}

static void embed_other(void *unused) {
    (void)unused;
    GYRunLoopEmbeddingRef inner = embed(OTHER);
    GYRunLoopRunResult result = kGYRunLoopEmbeddingGoesOn;
    while (result == kGYRunLoopEmbeddingGoesOn) result = embed_turn(inner);
    EXPECT_INT(result, kGYRunLoopRunFinished);
    embed_drop(inner);
    test_trace("inner");
}

/* R300 */
LOOP_TEST(a_callout_of_an_embedded_run_may_embed_another_mode) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, embed_other, NULL));
    GYRunLoopTimerRef other = loop_in(OTHER, loop_timer(0.001, 0, loop_timer_traces, "other"));
    GYRunLoopEmbeddingRef e = embed(MODE);
    GYRunLoopSourceSignal(source);
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "other inner");
    embed_until_idle(e);
    embed_drop(e);
    loop_drop(source);
    loop_drop(other);
}

static void release_other(void *e) { GYRelease(e); }

/* R300: begun in a callout and left there, its run goes with that. */
static void embed_and_leave(void *out) {
    GYRunLoopEmbeddingRef *inner = out;
    *inner = embed(OTHER);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(*inner));
}

LOOP_TEST(an_embedded_run_does_not_outlive_the_callout_that_began_it) {
    GYRunLoopEmbeddingRef inner = NULL;
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, embed_and_leave, &inner));
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    GYRunLoopEmbeddingRef e = embed(MODE);
    GYRunLoopSourceSignal(source);
    EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(loop_current_mode_text(), "embedded");
    EXPECT(embed_is_readable(inner, 0));
    embed_until_idle(e);
    embed_drop(e);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(inner)); /* begins anew */
    EXPECT_STR(loop_current_mode_text(), "other");
    EXPECT(GYRunLoopEmbeddingInvalidate(inner));
    release_other(inner);
    loop_drop(source);
    loop_drop(keep);
}

/* R14 */
TEST(the_main_loops_common_modes_are_embedded_though_they_hold_nothing) {
    GYRunLoopEmbeddingRef e = embed(kGYRunLoopDefaultMode);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    GYRunLoopStop(GYRunLoopGetMain());
    embed_wait(e);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunStopped);
    embed_drop(e);
}

TEST_MAIN()
