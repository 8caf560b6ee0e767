/* Drain pools at the end of a thread that has a loop (R4), and in the child of a fork (R7). */
#include "support/drain.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>

#define DEFAULT kGYRunLoopDefaultMode

static void uses_the_loop(void *unused) {
    (void)unused;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT(rl != NULL && GYRunLoopIsAlive(rl));
    GYRunLoopTimerRef timer =
        loop_in(GYSTR("farewell"), loop_timer(0, 0, loop_timer_traces, "timer"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("farewell"), 10, false), kGYRunLoopRunFinished);
    loop_drop(timer);
}

static void leave_a_pool(void *unused) {
    GYRunLoopGetCurrent();
    GYDrainPoolPush();
    GYDefer(uses_the_loop, unused);
}

TEST(what_a_thread_still_holds_is_called_while_its_loop_can_be_used) {
    test_thread(leave_a_pool, NULL);
    EXPECT_STR(test_trace_take(), "timer");
}

static void leave_a_pool_older_than_the_loop(void *unused) {
    GYDrainPoolPush();
    GYRunLoopGetCurrent();
    GYDefer(uses_the_loop, unused);
}

TEST(a_pool_may_be_older_than_the_loop) {
    test_thread(leave_a_pool_older_than_the_loop, NULL);
    EXPECT_STR(test_trace_take(), "timer");
}

static void defers_and_ends_the_thread(void *word) {
    drain_defer(word);
    pthread_exit(NULL);
}

static void end_in_a_run(void *word) {
    GYDrainPoolPush();
    drain_defer("outer");
    GYRelease(drain_source(DEFAULT, defers_and_ends_the_thread, word));
    loop_run(10);
}

TEST(a_thread_that_ends_in_a_callout_drains_the_pools_of_its_runs) {
    test_thread(end_in_a_run, "run");
    EXPECT_STR(test_trace_take(), "run outer");
}

static void cancels(void *word, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)rl;
    (void)mode;
    test_trace("cancel");
    drain_defer(word);
}

static void releases(void *word) {
    test_trace("release");
    drain_defer(word);
}

static void leave_items_that_defer(void *unused) {
    (void)unused;
    GYRunLoopSourceContext context = {.info = "from cancel", .cancel = cancels};
    GYRunLoopSourceRef source = loop_in(DEFAULT, GYRunLoopSourceCreate(NULL, 0, &context));
    GYRelease(source);
    GYRunLoopPerform(GYRunLoopGetCurrent(), DEFAULT, loop_traces, "from release", releases);
}

/* R205: nothing is reported, nothing leaks. */
TEST(what_callbacks_of_the_teardown_defer_is_called_at_its_end) {
    test_capture_log();
    test_thread(leave_items_that_defer, NULL);
    EXPECT_STR(test_trace_take(), "cancel release from release from cancel");
    EXPECT_STR(test_log(), "");
}

static void run_in_child(void *unused) {
    (void)unused;
    drain_defer("child");
    GYRunLoopSourceRef source = drain_source(GYSTR("inner"), drain_defers, "inner");
    loop_poll(GYSTR("inner"));
    loop_drop(source);
    EXPECT_STR(test_trace_take(), "inner");
}

static void forks(void *unused) {
    drain_defer("parent");
    EXPECT_INT(test_child(run_in_child, unused), 0);
}

/* R7: the loop and the pools of the thread that forks go on in the child. */
LOOP_TEST(a_fork_in_a_run_keeps_its_pools) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, forks, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "parent");
    loop_drop(source);
}

TEST_MAIN()
