/* Interned names, by the calls that the core uses. */
#include "support/test.h"

#include "base/name.h"

#include <gyre/gyre.h>
#include <stdio.h>
#include <string.h>

static GYStringRef intern(const char *text) { return gy_name_intern_bytes(text, strlen(text)); }

TEST(equal_characters_intern_to_one_name) {
    GYStringRef a = intern("gyre.test"), b = intern("gyre.test"), c = intern("gyre.other");
    EXPECT(a == b);
    EXPECT(a != c);
    EXPECT_STR(gy_string_bytes(a), "gyre.test");
    EXPECT_INT(gy_object_references(a), 2);
    gy_release(a);
    gy_release(b);
    gy_release(c);
}

TEST(a_literal_and_a_made_string_intern_to_the_same_name) {
    GYStringRef made = gy_string_create("gyre.test", 9);
    GYStringRef a = gy_name_intern(made), b = gy_name_intern(GYSTR("gyre.test"));
    EXPECT(a == b);
    EXPECT(a != made);
    gy_release(made);
    gy_release(a);
    gy_release(b);
}

TEST(an_interned_name_interns_to_itself) {
    GYStringRef a = intern("gyre.test"), b = gy_name_intern(a);
    EXPECT(a == b);
    gy_release(a);
    EXPECT_STR(gy_string_bytes(b), "gyre.test");
    gy_release(b);
}

TEST(the_names_of_the_constant_modes_intern_to_the_constants) {
    EXPECT(intern("kCFRunLoopDefaultMode") == kGYRunLoopDefaultMode);
    EXPECT(intern("kCFRunLoopCommonModes") == kGYRunLoopCommonModes);
    EXPECT(gy_name_intern(GYSTR("kCFRunLoopDefaultMode")) == kGYRunLoopDefaultMode);
    EXPECT(gy_name_intern(kGYRunLoopCommonModes) == kGYRunLoopCommonModes);
}

TEST(the_hash_of_a_name_is_the_same_however_it_is_stored) {
    GYStringRef made = gy_string_create("kCFRunLoopDefaultMode", 21);
    EXPECT_INT(gy_string_hash(made), gy_string_hash(kGYRunLoopDefaultMode));
    EXPECT_INT(gy_string_hash(made), gy_string_hash(GYSTR("kCFRunLoopDefaultMode")));
    gy_release(made);
}

TEST(a_name_goes_with_its_last_user) {
    GYStringRef a = intern("gyre.short-lived");
    gy_release(a);
    /* The table must not find what is gone; under a sanitizer that is a use after free. */
    GYStringRef b = intern("gyre.short-lived");
    EXPECT_INT(gy_object_references(b), 1);
    gy_release(b);
}

TEST(many_names_are_told_apart_and_taken_out_in_any_order) {
    enum { COUNT = 1000 };
    static GYStringRef names[COUNT];
    char text[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "gyre.many.%d", i);
        names[i] = intern(text);
    }
    for (int i = 0; i < COUNT; i += 2) gy_release(names[i]);
    for (int i = 1; i < COUNT; i += 2) {
        snprintf(text, sizeof text, "gyre.many.%d", i);
        GYStringRef again = intern(text);
        EXPECT(again == names[i]);
        gy_release(again);
    }
    for (int i = 1; i < COUNT; i += 2) gy_release(names[i]);
}

static void intern_and_release(void *unused) {
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        GYStringRef name = intern("gyre.contended");
        if (!EXPECT(gy_string_byte_count(name) == 14)) break;
        gy_release(name);
    }
}

TEST(threads_may_intern_and_drop_the_same_name_at_once) {
    pthread_t a = test_thread_start(intern_and_release, NULL);
    pthread_t b = test_thread_start(intern_and_release, NULL);
    test_thread_join(a);
    test_thread_join(b);
    GYStringRef name = intern("gyre.contended");
    EXPECT_INT(gy_object_references(name), 1);
    gy_release(name);
}

TEST(a_name_may_hold_any_bytes) {
    GYStringRef a = gy_name_intern_bytes("a\0b", 3), b = gy_name_intern_bytes("a\0c", 3);
    GYStringRef empty = gy_name_intern_bytes("", 0);
    EXPECT(a != b);
    EXPECT_INT(gy_string_byte_count(a), 3);
    EXPECT_INT(gy_string_byte_count(empty), 0);
    gy_release(a);
    gy_release(b);
    gy_release(empty);
}

TEST_MAIN()
