/* The mapping between dates and the monotonic clock. */
#include "support/test.h"

#include "base/clock.h"

#include <float.h>
#include <math.h>
#include <time.h>

TEST(the_clock_is_the_kernels_monotonic_clock) {
    int64_t before = test_now_ns(), now = gy_clock_now_ns();
    EXPECT(before <= now);
    EXPECT(now <= test_now_ns());
}

TEST(equal_dates_give_equal_deadlines) {
    GYAbsoluteTime date = gy_clock_date(gy_clock_now_ns()) + 12.345;
    int64_t deadline = gy_clock_deadline_ns(date);
    for (int i = 0; i < 1000; i++) {
        if (!EXPECT_INT(gy_clock_deadline_ns(date), deadline)) break;
    }
}

TEST(at_a_deadline_the_date_asked_for_is_reached) {
    GYAbsoluteTime start = gy_clock_date(gy_clock_now_ns());
    for (int i = 0; i < 2000; i++) {
        GYAbsoluteTime date = start + i * 0.7310585786300049;
        if (!EXPECT(gy_clock_date(gy_clock_deadline_ns(date)) >= date)) break;
    }
}

TEST(dates_do_not_go_back_as_the_clock_goes_on) {
    int64_t now = gy_clock_now_ns();
    GYAbsoluteTime last = gy_clock_date(now);
    for (int i = 1; i < 2000; i++) {
        GYAbsoluteTime date = gy_clock_date(now + i);
        if (!EXPECT(date >= last)) break;
        last = date;
    }
}

TEST(dates_beyond_the_clock_are_clamped) {
    EXPECT(gy_clock_deadline_ns(DBL_MAX) > gy_clock_now_ns() + GY_NS_PER_SECOND * 3600 * 24 * 365);
    EXPECT(gy_clock_deadline_ns(INFINITY) == gy_clock_deadline_ns(DBL_MAX));
    EXPECT(gy_clock_deadline_ns(-DBL_MAX) < 0);
    EXPECT(gy_clock_deadline_ns(-INFINITY) == gy_clock_deadline_ns(-DBL_MAX));
}

TEST(lengths_round_up_and_clamp) {
    EXPECT_INT(gy_seconds_to_ns(1.5), 1500000000);
    EXPECT_INT(gy_seconds_to_ns(1e-12), 1);
    EXPECT_INT(gy_seconds_to_ns(0), 0);
    EXPECT_INT(gy_seconds_to_ns(-1.5), -1500000000);
    EXPECT_INT(gy_seconds_to_ns(DBL_MAX), INT64_MAX);
    EXPECT_INT(gy_seconds_to_ns(INFINITY), INT64_MAX);
    EXPECT_INT(gy_seconds_to_ns(-INFINITY), -INT64_MAX);
    EXPECT(gy_ns_to_seconds(2500000000) == 2.5);
}

TEST(sums_saturate) {
    EXPECT_INT(gy_ns_add(1, 2), 3);
    EXPECT_INT(gy_ns_add(INT64_MAX, 1), GY_NEVER);
    EXPECT_INT(gy_ns_add(GY_NEVER, GY_NEVER), GY_NEVER);
    EXPECT_INT(gy_ns_add(INT64_MIN, -1), INT64_MIN);
    EXPECT_INT(gy_ns_add(INT64_MIN, INT64_MAX), -1);
}

static void check_agreement(void *mismatches) {
    for (int i = 0; i < 5000; i++) {
        int64_t before = gy_clock_now_ns();
        GYAbsoluteTime date = gy_clock_date(before);
        int64_t back = gy_clock_deadline_ns(date);
        /* One double apart, not a step of the clock: threads share one offset. */
        if (back >= before - 1000 && back <= before + 1000) continue;
        atomic_fetch_add((atomic_int *)mismatches, 1);
    }
}

TEST(threads_agree_on_the_mapping) {
    atomic_int mismatches = 0;
    pthread_t a = test_thread_start(check_agreement, &mismatches);
    pthread_t b = test_thread_start(check_agreement, &mismatches);
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_INT(mismatches, 0);
}

TEST_MAIN()
