/* Version 0 sources: what a signal does, the order of a pass, and the end of a source. */
#include "support/loop.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <limits.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static GYRunLoopSourceRef added(GYIndex order, void (*perform)(void *), void *info) {
    return loop_in(DEFAULT, loop_source0(order, perform, info));
}

static GYRunLoopRunResult run_until_handled(double seconds) {
    return GYRunLoopRunInMode(DEFAULT, seconds, true);
}

/* Creation. */

static int given, replacement;

static const void *gives_replacement(const void *info) {
    EXPECT(info == &given);
    return &replacement;
}

static void expects_replacement(void *info) {
    EXPECT(info == &replacement);
    test_trace("performed");
}

/* R70, R160 */
LOOP_TEST(a_source_copies_its_context_and_uses_what_retain_returns) {
    GYRunLoopSourceContext context = {.info = &given, .retain = gives_replacement};
    context.perform = expects_replacement;
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    memset(&context, 0xff, sizeof context);
    loop_in(DEFAULT, source);
    GYRunLoopSourceSignal(source);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
}

/* R71 */
LOOP_TEST(sources_are_performed_by_ascending_order_over_the_whole_range) {
    static const GYIndex orders[5] = {LONG_MAX, 0, LONG_MIN, -1, 1};
    static const char *const words[5] = {"max", "zero", "min", "-1", "1"};
    GYRunLoopSourceRef sources[5];
    for (int i = 0; i < 5; i++) {
        sources[i] = added(orders[i], loop_traces, (void *)words[i]);
        EXPECT_INT(GYRunLoopSourceGetOrder(sources[i]), orders[i]);
        GYRunLoopSourceSignal(sources[i]);
    }
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "min -1 zero 1 max");
    for (int i = 0; i < 5; i++) loop_drop(sources[i]);
}

/* The mark. */

/* R72 */
LOOP_TEST(a_signal_given_before_the_source_is_added_is_kept) {
    GYRunLoopSourceRef source = loop_source0(0, loop_traces, "performed");
    GYRunLoopSourceSignal(source);
    loop_in(DEFAULT, source);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "performed");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
}

/* R72 */
LOOP_TEST(a_signal_outlasts_runs_of_modes_without_the_source) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    GYRunLoopSourceRef source = added(0, loop_traces, "performed");
    GYRunLoopSourceSignal(source);
    loop_poll(OTHER);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
    loop_drop(keep);
}

/* R72, R79 */
LOOP_TEST(a_signal_is_used_up_by_the_first_mode_that_runs) {
    GYRunLoopSourceRef source = added(0, loop_traces, "performed");
    loop_in(OTHER, source);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 0, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
}

/* R79: a source may be in the modes of several loops. */
TEST(a_signal_is_used_up_by_one_of_the_loops_that_hold_the_source) {
    loop_worker workers[2];
    atomic_int count = 0;
    GYRunLoopSourceRef source = loop_source0(0, loop_counts, &count);
    for (int i = 0; i < 2; i++) {
        loop_worker_start(&workers[i], DEFAULT);
        GYRunLoopAddSource(workers[i].rl, source, DEFAULT);
    }
    for (int round = 1; round <= 50; round++) {
        GYRunLoopSourceSignal(source);
        for (int i = 0; i < 2; i++) GYRunLoopWakeUp(workers[i].rl);
        TEST_WAIT_UNTIL(atomic_load(&count) == round);
    }
    for (int i = 0; i < 2; i++) loop_worker_drop(&workers[i]);
    EXPECT_INT(atomic_load(&count), 50);
    loop_drop(source);
}

typedef struct {
    GYRunLoopSourceRef source;
    int performs;
    bool at_the_end; /* signals itself when it has done its work, not before */
} repeater;

static void signals_itself_once(void *info) {
    repeater *self = info;
    self->performs++;
    if (self->performs == 1) GYRunLoopSourceSignal(self->source);
    if (self->performs == 1 && self->at_the_end) GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

/* R72, R73, F75: the mark is taken before the callout, so a signal inside asks for one more. */
LOOP_TEST(a_signal_during_the_callout_asks_for_exactly_one_more) {
    for (int at_the_end = 0; at_the_end < 2; at_the_end++) {
        repeater self = {NULL, 0, at_the_end};
        self.source = added(0, signals_itself_once, &self);
        GYRunLoopSourceSignal(self.source);
        EXPECT_INT(run_until_handled(0), kGYRunLoopRunHandledSource);
        EXPECT_INT(run_until_handled(0), kGYRunLoopRunHandledSource);
        EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
        EXPECT_INT(self.performs, 2);
        loop_drop(self.source);
    }
}

/* R73 */
LOOP_TEST(many_signals_are_one_callout) {
    atomic_int count = 0;
    GYRunLoopSourceRef source = added(0, loop_counts, &count);
    for (int i = 0; i < 1000; i++) GYRunLoopSourceSignal(source);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_INT(atomic_load(&count), 1);
    loop_drop(source);
}

/* One pass. */

/* R74 */
LOOP_TEST(equal_orders_are_performed_by_the_time_of_their_first_signal) {
    GYRunLoopSourceRef a = added(0, loop_traces, "a"), b = added(0, loop_traces, "b");
    GYRunLoopSourceRef c = added(0, loop_traces, "c");
    GYRunLoopSourceRef signalled[] = {c, a, c, b, a};
    for (int i = 0; i < 5; i++) GYRunLoopSourceSignal(signalled[i]);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "c a b");
    GYRunLoopSourceSignal(b);
    GYRunLoopSourceSignal(c);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "b c");
    loop_drop(a);
    loop_drop(b);
    loop_drop(c);
}

/* R75, R84 */
LOOP_TEST(a_run_that_returns_after_a_source_leaves_the_others_signalled) {
    GYRunLoopSourceRef a = added(1, loop_traces, "a"), b = added(2, loop_traces, "b");
    GYRunLoopSourceSignal(b);
    GYRunLoopSourceSignal(a);
    EXPECT_INT(run_until_handled(10), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "a");
    EXPECT_INT(run_until_handled(10), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "b");
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
    loop_drop(a);
    loop_drop(b);
}

typedef struct {
    const char *word;
    GYRunLoopSourceRef other;
    void (*act)(GYRunLoopSourceRef other);
} actor;

static void traces_and_acts(void *info) {
    actor *self = info;
    test_trace("%s", self->word);
    self->act(self->other);
}

static void adds_to_default(GYRunLoopSourceRef other) {
    GYRunLoopAddSource(GYRunLoopGetCurrent(), other, DEFAULT);
}

/* Runs until the second source stops the loop; `first` acts on it. */
static void expect_next_iteration_without_sleep(actor *first, GYIndex second_order) {
    const GYOptionFlags traced = kGYRunLoopBeforeSources | kGYRunLoopBeforeWaiting;
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(traced));
    GYRunLoopSourceRef source = added(0, traces_and_acts, first);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "sources first sources second");
    EXPECT_INT(GYRunLoopSourceGetOrder(first->other), second_order);
    loop_drop(source);
    loop_drop(observer);
}

/* R76, R38 */
LOOP_TEST(a_source_signalled_by_a_callout_of_the_pass_is_performed_in_the_next_without_sleep) {
    for (GYIndex order = -1; order <= 1; order++) {
        GYRunLoopSourceRef second = added(order, loop_stops, "second");
        actor first = {"first", second, GYRunLoopSourceSignal};
        expect_next_iteration_without_sleep(&first, order);
        loop_drop(second);
    }
}

/* R76, R39 */
LOOP_TEST(a_source_added_by_a_callout_of_the_pass_is_performed_in_the_next_without_sleep) {
    GYRunLoopSourceRef second = loop_source0(1, loop_stops, "second");
    GYRunLoopSourceSignal(second);
    actor first = {"first", second, adds_to_default};
    expect_next_iteration_without_sleep(&first, 1);
    loop_drop(second);
}

static GYRunLoopSourceRef nesting_source;
static int depth;

static void performs_inside_itself(void *unused) {
    (void)unused;
    depth++;
    test_trace("in%d", depth);
    if (depth == 1) {
        GYRunLoopSourceSignal(nesting_source);
        loop_poll(DEFAULT);
    }
    test_trace("out%d", depth);
    depth--;
}

/* R77 */
LOOP_TEST(a_source_signalled_in_its_own_callout_is_performed_by_a_nested_run) {
    nesting_source = added(0, performs_inside_itself, NULL);
    GYRunLoopSourceSignal(nesting_source);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "in1 in2 out2 out1");
    loop_drop(nesting_source);
}

/* Ends. */

/* R80 */
LOOP_TEST(an_invalid_source_loses_its_mark_and_ignores_signals_and_additions) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT), source = added(0, loop_traces, "performed");
    GYRunLoopSourceSignal(source);
    GYRunLoopSourceInvalidate(source);
    EXPECT(!GYRunLoopSourceIsValid(source));
    GYRunLoopSourceSignal(source);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, DEFAULT);
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), source, DEFAULT));
    GYRunLoopSourceInvalidate(source);
    EXPECT_INT(run_until_handled(0), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(source);
    loop_drop(keep);
}

static GYRunLoopSourceRef self_ending;

static void invalidates_itself(void *word) {
    GYRunLoopSourceSignal(self_ending);
    GYRunLoopSourceInvalidate(self_ending);
    EXPECT(!GYRunLoopSourceIsValid(self_ending));
    loop_traces(word);
}

/* R80, R13: the callout goes on; the run ends because nothing is left. */
LOOP_TEST(a_source_may_invalidate_itself_in_its_callout_which_completes) {
    self_ending = added(0, invalidates_itself, "whole");
    GYRunLoopSourceSignal(self_ending);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "whole");
    GYRelease(self_ending);
}

static void removes_from_default(GYRunLoopSourceRef other) {
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), other, DEFAULT);
}

/* R81, R72: not performed any more in this pass, and still signalled. */
LOOP_TEST(a_source_removed_by_an_earlier_callout_is_not_performed_and_keeps_its_mark) {
    GYRunLoopSourceRef second = added(1, loop_traces, "second");
    actor first = {"first", second, removes_from_default};
    GYRunLoopSourceRef source = added(0, traces_and_acts, &first);
    GYRunLoopSourceSignal(source);
    GYRunLoopSourceSignal(second);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "first");
    loop_in(DEFAULT, second);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "second");
    loop_drop(source);
    loop_drop(second);
}

/* R81 */
LOOP_TEST(a_source_removed_from_the_running_mode_only_is_performed_in_its_other_mode) {
    GYRunLoopSourceRef second = added(1, loop_traces, "second");
    loop_in(OTHER, second);
    actor first = {"first", second, removes_from_default};
    GYRunLoopSourceRef source = added(0, traces_and_acts, &first);
    GYRunLoopSourceSignal(source);
    GYRunLoopSourceSignal(second);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "first");
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "second");
    loop_drop(source);
    loop_drop(second);
}

static void performs_stop(void *unused) {
    (void)unused;
    loop_stops("block");
}

static void invalidates_and_performs(GYRunLoopSourceRef other) {
    GYRunLoopSourceInvalidate(other);
    GYRunLoopPerform(GYRunLoopGetCurrent(), DEFAULT, performs_stop, NULL, NULL);
}

/* R84, R81, R31 step 4, F116 */
LOOP_TEST(a_pass_whose_last_source_was_invalidated_still_counts_as_handled) {
    const GYOptionFlags waiting = kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting;
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(waiting));
    GYRunLoopSourceRef second = added(1, loop_traces, "second");
    actor first = {"first", second, invalidates_and_performs};
    GYRunLoopSourceRef source = added(0, traces_and_acts, &first);
    GYRunLoopSourceSignal(source);
    GYRunLoopSourceSignal(second);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "first block");
    loop_drop(source);
    GYRelease(second);
    loop_drop(observer);
}

/* Without a wake-up. */

typedef struct {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
    int firings, wakes;
} silent_signal;

static void signals_when_asleep(void *info) {
    silent_signal *self = info;
    loop_wait_asleep(self->rl);
    GYRunLoopSourceSignal(self->source);
}

static void counts_firing(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    ((silent_signal *)info)->firings++;
}

static void counts_wake(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    ((silent_signal *)info)->wakes++;
}

static void expects_every_wake_to_be_the_timers(void *info) {
    silent_signal *self = info;
    EXPECT_INT(self->wakes, self->firings);
    GYRunLoopStop(self->rl);
}

/* R85: the source is performed only when something else has ended the sleep. */
LOOP_TEST(a_signal_alone_does_not_wake_a_sleeping_loop) {
    silent_signal self = {.rl = GYRunLoopGetCurrent()};
    self.source = added(0, expects_every_wake_to_be_the_timers, &self);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.1, 0.1, counts_firing, &self));
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAfterWaiting, true, 0, counts_wake, &self));
    pthread_t thread = test_thread_start(signals_when_asleep, &self);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    loop_drop(self.source);
    loop_drop(timer);
    loop_drop(observer);
}

TEST_MAIN()
