/* The clocks and dates through their public calls. */
#include "support/test.h"

#include <gyre/gyre.h>
#include <math.h>
#include <string.h>
#include <time.h>

static double unix_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

TEST(the_date_now_is_the_wall_clocks) {
    double before = unix_now();
    GYAbsoluteTime now = GYAbsoluteTimeGetCurrent() + kGYAbsoluteTimeIntervalSince1970;
    double after = unix_now();
    /* The offset between the clocks may be off by the 100 us below which it does not follow. */
    EXPECT(now >= before - 0.001);
    EXPECT(now <= after + 0.001);
}

TEST(the_date_now_never_goes_back_while_the_clock_is_not_set) {
    GYAbsoluteTime last = GYAbsoluteTimeGetCurrent();
    for (int i = 0; i < 10000; i++) {
        GYAbsoluteTime now = GYAbsoluteTimeGetCurrent();
        if (!EXPECT(now >= last)) break;
        last = now;
    }
}

TEST(the_epochs_are_whole_days_before_2001) {
    EXPECT(kGYAbsoluteTimeIntervalSince1970 == 978307200.0);
    EXPECT(kGYAbsoluteTimeIntervalSince1904 == 3061152000.0);
    struct tm t = {.tm_year = 101, .tm_mday = 1};
    EXPECT((double)timegm(&t) == kGYAbsoluteTimeIntervalSince1970);
    struct tm u = {.tm_year = 4, .tm_mday = 1};
    EXPECT((double)(timegm(&t) - timegm(&u)) == kGYAbsoluteTimeIntervalSince1904);
}

TEST(the_monotonic_clock_is_the_kernels) {
    int64_t before = test_now_ns();
    int64_t now = GYMonotonicNow();
    EXPECT(now >= before);
    EXPECT(now <= test_now_ns());
}

TEST(a_date_keeps_its_time_to_the_last_bit) {
    const double times[] = {0.1, -1e300, 700000000.123456, INFINITY};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        GYDateRef date = GYDateCreate(kGYAllocatorDefault, times[i]);
        EXPECT(GYDateGetAbsoluteTime(date) == times[i]);
        EXPECT_INT(GYGetTypeID(date), GYDateGetTypeID());
        GYRelease(date);
    }
}

TEST(dates_compare_by_their_time) {
    GYDateRef early = GYDateCreate(NULL, 1.0), late = GYDateCreate(NULL, 3.5);
    GYDateRef same = GYDateCreate(NULL, 1.0);
    EXPECT_INT(GYDateCompare(early, late, NULL), kGYCompareLessThan);
    EXPECT_INT(GYDateCompare(late, early, NULL), kGYCompareGreaterThan);
    EXPECT_INT(GYDateCompare(early, same, NULL), kGYCompareEqualTo);
    EXPECT(GYDateGetTimeIntervalSinceDate(late, early) == 2.5);
    EXPECT(GYDateGetTimeIntervalSinceDate(early, late) == -2.5);
    EXPECT(GYEqual(early, same));
    EXPECT_INT(GYHash(early), GYHash(same));
    EXPECT(!GYEqual(early, late));
    GYRelease(early);
    GYRelease(late);
    GYRelease(same);
}

TEST(both_zeros_are_the_same_date) {
    GYDateRef plus = GYDateCreate(NULL, 0.0), minus = GYDateCreate(NULL, -0.0);
    EXPECT(GYEqual(plus, minus));
    EXPECT_INT(GYHash(plus), GYHash(minus));
    GYRelease(plus);
    GYRelease(minus);
}

static void expect_shown(GYAbsoluteTime at, GYStringRef end) {
    GYDateRef date = GYDateCreate(NULL, at);
    GYStringRef shown = GYCopyDescription(date);
    EXPECT(GYStringHasPrefix(shown, GYSTR("<GYDate 0x")));
    if (!GYStringHasSuffix(shown, end)) {
        EXPECT_STR(GYStringGetCStringPtr(shown, kGYStringEncodingUTF8),
                   GYStringGetCStringPtr(end, kGYStringEncodingUTF8));
    }
    GYRelease(shown);
    GYRelease(date);
}

TEST(a_description_shows_the_calendar_date) {
    expect_shown(0, GYSTR("{2001-01-01 00:00:00.000 UTC}"));
    expect_shown(86400.5, GYSTR("{2001-01-02 00:00:00.500 UTC}"));
    expect_shown(-0.25, GYSTR("{2000-12-31 23:59:59.750 UTC}"));
    expect_shown(1e300, GYSTR("{1e+300 s}"));
    expect_shown(-INFINITY, GYSTR("{-inf s}"));
}

TEST(misuse_of_dates_is_reported_and_harmless) {
    GYDateRef date = GYDateCreate(NULL, 5);
    test_capture_log();
    EXPECT(GYDateCreate(NULL, NAN) == NULL);
    EXPECT(GYDateGetAbsoluteTime(NULL) == 0);
    EXPECT(GYDateGetTimeIntervalSinceDate(date, NULL) == 0);
    EXPECT_INT(GYDateCompare((GYDateRef)(const void *)GYSTR("no date"), date, NULL), 0);
    EXPECT_STR(test_log(), "gyre: GYDateCreate: the time is NaN (GYTime.h)\n"
                           "gyre: GYDateGetAbsoluteTime: not a date (GYTime.h)\n"
                           "gyre: GYDateGetTimeIntervalSinceDate: not a date (GYTime.h)\n"
                           "gyre: GYDateCompare: not a date (GYTime.h)");
    GYRelease(date);
}

TEST_MAIN()
