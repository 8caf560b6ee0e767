/* Time-outs of runs (R50 to R56). */
#include "support/loop.h"
#include "support/test.h"

#include <dirent.h>
#include <float.h>
#include <gyre/GYString.h>
#include <math.h>
#include <stdio.h>

/* R50, R56: the timer's firings do not restart it. */
LOOP_TEST(a_time_out_bounds_the_whole_run_whatever_happens_in_it) {
    atomic_int count = 0;
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0.001, loop_timer_counts, &count));
    int64_t start_ns = test_now_ns();
    EXPECT_INT(loop_run(0.05), kGYRunLoopRunTimedOut);
    EXPECT(test_now_ns() - start_ns >= 50000000);
    EXPECT(atomic_load(&count) > 0);
    loop_drop(timer);
}

/* R50, F69: nothing of a run's time-out stays behind. */
LOOP_TEST(every_run_has_a_time_out_of_its_own) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 20; i++) {
        int64_t start_ns = test_now_ns();
        EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.003, true), kGYRunLoopRunTimedOut);
        EXPECT(test_now_ns() - start_ns >= 3000000);
    }
    loop_drop(keep);
}

static void run_level(void *level) {
    static const double seconds[] = {0.06, 0.04, 0.02};
    GYRunLoopMode modes[] = {GYSTR("outer"), GYSTR("middle"), GYSTR("inner")};
    int at = *(int *)level, next = at + 1;
    int64_t start_ns = test_now_ns();
    GYRunLoopSourceRef source =
        at < 2 ? loop_source0(0, run_level, &next) : loop_source0(0, NULL, NULL);
    loop_in(modes[at], source);
    if (at < 2) GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(modes[at], seconds[at], false), kGYRunLoopRunTimedOut);
    EXPECT(test_now_ns() - start_ns >= (int64_t)(seconds[at] * 1e9));
    test_trace("%d", at);
    loop_drop(source);
}

/* R50, F21 */
LOOP_TEST(nested_time_outs_end_from_the_inside_out) {
    int level = 0;
    run_level(&level);
    EXPECT_STR(test_trace_take(), "2 1 0");
}

static void run_longer_inside(void *mode) {
    GYRunLoopSourceRef keep = loop_keep(mode);
    EXPECT_INT(GYRunLoopRunInMode(mode, 0.02, false), kGYRunLoopRunTimedOut);
    test_trace("inner");
    loop_drop(keep);
}

/* R50, R55 */
LOOP_TEST(a_time_out_that_passes_inside_a_nested_run_ends_the_outer_run) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, run_longer_inside, (void *)GYSTR("inner")));
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources inner exit");
    loop_drop(observer);
    loop_drop(source);
}

static void stop_source_and_invalidate(void *source) {
    GYRunLoopStop(GYRunLoopGetCurrent());
    GYRunLoopSourceInvalidate(*(GYRunLoopSourceRef *)source);
}

/* R51, F2 */
LOOP_TEST(zero_and_less_make_one_pass_that_times_out) {
    static const double values[] = {0, -0.0, -1e-300, -1, -DBL_MAX, -INFINITY};
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    for (int i = 0; i < 6; i++) {
        EXPECT_INT(loop_run(values[i]), kGYRunLoopRunTimedOut);
        EXPECT_STR(test_trace_take(), "entry timers sources exit");
    }
    loop_drop(observer);
    loop_drop(keep);
}

/* R51 */
LOOP_TEST(a_pass_that_was_stopped_and_emptied_has_timed_out_all_the_same) {
    static const double values[] = {0, -INFINITY};
    for (int i = 0; i < 2; i++) {
        GYRunLoopSourceRef source = NULL;
        source =
            loop_in(kGYRunLoopDefaultMode, loop_source0(0, stop_source_and_invalidate, &source));
        GYRunLoopSourceSignal(source);
        EXPECT_INT(loop_run(values[i]), kGYRunLoopRunTimedOut);
        GYRelease(source);
    }
}

/* R51, R15, R16 */
LOOP_TEST(an_empty_mode_comes_before_the_time_out) {
    test_capture_log();
    EXPECT_INT(loop_run(0), kGYRunLoopRunFinished);
    EXPECT_INT(loop_run(-INFINITY), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(kGYRunLoopCommonModes), kGYRunLoopRunFinished);
}

static void stop_when_asleep(void *rl) {
    loop_wait_asleep(rl);
    GYRunLoopStop(rl);
}

static void expect_to_sleep_until_stopped(double seconds) {
    pthread_t stopper = test_thread_start(stop_when_asleep, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(seconds), kGYRunLoopRunStopped);
    test_thread_join(stopper);
}

/* R52 */
LOOP_TEST(very_long_time_outs_are_slept_through) {
    static const double values[] = {1e7,  504911232, 504911233, 1e10,
                                    1e20, 1e300,     DBL_MAX,   INFINITY};
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 8; i++) expect_to_sleep_until_stopped(values[i]);
    loop_drop(keep);
}

/* R53 */
LOOP_TEST(nan_means_no_time_out) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    expect_to_sleep_until_stopped(NAN);
    expect_to_sleep_until_stopped(-NAN);
    loop_drop(keep);
}

static int thread_count(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    REQUIRE(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void count_threads_and_descriptors(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                          void *unused) {
    (void)observer;
    (void)activity;
    (void)unused;
    test_trace("%d/%d", thread_count(), test_descriptor_count());
}

/* R54: the second run, with a time-out, has as many of both as the first, which had none. */
LOOP_TEST(a_time_out_costs_no_thread_and_no_descriptor) {
    GYRunLoopObserverRef counter =
        loop_in(kGYRunLoopDefaultMode, loop_observer(kGYRunLoopAfterWaiting, true, 0,
                                                     count_threads_and_descriptors, NULL));
    GYRunLoopTimerRef timer = loop_timer(0.001, 0, loop_timer_stops, NULL);
    loop_in(kGYRunLoopDefaultMode, timer);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    char without[32];
    snprintf(without, sizeof without, "%s", test_trace_take());
    loop_drop(timer);
    timer = loop_in(kGYRunLoopDefaultMode, loop_timer(1000, 0, NULL, NULL));
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), without);
    loop_drop(timer);
    loop_drop(counter);
}

static void outlast(void *until_ns) {
    while (test_now_ns() <= *(int64_t *)until_ns) test_pause();
    test_trace("callout");
}

/* R55 */
LOOP_TEST(a_time_out_never_interrupts_a_callout) {
    int64_t until_ns = test_now_ns() + 20000000;
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, outlast, &until_ns));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    EXPECT(test_now_ns() > until_ns);
    EXPECT_STR(test_trace_take(), "callout");
    loop_drop(source);
}

/* R56 */
LOOP_TEST(a_run_never_times_out_early) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int64_t timeout_ns = 1; timeout_ns < 4000000; timeout_ns = timeout_ns * 5 / 4 + 1) {
        int64_t start_ns = test_now_ns();
        EXPECT_INT(GYRunLoopRunInModeNanoseconds(kGYRunLoopDefaultMode, timeout_ns, false),
                   kGYRunLoopRunTimedOut);
        EXPECT(test_now_ns() - start_ns >= timeout_ns);
        start_ns = test_now_ns();
        EXPECT_INT(loop_run((double)timeout_ns / 1e9), kGYRunLoopRunTimedOut);
        EXPECT(test_now_ns() - start_ns >= timeout_ns);
    }
    loop_drop(keep);
}

/* R56 */
LOOP_TEST(a_time_out_below_the_clocks_resolution_waits_in_form) {
    static const double values[] = {1e-9, 1e-12, 1e-300, DBL_TRUE_MIN};
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    for (int i = 0; i < 4; i++) {
        EXPECT_INT(loop_run(values[i]), kGYRunLoopRunTimedOut);
        EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    }
    loop_drop(observer);
    loop_drop(keep);
}

/* R51, R52 */
LOOP_TEST(the_nanosecond_form_takes_the_ends_of_its_range) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopMode mode = kGYRunLoopDefaultMode;
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(mode, 0, false), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(mode, -1, false), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(mode, INT64_MIN, false), kGYRunLoopRunTimedOut);
    for (int i = 0; i < 2; i++) {
        pthread_t stopper = test_thread_start(stop_when_asleep, GYRunLoopGetCurrent());
        EXPECT_INT(GYRunLoopRunInModeNanoseconds(mode, INT64_MAX - i, false), kGYRunLoopRunStopped);
        test_thread_join(stopper);
    }
    loop_drop(keep);
}

TEST_MAIN()
