/* The calls of gyre/GYRunLoopSource.h: contexts, bad input and its reports. */
#include "api/misuse.h"

#include <gyre/GYString.h>
#include <string.h>

#define NOT_A_SOURCE ((GYRunLoopSourceRef)(uintptr_t)GYSTR("no source"))

static const GYRunLoopSourceRef bad[] = {NULL, NOT_A_SOURCE};

static void perform(void *info) { (void)info; }
static void perform_events(void *info, uint32_t events) { (void)info, (void)events; }
static int get_port(void *info) { return info == NULL ? -1 : -2; }
static const void *retain(const void *info) { return info; }
static void release(const void *info) { (void)info; }
static GYStringRef describe(const void *info) { return info == NULL ? NULL : GYSTR("info"); }
static GYBoolean equal(const void *a, const void *b) { return a == b; }
static GYHashCode hash(const void *info) { return info == NULL ? 0 : 7; }
static void schedule(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)info, (void)rl, (void)mode;
}
static void cancel(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)info, (void)rl, (void)mode;
}

static GYRunLoopSourceRef create(void *context) {
    return GYRunLoopSourceCreate(kGYAllocatorDefault, 3, context);
}

/* R6 */
TEST(the_type_of_a_source_is_that_of_sources) {
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    EXPECT_INT(GYGetTypeID(source), GYRunLoopSourceGetTypeID());
    EXPECT(GYRunLoopSourceGetTypeID() != GYRunLoopTimerGetTypeID());
    EXPECT(GYRunLoopSourceGetTypeID() != GYRunLoopObserverGetTypeID());
    EXPECT(GYRunLoopSourceGetTypeID() != GYRunLoopGetTypeID());
    GYRelease(source);
}

/* R160, R162 */
TEST(a_version_0_context_reads_back_as_it_was_given) {
    int x;
    GYRunLoopSourceContext given = {0,     &x,   retain,   release, describe,
                                    equal, hash, schedule, cancel,  perform};
    GYRunLoopSourceContext read = {.version = 0};
    GYRunLoopSourceRef source = create(&given);
    GYRunLoopSourceGetContext(source, &read);
    EXPECT(read.version == 0 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    EXPECT(read.equal == equal && read.hash == hash);
    EXPECT(read.schedule == schedule && read.cancel == cancel && read.perform == perform);
    EXPECT_INT(GYRunLoopSourceGetOrder(source), 3);
    GYRelease(source);
}

/* R160, R162 */
TEST(a_version_1_context_reads_back_as_it_was_given) {
    int x;
    GYRunLoopSourceContext1 given = {1,     &x,   retain,   release, describe,
                                     equal, hash, get_port, perform};
    GYRunLoopSourceContext1 read = {.version = 1};
    GYRunLoopSourceRef source = create(&given);
    GYRunLoopSourceGetContext(source, (GYRunLoopSourceContext *)&read);
    EXPECT(read.version == 1 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    EXPECT(read.equal == equal && read.hash == hash);
    EXPECT(read.getPort == get_port && read.perform == perform);
    GYRelease(source);
}

/* R88, R160, R162 */
TEST(a_version_2_context_reads_back_as_it_was_given) {
    int x;
    GYRunLoopSourceContext2 given = {2,    &x,       retain,  release, describe,      equal,
                                     hash, get_port, perform, 5,       perform_events};
    GYRunLoopSourceContext2 read = {.version = 2};
    GYRunLoopSourceRef source = create(&given);
    GYRunLoopSourceGetContext(source, (GYRunLoopSourceContext *)&read);
    EXPECT(read.version == 2 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    EXPECT(read.equal == equal && read.hash == hash);
    EXPECT(read.getPort == get_port && read.perform == perform);
    EXPECT(read.events == 5 && read.performEvents == perform_events);
    GYRelease(source);
}

/* R70 */
TEST(a_source_without_a_context_is_refused_and_reported) {
    test_capture_log();
    EXPECT(create(NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopSourceCreate");
}

/* R88, R160: a version that is none. */
TEST(a_source_of_an_unknown_version_is_refused_and_reported) {
    const GYIndex versions[] = {-1, 3, 1 << 20};
    test_capture_log();
    for (int i = 0; i < 3; i++) {
        GYRunLoopSourceContext2 context = {.version = versions[i]};
        EXPECT(create(&context) == NULL);
        EXPECT_REPORTED("GYRunLoopSourceCreate");
    }
}

/* R162: nothing is written past what the caller said there is. */
TEST(reading_a_context_of_another_version_is_reported_and_writes_nothing) {
    GYRunLoopSourceContext given = {.info = &given};
    GYRunLoopSourceRef source = create(&given);
    GYRunLoopSourceContext1 read = {.version = 1, .info = &read};
    test_capture_log();
    GYRunLoopSourceGetContext(source, (GYRunLoopSourceContext *)&read);
    EXPECT_REPORTED("GYRunLoopSourceGetContext");
    EXPECT(read.version == 1 && read.info == &read);
    GYRunLoopSourceGetContext(source, NULL);
    EXPECT_REPORTED("GYRunLoopSourceGetContext");
    GYRelease(source);
}

/* R160: every callback may be NULL. */
LOOP_TEST(a_source_without_any_callback_works) {
    GYRunLoopSourceContext context = {.version = 0};
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, create(&context));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunHandledSource);
    EXPECT(GYEqual(source, source));
    GYRelease(GYCopyDescription(source));
    loop_drop(source);
}

/* R90: no getPort is like a port that never fires. */
LOOP_TEST(a_port_source_without_any_callback_never_fires) {
    for (GYIndex version = 1; version <= 2; version++) {
        GYRunLoopSourceContext2 context = {.version = version};
        GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, create(&context));
        EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
        loop_drop(source);
    }
}

/* The defined results, and one line that names the call. */
TEST(calls_on_what_is_no_source_are_harmless_and_reported) {
    test_capture_log();
    for (int i = 0; i < 2; i++) {
        GYRunLoopSourceContext read = {.info = &read};
        EXPECT_INT(GYRunLoopSourceGetOrder(bad[i]), 0);
        EXPECT_REPORTED("GYRunLoopSourceGetOrder");
        EXPECT(!GYRunLoopSourceIsValid(bad[i]));
        EXPECT_REPORTED("GYRunLoopSourceIsValid");
        GYRunLoopSourceInvalidate(bad[i]);
        EXPECT_REPORTED("GYRunLoopSourceInvalidate");
        GYRunLoopSourceInvalidateAndWait(bad[i]);
        EXPECT_REPORTED("GYRunLoopSourceInvalidateAndWait");
        GYRunLoopSourceGetContext(bad[i], &read);
        EXPECT_REPORTED("GYRunLoopSourceGetContext");
        EXPECT(read.info == &read);
    }
}

static void signal_bad(void *source) { GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)source); }

/* R155: this one may be in a signal handler, so it does not go through the log handler. */
TEST(signalling_what_is_no_source_is_reported_on_standard_error) {
    for (int i = 0; i < 2; i++) {
        GYRunLoopSourceRef source = bad[i];
        EXPECT(strstr(test_stderr_of(signal_bad, &source), "GYRunLoopSourceSignal") != NULL);
    }
}

static void creates_without_context(void) { create(NULL); }

TEST(a_refused_source_aborts_in_strict_mode) { expect_strict_abort(creates_without_context); }

TEST_MAIN()
