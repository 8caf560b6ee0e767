/* What all objects share, and the reports of misuse. */
#include "support/test.h"

#include <gyre/gyre.h>
#include <limits.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static GYStringRef made(const char *text) {
    return GYStringCreateWithCString(NULL, text, kGYStringEncodingUTF8);
}

TEST(the_version_is_that_of_the_headers) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", GYRE_VERSION_MAJOR, GYRE_VERSION_MINOR,
             GYRE_VERSION_PATCH);
    EXPECT_STR(GYVersion(), GYRE_VERSION);
    EXPECT_STR(GYVersion(), text);
}

TEST(retain_and_release_count_references) {
    GYStringRef s = made("counted");
    EXPECT_INT(GYGetRetainCount(s), 1);
    EXPECT(GYRetain(s) == s);
    EXPECT_INT(GYGetRetainCount(s), 2);
    GYRelease(s);
    EXPECT_INT(GYGetRetainCount(s), 1);
    GYRelease(s);
}

static void retain_and_release(void *object) {
    for (int i = 0; i < 20000; i++) {
        GYRetain(object);
        GYRelease(object);
    }
}

TEST(references_are_counted_from_any_thread) {
    GYStringRef s = made("shared");
    void *object = (void *)(uintptr_t)s;
    pthread_t a = test_thread_start(retain_and_release, object);
    pthread_t b = test_thread_start(retain_and_release, object);
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_INT(GYGetRetainCount(s), 1);
    GYRelease(s);
}

TEST(constants_are_objects_before_any_object_was_made) {
    GYStringRef s = GYSTR("first");
    EXPECT_INT(GYGetTypeID(s), GYStringGetTypeID());
    EXPECT(GYEqual(s, GYSTR("first")));
    EXPECT(GYHash(s) != 0);
    GYStringRef shown = GYCopyDescription(s);
    EXPECT(GYEqual(shown, s));
    GYRelease(shown);
}

TEST(every_type_has_a_number_of_its_own) {
    GYTypeID ids[] = {GYStringGetTypeID(), GYArrayGetTypeID(), GYDataGetTypeID(),
                      GYDateGetTypeID()};
    for (int i = 0; i < 4; i++) {
        EXPECT(ids[i] != 0);
        for (int k = 0; k < i; k++) EXPECT(ids[i] != ids[k]);
    }
}

TEST(null_equals_only_null) {
    test_capture_log();
    EXPECT(GYEqual(NULL, NULL));
    EXPECT(!GYEqual(NULL, GYSTR("a")));
    EXPECT(!GYEqual(GYSTR("a"), NULL));
    EXPECT_STR(test_log(), "");
}

TEST(objects_of_two_types_are_not_equal) {
    GYDataRef data = GYDataCreate(NULL, (const uint8_t *)"a", 1);
    EXPECT(!GYEqual(data, GYSTR("a")));
    EXPECT(GYEqual(data, data));
    GYRelease(data);
}

TEST(what_is_no_object_is_reported_by_every_call) {
    static const char nothing[16] = "no object";
    test_capture_log();
    EXPECT(GYRetain(NULL) == NULL);
    EXPECT(GYRetain(nothing) == NULL);
    GYRelease(NULL);
    GYRelease(nothing);
    EXPECT_INT(GYGetRetainCount(nothing), 0);
    EXPECT_INT(GYGetTypeID(nothing), 0);
    EXPECT_INT(GYHash(nothing), 0);
    EXPECT(!GYEqual(nothing, GYSTR("a")));
    EXPECT(GYCopyDescription(NULL) == NULL);
    EXPECT_STR(test_log(), "gyre: GYRetain: not a live object (R160)\n"
                           "gyre: GYRetain: not a live object (R160)\n"
                           "gyre: GYRelease: not a live object (R160)\n"
                           "gyre: GYRelease: not a live object (R160)\n"
                           "gyre: GYGetRetainCount: not a live object (R160)\n"
                           "gyre: GYGetTypeID: not a live object (R160)\n"
                           "gyre: GYHash: not a live object (R160)\n"
                           "gyre: GYEqual: not a live object (R160)\n"
                           "gyre: GYCopyDescription: not a live object (R160)");
}

static void show(void *object) { GYShow(object); }

TEST(show_writes_the_description_and_a_newline) {
    EXPECT_STR(test_stderr_of(show, (void *)(uintptr_t)GYSTR("shown")), "shown\n");
    EXPECT_STR(test_stderr_of(show, NULL), "(null)\n");
    char nothing[16] = "";
    test_capture_log();
    EXPECT_STR(test_stderr_of(show, nothing), "(null)\n");
    EXPECT_STR(test_log(), "gyre: GYShow: not a live object (R160)");
}

static void release_null(void *unused) {
    (void)unused;
    GYRelease(NULL);
}

static void count_line(const char *line, void *info) {
    (void)line;
    ++*(int *)info;
}

TEST(reports_go_to_standard_error_unless_there_is_a_handler) {
    int lines = 0;
    EXPECT_STR(test_stderr_of(release_null, NULL), "gyre: GYRelease: not a live object (R160)\n");
    GYSetLogHandler(count_line, &lines);
    EXPECT_STR(test_stderr_of(release_null, NULL), "");
    EXPECT_INT(lines, 1);
    GYSetLogHandler(NULL, NULL);
    EXPECT_STR(test_stderr_of(release_null, NULL), "gyre: GYRelease: not a live object (R160)\n");
}

static void misuse_when_strict(void) {
    setenv("GYRE_STRICT", "1", 1);
    GYRelease(NULL);
}

static void report(void *what) { GYReport("Layer.call", what, "R180"); }

TEST(a_layer_reports_as_the_library_does) {
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    EXPECT_STR(test_stderr_of(report, "wrong"), "gyre: Layer.call: wrong (R180)\n");
    test_capture_log();
    report("wrong");
    EXPECT_STR(test_log(), "gyre: Layer.call: wrong (R180)");
    errno = 77;
    report(text);
    EXPECT_INT(errno, 77);
    EXPECT_INT(strlen(test_log()), 255);
    report(NULL);
    GYReport(NULL, "wrong", "R180");
    GYReport("Layer.call", "wrong", NULL);
    EXPECT_STR(test_log(), "");
}

static void report_when_strict(void) {
    setenv("GYRE_STRICT", "1", 1);
    report("wrong");
}

TEST(strict_mode_aborts_after_the_report_of_a_layer) { test_expect_abort(report_when_strict); }

TEST(strict_mode_aborts_after_the_report) { test_expect_abort(misuse_when_strict); }

TEST_MAIN()
