/* Dates and intervals at the ends of what a number can be. */
#include "support/loop.h"

#include <float.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <math.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
/* Later dates are clamped to this one, in the year 2129. */
#define LAST_DATE 4039289856.0

static GYRunLoopTimerRef dated(double date, double interval) {
    GYRunLoopTimerContext context = {.info = "fired"};
    return GYRunLoopTimerCreate(kGYAllocatorDefault, date, interval, 0, 0, loop_timer_traces,
                                &context);
}

static const double far_dates[] = {DBL_MAX, INFINITY, 1e20, 1e10, 4039289857.0};
#define FAR_COUNT 5

/* Runs for a moment; a timer that spins or comes early would show. */
static void expect_quiet_sleep(void) {
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopBeforeTimers));
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "timers");
    loop_drop(observer);
}

/* R116 */
LOOP_TEST(a_far_date_is_clamped_and_its_timer_is_like_any_other) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    for (int i = 0; i < FAR_COUNT; i++) {
        GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(far_dates[i], 0));
        EXPECT(GYRunLoopTimerGetNextFireDate(timer) == LAST_DATE);
        EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == LAST_DATE);
        EXPECT(GYRunLoopTimerGetNextFireAt(timer) > GYMonotonicNow());
        EXPECT(GYRunLoopContainsTimer(rl, timer, DEFAULT));
        expect_quiet_sleep();
        GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent());
        EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
        EXPECT_STR(test_trace_take(), "fired");
        GYRelease(timer);
    }
}

/* R116: a far date that is set. */
LOOP_TEST(a_timer_can_be_put_off_to_a_far_date) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(GYAbsoluteTimeGetCurrent() + 0.001, 0));
    for (int i = 0; i < FAR_COUNT; i++) {
        GYRunLoopTimerSetNextFireDate(timer, far_dates[i]);
        EXPECT(GYRunLoopTimerGetNextFireDate(timer) == LAST_DATE);
        expect_quiet_sleep();
    }
    GYRunLoopTimerSetNextFireAt(timer, INT64_MAX);
    expect_quiet_sleep();
    GYRunLoopTimerSetNextFireAt(timer, INT64_MIN);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
}

/* R117 */
LOOP_TEST(a_date_in_the_farthest_past_is_due_at_once_and_once) {
    const double dates[] = {-DBL_MAX, -INFINITY, -1e20, 0, -1e10};
    for (int i = 0; i < 5; i++) {
        GYRunLoopTimerRef once = loop_in(DEFAULT, dated(dates[i], 0));
        GYRunLoopTimerRef again = loop_in(DEFAULT, dated(dates[i], 1e5));
        loop_poll(DEFAULT);
        loop_poll(DEFAULT);
        EXPECT_STR(test_trace_take(), "fired fired");
        EXPECT(!GYRunLoopTimerIsValid(once));
        EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(again), GYAbsoluteTimeGetCurrent() + 1e5, 100);
        GYRelease(once);
        loop_drop(again);
    }
}

/* R101, R116: an interval that never ends repeats all the same. */
LOOP_TEST(an_interval_without_end_makes_a_repeating_timer_whose_next_date_is_the_last) {
    const double intervals[] = {DBL_MAX, INFINITY, 1e20, 1e12};
    for (int i = 0; i < 4; i++) {
        GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(GYAbsoluteTimeGetCurrent(), intervals[i]));
        EXPECT(GYRunLoopTimerDoesRepeat(timer));
        EXPECT(GYRunLoopTimerGetInterval(timer) == intervals[i]);
        EXPECT(GYRunLoopTimerGetIntervalNanoseconds(timer) > 0);
        loop_poll(DEFAULT);
        EXPECT_STR(test_trace_take(), "fired");
        EXPECT(GYRunLoopTimerIsValid(timer));
        EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), LAST_DATE, 1);
        expect_quiet_sleep();
        loop_drop(timer);
    }
}

/* R116, R104: never, at once by a set date, and never again. */
LOOP_TEST(a_timer_that_never_fires_can_be_made_to_fire_at_once_and_put_off_again) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(DBL_MAX, DBL_MAX));
    for (int i = 0; i < 3; i++) {
        expect_quiet_sleep();
        GYRunLoopTimerSetNextFireDate(timer, -DBL_MAX);
        loop_poll(DEFAULT);
        loop_poll(DEFAULT);
        EXPECT_STR(test_trace_take(), "fired");
        EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), LAST_DATE, 1);
    }
    loop_drop(timer);
}

/* R105, R107, R13: by the monotonic clock there is a deadline that never comes. */
LOOP_TEST(a_timer_put_off_for_good_reads_so_and_keeps_its_mode) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(GYAbsoluteTimeGetCurrent(), 1e-6));
    GYRunLoopTimerSetNextFireAt(timer, INT64_MAX);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, DEFAULT), INT64_MAX);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), LAST_DATE, 1);
    EXPECT_NEAR(GYRunLoopGetNextTimerFireDate(rl, DEFAULT), LAST_DATE, 1);
    expect_quiet_sleep();
    GYRunLoopTimerSetNextFireAt(timer, 0);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    loop_drop(timer);
}

static void puts_itself_off(GYRunLoopTimerRef timer, void *word) {
    loop_traces(word);
    GYRunLoopTimerSetNextFireAt(timer, INT64_MAX);
}

/* R106 */
LOOP_TEST(a_timer_puts_itself_off_for_good_in_its_callout) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1e-6, puts_itself_off, "fired"));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    expect_quiet_sleep();
    EXPECT(GYRunLoopTimerIsValid(timer));
    loop_drop(timer);
}

/* R101, R115: winit's re-armable timer. Its interval is so short that it must be put
 * off. */
LOOP_TEST(a_timer_with_a_tiny_interval_and_a_far_date_does_not_fire_until_it_is_moved) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(DBL_MAX, 0.0000001));
    expect_quiet_sleep();
    GYRunLoopTimerSetNextFireDate(timer, -DBL_MAX);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    GYRunLoopTimerSetNextFireDate(timer, DBL_MAX);
    expect_quiet_sleep();
    loop_drop(timer);
}

/* R115, R101 */
TEST(the_smallest_intervals_repeat) {
    const double intervals[] = {1e-9, 1e-12, DBL_MIN, 4.9e-324};
    for (int i = 0; i < 4; i++) {
        GYRunLoopTimerRef timer = dated(0, intervals[i]);
        EXPECT(GYRunLoopTimerDoesRepeat(timer));
        EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), 1);
        GYRelease(timer);
    }
}

/* R118 */
TEST(a_timer_with_a_nan_date_or_interval_is_refused_and_reported) {
    test_capture_log();
    EXPECT(dated(NAN, 0) == NULL);
    EXPECT(strstr(test_log(), "GYRunLoopTimerCreate") != NULL);
    EXPECT(dated(0, NAN) == NULL);
    EXPECT(strstr(test_log(), "R118") != NULL);
    EXPECT(dated(0, -NAN) == NULL);
}

/* R118 */
LOOP_TEST(setting_a_nan_date_is_reported_and_changes_nothing) {
    double date = GYAbsoluteTimeGetCurrent() + 1000;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, dated(date, 0));
    test_capture_log();
    GYRunLoopTimerSetNextFireDate(timer, NAN);
    EXPECT(strstr(test_log(), "GYRunLoopTimerSetNextFireDate") != NULL);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    expect_quiet_sleep();
    loop_drop(timer);
}

TEST_MAIN()
