/* The block form of work given to a loop (R60 to R68). Compiled where the compiler has blocks. */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>

/* R60, R61 */
LOOP_TEST(blocks_and_calls_are_one_list) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const void *names[] = {GYSTR("m"), kGYRunLoopDefaultMode};
    GYArrayRef modes = GYArrayCreate(kGYAllocatorDefault, names, 2, &kGYTypeArrayCallBacks);
    GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, ^{
      test_trace("1");
    });
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "2", NULL);
    GYRunLoopPerformBlock(rl, modes, ^{
      test_trace("3");
    });
    GYRunLoopPerformBlock(rl, GYSTR("m"), ^{
      test_trace("4");
    });
    GYRunLoopPerformBlock(rl, kGYRunLoopCommonModes, ^{
      test_trace("5");
    });
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "1 2 3 5");
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "4");
    GYRelease(modes);
}

/* R61 */
LOOP_TEST(a_block_runs_once_in_all) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const void *names[] = {GYSTR("a"), GYSTR("b")};
    GYArrayRef modes = GYArrayCreate(kGYAllocatorDefault, names, 2, &kGYTypeArrayCallBacks);
    GYRunLoopPerformBlock(rl, modes, ^{
      test_trace("block");
    });
    GYRelease(modes);
    EXPECT_INT(loop_poll(GYSTR("a")), kGYRunLoopRunTimedOut);
    EXPECT_INT(loop_poll(GYSTR("b")), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "block");
}

/* R64, R65, F117 */
LOOP_TEST(a_run_inside_a_block_sees_new_blocks_and_not_the_taken_ones) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, ^{
      test_trace("(");
      EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
      GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, ^{
        test_trace("new");
      });
      EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
      test_trace(")");
    });
    GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, ^{
      test_trace("taken");
    });
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "( new ) taken");
}

/* R66 */
LOOP_TEST(a_null_block_or_another_kind_of_mode_is_ignored) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    test_capture_log();
    GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, NULL);
    GYRunLoopPerformBlock(rl, NULL, ^{
      test_trace("never");
    });
    GYRunLoopPerformBlock(rl, rl, ^{
      test_trace("never");
    });
    GYRunLoopPerformBlock(NULL, kGYRunLoopDefaultMode, ^{
      test_trace("never");
    });
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
}

/* R68: what a block captured is copied when it is enqueued. */
LOOP_TEST(a_block_is_copied_when_it_is_enqueued) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    int value = 1;
    GYRunLoopPerformBlock(rl, kGYRunLoopDefaultMode, ^{
      test_trace("%d", value);
    });
    value = 2;
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "1");
}

/* A block laid out by hand, as the compiler does it, tells when it is copied and destroyed. */
struct traced_block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *self);
    const struct {
        unsigned long reserved, size;
        void (*copy)(void *to, const void *from);
        void (*dispose)(const void *block);
    } *descriptor;
    const char *word;
};

extern void *_NSConcreteStackBlock[];

static bool thread_ends;

enum { HAS_COPY_AND_DISPOSE = 1 << 25 };

static void invoke_traced(void *self) { test_trace("%s", ((struct traced_block *)self)->word); }

static void copy_traced(void *to, const void *from) {
    (void)to;
    test_trace("+%s", ((const struct traced_block *)from)->word);
}

static void dispose_traced(const void *block) {
    test_trace("-%s", ((const struct traced_block *)block)->word);
    if (thread_ends) return;
    GYRunLoopSourceRef keep = loop_keep(GYSTR("inner"));
    EXPECT_INT(loop_poll(GYSTR("inner")), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

static void perform_traced(const char *word) {
    static const __typeof__(*((struct traced_block *)NULL)->descriptor) descriptor = {
        0, sizeof(struct traced_block), copy_traced, dispose_traced};
    struct traced_block block = {_NSConcreteStackBlock, HAS_COPY_AND_DISPOSE, 0,
                                 invoke_traced,         &descriptor,          word};
    GYRunLoopPerformBlock(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode,
                          (void (^)(void))(void *)&block);
}

/* R68: the destruction of a block may use the loop. */
LOOP_TEST(a_block_is_released_right_after_it_ran) {
    perform_traced("a");
    perform_traced("b");
    EXPECT_STR(test_trace_take(), "+a +b");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "a -a b -b");
}

static void leave_a_block(void *unused) {
    (void)unused;
    perform_traced("left");
    thread_ends = true;
}

/* R4 */
TEST(a_block_that_is_left_when_the_thread_ends_is_released_and_not_run) {
    test_thread(leave_a_block, NULL);
    EXPECT_STR(test_trace_take(), "+left -left");
}

TEST_MAIN()
