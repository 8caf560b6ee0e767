/* Counting, liveness and the type table, on a type of the test's own; and descriptions. */
#include "support/test.h"

#include "base/array.h"
#include "base/object.h"
#include "base/text.h"
#include "base/value.h"

#include <gyre/gyre.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    gy_object head;
    const char *label;
} thing;

static void finalize(void *object) {
    test_trace("finalize %s", ((thing *)object)->label);
    gy_object_free(object);
}

static const gy_type thing_type = {.kind = GY_KIND_DATE, .name = "Thing", .finalize = finalize};

static thing *make(const char *label) {
    thing *t = gy_object_create(&thing_type, sizeof *t);
    t->label = label;
    return t;
}

TEST(a_new_object_is_live_zeroed_and_has_one_reference) {
    thing *t = gy_object_create(&thing_type, sizeof *t);
    EXPECT(gy_object_is_live(t));
    EXPECT(gy_object_is(t, GY_KIND_DATE));
    EXPECT(!gy_object_is(t, GY_KIND_STRING));
    EXPECT(t->label == NULL);
    EXPECT_INT(gy_object_references(t), 1);
    EXPECT(gy_type_of(GY_KIND_DATE) == &thing_type);
    t->label = "x";
    gy_release(t);
}

TEST(the_last_release_finalizes_once) {
    thing *t = make("a");
    EXPECT(gy_retain(t) == t);
    gy_release(t);
    EXPECT_STR(test_trace_take(), "");
    gy_release(t);
    EXPECT_STR(test_trace_take(), "finalize a");
}

TEST(null_is_ignored) {
    gy_release(NULL);
    EXPECT(gy_retain(NULL) == NULL);
    EXPECT(!gy_retain_if_live(NULL));
    EXPECT(!gy_object_is_live(NULL));
    EXPECT(!gy_object_is(NULL, GY_KIND_STRING));
}

TEST(constants_are_not_counted) {
    const gy_object *constant = (const void *)GYSTR("c");
    gy_release(constant);
    gy_release(constant);
    EXPECT(gy_retain_if_live(constant));
    EXPECT(gy_object_is_live(constant));
    EXPECT_INT(gy_object_references(constant), UINT32_MAX);
}

TEST(an_object_whose_count_is_zero_is_not_retained_again) {
    thing *t = make("b");
    EXPECT(gy_retain_if_live(t));
    EXPECT_INT(gy_object_references(t), 2);
    atomic_store(&t->head.references, 0);
    EXPECT(!gy_retain_if_live(t));
    atomic_store(&t->head.references, 1);
    gy_release(t);
}

static void use(void *object) {
    for (int i = 0; i < 20000; i++) {
        gy_retain(object);
        gy_release(object);
    }
    gy_release(object);
}

TEST(the_last_reference_may_go_on_any_thread) {
    thing *t = make("shared");
    gy_retain(t);
    pthread_t a = test_thread_start(use, t), b = test_thread_start(use, t);
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_STR(test_trace_take(), "finalize shared");
}

TEST(a_type_without_a_description_shows_name_and_address) {
    thing *t = make("c");
    char expected[64];
    snprintf(expected, sizeof expected, "<Thing 0x%lx>", (unsigned long)(uintptr_t)t);
    GYStringRef shown = gy_value_copy_description(t);
    EXPECT_STR(GYStringGetCStringPtr(shown, kGYStringEncodingUTF8), expected);
    gy_release(shown);
    gy_release(t);
}

TEST(a_type_without_equality_and_hash_goes_by_identity) {
    thing *s = make("s"), *t = make("t");
    EXPECT(gy_value_equal(s, s));
    EXPECT(!gy_value_equal(s, t));
    EXPECT(gy_value_hash(s) == gy_value_hash(s));
    EXPECT(gy_value_hash(s) != gy_value_hash(t));
    gy_release(s);
    gy_release(t);
}

TEST(the_core_fills_an_array_that_callers_cannot_change) {
    struct GYArray *array = gy_array_create_empty();
    GYStringRef s = GYStringCreateWithCString(NULL, "mode", kGYStringEncodingUTF8);
    EXPECT(gy_array_append(array, s));
    EXPECT(gy_array_append(array, kGYRunLoopDefaultMode));
    EXPECT_INT(gy_object_references(s), 2);
    EXPECT_INT(GYArrayGetCount(array), 2);
    EXPECT(GYArrayGetValueAtIndex(array, 0) == s);
    test_capture_log();
    GYArrayAppendValue(array, s);
    EXPECT_STR(test_log(), "gyre: GYArrayAppendValue: not a mutable array (GYArray.h)");
    gy_release(array);
    EXPECT_INT(gy_object_references(s), 1);
    gy_release(s);
}

TEST(a_text_grows_by_pieces) {
    gy_text text = GY_TEXT_INIT;
    for (int i = 0; i < 100; i++) gy_text_printf(&text, "%d,", i);
    gy_text_append(&text, "end", 3);
    gy_text_append_character(&text, 0x20ac);
    gy_text_append_foreign(&text, "\xff", 1);
    gy_text_repeat(&text, '-', 3);
    GYStringRef s = gy_text_finish(&text);
    EXPECT(GYStringHasPrefix(s, GYSTR("0,1,2,3,")));
    EXPECT(GYStringHasSuffix(s, GYSTR(",98,99,end\xe2\x82\xac\xef\xbf\xbd---")));
    gy_release(s);
    s = gy_text_finish(&text);
    EXPECT(GYEqual(s, GYSTR("")));
    gy_release(s);
}

TEST_MAIN()
