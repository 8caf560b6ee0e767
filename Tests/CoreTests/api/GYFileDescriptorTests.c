/* The calls of gyre/GYFileDescriptor.h: contexts, bad input and its reports. */
#include "api/misuse.h"

#include <errno.h>
#include <gyre/GYFileDescriptor.h>
#include <gyre/GYString.h>

#define NOT_ONE ((GYFileDescriptorRef)(uintptr_t)GYSTR("no file descriptor"))

static const GYFileDescriptorRef bad[] = {NULL, NOT_ONE};

static void callout(GYFileDescriptorRef f, GYOptionFlags types, void *info) {
    (void)f, (void)types, (void)info;
}
static void *retain(void *info) { return info; }
static void release(void *info) { (void)info; }
static GYStringRef describe(void *info) { return info == NULL ? NULL : GYSTR("the info"); }

static GYFileDescriptorRef make(void *info) {
    GYFileDescriptorContext context = {0, info, retain, release, describe};
    return GYFileDescriptorCreate(kGYAllocatorDefault, 0, false, callout, &context);
}

/* R6 */
TEST(the_type_of_a_file_descriptor_is_its_own) {
    GYFileDescriptorRef f = make(NULL);
    EXPECT_INT(GYGetTypeID(f), GYFileDescriptorGetTypeID());
    EXPECT(GYFileDescriptorGetTypeID() != GYRunLoopSourceGetTypeID());
    EXPECT(GYFileDescriptorGetTypeID() != GYRunLoopGetTypeID());
    GYRelease(f);
}

/* R162 */
TEST(a_context_reads_back_as_it_was_given) {
    int x;
    GYFileDescriptorContext read = {.version = 0};
    GYFileDescriptorRef f = make(&x);
    GYFileDescriptorGetContext(f, &read);
    EXPECT(read.version == 0 && read.info == &x);
    EXPECT(read.retain == retain && read.release == release && read.copyDescription == describe);
    GYFileDescriptorInvalidate(f);
    GYFileDescriptorGetContext(f, &read);
    EXPECT(read.info == NULL);
    GYRelease(f);
}

/* R221 */
TEST(a_context_may_be_left_out) {
    GYFileDescriptorContext read = {.version = 0, .info = &read};
    GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, 0, false, callout, NULL);
    GYFileDescriptorGetContext(f, &read);
    EXPECT(read.info == NULL && read.retain == NULL && read.release == NULL);
    GYRelease(f);
}

/* R164 */
TEST(a_description_tells_what_is_enabled) {
    char text[256];
    int x;
    GYFileDescriptorRef f = make(&x);
    GYFileDescriptorEnableCallBacks(f, kGYFileDescriptorReadCallBack);
    GYStringRef description = GYCopyDescription(f);
    REQUIRE(GYStringGetCString(description, text, sizeof text, kGYStringEncodingUTF8));
    EXPECT(strstr(text, "valid = Yes, fd = 0, enabled = 0x1, one-shot") != NULL);
    EXPECT(strstr(text, "context = the info") != NULL);
    GYRelease(description);
    GYRelease(f);
}

/* R221 */
TEST(bad_arguments_of_create_are_reported) {
    GYFileDescriptorContext unknown = {.version = 1};
    test_capture_log();
    EXPECT(GYFileDescriptorCreate(NULL, -1, false, callout, NULL) == NULL);
    EXPECT_INT(errno, EBADF);
    EXPECT_REPORTED("GYFileDescriptorCreate");
    EXPECT(GYFileDescriptorCreate(NULL, 0, false, NULL, NULL) == NULL);
    EXPECT_REPORTED("GYFileDescriptorCreate");
    EXPECT(GYFileDescriptorCreatePersistent(NULL, 0, false, callout, &unknown) == NULL);
    EXPECT_REPORTED("GYFileDescriptorCreatePersistent");
}

/* R170 */
TEST(what_is_no_file_descriptor_is_reported) {
    GYFileDescriptorContext context = {.version = 0};
    test_capture_log();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_INT(GYFileDescriptorGetNativeDescriptor(bad[i]), -1);
        EXPECT_REPORTED("GYFileDescriptorGetNativeDescriptor");
        GYFileDescriptorGetContext(bad[i], &context);
        EXPECT_REPORTED("GYFileDescriptorGetContext");
        GYFileDescriptorEnableCallBacks(bad[i], kGYFileDescriptorReadCallBack);
        EXPECT_REPORTED("GYFileDescriptorEnableCallBacks");
        GYFileDescriptorDisableCallBacks(bad[i], kGYFileDescriptorReadCallBack);
        EXPECT_REPORTED("GYFileDescriptorDisableCallBacks");
        GYFileDescriptorInvalidate(bad[i]);
        EXPECT_REPORTED("GYFileDescriptorInvalidate");
        EXPECT(!GYFileDescriptorIsValid(bad[i]));
        EXPECT_REPORTED("GYFileDescriptorIsValid");
        EXPECT(GYFileDescriptorCreateRunLoopSource(NULL, bad[i], 0) == NULL);
        EXPECT_REPORTED("GYFileDescriptorCreateRunLoopSource");
    }
}

/* R162 */
TEST(a_context_of_another_version_is_reported_and_left_alone) {
    GYFileDescriptorContext context = {.version = 3, .info = &context};
    GYFileDescriptorRef f = make(NULL);
    test_capture_log();
    GYFileDescriptorGetContext(f, &context);
    EXPECT_REPORTED("GYFileDescriptorGetContext");
    EXPECT(context.info == &context);
    GYFileDescriptorGetContext(f, NULL);
    EXPECT_REPORTED("GYFileDescriptorGetContext");
    GYRelease(f);
}

/* R221 */
TEST(types_that_there_are_not_are_reported) {
    GYFileDescriptorRef f = make(NULL);
    test_capture_log();
    GYFileDescriptorEnableCallBacks(f, kGYFileDescriptorReadCallBack | 16);
    EXPECT_REPORTED("GYFileDescriptorEnableCallBacks");
    GYFileDescriptorDisableCallBacks(f, 1UL << 40);
    EXPECT_REPORTED("GYFileDescriptorDisableCallBacks");
    GYRelease(f);
}

/* R223 */
TEST(an_invalid_file_descriptor_ignores_what_is_asked_of_it) {
    GYFileDescriptorRef f = make(NULL);
    GYFileDescriptorInvalidate(f);
    test_capture_log();
    GYFileDescriptorEnableCallBacks(f, kGYFileDescriptorReadCallBack);
    EXPECT_INT(errno, 0);
    GYFileDescriptorDisableCallBacks(f, kGYFileDescriptorReadCallBack);
    GYFileDescriptorInvalidate(f);
    EXPECT(!GYFileDescriptorIsValid(f));
    EXPECT(GYFileDescriptorCreateRunLoopSource(NULL, f, 0) == NULL);
    EXPECT_STR(test_log(), "");
    GYRelease(f);
}

TEST_MAIN()
