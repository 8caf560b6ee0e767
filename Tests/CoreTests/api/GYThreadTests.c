/* Names of threads. */
#define _GNU_SOURCE 1
#include "api/misuse.h"

#include <gyre/GYThread.h>
#include <pthread.h>

static const char *own_name(void) {
    static _Thread_local char name[64];
    REQUIRE(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    return name;
}

LOOP_TEST(a_thread_has_the_name_that_it_gives_itself) {
    GYThreadSetName("worker");
    EXPECT_STR(own_name(), "worker");
    GYThreadSetName("");
    EXPECT_STR(own_name(), "");
    GYThreadSetName("exactly fifteen");
    EXPECT_STR(own_name(), "exactly fifteen");
}

LOOP_TEST(a_name_that_is_too_long_is_cut_between_characters) {
    GYThreadSetName("sixteen letters!");
    EXPECT_STR(own_name(), "sixteen letters");
    GYThreadSetName("12345678901234\xC3\xA9"); /* two bytes, one of which would fit */
    EXPECT_STR(own_name(), "12345678901234");
    GYThreadSetName("1234567890123\xC3\xA9 and more");
    EXPECT_STR(own_name(), "1234567890123\xC3\xA9");
    GYThreadSetName("123456789012\xF0\x9F\x90\x99"); /* four bytes, three of which would */
    EXPECT_STR(own_name(), "123456789012");
}

static void be_named(void *unused) {
    (void)unused;
    GYThreadSetName("other");
}

LOOP_TEST(it_names_the_calling_thread_alone) {
    GYThreadSetName("this one");
    test_thread(be_named, NULL);
    EXPECT_STR(own_name(), "this one");
}

static void name_null(void) { GYThreadSetName(NULL); }

LOOP_TEST(a_null_name_is_reported_and_changes_nothing) {
    test_capture_log();
    GYThreadSetName("kept");
    name_null();
    EXPECT_REPORTED("GYThreadSetName");
    EXPECT_STR(own_name(), "kept");
    expect_strict_abort(name_null);
}

TEST_MAIN()
