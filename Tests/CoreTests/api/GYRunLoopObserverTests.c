/* The calls of gyre/GYRunLoopObserver.h: contexts, bad input and its reports. */
#include "api/misuse.h"

#include <gyre/GYString.h>

#define NOT_AN_OBSERVER ((GYRunLoopObserverRef)(uintptr_t)GYSTR("no observer"))

static const GYRunLoopObserverRef bad[] = {NULL, NOT_AN_OBSERVER};

static const void *retain(const void *info) { return info; }
static void release(const void *info) { (void)info; }
static GYStringRef describe(const void *info) { return info == NULL ? NULL : GYSTR("info"); }

static GYRunLoopObserverRef create(GYRunLoopObserverContext *context) {
    return GYRunLoopObserverCreate(kGYAllocatorDefault, kGYRunLoopEntry, true, 5, NULL, context);
}

/* R6 */
TEST(the_type_of_an_observer_is_that_of_observers) {
    GYRunLoopObserverRef observer = create(NULL);
    EXPECT_INT(GYGetTypeID(observer), GYRunLoopObserverGetTypeID());
    EXPECT(GYRunLoopObserverGetTypeID() != GYRunLoopGetTypeID());
    GYRelease(observer);
}

/* R160, R162 */
TEST(a_context_reads_back_as_it_was_given_and_without_info_after_the_end) {
    int x;
    GYRunLoopObserverContext given = {0, &x, retain, release, describe}, read = {.version = 0};
    GYRunLoopObserverRef observer = create(&given);
    GYRunLoopObserverGetContext(observer, &read);
    EXPECT(read.version == 0 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    GYRunLoopObserverInvalidate(observer);
    GYRunLoopObserverGetContext(observer, &read);
    EXPECT(read.info == NULL);
    GYRelease(observer);
}

/* R160 */
LOOP_TEST(an_observer_needs_neither_context_nor_callback) {
    GYRunLoopObserverRef observer = loop_in(kGYRunLoopDefaultMode, create(NULL));
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverContext read = {.info = &read};
    GYRunLoopObserverGetContext(observer, &read);
    EXPECT(read.info == NULL && read.retain == NULL && read.release == NULL);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    loop_drop(observer);
    loop_drop(keep);
}

/* R133: without a callback it is used up all the same. */
LOOP_TEST(a_one_shot_observer_without_a_callback_ends_at_its_first_activity) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopObserverRef observer = loop_observer(kGYRunLoopEntry, false, 0, NULL, NULL);
    loop_in(kGYRunLoopDefaultMode, observer);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT(!GYRunLoopObserverIsValid(observer));
    GYRelease(observer);
    loop_drop(keep);
}

/* R162 */
TEST(reading_a_context_of_another_version_is_reported_and_writes_nothing) {
    GYRunLoopObserverRef observer = create(NULL);
    GYRunLoopObserverContext read = {.version = 1, .info = &read};
    test_capture_log();
    GYRunLoopObserverGetContext(observer, &read);
    EXPECT_REPORTED("GYRunLoopObserverGetContext");
    EXPECT(read.version == 1 && read.info == &read);
    GYRunLoopObserverGetContext(observer, NULL);
    EXPECT_REPORTED("GYRunLoopObserverGetContext");
    GYRelease(observer);
}

/* The defined results, and one line that names the call. */
TEST(calls_on_what_is_no_observer_are_harmless_and_reported) {
    test_capture_log();
    for (int i = 0; i < 2; i++) {
        GYRunLoopObserverContext read = {.info = &read};
        EXPECT_INT(GYRunLoopObserverGetActivities(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopObserverGetActivities");
        EXPECT(!GYRunLoopObserverDoesRepeat(bad[i]));
        EXPECT_REPORTED("GYRunLoopObserverDoesRepeat");
        EXPECT_INT(GYRunLoopObserverGetOrder(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopObserverGetOrder");
        EXPECT(!GYRunLoopObserverIsValid(bad[i]));
        EXPECT_REPORTED("GYRunLoopObserverIsValid");
        GYRunLoopObserverInvalidate(bad[i]);
        EXPECT_REPORTED("GYRunLoopObserverInvalidate");
        GYRunLoopObserverInvalidateAndWait(bad[i]);
        EXPECT_REPORTED("GYRunLoopObserverInvalidateAndWait");
        GYRunLoopObserverGetContext(bad[i], &read);
        EXPECT_REPORTED("GYRunLoopObserverGetContext");
        EXPECT(read.info == &read);
    }
}

static void asks_nothing(void) { GYRunLoopObserverGetOrder(NULL); }

TEST(a_call_without_an_observer_aborts_in_strict_mode) { expect_strict_abort(asks_nothing); }

TEST_MAIN()
