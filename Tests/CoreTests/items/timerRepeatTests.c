/* Repeating timers: the grid, lateness, first dates in the past, tolerance, and never early. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <math.h>
#include <stdlib.h>

#define DEFAULT kGYRunLoopDefaultMode
#define MS INT64_C(1000000)

static void spin_until_ns(int64_t moment_ns) {
    while (GYMonotonicNow() < moment_ns) continue;
}

/* One firing that takes a while, and what was seen of it. */
typedef struct {
    int64_t busy_ns;     /* how long after its deadline the callout returns */
    int64_t served_ns;   /* the deadline that the callout saw */
    int64_t returned_ns; /* the clock when it returned */
    int firings;
} slow;

static void is_slow(GYRunLoopTimerRef timer, void *info) {
    slow *self = info;
    self->firings++;
    self->served_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(GYMonotonicNow() >= self->served_ns);
    spin_until_ns(self->served_ns + self->busy_ns);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), self->served_ns);
    self->returned_ns = GYMonotonicNow();
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* The next date is on the grid, lies after the callout's return, and is the first one that does. */
static void expect_on_grid(GYRunLoopTimerRef timer, const slow *seen, int64_t interval_ns) {
    int64_t next_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT_INT((next_ns - seen->served_ns) % interval_ns, 0);
    EXPECT(next_ns > seen->returned_ns);
    EXPECT(next_ns - interval_ns <= GYMonotonicNow());
}

/* R104, R107, R55, F36: phase kept, missed dates dropped, computed after the callout. */
LOOP_TEST(a_late_repeating_timer_skips_missed_dates_and_keeps_its_grid) {
    slow self = {.busy_ns = 22 * MS};
    GYRunLoopTimerContext context = {.info = &self};
    int64_t first_ns = GYMonotonicNow() + 5 * MS;
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAt(first_ns, 10 * MS, 0, is_slow, &context);
    loop_in(DEFAULT, timer);
    for (int i = 1; i <= 3; i++) {
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        EXPECT_INT(self.firings, i);
        EXPECT_INT((self.served_ns - first_ns) % (10 * MS), 0);
        expect_on_grid(timer, &self, 10 * MS);
    }
    loop_drop(timer);
}

/* R119: a hundred million missed firings; adding the interval one by one would go on and on. */
LOOP_TEST(catching_up_with_a_hundred_million_missed_dates_keeps_the_grid) {
    slow self = {.busy_ns = 300 * MS};
    GYRunLoopTimerContext context = {.info = &self};
    int64_t first_ns = GYMonotonicNow() + MS;
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAt(first_ns, 3, 0, is_slow, &context);
    loop_in(DEFAULT, timer);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_INT((GYRunLoopTimerGetNextFireAt(timer) - self.served_ns) % 3, 0);
    EXPECT(GYRunLoopTimerGetNextFireAt(timer) > self.returned_ns);
    loop_drop(timer);
}

/* R105: the grid goes on from the date that was set. */
LOOP_TEST(the_grid_continues_from_a_date_that_was_set) {
    slow self = {.busy_ns = 0};
    GYRunLoopTimerContext context = {.info = &self};
    int64_t now_ns = GYMonotonicNow();
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreateAt(now_ns + 10000 * MS, 1000 * MS, 0, is_slow, &context);
    loop_in(DEFAULT, timer);
    GYRunLoopTimerSetNextFireAt(timer, now_ns + 200 * MS);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_INT(self.served_ns, now_ns + 200 * MS);
    expect_on_grid(timer, &self, 1000 * MS);
    loop_drop(timer);
}

/* R107: dates and deadlines tell the same. */
LOOP_TEST(the_computed_date_is_one_interval_after_the_date_served) {
    GYAbsoluteTime date = GYAbsoluteTimeGetCurrent() + 0.005;
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreate(kGYAllocatorDefault, date, 1000, 0, 0, loop_timer_stops, NULL);
    loop_in(DEFAULT, timer);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), date + 1000, 0.001);
    loop_drop(timer);
}

/* R117: one firing, and a grid from the moment of creation. */
LOOP_TEST(a_first_date_in_the_past_fires_once_and_the_grid_starts_at_creation) {
    slow self = {.busy_ns = 0};
    GYRunLoopTimerContext context = {.info = &self};
    int64_t before_ns = GYMonotonicNow();
    GYAbsoluteTime date = GYAbsoluteTimeGetCurrent() - 12345.6;
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreate(kGYAllocatorDefault, date, 100, 0, 0, is_slow, &context);
    int64_t after_ns = GYMonotonicNow();
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    loop_in(DEFAULT, timer);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_INT(self.firings, 1);
    /* The clock of dates may be off by what two clock readings are apart. */
    int64_t next_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(next_ns >= before_ns + 100000 * MS - MS);
    EXPECT(next_ns <= after_ns + 100000 * MS + MS);
    loop_drop(timer);
}

/* R117, R103: a date in the past counts as the moment at which it was given or set. */
LOOP_TEST(past_dates_are_served_in_the_order_in_which_they_were_given) {
    GYRunLoopTimerRef a = loop_in(DEFAULT, loop_timer(-1, 0, loop_timer_traces, "a"));
    GYRunLoopTimerRef b = loop_in(DEFAULT, loop_timer(-1000, 0, loop_timer_traces, "b"));
    GYRunLoopTimerRef c = loop_in(DEFAULT, loop_timer(3600, 0, loop_timer_traces, "c"));
    GYRunLoopTimerRef d = loop_in(DEFAULT, loop_timer(3600, 0, loop_timer_traces, "d"));
    GYRunLoopTimerSetNextFireDate(d, GYAbsoluteTimeGetCurrent() - 1);
    GYRunLoopTimerSetNextFireDate(c, GYAbsoluteTimeGetCurrent() - 1000);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "a b d c");
    GYRelease(a);
    GYRelease(b);
    GYRelease(c);
    GYRelease(d);
}

/* R103: by date; orders are kept and not used. */
LOOP_TEST(due_timers_fire_by_date_and_not_by_order_number) {
    static const char *const words[] = {"third", "first", "second"};
    static const int delays_ms[] = {300, 100, 200};
    GYRunLoopTimerRef timers[3];
    int64_t now_ns = GYMonotonicNow();
    for (int i = 0; i < 3; i++) {
        GYRunLoopTimerContext context = {.info = (void *)words[i]};
        timers[i] = GYRunLoopTimerCreateAt(now_ns + delays_ms[i] * MS, 0, i - 5, loop_timer_traces,
                                           &context);
        EXPECT_INT(GYRunLoopTimerGetOrder(timers[i]), i - 5);
        loop_in(DEFAULT, timers[i]);
    }
    spin_until_ns(now_ns + 300 * MS);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "first second third");
    for (int i = 0; i < 3; i++) GYRelease(timers[i]);
}

static void ends_after_three(GYRunLoopTimerRef timer, void *count) {
    loop_counts(count);
    if (atomic_load((atomic_int *)count) == 3) GYRunLoopTimerInvalidate(timer);
}

/* R101, R104: a double of seconds has not all of these. */
LOOP_TEST(an_interval_in_nanoseconds_reads_as_given_and_is_the_grid) {
    const int64_t intervals_ns[] = {1, 3989, 1500000007, 86400000000001, 9007199254740993};
    for (int i = 0; i < 5; i++) {
        GYRunLoopTimerRef timer = GYRunLoopTimerCreateAt(0, intervals_ns[i], 0, NULL, NULL);
        int64_t first_ns = GYRunLoopTimerGetNextFireAt(loop_in(DEFAULT, timer));
        EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), intervals_ns[i]);
        EXPECT_NEAR(GYRunLoopTimerGetInterval(timer) * 1e9, (double)intervals_ns[i], 1);
        loop_poll(DEFAULT);
        EXPECT_INT((GYRunLoopTimerGetNextFireAt(timer) - first_ns) % intervals_ns[i], 0);
        loop_drop(timer);
    }
}

static GYRunLoopTimerRef every(double interval_s) {
    return GYRunLoopTimerCreate(kGYAllocatorDefault, 0, interval_s, 0, 0, NULL, NULL);
}

/* R101, R104: a grid of whole nanoseconds, and what the program asked for. */
TEST(an_interval_in_seconds_reads_as_given_and_counts_as_the_nearest_nanosecond) {
    const struct {
        double given_s;
        int64_t used_ns;
    } cases[] = {{3.989e-6, 3989},
                 {1.0 / 3, 333333333},
                 {2.0 / 3, 666666667},
                 {0.1, 100000000},
                 {1e-9, 1},
                 {1.4e-9, 1},
                 {86400.000000001, 86400000000001}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GYRunLoopTimerRef timer = every(cases[i].given_s);
        EXPECT(GYRunLoopTimerGetInterval(timer) == cases[i].given_s);
        EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), cases[i].used_ns);
        GYRelease(timer);
    }
}

/* R115 */
LOOP_TEST(an_interval_below_the_clocks_resolution_is_one_nanosecond) {
    atomic_int count = 0;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0, 1e-12, ends_after_three, &count));
    EXPECT(GYRunLoopTimerDoesRepeat(timer));
    EXPECT(GYRunLoopTimerGetInterval(timer) == 1e-12);
    EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(timer), 1);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_INT(atomic_load(&count), 3);
    GYRelease(timer);
}

/* R33, R104, F77 */
LOOP_TEST(a_repeating_timer_that_is_due_fires_once_in_a_pass) {
    atomic_int count = 0;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1e-9, loop_timer_counts, &count));
    for (int passes = 1; passes <= 3; passes++) {
        loop_poll(DEFAULT);
        EXPECT_INT(atomic_load(&count), passes);
    }
    loop_drop(timer);
}

/* Tolerance. */

/* R109, F114 */
TEST(a_tolerance_is_kept_and_bounded) {
    GYRunLoopTimerRef once = loop_timer(60, 0, NULL, NULL), again = loop_timer(60, 1, NULL, NULL);
    EXPECT(GYRunLoopTimerGetTolerance(once) == 0);
    GYRunLoopTimerSetTolerance(once, 0.2);
    EXPECT(GYRunLoopTimerGetTolerance(once) == 0.2);
    EXPECT_INT(GYRunLoopTimerGetToleranceNanoseconds(once), 200 * MS);
    GYRunLoopTimerSetToleranceNanoseconds(once, -1);
    EXPECT_INT(GYRunLoopTimerGetToleranceNanoseconds(once), 0);
    GYRunLoopTimerSetTolerance(once, 0.2);
    GYRunLoopTimerSetTolerance(once, NAN);
    EXPECT(GYRunLoopTimerGetTolerance(once) == 0);
    GYRunLoopTimerSetTolerance(again, 0.4);
    EXPECT(GYRunLoopTimerGetTolerance(again) == 0.4);
    GYRunLoopTimerSetTolerance(again, INFINITY);
    EXPECT(GYRunLoopTimerGetTolerance(again) == 0.5);
    GYRunLoopTimerSetTolerance(again, -INFINITY);
    EXPECT(GYRunLoopTimerGetTolerance(again) == 0);
    GYRelease(once);
    GYRelease(again);
}

static void traces_not_early(GYRunLoopTimerRef timer, void *word) {
    EXPECT(GYMonotonicNow() >= GYRunLoopTimerGetNextFireAt(timer));
    loop_traces(word);
}

/* R109, F114: the two are served by one wake-up, and neither before its date. */
LOOP_TEST(a_tolerance_saves_a_wake_up) {
    const GYOptionFlags waiting = kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting;
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(waiting));
    GYRunLoopTimerRef a = loop_in(DEFAULT, loop_timer(0.03, 0, traces_not_early, "a"));
    GYRunLoopTimerRef b = loop_in(DEFAULT, loop_timer(0.04, 0, traces_not_early, "b"));
    GYRunLoopTimerSetTolerance(a, 0.02);
    GYRunLoopTimerSetTolerance(b, 0.02);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "wait wake a b");
    GYRelease(a);
    GYRelease(b);
    loop_drop(observer);
}

/* R109, R104: lateness that tolerance allows does not move the grid. */
LOOP_TEST(a_tolerance_does_not_make_a_timer_drift) {
    slow self = {.busy_ns = 0};
    GYRunLoopTimerContext context = {.info = &self};
    int64_t first_ns = GYMonotonicNow() + 2 * MS;
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAt(first_ns, 4 * MS, 0, is_slow, &context);
    GYRunLoopTimerSetToleranceNanoseconds(timer, 2 * MS);
    loop_in(DEFAULT, timer);
    for (int i = 0; i < 10; i++) {
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        EXPECT_INT((self.served_ns - first_ns) % (4 * MS), 0);
    }
    loop_drop(timer);
}

TEST_MAIN()
