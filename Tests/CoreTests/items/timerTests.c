/* Timers: firing, moving, ending, belonging to a loop. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static GYRunLoopTimerRef added(double delay_s, double interval_s, GYRunLoopTimerCallBack callout,
                               void *info) {
    return loop_in(DEFAULT, loop_timer(delay_s, interval_s, callout, info));
}

/* A timer that is due at once. */
static GYRunLoopTimerRef due(GYRunLoopTimerCallBack callout, void *info) {
    return added(-1, 0, callout, info);
}

static bool in_default(GYRunLoopTimerRef timer) {
    return GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, DEFAULT);
}

/* Creation. */

/* R100 */
LOOP_TEST(a_timer_does_nothing_until_it_is_in_a_mode) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopTimerRef timer = loop_timer(-1, 0, loop_timer_traces, "fired");
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    loop_in(DEFAULT, timer);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
    loop_drop(keep);
}

/* R100, R102: without a callback it comes and goes like any other. */
LOOP_TEST(a_timer_without_a_callback_ends_in_silence) {
    GYRunLoopTimerRef timer = due(NULL, NULL);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT(!GYRunLoopTimerIsValid(timer));
    GYRelease(timer);
}

/* R101 */
TEST(an_interval_of_zero_or_less_makes_a_one_shot_timer) {
    const double intervals[] = {0, -0.0, -1, -1e300, -1.0 / 0.0};
    for (int i = 0; i < 5; i++) {
        GYRunLoopTimerRef timer = loop_timer(60, intervals[i], NULL, NULL);
        EXPECT(!GYRunLoopTimerDoesRepeat(timer));
        EXPECT(GYRunLoopTimerGetInterval(timer) == 0);
        EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), 0);
        GYRelease(timer);
    }
    GYRunLoopTimerRef timer = loop_timer(60, 0.25, NULL, NULL);
    EXPECT(GYRunLoopTimerDoesRepeat(timer));
    EXPECT(GYRunLoopTimerGetInterval(timer) == 0.25);
    EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), 250000000);
    GYRelease(timer);
}

static void looks_at_itself_and_sets_a_date(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    EXPECT(GYRunLoopTimerIsValid(timer));
    EXPECT(in_default(timer));
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() - 1);
    test_trace("fired");
}

/* R102, R106 */
LOOP_TEST(a_one_shot_timer_is_valid_in_its_callout_and_not_after_it_whatever_date_is_set) {
    GYRunLoopTimerRef timer = due(looks_at_itself_and_sets_a_date, NULL);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "fired");
    EXPECT(!GYRunLoopTimerIsValid(timer));
    EXPECT(!in_default(timer));
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == 0);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    GYRelease(timer);
}

/* One batch. */

static GYRunLoopTimerRef second;

static void run_first_and_second(GYRunLoopTimerCallBack first, const char *trace) {
    GYRunLoopTimerRef timer = due(first, NULL);
    second = due(loop_timer_traces, "second");
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), trace);
    GYRelease(timer);
    loop_drop(keep);
}

static void invalidates_second(GYRunLoopTimerRef timer, void *unused) {
    loop_timer_traces(timer, unused == NULL ? "first" : unused);
    GYRunLoopTimerInvalidate(second);
}

static void removes_second(GYRunLoopTimerRef timer, void *unused) {
    loop_timer_traces(timer, unused == NULL ? "first" : unused);
    GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), second, DEFAULT);
}

static void puts_off_second(GYRunLoopTimerRef timer, void *unused) {
    loop_timer_traces(timer, unused == NULL ? "first" : unused);
    GYRunLoopTimerSetNextFireDate(second, GYAbsoluteTimeGetCurrent() + 3600);
}

/* R113 */
LOOP_TEST(a_due_timer_that_an_earlier_callout_invalidated_does_not_fire) {
    run_first_and_second(invalidates_second, "first");
    GYRelease(second);
}

/* R113: it stays valid and can fire elsewhere. */
LOOP_TEST(a_due_timer_that_an_earlier_callout_removed_does_not_fire_and_stays_valid) {
    run_first_and_second(removes_second, "first");
    EXPECT(GYRunLoopTimerIsValid(second));
    loop_in(OTHER, second);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "second");
    GYRelease(second);
}

/* R103 */
LOOP_TEST(a_due_timer_that_an_earlier_callout_put_off_does_not_fire) {
    run_first_and_second(puts_off_second, "first");
    loop_drop(second);
}

static GYRunLoopRef second_loop;

static void gives_second_away(GYRunLoopTimerRef timer, void *unused) {
    removes_second(timer, unused);
    GYRunLoopTimerSetNextFireDate(second, GYAbsoluteTimeGetCurrent() + 3600);
    GYRunLoopAddTimer(second_loop, second, OTHER);
    GYRunLoopTimerSetNextFireDate(second, GYAbsoluteTimeGetCurrent() - 1);
}

/* R103, R110: it belongs to the other loop, where that mode is not running. */
LOOP_TEST(a_due_timer_that_was_given_to_another_loop_does_not_fire) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    second_loop = worker.rl;
    run_first_and_second(gives_second_away, "first");
    EXPECT(GYRunLoopContainsTimer(worker.rl, second, OTHER));
    loop_drop(second);
    loop_worker_drop(&worker);
}

/* R113: in the other mode it still can fire. */
LOOP_TEST(a_due_timer_removed_from_the_running_mode_only_fires_in_its_other_mode) {
    second = loop_timer(-1, 0, loop_timer_traces, "second");
    GYRunLoopTimerRef timer = due(removes_second, NULL);
    loop_in(DEFAULT, second);
    loop_in(OTHER, second);
    loop_poll(DEFAULT);
    const char *trace = test_trace_take();
    EXPECT(strcmp(trace, "first") == 0 || strcmp(trace, "second first") == 0);
    bool had_its_turn = strcmp(trace, "first") != 0;
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), had_its_turn ? "" : "second");
    GYRelease(timer);
    GYRelease(second);
}

static void invalidates_itself(GYRunLoopTimerRef timer, void *word) {
    GYRunLoopTimerInvalidate(timer);
    EXPECT(!GYRunLoopTimerIsValid(timer));
    loop_traces(word);
}

/* R113 */
LOOP_TEST(a_timer_may_invalidate_itself_in_its_callout_which_completes) {
    GYRunLoopTimerRef timer = added(-1, 0.001, invalidates_itself, "whole");
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "whole");
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == 0);
    GYRelease(timer);
}

static GYRunLoopTimerRef nested_self;

static void runs_both_modes(GYRunLoopTimerRef timer, void *word) {
    loop_traces(word);
    EXPECT(timer == nested_self);
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() - 1);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    test_trace("end");
}

/* R112 */
LOOP_TEST(a_timer_is_not_fired_by_runs_nested_in_its_callout_and_others_are) {
    nested_self = added(-1, 3600, runs_both_modes, "self");
    loop_in(OTHER, nested_self);
    GYRunLoopTimerRef here = added(-1, 3600, loop_timer_traces, "here");
    GYRunLoopTimerRef there = loop_in(OTHER, loop_timer(-1, 3600, loop_timer_traces, "there"));
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    GYRunLoopTimerSetNextFireDate(here, GYAbsoluteTimeGetCurrent());
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "self here there end");
    loop_drop(nested_self);
    loop_drop(here);
    loop_drop(there);
    loop_drop(keep);
}

/* Dates. */

/* R107, R117: as given, to the last bit, past dates included. */
LOOP_TEST(a_date_reads_as_it_was_given_or_set) {
    const double offsets[] = {0.1, -0.1, 12345.678901234, -1e9, 1e-9};
    GYRunLoopTimerRef timer = NULL;
    for (int i = 0; i < 5; i++) {
        double date = GYAbsoluteTimeGetCurrent() + offsets[i];
        timer = GYRunLoopTimerCreate(kGYAllocatorDefault, date, 0, 0, 0, NULL, NULL);
        EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
        GYRunLoopTimerSetNextFireDate(timer, date - 3);
        EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date - 3);
        loop_in(DEFAULT, timer);
        EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date - 3);
        EXPECT(GYRunLoopGetNextTimerFireDate(GYRunLoopGetCurrent(), DEFAULT) == date - 3);
        loop_drop(timer);
    }
}

/* R107, by the monotonic clock. */
LOOP_TEST(a_deadline_reads_as_it_was_given_or_set) {
    int64_t at_ns = GYMonotonicNow() + 1000000007;
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAt(at_ns, 0, 0, NULL, NULL);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), at_ns);
    GYRunLoopTimerSetNextFireAt(timer, at_ns + 5);
    loop_in(DEFAULT, timer);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), at_ns + 5);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), DEFAULT), at_ns + 5);
    loop_drop(timer);
}

/* R108 */
LOOP_TEST(the_date_of_a_mode_is_that_of_its_earliest_timer) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, GYSTR("unknown")) == 0);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, GYSTR("unknown")), INT64_MAX);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    GYRunLoopTimerRef late = added(200, 0, NULL, NULL), early = added(100, 0, NULL, NULL);
    double date = GYRunLoopTimerGetNextFireDate(early);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == date);
    GYRunLoopTimerSetNextFireDate(early, date + 1000);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == GYRunLoopTimerGetNextFireDate(late));
    GYRunLoopTimerInvalidate(late);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == date + 1000);
    GYRunLoopRemoveTimer(rl, early, DEFAULT);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == 0);
    GYRelease(late);
    GYRelease(early);
}

/* R105: a past date means now, whether the timer is in a loop or not. */
LOOP_TEST(a_timer_moved_to_a_past_date_is_due_now) {
    GYRunLoopTimerRef inside = added(3600, 3600, loop_timer_traces, "inside");
    GYRunLoopTimerRef outside = loop_timer(3600, 3600, loop_timer_traces, "outside");
    GYRunLoopTimerSetNextFireDate(inside, GYAbsoluteTimeGetCurrent() - 1000);
    GYRunLoopTimerSetNextFireDate(outside, GYAbsoluteTimeGetCurrent() - 2000);
    loop_in(DEFAULT, outside);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "inside outside");
    loop_drop(inside);
    loop_drop(outside);
}

static void sets_its_date(GYRunLoopTimerRef timer, void *date) {
    test_trace("fired");
    GYRunLoopTimerSetNextFireDate(timer, *(double *)date);
}

/* R106: the date set inside wins over the grid, at once or far. */
LOOP_TEST(a_date_set_in_the_timers_own_callout_is_the_next_one) {
    double date = GYAbsoluteTimeGetCurrent() - 5;
    GYRunLoopTimerRef timer = added(-1, 3600, sets_its_date, &date);
    loop_poll(DEFAULT);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    date = GYAbsoluteTimeGetCurrent() + 777;
    loop_poll(DEFAULT);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired fired");
    loop_drop(timer);
}

/* Loops and modes. */

/* R110 */
TEST(a_timer_belongs_to_one_loop_at_a_time) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopTimerRef timer = loop_timer(3600, 0, NULL, NULL);
    GYRunLoopAddTimer(rl, timer, OTHER);
    GYRunLoopAddTimer(rl, timer, GYSTR("third"));
    test_capture_log();
    GYRunLoopAddTimer(worker.rl, timer, OTHER);
    EXPECT(strstr(test_log(), "GYRunLoopAddTimer") != NULL);
    EXPECT(!GYRunLoopContainsTimer(worker.rl, timer, OTHER));
    GYRunLoopRemoveTimer(rl, timer, OTHER);
    GYRunLoopAddTimer(worker.rl, timer, OTHER);
    EXPECT(!GYRunLoopContainsTimer(worker.rl, timer, OTHER));
    GYRunLoopRemoveTimer(rl, timer, GYSTR("third"));
    test_log();
    GYRunLoopAddTimer(worker.rl, timer, OTHER);
    EXPECT_STR(test_log(), "");
    EXPECT(GYRunLoopContainsTimer(worker.rl, timer, OTHER));
    EXPECT(!GYRunLoopContainsTimer(rl, timer, OTHER));
    loop_drop(timer);
    loop_worker_drop(&worker);
}

/* R110: one schedule for all modes. */
LOOP_TEST(firing_in_one_mode_moves_the_date_in_all) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = added(-1, 3600, loop_timer_traces, "fired");
    loop_in(OTHER, timer);
    loop_poll(OTHER);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    double date = GYRunLoopTimerGetNextFireDate(timer);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == date);
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, OTHER) == date);
    loop_drop(timer);
}

/* R110, R18, R20 */
LOOP_TEST(a_common_timer_is_one_timer_in_all_common_modes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = loop_timer(-1, 3600, loop_timer_traces, "x");
    loop_in(kGYRunLoopCommonModes, timer);
    GYRunLoopAddCommonMode(rl, OTHER);
    EXPECT(GYRunLoopContainsTimer(rl, timer, OTHER));
    GYRunLoopRemoveTimer(rl, timer, DEFAULT);
    EXPECT(GYRunLoopContainsTimer(rl, timer, kGYRunLoopCommonModes));
    loop_poll(OTHER);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "x");
    GYRunLoopRemoveTimer(rl, timer, kGYRunLoopCommonModes);
    EXPECT(!GYRunLoopContainsTimer(rl, timer, OTHER));
    loop_drop(timer);
}

/* R13, R40: Qt depends on it. */
LOOP_TEST(a_timer_keeps_its_mode_and_does_not_count_as_a_handled_source) {
    atomic_int count = 0;
    GYRunLoopTimerRef timer = added(0, 0.005, loop_timer_counts, &count);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 0.05, true), kGYRunLoopRunTimedOut);
    EXPECT(atomic_load(&count) > 0);
    loop_drop(timer);
}

/* Contexts. */

static int counted;

static const void *retain(const void *info) {
    counted++;
    return info;
}

static void release(const void *info) {
    (void)info;
    counted--;
    test_trace("released");
}

static void invalidates_and_looks(GYRunLoopTimerRef timer, void *expected) {
    GYRunLoopTimerInvalidate(timer);
    EXPECT_INT(counted, (int)(intptr_t)expected);
    test_trace("looked");
}

static void run_with(GYRunLoopTimerContext context, const char *trace) {
    double date = GYAbsoluteTimeGetCurrent();
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreate(kGYAllocatorDefault, date, 1, 0, 0, invalidates_and_looks, &context);
    loop_in(DEFAULT, timer);
    loop_run(10);
    EXPECT_STR(test_trace_take(), trace);
    GYRelease(timer);
}

/* R121 */
LOOP_TEST(info_is_retained_around_the_callout_where_it_can_be) {
    run_with((GYRunLoopTimerContext){.info = (void *)1, .retain = retain, .release = release},
             "released looked released");
    EXPECT_INT(counted, 0);
    run_with((GYRunLoopTimerContext){.info = (void *)-1, .release = release}, "released looked");
    EXPECT_INT(counted, -1);
}

static void leaves_and_tells_next_date(GYRunLoopTimerRef timer, void *next) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopRemoveTimer(rl, timer, kGYRunLoopDefaultMode);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, kGYRunLoopDefaultMode),
               GYRunLoopTimerGetNextFireAt(next));
}

/* R108: also of those that are due and wait for the end of the first one's callout. */
LOOP_TEST(a_timer_about_to_fire_is_the_earliest_of_its_mode) {
    GYRunLoopTimerRef next = loop_timer(-1, 0, loop_timer_traces, "next");
    GYRunLoopTimerRef first =
        loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 100, leaves_and_tells_next_date, next));
    loop_in(kGYRunLoopDefaultMode, next);
    GYRunLoopTimerSetNextFireAt(next, GYMonotonicNow());
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "next");
    loop_drop(first);
    GYRelease(next);
}

TEST_MAIN()
