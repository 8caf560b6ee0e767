/* Moments given and told where loops go by clocks of their own (R120, R311). */
#include "support/loop.h"

#include <gyre/GYClock.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>

#define DEFAULT kGYRunLoopDefaultMode
#define SECOND INT64_C(1000000000)
#define START_DATE 700000000.0

static GYManualClockRef go_by_clock(void) {
    GYManualClockRef clock = GYManualClockCreate(NULL, START_DATE, false);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    GYRelease(clock);
    return clock;
}

static GYRunLoopTimerRef timer_at(int64_t at_ns, int64_t interval_ns) {
    return GYRunLoopTimerCreateAt(at_ns, interval_ns, 0, loop_timer_traces, NULL);
}

static GYRunLoopTimerRef timer_on(GYAbsoluteTime date) {
    return GYRunLoopTimerCreate(NULL, date, 0, 0, 0, NULL, NULL);
}

static void pause_until(int64_t ns) {
    while (test_now_ns() < ns) test_pause();
}

/* R311 */
LOOP_TEST(the_current_time_is_that_of_the_threads_loop) {
    EXPECT(GYMonotonicNow() >= test_now_ns() - SECOND);
    GYManualClockRef clock = go_by_clock();
    EXPECT_INT(GYMonotonicNow(), 0);
    EXPECT(GYAbsoluteTimeGetCurrent() == START_DATE);
    GYManualClockAdvance(clock, 90 * SECOND);
    EXPECT_INT(GYMonotonicNow(), 90 * SECOND);
    EXPECT(GYAbsoluteTimeGetCurrent() == START_DATE + 90);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), NULL));
    EXPECT(GYAbsoluteTimeGetCurrent() > START_DATE + 10000);
}

/* R311: to the nanosecond, and to the last bit. */
LOOP_TEST(what_is_given_on_the_thread_of_the_loop_is_told_there) {
    GYManualClockRef clock = go_by_clock();
    GYManualClockAdvance(clock, 123456789);
    GYRunLoopTimerRef at = timer_at(5 * SECOND + 7, 0), on = timer_on(START_DATE + 1.1);
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(GYRunLoopTimerGetNextFireAt(at), 5 * SECOND + 7);
        EXPECT(GYRunLoopTimerGetNextFireDate(on) == START_DATE + 1.1);
        loop_in(DEFAULT, at);
        loop_in(DEFAULT, on);
    }
    GYRunLoopTimerSetNextFireAt(at, GYRunLoopTimerGetNextFireAt(at) + SECOND);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(at), 6 * SECOND + 7);
    GYRunLoopTimerSetNextFireDate(on, GYAbsoluteTimeGetCurrent() + 60);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireAt(on), 60.123456789e9, 200);
    loop_drop(at);
    loop_drop(on);
}

/* R117, R105 */
LOOP_TEST(a_moment_in_the_past_of_the_clock_is_now) {
    GYManualClockRef clock = go_by_clock();
    GYManualClockAdvance(clock, 50 * SECOND);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_on(START_DATE + 10));
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 50 * SECOND);
    GYRunLoopTimerSetNextFireAt(timer, 3);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 50 * SECOND);
    loop_drop(timer);
}

static GYRunLoopTimerRef made_elsewhere;
static int64_t distance_ns;

/* By the real clocks: this thread has no loop. */
static void makes(void *is_date) {
    GYManualClockRef first = GYManualClockCreate(NULL, 0, false);
    made_elsewhere = is_date != NULL ? timer_on(GYAbsoluteTimeGetCurrent() + 5)
                                     : GYRunLoopTimerCreateAfter(5 * SECOND, 0, 0, NULL, NULL);
    distance_ns = GYRunLoopTimerGetNextFireAt(made_elsewhere) - GYMonotonicNow();
    GYRelease(first);
}

/* R120: however much time lies between. */
LOOP_TEST(a_timer_keeps_its_distance_from_the_moment_it_was_given) {
    for (int i = 0; i < 2; i++) {
        test_thread(makes, i == 0 ? NULL : &distance_ns);
        pause_until(test_now_ns() + 20000000);
        GYManualClockRef clock = go_by_clock();
        GYManualClockAdvance(clock, 9 * SECOND);
        loop_in(DEFAULT, made_elsewhere);
        int64_t left_ns = GYRunLoopTimerGetNextFireAt(made_elsewhere) - 9 * SECOND;
        EXPECT(left_ns >= distance_ns && left_ns <= 5 * SECOND);
        EXPECT(i == 1 || left_ns == 5 * SECOND);
        loop_drop(made_elsewhere);
        EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), NULL));
    }
}

/* R311: of one that was made before there was a clock to ask for it, from when there was. */
LOOP_TEST(a_timer_from_before_the_first_clock_counts_from_that) {
    GYRunLoopTimerRef timer = GYRunLoopTimerCreateAfter(5 * SECOND, 0, 0, NULL, NULL);
    go_by_clock();
    loop_in(DEFAULT, timer);
    int64_t at_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(at_ns > 0 && at_ns <= 5 * SECOND);
    loop_drop(timer);
}

/* R311, R110 */
LOOP_TEST(a_timer_that_leaves_its_loop_keeps_its_distance) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYManualClockRef clock = go_by_clock();
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_at(100 * SECOND, SECOND));
    GYManualClockAdvance(clock, 40 * SECOND);
    GYRunLoopRemoveTimer(rl, timer, DEFAULT);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 100 * SECOND);
    GYManualClockAdvance(clock, 1000 * SECOND);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 1100 * SECOND);
    loop_in(GYSTR("other"), timer);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 1100 * SECOND);
    loop_drop(timer);
}

static void looks(void *timer) {
    int64_t left_ns = GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow();
    EXPECT(left_ns <= 100 * SECOND && left_ns > 40 * SECOND);
    double left = GYRunLoopTimerGetNextFireDate(timer) - GYAbsoluteTimeGetCurrent();
    EXPECT(left <= 100.001 && left > 40);
    GYRunLoopTimerSetNextFireAt(timer, GYMonotonicNow() + 500 * SECOND);
}

/* R311 */
LOOP_TEST(another_thread_is_told_by_its_own_clock) {
    GYManualClockRef clock = go_by_clock();
    GYManualClockAdvance(clock, 100000 * SECOND);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_at(100100 * SECOND, 0));
    test_thread(looks, timer);
    int64_t left_ns = GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow();
    EXPECT(left_ns <= 500 * SECOND && left_ns > 400 * SECOND);
    loop_drop(timer);
}

static void gives_other_thread(void *timer) {
    go_by_clock();
    GYRunLoopTimerSetNextFireAt(timer, 70 * SECOND);
    int64_t left_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(left_ns <= 70 * SECOND && left_ns > 10 * SECOND);
}

/* R311: the other way round. */
LOOP_TEST(a_loop_by_the_monotonic_clock_is_given_a_distance) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_at(GYMonotonicNow() + SECOND, 0));
    test_thread(gives_other_thread, timer);
    int64_t left_ns = GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow();
    EXPECT(left_ns <= 70 * SECOND && left_ns > 10 * SECOND);
    loop_drop(timer);
}

TEST_MAIN()
