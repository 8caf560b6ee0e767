/* Drain pools of runs that a jump takes away, and jumps out of deferred calls. */
#include "support/drain.h"

#include "api/misuse.h"

#include <gyre/GYString.h>
#include <setjmp.h>

#define DEFAULT kGYRunLoopDefaultMode
#define INNER GYSTR("inner")
#define NOINLINE __attribute__((noinline))

static jmp_buf landing;

static NOINLINE void run_below(GYRunLoopMode mode, int frames) {
    if (frames > 0) {
        run_below(mode, frames - 1);
    } else {
        GYRunLoopRunInMode(mode, 10, false);
    }
    __asm__ volatile(""); /* no tail call: the frame is what this is for */
}

/* Runs a mode deeper in the stack, until a callout leaves the run by a jump. */
static NOINLINE void run_until_left(GYRunLoopMode mode) {
    if (setjmp(landing) == 0) {
        run_below(mode, 32);
        test_fail(__FILE__, __LINE__, "the run was not left");
    }
}

static void leaves(void *unused) {
    (void)unused;
    longjmp(landing, 1);
}

static void defers_and_leaves(void *word) {
    drain_defer(word);
    leaves(NULL);
}

/* Leaves behind a run of the default mode whose pool holds "gone". */
static void leave_a_run(void) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_and_leaves, "gone");
    run_until_left(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
}

LOOP_TEST(what_a_run_held_that_was_left_is_called_before_the_next_one_begins) {
    leave_a_run();
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef trace =
        loop_in(DEFAULT, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "gone entry exit");
    loop_drop(trace);
    loop_drop(keep);
}

LOOP_TEST(what_a_run_held_that_was_left_is_called_before_a_pool_is_pushed) {
    leave_a_run();
    GYDrainPoolToken pool = GYDrainPoolPush();
    EXPECT_STR(test_trace_take(), "gone");
    drain_defer("own");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "own");
}

LOOP_TEST(a_pool_from_before_a_run_that_was_left_can_be_popped) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    drain_defer("outer");
    leave_a_run();
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "gone outer");
    EXPECT_STR(test_log(), "");
}

static void leaves_a_nested_run(void *unused) {
    (void)unused;
    GYRunLoopSourceRef source = drain_source(INNER, defers_and_leaves, "gone");
    run_until_left(INNER);
    loop_drop(source);
    test_trace("landed");
}

LOOP_TEST(what_a_nested_run_held_that_was_left_is_called_when_the_callout_is_over) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, leaves_a_nested_run, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "landed gone");
    loop_drop(source);
}

static void defers_leaving_a_nested_run(void *unused) {
    drain_defer("oldest");
    GYDefer(leaves_a_nested_run, unused);
}

LOOP_TEST(a_drain_goes_on_after_a_deferred_call_has_left_a_nested_run) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_leaving_a_nested_run, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "landed gone oldest");
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_drop(source);
}

/* R204 */
LOOP_TEST(the_hooks_are_those_of_the_run_though_a_deferred_call_has_left_a_nested_one) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_leaving_a_nested_run, NULL);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainBeforePolling, 0,
                          drain_observer_traces, "hook", NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "landed gone oldest hook");
    loop_drop(source);
}

static void hook_defers_leaving(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *unused) {
    (void)hook;
    (void)point;
    GYDefer(leaves_a_nested_run, unused);
}

LOOP_TEST(a_run_ends_as_it_should_though_the_last_deferred_call_has_left_a_nested_one) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit, 0, hook_defers_leaving,
                          NULL, NULL);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "landed gone");
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_drop(keep);
}

static void traces_and_leaves(void *word) {
    loop_traces(word);
    leaves(NULL);
}

static void defers_leaving(void *unused) {
    (void)unused;
    drain_defer("oldest");
    GYDefer(traces_and_leaves, "leaves");
    drain_defer("newest");
}

LOOP_TEST(a_deferred_call_that_leaves_its_run_counts_as_called) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, defers_leaving, NULL);
    run_until_left(DEFAULT);
    EXPECT_STR(test_trace_take(), "newest leaves");
    loop_drop(source);
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "oldest");
    loop_drop(keep);
}

TEST(a_jump_out_of_a_deferred_call_leaves_the_rest_to_the_next_pop) {
    GYDrainPoolToken pool = GYDrainPoolPush();
    defers_leaving(NULL);
    if (setjmp(landing) == 0) GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "newest leaves");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "oldest");
}

static void hook_leaves_once(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *left) {
    (void)hook;
    (void)point;
    test_trace("hook");
    if (!atomic_exchange((atomic_bool *)left, true)) defers_and_leaves("deferred");
}

LOOP_TEST(a_hook_that_leaves_its_run_is_called_again_in_the_next) {
    atomic_bool left = false;
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit | kGYDrainBeforeWaiting, 0,
                          hook_leaves_once, &left, NULL);
    run_until_left(DEFAULT);
    EXPECT_STR(test_trace_take(), "hook");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "deferred hook");
    loop_drop(keep);
}

static void leaves_from_the_next_run(void *unused) {
    (void)unused;
    drain_defer("rest");
    GYDefer(traces_and_leaves, "leaves");
    leaves(NULL);
}

static NOINLINE void poll_until_left(void) {
    if (setjmp(landing) == 0) loop_poll(DEFAULT);
}

/* The run is over then; what is left of its pool has no fence and holds nobody up. */
LOOP_TEST(a_jump_out_of_the_drain_of_a_run_that_was_left_leaves_an_ordinary_pool) {
    test_capture_log();
    GYDrainPoolToken pool = GYDrainPoolPush();
    GYRunLoopSourceRef source = drain_source(DEFAULT, leaves_from_the_next_run, NULL);
    run_until_left(DEFAULT);
    poll_until_left();
    EXPECT_STR(test_trace_take(), "leaves");
    GYDrainPoolPop(pool);
    EXPECT_STR(test_trace_take(), "rest");
    EXPECT_STR(test_log(), "");
    loop_drop(source);
}

TEST_MAIN()
