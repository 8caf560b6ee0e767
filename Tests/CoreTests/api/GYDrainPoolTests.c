/* The calls of gyre/GYDrainPool.h outside of runs: order, nesting, bad input and its reports. */
#include "support/drain.h"

#include "api/misuse.h"

#include <errno.h>
#include <gyre/GYString.h>

TEST(deferred_calls_are_made_when_their_pool_is_popped_newest_first) {
    GYDrainPoolToken outer = GYDrainPoolPush();
    drain_defer("a");
    GYDrainPoolToken inner = GYDrainPoolPush();
    drain_defer("b");
    drain_defer("c");
    EXPECT_STR(test_trace_take(), "");
    GYDrainPoolPop(inner);
    EXPECT_STR(test_trace_take(), "c b");
    GYDrainPoolPop(outer);
    EXPECT_STR(test_trace_take(), "a");
}

TEST(popping_a_pool_drains_and_ends_those_pushed_after_it) {
    test_capture_log();
    GYDrainPoolToken outer = GYDrainPoolPush();
    drain_defer("a");
    GYDrainPoolToken inner = GYDrainPoolPush();
    drain_defer("b");
    GYDrainPoolPop(outer);
    EXPECT_STR(test_trace_take(), "b a");
    EXPECT_STR(test_log(), "");
    GYDrainPoolPop(inner);
    EXPECT_REPORTED("GYDrainPoolPop");
}

static void defers_more(void *word) {
    loop_traces(word);
    drain_defer("more");
}

TEST(what_is_deferred_while_a_pool_drains_is_called_in_the_same_drain) {
    GYDrainPoolToken outer = GYDrainPoolPush();
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("last");
    GYDefer(defers_more, "first");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "first more last");
    GYDrainPoolPop(outer);
    EXPECT_STR(test_trace_take(), "");
}

static void release_string(const void *word) { test_trace("%s", (const char *)word); }

static GYRunLoopTimerRef timer_that_traces_its_end(const char *word) {
    GYRunLoopTimerContext context = {.info = (void *)word, .release = release_string};
    return GYRunLoopTimerCreate(kGYAllocatorDefault, 0, 0, 0, 0, NULL, &context);
}

TEST(an_autoreleased_object_lives_until_the_pool_drains) {
    GYDrainPoolToken pool = GYDrainPoolPush();
    GYRunLoopTimerRef timer = timer_that_traces_its_end("gone");
    EXPECT(GYAutorelease(timer) == timer);
    EXPECT_INT(GYGetRetainCount(timer), 1);
    EXPECT_STR(test_trace_take(), "");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "gone");
}

TEST(autoreleasing_gives_up_one_reference_for_each_call) {
    GYDrainPoolToken pool = GYDrainPoolPush();
    GYRunLoopTimerRef timer = timer_that_traces_its_end("gone");
    GYRetain(timer);
    GYRetain(timer);
    GYAutorelease(timer);
    GYAutorelease(timer);
    EXPECT_INT(GYGetRetainCount(timer), 3);
    GYDrainPoolPop(pool);
    EXPECT_INT(GYGetRetainCount(timer), 1);
    GYRelease(timer);
}

TEST(a_constant_string_may_be_autoreleased) {
    GYDrainPoolToken pool = GYDrainPoolPush();
    GYStringRef string = GYSTR("constant");
    EXPECT(GYAutorelease(string) == string);
    GYDrainPoolPop(pool);
    EXPECT(GYGetTypeID(string) == GYStringGetTypeID());
}

/* R205 */
TEST(deferring_without_a_pool_is_reported_and_not_called) {
    test_capture_log();
    errno = 0;
    EXPECT(!GYDefer(loop_traces, "never"));
    EXPECT_INT(errno, EINVAL);
    EXPECT_REPORTED("GYDefer");
    GYDrainPoolPop(GYDrainPoolPush());
    EXPECT(!GYDefer(loop_traces, "never"));
    EXPECT_REPORTED("GYDefer");
    EXPECT_STR(test_trace_take(), "");
}

/* R205 */
TEST(autoreleasing_without_a_pool_is_reported_and_leaks) {
    test_capture_log();
    GYRunLoopTimerRef timer = timer_that_traces_its_end("gone");
    EXPECT(GYAutorelease(timer) == timer);
    EXPECT_REPORTED("GYAutorelease");
    EXPECT_INT(GYGetRetainCount(timer), 1);
    GYRelease(timer);
}

TEST(deferring_nothing_is_reported) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    EXPECT(!GYDefer(NULL, NULL));
    EXPECT_REPORTED("GYDefer");
    EXPECT(GYAutorelease(NULL) == NULL);
    EXPECT_REPORTED("GYAutorelease");
    EXPECT(GYAutorelease("no object") == NULL);
    EXPECT_REPORTED("GYAutorelease");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_log(), "");
}

TEST(popping_a_pool_twice_is_reported_and_leaves_the_others) {
    test_capture_log();
    GYDrainPoolToken outer = GYDrainPoolPush();
    drain_defer("outer");
    GYDrainPoolToken inner = GYDrainPoolPush();
    GYDrainPoolPop(inner);
    GYDrainPoolPush();
    GYDrainPoolPop(inner);
    EXPECT_REPORTED("GYDrainPoolPop");
    GYDrainPoolPop(0);
    EXPECT_REPORTED("GYDrainPoolPop");
    EXPECT_STR(test_trace_take(), "");
    GYDrainPoolPop(outer);
    EXPECT_STR(test_trace_take(), "outer");
}

static void pop_foreign(void *pool) {
    GYDrainPoolToken own = GYDrainPoolPush();
    drain_defer("own");
    GYDrainPoolPop(*(GYDrainPoolToken *)pool);
    EXPECT_REPORTED("GYDrainPoolPop");
    EXPECT_STR(test_trace_take(), "");
    GYDrainPoolPop(own);
    EXPECT_STR(test_trace_take(), "own");
}

TEST(popping_another_threads_pool_is_reported_and_drains_nothing) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("a");
    test_thread(pop_foreign, &pool);
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "a");
}

static void pops_nothing(void) { GYDrainPoolPop(0); }

TEST(popping_no_pool_aborts_in_strict_mode) { expect_strict_abort(pops_nothing); }

/* The end of a thread. */

static void leave_a_pool(void *unused) {
    (void)unused;
    GYDrainPoolPush();
    GYAutorelease(timer_that_traces_its_end("timer"));
    drain_defer("call");
}

TEST(what_a_thread_has_deferred_and_not_drained_is_called_at_its_end) {
    test_thread(leave_a_pool, NULL);
    EXPECT_STR(test_trace_take(), "call timer");
}

static void drain_in_child(void *pool) {
    drain_defer("child");
    GYDrainPoolPop(*(GYDrainPoolToken *)pool);
    EXPECT_STR(test_trace_take(), "child parent");
}

/* R7: with the thread that forks its pools go on in the child. */
TEST(the_child_of_a_fork_keeps_the_pools_of_its_thread) {
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("parent");
    EXPECT_INT(test_child(drain_in_child, &pool), 0);
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "parent");
}

TEST_MAIN()
