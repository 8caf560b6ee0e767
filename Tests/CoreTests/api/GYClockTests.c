/* Manual clocks as objects, and what a call refuses. How loops go by them is loop/reclockTests.c. */
#include "support/loop.h"

#include "misuse.h"

#include <errno.h>
#include <gyre/GYClock.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <math.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define SECOND INT64_C(1000000000)

/* R312 */
TEST(a_clock_stands_still_until_it_is_moved) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 1000, false);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
    EXPECT(GYManualClockGetDate(clock) == 1000);
    GYManualClockAdvance(clock, 3 * SECOND);
    EXPECT_INT(GYManualClockGetNow(clock), 3 * SECOND);
    EXPECT(GYManualClockGetDate(clock) == 1003);
    GYManualClockAdvanceTo(clock, 5 * SECOND);
    EXPECT_INT(GYManualClockGetNow(clock), 5 * SECOND);
    GYManualClockAdvanceToDate(clock, 1007.5);
    EXPECT_INT(GYManualClockGetNow(clock), 7 * SECOND + SECOND / 2);
    GYRelease(clock);
}

TEST(a_clock_does_not_go_back) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 1000, false);
    GYManualClockAdvance(clock, SECOND);
    GYManualClockAdvance(clock, 0);
    GYManualClockAdvanceTo(clock, 1);
    GYManualClockAdvanceToDate(clock, 1000);
    EXPECT_INT(GYManualClockGetNow(clock), SECOND);
    test_capture_log();
    GYManualClockAdvance(clock, -1);
    EXPECT(strstr(test_log(), "GYManualClockAdvance") != NULL);
    EXPECT_INT(GYManualClockGetNow(clock), SECOND);
    GYRelease(clock);
}

TEST(a_clock_ends_before_the_moment_that_never_comes) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    GYManualClockAdvance(clock, INT64_MAX - 10);
    GYManualClockAdvance(clock, INT64_MAX);
    EXPECT_INT(GYManualClockGetNow(clock), INT64_MAX - 1);
    GYManualClockAdvanceTo(clock, INT64_MAX);
    EXPECT_INT(GYManualClockGetNow(clock), INT64_MAX - 1);
    GYRelease(clock);
}

static void advances(void *clock) {
    for (int i = 0; i < 10000; i++) GYManualClockAdvance(clock, 3);
}

TEST(each_of_several_moves_at_once_counts) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    pthread_t a = test_thread_start(advances, clock), b = test_thread_start(advances, clock);
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_INT(GYManualClockGetNow(clock), 60000);
    GYRelease(clock);
}

TEST(a_clock_tells_what_it_is) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    EXPECT_INT(GYGetTypeID(clock), GYManualClockGetTypeID());
    EXPECT(GYManualClockAdvancesItself(clock));
    GYStringRef text = GYCopyDescription(clock);
    char shown[200];
    EXPECT(GYStringGetCString(text, shown, sizeof shown, kGYStringEncodingUTF8));
    EXPECT(strstr(shown, "advances itself = Yes") != NULL);
    GYRelease(text);
    GYRelease(clock);
}

/* R310 */
LOOP_TEST(a_loop_keeps_the_clock_that_it_goes_by) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    EXPECT(GYRunLoopCopyClock(rl) == NULL);
    EXPECT(GYRunLoopSetClock(rl, clock));
    EXPECT(GYRunLoopSetClock(rl, clock));
    EXPECT_INT(GYGetRetainCount(clock), 2);
    GYManualClockRef copy = GYRunLoopCopyClock(rl);
    EXPECT(copy == clock);
    GYRelease(copy);
    EXPECT(GYRunLoopSetClock(rl, NULL));
    EXPECT_INT(GYGetRetainCount(clock), 1);
    EXPECT(GYRunLoopCopyClock(rl) == NULL);
    GYRelease(clock);
}

static void goes_by(void *clock) { EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), clock)); }

LOOP_TEST(a_loop_that_ends_gives_its_clock_up) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    test_thread(goes_by, clock);
    test_thread(goes_by, clock);
    EXPECT_INT(GYGetRetainCount(clock), 1);
    GYRelease(clock);
}

/* R313 */
LOOP_TEST(one_loop_at_a_time_goes_by_a_clock_that_advances_itself) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    goes_by(clock);
    goes_by(clock);
    loop_worker_drop(&worker);
    GYRelease(clock);
}

static void is_refused_for(int error) {
    test_capture_log();
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    errno = 0;
    EXPECT(!GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    EXPECT_INT(errno, error);
    EXPECT(strstr(test_log(), "GYRunLoopSetClock") != NULL);
    EXPECT_INT(GYGetRetainCount(clock), 1);
    GYRelease(clock);
}

static void is_taken(void *clock) {
    test_capture_log();
    errno = 0;
    EXPECT(!GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    EXPECT_INT(errno, EBUSY);
    EXPECT(strstr(test_log(), "R313") != NULL);
}

LOOP_TEST(a_second_loop_is_refused_a_clock_that_advances_itself) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    goes_by(clock);
    test_thread(is_taken, clock);
    GYRelease(clock);
}

static void is_running(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    is_refused_for(EBUSY);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

LOOP_TEST(a_loop_that_runs_keeps_its_clock) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0, 10, is_running, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    GYRunLoopTimerFire(timer);
    loop_drop(timer);
}

static void sets_clock_of(void *rl) {
    test_capture_log();
    errno = 0;
    EXPECT(!GYRunLoopSetClock(rl, NULL));
    EXPECT_INT(errno, EPERM);
    EXPECT(strstr(test_log(), "R310") != NULL);
}

LOOP_TEST(another_thread_cannot_change_the_clock) {
    test_thread(sets_clock_of, GYRunLoopGetCurrent());
}

LOOP_TEST(a_loop_that_has_ended_takes_no_clock) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    loop_worker_end(&worker);
    errno = 0;
    EXPECT(!GYRunLoopSetClock(worker.rl, NULL));
    EXPECT_INT(errno, ESRCH);
    EXPECT(GYRunLoopCopyClock(worker.rl) == NULL);
    GYRelease(worker.rl);
}

LOOP_TEST(bad_arguments_are_reported) {
    test_capture_log();
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYManualClockRef no_clock = (GYManualClockRef)(uintptr_t)GYSTR("no clock");
    EXPECT(GYManualClockCreate(NULL, NAN, false) == NULL);
    EXPECT_REPORTED("GYManualClockCreate");
    EXPECT_INT(GYManualClockGetNow(NULL), 0);
    EXPECT_REPORTED("GYManualClockGetNow");
    EXPECT(GYManualClockGetDate(no_clock) == 0);
    EXPECT_REPORTED("GYManualClockGetDate");
    EXPECT(!GYManualClockAdvancesItself(NULL));
    EXPECT_REPORTED("GYManualClockAdvancesItself");
    GYManualClockAdvance(NULL, 1);
    EXPECT_REPORTED("GYManualClockAdvance");
    GYManualClockAdvanceTo(no_clock, 1);
    EXPECT_REPORTED("GYManualClockAdvanceTo");
    GYManualClockAdvanceToDate(NULL, 1);
    EXPECT_REPORTED("GYManualClockAdvanceToDate");
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    GYManualClockAdvanceToDate(clock, NAN);
    EXPECT_REPORTED("GYManualClockAdvanceToDate");
    EXPECT(!GYRunLoopSetClock(NULL, clock));
    EXPECT_REPORTED("GYRunLoopSetClock");
    EXPECT(!GYRunLoopSetClock(rl, no_clock));
    EXPECT_REPORTED("GYRunLoopSetClock");
    EXPECT(GYRunLoopCopyClock(NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopCopyClock");
    GYRelease(clock);
}

TEST_MAIN()
