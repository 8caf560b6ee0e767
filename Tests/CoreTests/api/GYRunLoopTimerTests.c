/* The calls of gyre/GYRunLoopTimer.h: contexts, bad input and its reports. */
#include "api/misuse.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <limits.h>
#include <math.h>

#define NOT_A_TIMER ((GYRunLoopTimerRef)(uintptr_t)GYSTR("no timer"))

static const GYRunLoopTimerRef bad[] = {NULL, NOT_A_TIMER};

static const void *retain(const void *info) { return info; }
static void release(const void *info) { (void)info; }
static GYStringRef describe(const void *info) { return info == NULL ? NULL : GYSTR("info"); }
static void fire(GYRunLoopTimerRef timer, void *info) { (void)timer, (void)info; }

static GYRunLoopTimerRef create(double date, double interval, GYRunLoopTimerContext *context) {
    return GYRunLoopTimerCreate(kGYAllocatorDefault, date, interval, 0, 5, fire, context);
}

/* R6 */
TEST(the_type_of_a_timer_is_that_of_timers) {
    GYRunLoopTimerRef timer = create(0, 0, NULL);
    EXPECT_INT(GYGetTypeID(timer), GYRunLoopTimerGetTypeID());
    EXPECT(GYRunLoopTimerGetTypeID() != GYRunLoopObserverGetTypeID());
    EXPECT(GYRunLoopTimerGetTypeID() != GYRunLoopGetTypeID());
    GYRelease(timer);
}

/* R160, R162 */
TEST(a_context_reads_back_as_it_was_given_and_without_info_after_the_end) {
    int x;
    GYRunLoopTimerContext given = {0, &x, retain, release, describe}, read = {.version = 0};
    GYRunLoopTimerRef timer = create(0, 0, &given);
    GYRunLoopTimerGetContext(timer, &read);
    EXPECT(read.version == 0 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    GYRunLoopTimerInvalidate(timer);
    GYRunLoopTimerGetContext(timer, &read);
    EXPECT(read.info == NULL);
    GYRelease(timer);
}

/* R160 */
TEST(a_timer_needs_no_context) {
    GYRunLoopTimerRef timer = create(0, 0, NULL);
    GYRunLoopTimerContext read = {.info = &read};
    GYRunLoopTimerGetContext(timer, &read);
    EXPECT(read.info == NULL && read.retain == NULL && read.release == NULL);
    GYRelease(timer);
}

static const void *gives_another(const void *info) { return (const char *)info + 1; }

/* R160: what retain gives is the info from then on. */
TEST(the_result_of_retain_is_the_info) {
    char bytes[2];
    GYRunLoopTimerContext context = {.info = bytes, .retain = gives_another};
    GYRunLoopTimerRef timer = create(0, 0, &context);
    GYRunLoopTimerGetContext(timer, &context);
    EXPECT(context.info == &bytes[1]);
    GYRelease(timer);
}

/* R100, R103: flags are ignored, orders kept. */
TEST(order_and_flags_are_taken_whatever_they_are) {
    const GYIndex orders[] = {LONG_MIN, 0, LONG_MAX};
    for (int i = 0; i < 3; i++) {
        GYRunLoopTimerRef timer =
            GYRunLoopTimerCreate(kGYAllocatorDefault, 0, 0, ULONG_MAX, orders[i], fire, NULL);
        EXPECT_INT(GYRunLoopTimerGetOrder(timer), orders[i]);
        GYRelease(timer);
    }
}

/* R118 */
TEST(a_nan_date_or_interval_is_refused_and_reported) {
    test_capture_log();
    EXPECT(create(NAN, 1, NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopTimerCreate");
    EXPECT(create(0, NAN, NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopTimerCreate");
    GYRunLoopTimerRef timer = create(77, 1, NULL);
    GYRunLoopTimerSetNextFireDate(timer, NAN);
    EXPECT_REPORTED("GYRunLoopTimerSetNextFireDate");
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == 77);
    GYRelease(timer);
}

/* R118: what was refused has not kept its info. */
static int retained;

static const void *counts_retain(const void *info) {
    retained++;
    return info;
}

TEST(a_refused_timer_does_not_keep_its_info) {
    GYRunLoopTimerContext context = {.info = &context, .retain = counts_retain};
    test_capture_log();
    EXPECT(create(NAN, 0, &context) == NULL);
    EXPECT_INT(retained, 0);
}

/* R162 */
TEST(reading_a_context_of_another_version_is_reported_and_writes_nothing) {
    GYRunLoopTimerRef timer = create(0, 0, NULL);
    GYRunLoopTimerContext read = {.version = 1, .info = &read};
    test_capture_log();
    GYRunLoopTimerGetContext(timer, &read);
    EXPECT_REPORTED("GYRunLoopTimerGetContext");
    EXPECT(read.version == 1 && read.info == &read);
    GYRunLoopTimerGetContext(timer, NULL);
    EXPECT_REPORTED("GYRunLoopTimerGetContext");
    GYRelease(timer);
}

/* The defined results, and one line that names the call. */
TEST(questions_to_what_is_no_timer_are_harmless_and_reported) {
    test_capture_log();
    for (int i = 0; i < 2; i++) {
        EXPECT(GYRunLoopTimerGetNextFireDate(bad[i]) == 0);
        EXPECT_REPORTED("GYRunLoopTimerGetNextFireDate");
        EXPECT_INT(GYRunLoopTimerGetNextFireAt(bad[i]), INT64_MAX);
        EXPECT_REPORTED("GYRunLoopTimerGetNextFireAt");
        EXPECT(GYRunLoopTimerGetInterval(bad[i]) == 0);
        EXPECT_REPORTED("GYRunLoopTimerGetInterval");
        EXPECT_INT(GYRunLoopTimerGetIntervalNanoseconds(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopTimerGetIntervalNanoseconds");
        EXPECT(!GYRunLoopTimerDoesRepeat(bad[i]));
        EXPECT_REPORTED("GYRunLoopTimerDoesRepeat");
        EXPECT_INT(GYRunLoopTimerGetOrder(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopTimerGetOrder");
        EXPECT(!GYRunLoopTimerIsValid(bad[i]));
        EXPECT_REPORTED("GYRunLoopTimerIsValid");
        EXPECT(GYRunLoopTimerGetTolerance(bad[i]) == 0);
        EXPECT_REPORTED("GYRunLoopTimerGetTolerance");
        EXPECT_INT(GYRunLoopTimerGetToleranceNanoseconds(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopTimerGetToleranceNanoseconds");
        GYIndex limit = 5;
        EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(bad[i], &limit), kGYTimerSkip);
        EXPECT_REPORTED("GYRunLoopTimerGetOverrunPolicy");
        EXPECT_INT(limit, 0);
    }
}

TEST(changes_of_what_is_no_timer_are_harmless_and_reported) {
    test_capture_log();
    for (int i = 0; i < 2; i++) {
        GYRunLoopTimerContext read = {.info = &read};
        GYRunLoopTimerSetNextFireDate(bad[i], 0);
        EXPECT_REPORTED("GYRunLoopTimerSetNextFireDate");
        GYRunLoopTimerSetNextFireAt(bad[i], 0);
        EXPECT_REPORTED("GYRunLoopTimerSetNextFireAt");
        GYRunLoopTimerSetTolerance(bad[i], 1);
        EXPECT_REPORTED("GYRunLoopTimerSetTolerance");
        GYRunLoopTimerSetToleranceNanoseconds(bad[i], 1);
        EXPECT_REPORTED("GYRunLoopTimerSetToleranceNanoseconds");
        EXPECT(!GYRunLoopTimerSetOverrunPolicy(bad[i], kGYTimerSkip, 0));
        EXPECT_REPORTED("GYRunLoopTimerSetOverrunPolicy");
        EXPECT(!GYRunLoopTimerFire(bad[i]));
        EXPECT_REPORTED("GYRunLoopTimerFire");
        GYRunLoopTimerInvalidate(bad[i]);
        EXPECT_REPORTED("GYRunLoopTimerInvalidate");
        GYRunLoopTimerInvalidateAndWait(bad[i]);
        EXPECT_REPORTED("GYRunLoopTimerInvalidateAndWait");
        GYRunLoopTimerGetContext(bad[i], &read);
        EXPECT_REPORTED("GYRunLoopTimerGetContext");
        EXPECT(read.info == &read);
    }
}

/* R122 */
TEST(a_policy_reads_back_as_it_was_set) {
    GYRunLoopTimerRef timer = create(0, 2, NULL);
    GYIndex limit = 5;
    EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, &limit), kGYTimerSkip);
    EXPECT_INT(limit, 0);
    const GYIndex limits[] = {LONG_MAX, 7, 0, -1};
    for (int i = 0; i < 4; i++) {
        EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerCatchUp, limits[i]));
        EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, &limit), kGYTimerCatchUp);
        EXPECT_INT(limit, limits[i] > 0 ? limits[i] : 0);
    }
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerFromEnd, 7));
    EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, &limit), kGYTimerFromEnd);
    EXPECT_INT(limit, 0);
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerSkip, 7));
    EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, NULL), kGYTimerSkip);
    GYRelease(timer);
}

/* R122 */
TEST(a_policy_that_there_is_not_is_reported_and_changes_nothing) {
    GYRunLoopTimerRef timer = create(0, 2, NULL);
    test_capture_log();
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerFromEnd, 0));
    EXPECT(!GYRunLoopTimerSetOverrunPolicy(timer, 3, 1));
    EXPECT_REPORTED("GYRunLoopTimerSetOverrunPolicy");
    EXPECT(!GYRunLoopTimerSetOverrunPolicy(timer, -1, 1));
    EXPECT_REPORTED("GYRunLoopTimerSetOverrunPolicy");
    EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, NULL), kGYTimerFromEnd);
    GYRelease(timer);
}

/* R107, R113: an invalid timer is no mistake. */
TEST(an_invalid_timer_answers_and_ignores_changes_without_a_report) {
    GYRunLoopTimerRef timer = create(77, 2, NULL);
    GYRunLoopTimerInvalidate(timer);
    test_capture_log();
    GYRunLoopTimerSetNextFireDate(timer, 99);
    GYRunLoopTimerSetNextFireAt(timer, 99);
    GYRunLoopTimerInvalidate(timer);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == 0);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    EXPECT(GYRunLoopTimerGetInterval(timer) == 2);
    EXPECT(GYRunLoopTimerDoesRepeat(timer));
    EXPECT_STR(test_log(), "");
    GYRelease(timer);
}

static void creates_with_nan(void) { create(NAN, 0, NULL); }

TEST(a_refused_timer_aborts_in_strict_mode) { expect_strict_abort(creates_with_nan); }

TEST_MAIN()
