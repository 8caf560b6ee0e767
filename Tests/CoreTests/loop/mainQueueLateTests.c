/* A libdispatch that is loaded when the main loop is there already. */
#include "support/loop.h"

#include <dlfcn.h>
#include <gyre/GYString.h>

#ifndef GYRE_TEST_DISPATCH
#define GYRE_TEST_DISPATCH ""
#endif

typedef void (*async_function)(void *queue, void *context, void (*work)(void *));

/* As a plugin brings it: not in the global scope. */
static void load_and_queue(void *word) {
    void *library = dlopen(GYRE_TEST_DISPATCH, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    async_function async;
    *(void **)&async = dlsym(library, "dispatch_async_f");
    async(dlsym(library, "_dispatch_main_q"), word, loop_stops);
}

static void load_in_timer(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    load_and_queue(word);
}

#define LATE_TEST(sentence)                                                                        \
    static void late_##sentence(void);                                                             \
    TEST(sentence) {                                                                               \
        TEST_SKIP_IF(GYRE_TEST_DISPATCH[0] == '\0', "there is no libdispatch");                    \
        int open_before = test_descriptor_count();                                                 \
        late_##sentence();                                                                         \
        test_allow_descriptors(test_descriptor_count() - open_before);                             \
    }                                                                                              \
    static void late_##sentence(void)

/* R210: found before the next sleep. */
LATE_TEST(one_that_a_callout_loads_is_served_from_then_on) {
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.001, 0, load_in_timer, "queue"));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "queue");
    loop_drop(timer);
}

static test_event has_loaded = TEST_EVENT_INIT, may_leave = TEST_EVENT_INIT;

static void load_and_stay(void *word) {
    load_and_queue(word);
    test_event_signal(&has_loaded);
    test_event_wait(&may_leave);
}

/* R210: libdispatch takes the thread that loads it for the main one, as long as that is there. */
LATE_TEST(one_that_another_thread_loads_is_left_to_that_thread) {
    pthread_t thread = test_thread_start(load_and_stay, "queue");
    test_event_wait(&has_loaded);
    for (int i = 0; i < 130; i++) loop_poll(kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(0.001), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    test_event_signal(&may_leave);
    test_thread_join(thread);
}

/* R210: passes that do not sleep look in the first and in every 64th. */
LATE_TEST(one_is_found_by_passes_that_never_sleep) {
    loop_poll(kGYRunLoopDefaultMode);
    load_and_queue("queue");
    for (int i = 0; i < 64; i++) loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "queue");
}

static void *library_as_seen(void) { return dlopen(GYRE_TEST_DISPATCH, RTLD_NOW | RTLD_NOLOAD); }

/* Its code is called from then on. */
LATE_TEST(one_that_is_served_stays_loaded) {
    void *library = dlopen(GYRE_TEST_DISPATCH, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != NULL);
    loop_poll(kGYRunLoopDefaultMode);
    dlclose(library);
    EXPECT(library_as_seen() != NULL);
    EXPECT_INT(loop_run(0.001), kGYRunLoopRunTimedOut);
}

/* R14, R214 */
TEST(without_one_the_main_loop_waits_all_the_same) {
    dlsym(RTLD_DEFAULT, "no such symbol");
    EXPECT_INT(loop_run(0.001), kGYRunLoopRunTimedOut);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT(dlerror() != NULL); /* the program's own */
}

TEST_MAIN()
