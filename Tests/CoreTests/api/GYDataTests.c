/* Data through its public calls. */
#include "support/test.h"

#include <errno.h>
#include <gyre/gyre.h>
#include <limits.h>
#include <string.h>

static GYDataRef data_of(const char *text) {
    return GYDataCreate(NULL, (const uint8_t *)text, (GYIndex)strlen(text));
}

TEST(data_holds_a_copy_of_the_bytes) {
    uint8_t bytes[] = {1, 0, 3};
    GYDataRef data = GYDataCreate(kGYAllocatorDefault, bytes, 3);
    bytes[0] = 9;
    EXPECT_INT(GYDataGetLength(data), 3);
    EXPECT(memcmp(GYDataGetBytePtr(data), "\1\0\3", 3) == 0);
    EXPECT_INT((uintptr_t)GYDataGetBytePtr(data) % _Alignof(max_align_t), 0);
    EXPECT_INT(GYGetTypeID(data), GYDataGetTypeID());
    GYRelease(data);
}

TEST(data_may_be_empty) {
    GYDataRef data = GYDataCreate(NULL, NULL, 0);
    EXPECT_INT(GYDataGetLength(data), 0);
    EXPECT(GYDataGetBytePtr(data) != NULL);
    GYDataGetBytes(data, (GYRange){0, 0}, NULL);
    GYRelease(data);
}

TEST(a_copy_of_data_is_the_data) {
    GYDataRef data = data_of("abc"), copy = GYDataCreateCopy(NULL, data);
    EXPECT(copy == data);
    EXPECT_INT(GYGetRetainCount(data), 2);
    GYRelease(copy);
    GYRelease(data);
}

TEST(a_range_of_bytes_is_copied) {
    GYDataRef data = data_of("abcdef");
    uint8_t buffer[4] = "xxx";
    GYDataGetBytes(data, (GYRange){2, 3}, buffer);
    EXPECT_STR((char *)buffer, "cde");
    GYDataGetBytes(data, (GYRange){6, 0}, buffer);
    EXPECT_STR((char *)buffer, "cde");
    GYRelease(data);
}

TEST(data_is_equal_by_its_bytes) {
    GYDataRef a = data_of("abc"), b = data_of("abc"), c = data_of("abd"), d = data_of("ab");
    EXPECT(GYEqual(a, b));
    EXPECT_INT(GYHash(a), GYHash(b));
    EXPECT(!GYEqual(a, c));
    EXPECT(!GYEqual(a, d));
    EXPECT(!GYEqual(a, GYSTR("abc")));
    GYRelease(a);
    GYRelease(b);
    GYRelease(c);
    GYRelease(d);
}

TEST(a_description_shows_the_first_bytes) {
    char many[41] = "0123456789012345678901234567890123456789";
    GYDataRef few = data_of("\x01\xff"), more = data_of(many);
    GYStringRef shown = GYCopyDescription(few);
    EXPECT(GYStringHasPrefix(shown, GYSTR("<GYData 0x")));
    EXPECT(GYStringHasSuffix(shown, GYSTR("{length = 2, bytes = 01ff}")));
    GYRelease(shown);
    shown = GYCopyDescription(more);
    EXPECT(GYStringHasSuffix(shown, GYSTR("30313233343536373839"
                                          "30313233343536373839"
                                          "303132333435363738393031...}")));
    GYRelease(shown);
    GYRelease(few);
    GYRelease(more);
}

TEST(data_that_no_memory_can_hold_is_refused) {
    static const uint8_t byte;
    errno = 0;
    EXPECT(GYDataCreate(NULL, &byte, LONG_MAX) == NULL);
    EXPECT_INT(errno, ENOMEM);
}

TEST(misuse_of_data_is_reported_and_harmless) {
    GYDataRef data = data_of("abc");
    uint8_t buffer[4] = "xyz";
    test_capture_log();
    EXPECT(GYDataCreate(NULL, NULL, 1) == NULL);
    EXPECT(GYDataCreate(NULL, buffer, -1) == NULL);
    EXPECT(GYDataCreateCopy(NULL, NULL) == NULL);
    EXPECT_INT(GYDataGetLength((GYDataRef)(const void *)GYSTR("a")), 0);
    EXPECT(GYDataGetBytePtr(NULL) == NULL);
    GYDataGetBytes(data, (GYRange){1, 3}, buffer);
    GYDataGetBytes(data, (GYRange){LONG_MAX, LONG_MAX}, buffer);
    GYDataGetBytes(data, (GYRange){0, 1}, NULL);
    EXPECT_STR((char *)buffer, "xyz");
    EXPECT_STR(test_log(), "gyre: GYDataCreate: no bytes, or a negative number of them (GYData.h)\n"
                           "gyre: GYDataCreate: no bytes, or a negative number of them (GYData.h)\n"
                           "gyre: GYDataCreateCopy: not data (GYData.h)\n"
                           "gyre: GYDataGetLength: not data (GYData.h)\n"
                           "gyre: GYDataGetBytePtr: not data (GYData.h)\n"
                           "gyre: GYDataGetBytes: a range outside of the data (GYData.h)\n"
                           "gyre: GYDataGetBytes: a range outside of the data (GYData.h)\n"
                           "gyre: GYDataGetBytes: no buffer (GYData.h)");
    GYRelease(data);
}

TEST_MAIN()
