/* Arrays through their public calls. */
#include "support/test.h"

#include <errno.h>
#include <gyre/gyre.h>
#include <limits.h>
#include <string.h>

/* Callbacks that trace. Values are C strings. */

static const void *trace_retain(GYAllocatorRef allocator, const void *value) {
    (void)allocator;
    test_trace("+%s", (const char *)value);
    return value;
}

static void trace_release(GYAllocatorRef allocator, const void *value) {
    (void)allocator;
    test_trace("-%s", (const char *)value);
}

static GYStringRef trace_description(const void *value) {
    return GYStringCreateWithCString(NULL, value, kGYStringEncodingUTF8);
}

static GYBoolean trace_equal(const void *a, const void *b) { return strcmp(a, b) == 0; }

static const GYArrayCallBacks tracing = {0, trace_retain, trace_release, trace_description,
                                         trace_equal};

/* The C strings of an array, joined. */
static const char *contents(GYArrayRef array) {
    static char text[256];
    text[0] = '\0';
    for (GYIndex i = 0; i < GYArrayGetCount(array); i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, GYArrayGetValueAtIndex(array, i));
    }
    return text;
}

static GYRange all_of(GYArrayRef array) { return (GYRange){0, GYArrayGetCount(array)}; }

TEST(an_array_holds_its_values_in_order) {
    const void *values[] = {"a", "b", "c"};
    GYArrayRef array = GYArrayCreate(NULL, values, 3, NULL);
    values[0] = "changed";
    EXPECT_STR(contents(array), "a b c");
    EXPECT_INT(GYGetTypeID(array), GYArrayGetTypeID());
    GYRelease(array);
    array = GYArrayCreate(NULL, NULL, 0, NULL);
    EXPECT_INT(GYArrayGetCount(array), 0);
    GYRelease(array);
}

TEST(values_are_retained_when_put_in_and_released_with_the_array) {
    const void *values[] = {"a", "b"};
    GYArrayRef array = GYArrayCreate(NULL, values, 2, &tracing);
    EXPECT_STR(test_trace_take(), "+a +b");
    GYRelease(array);
    EXPECT_STR(test_trace_take(), "-a -b");
}

TEST(an_array_of_objects_keeps_them_alive) {
    GYStringRef s = GYStringCreateWithCString(NULL, "kept", kGYStringEncodingUTF8);
    const void *values[] = {s, GYSTR("constant")};
    GYArrayRef array = GYArrayCreate(NULL, values, 2, &kGYTypeArrayCallBacks);
    EXPECT_INT(GYGetRetainCount(s), 2);
    GYRelease(s);
    EXPECT(GYEqual(GYArrayGetValueAtIndex(array, 0), GYSTR("kept")));
    EXPECT(GYArrayContainsValue(array, all_of(array), GYSTR("kept")));
    GYRelease(array);
}

TEST(a_mutable_array_grows_and_shrinks_in_place) {
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, NULL);
    GYArrayAppendValue(array, "b");
    GYArrayInsertValueAtIndex(array, 0, "a");
    GYArrayInsertValueAtIndex(array, 2, "d");
    GYArrayInsertValueAtIndex(array, 2, "c");
    EXPECT_STR(contents(array), "a b c d");
    GYArrayRemoveValueAtIndex(array, 1);
    EXPECT_STR(contents(array), "a c d");
    GYArrayRemoveValueAtIndex(array, 2);
    EXPECT_STR(contents(array), "a c");
    GYArraySetValueAtIndex(array, 0, "x");
    GYArraySetValueAtIndex(array, 2, "y");
    EXPECT_STR(contents(array), "x c y");
    GYArrayRemoveAllValues(array);
    EXPECT_INT(GYArrayGetCount(array), 0);
    GYArrayAppendValue(array, "again");
    EXPECT_STR(contents(array), "again");
    GYRelease(array);
}

TEST(many_values_are_all_there) {
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, LONG_MAX, NULL);
    for (intptr_t i = 0; i < 5000; i++) GYArrayAppendValue(array, (void *)i);
    EXPECT_INT(GYArrayGetCount(array), 5000);
    bool in_order = true;
    for (intptr_t i = 0; i < 5000; i++) {
        in_order &= GYArrayGetValueAtIndex(array, i) == (const void *)i;
    }
    EXPECT(in_order);
    GYRelease(array);
}

TEST(changes_retain_and_release_each_value_once) {
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 4, &tracing);
    GYArrayAppendValue(array, "a");
    GYArrayAppendValue(array, "b");
    GYArraySetValueAtIndex(array, 0, "c");
    GYArrayRemoveValueAtIndex(array, 1);
    GYArrayAppendValue(array, "d");
    GYArrayRemoveAllValues(array);
    GYRelease(array);
    EXPECT_STR(test_trace_take(), "+a +b +c -a -b +d -c -d");
}

TEST(what_retain_gives_is_what_the_array_holds) {
    GYArrayCallBacks callbacks = {0};
    callbacks.retain = trace_retain;
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, &callbacks);
    memset(&callbacks, 0xff, sizeof callbacks); /* they were copied */
    GYArrayAppendValue(array, "value");
    EXPECT_STR(contents(array), "value");
    GYRelease(array);
    EXPECT_STR(test_trace_take(), "+value");
}

static GYMutableArrayRef nested;

static void release_and_change(GYAllocatorRef allocator, const void *value) {
    (void)allocator;
    test_trace("-%s/%ld", (const char *)value, GYArrayGetCount(nested));
    if (strcmp(value, "b") == 0) GYArrayAppendValue(nested, "from release");
}

TEST(a_release_callback_sees_the_array_without_the_value_and_may_change_it) {
    GYArrayCallBacks callbacks = {0, NULL, release_and_change, NULL, NULL};
    nested = GYArrayCreateMutable(NULL, 0, &callbacks);
    GYArrayAppendValue(nested, "a");
    GYArrayAppendValue(nested, "b");
    GYArrayRemoveValueAtIndex(nested, 1);
    EXPECT_STR(contents(nested), "a from release");
    GYArraySetValueAtIndex(nested, 0, "b");
    GYArrayRemoveAllValues(nested);
    EXPECT_STR(contents(nested), "from release");
    EXPECT_STR(test_trace_take(), "-b/1 -a/2 -b/0 -from release/1");
    GYArrayRemoveAllValues(nested);
    GYRelease(nested);
}

TEST(a_copy_does_not_follow_later_changes) {
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, &tracing);
    GYArrayAppendValue(array, "a");
    GYArrayRef copy = GYArrayCreateCopy(NULL, array);
    GYArrayAppendValue(array, "b");
    EXPECT_STR(contents(copy), "a");
    GYArrayRef again = GYArrayCreateCopy(NULL, copy);
    EXPECT_STR(contents(again), "a");
    GYRelease(again);
    GYRelease(array);
    GYRelease(copy);
    EXPECT_STR(test_trace_take(), "+a +a +b -a -b -a");
}

TEST(values_are_found_by_the_equal_callback) {
    char a[] = "a", b[] = "b";
    const void *values[] = {"a", "b", "a", NULL};
    GYArrayRef traced = GYArrayCreate(NULL, values, 3, &tracing);
    GYArrayRef plain = GYArrayCreate(NULL, values, 4, NULL);
    EXPECT_INT(GYArrayGetFirstIndexOfValue(traced, all_of(traced), a), 0);
    EXPECT_INT(GYArrayGetFirstIndexOfValue(traced, (GYRange){1, 2}, a), 2);
    EXPECT_INT(GYArrayGetFirstIndexOfValue(traced, (GYRange){1, 1}, a), kGYNotFound);
    EXPECT_INT(GYArrayGetFirstIndexOfValue(traced, (GYRange){3, 0}, a), kGYNotFound);
    EXPECT(GYArrayContainsValue(traced, all_of(traced), b));
    EXPECT(!GYArrayContainsValue(traced, (GYRange){2, 1}, b));
    EXPECT(!GYArrayContainsValue(plain, all_of(plain), a));
    EXPECT(GYArrayContainsValue(plain, all_of(plain), values[1]));
    EXPECT_INT(GYArrayGetFirstIndexOfValue(plain, all_of(plain), NULL), 3);
    GYRelease(traced);
    GYRelease(plain);
}

TEST(arrays_are_equal_by_value) {
    GYStringRef s = GYStringCreateWithCString(NULL, "s", kGYStringEncodingUTF8);
    const void *x_values[] = {s, GYSTR("t")}, *y_values[] = {GYSTR("s"), GYSTR("t")};
    GYArrayRef x = GYArrayCreate(NULL, x_values, 2, &kGYTypeArrayCallBacks);
    GYArrayRef y = GYArrayCreate(NULL, y_values, 2, &kGYTypeArrayCallBacks);
    GYArrayRef shorter = GYArrayCreate(NULL, y_values, 1, &kGYTypeArrayCallBacks);
    GYArrayRef pointers = GYArrayCreate(NULL, y_values, 2, NULL);
    EXPECT(GYEqual(x, y));
    EXPECT_INT(GYHash(x), GYHash(y));
    EXPECT(!GYEqual(x, shorter));
    EXPECT(!GYEqual(x, pointers));
    EXPECT(GYEqual(y, pointers));
    EXPECT_INT(GYHash(y), GYHash(pointers));
    GYRelease(pointers);
    GYRelease(shorter);
    GYRelease(y);
    GYRelease(x);
    GYRelease(s);
}

TEST(a_description_shows_the_values) {
    const void *values[] = {"a", "b"};
    GYArrayRef array = GYArrayCreate(NULL, values, 2, &tracing);
    GYStringRef shown = GYCopyDescription(array);
    EXPECT(GYStringHasPrefix(shown, GYSTR("<GYArray 0x")));
    EXPECT(GYStringHasSuffix(shown, GYSTR("{count = 2, values = (a, b)}")));
    GYRelease(shown);
    GYRelease(array);
    const void *raw[] = {(void *)16};
    array = GYArrayCreate(NULL, raw, 1, NULL);
    shown = GYCopyDescription(array);
    EXPECT(GYStringHasSuffix(shown, GYSTR("values = (<0x10>)}")));
    GYRelease(shown);
    GYRelease(array);
}

TEST(errno_is_zero_after_a_change_that_went_well) {
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, NULL);
    errno = EINVAL;
    GYArrayAppendValue(array, "a");
    EXPECT_INT(errno, 0);
    errno = EINVAL;
    GYArraySetValueAtIndex(array, 0, "b");
    EXPECT_INT(errno, 0);
    GYRelease(array);
}

TEST(wrong_indexes_are_reported_and_harmless) {
    const void *values[] = {"a", "b"};
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, NULL);
    GYArrayAppendValue(array, values[0]);
    GYArrayAppendValue(array, values[1]);
    test_capture_log();
    EXPECT(GYArrayGetValueAtIndex(array, 2) == NULL);
    EXPECT(GYArrayGetValueAtIndex(array, -1) == NULL);
    GYArrayInsertValueAtIndex(array, 3, "x");
    GYArraySetValueAtIndex(array, 3, "x");
    GYArraySetValueAtIndex(array, LONG_MIN, "x");
    GYArrayRemoveValueAtIndex(array, 2);
    EXPECT(!GYArrayContainsValue(array, (GYRange){1, 2}, values[1]));
    EXPECT_INT(GYArrayGetFirstIndexOfValue(array, (GYRange){1, LONG_MAX}, values[1]), kGYNotFound);
    EXPECT_STR(test_log(),
               "gyre: GYArrayGetValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArrayGetValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArrayInsertValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArraySetValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArraySetValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArrayRemoveValueAtIndex: no such index (GYArray.h)\n"
               "gyre: GYArrayContainsValue: a range outside of the array (GYArray.h)\n"
               "gyre: GYArrayGetFirstIndexOfValue: a range outside of the array (GYArray.h)");
    EXPECT_STR(contents(array), "a b");
    GYRelease(array);
}

TEST(an_array_that_is_not_mutable_does_not_change) {
    const void *values[] = {"a"};
    GYArrayRef made = GYArrayCreate(NULL, values, 1, NULL);
    GYMutableArrayRef array = (GYMutableArrayRef)(uintptr_t)made;
    test_capture_log();
    GYArrayAppendValue(array, "x");
    GYArrayInsertValueAtIndex(array, 0, "x");
    GYArraySetValueAtIndex(array, 0, "x");
    GYArrayRemoveValueAtIndex(array, 0);
    GYArrayRemoveAllValues(array);
    EXPECT_STR(test_log(), "gyre: GYArrayAppendValue: not a mutable array (GYArray.h)\n"
                           "gyre: GYArrayInsertValueAtIndex: not a mutable array (GYArray.h)\n"
                           "gyre: GYArraySetValueAtIndex: not a mutable array (GYArray.h)\n"
                           "gyre: GYArrayRemoveValueAtIndex: not a mutable array (GYArray.h)\n"
                           "gyre: GYArrayRemoveAllValues: not a mutable array (GYArray.h)");
    EXPECT_STR(contents(made), "a");
    GYRelease(made);
}

TEST(misuse_of_arrays_is_reported_and_harmless) {
    test_capture_log();
    EXPECT(GYArrayCreate(NULL, NULL, 1, NULL) == NULL);
    EXPECT(GYArrayCreate(NULL, NULL, -1, NULL) == NULL);
    EXPECT(GYArrayCreateMutable(NULL, -1, NULL) == NULL);
    EXPECT(GYArrayCreateCopy(NULL, NULL) == NULL);
    EXPECT_INT(GYArrayGetCount((GYArrayRef)(const void *)GYSTR("no array")), 0);
    GYArrayAppendValue(NULL, "x");
    EXPECT_STR(test_log(),
               "gyre: GYArrayCreate: no values, or a negative number of them (GYArray.h)\n"
               "gyre: GYArrayCreate: no values, or a negative number of them (GYArray.h)\n"
               "gyre: GYArrayCreateMutable: a negative capacity (GYArray.h)\n"
               "gyre: GYArrayCreateCopy: not an array (GYArray.h)\n"
               "gyre: GYArrayGetCount: not an array (GYArray.h)\n"
               "gyre: GYArrayAppendValue: not an array (GYArray.h)");
}

TEST(what_is_no_object_becomes_null_in_an_array_of_objects) {
    test_capture_log();
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, &kGYTypeArrayCallBacks);
    GYArrayAppendValue(array, "just some characters");
    EXPECT_STR(test_log(), "gyre: kGYTypeArrayCallBacks: a value is not a live object (GYArray.h)");
    EXPECT_INT(GYArrayGetCount(array), 1);
    EXPECT(GYArrayGetValueAtIndex(array, 0) == NULL);
    EXPECT(!GYArrayContainsValue(array, all_of(array), GYSTR("x")));
    GYRelease(array);
    EXPECT_STR(test_log(), "");
}

TEST_MAIN()
