/* Blocks written out by hand, as compilers lay them out: no compiler here needs to know them. */
#include "support/test.h"

#include "base/block_abi.h"

#include <dlfcn.h>
#include <gyre/gyre.h>
#include <string.h>

enum { HAS_HELPERS = 1 << 25, IS_GLOBAL = 1 << 28 };

typedef struct hand_block hand_block;

typedef struct {
    unsigned long reserved;
    unsigned long size;
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
} hand_descriptor;

struct hand_block {
    void *isa;
    int flags;
    int reserved;
    void (*invoke)(void);
    const hand_descriptor *descriptor;
    const char *captured;
};

static void helper_copy(void *to, const void *from) {
    EXPECT_STR(((hand_block *)to)->captured, ((const hand_block *)from)->captured);
    test_trace("copy %s", ((hand_block *)to)->captured);
}

static void helper_dispose(const void *block) {
    test_trace("dispose %s", ((const hand_block *)block)->captured);
}

static const hand_descriptor plain = {0, sizeof(hand_block), NULL, NULL};
static const hand_descriptor with_helpers = {0, sizeof(hand_block), helper_copy, helper_dispose};

static void body(void *block) { test_trace("call %s", ((hand_block *)block)->captured); }

static void timer_body(void *block, GYRunLoopTimerRef timer) {
    test_trace("%s %d", ((hand_block *)block)->captured, timer == (GYRunLoopTimerRef)16);
}

static void observer_body(void *block, GYRunLoopObserverRef observer, GYRunLoopActivity activity) {
    test_trace("%s %d %lu", ((hand_block *)block)->captured, observer == (GYRunLoopObserverRef)32,
               activity);
}

#define BLOCK(flags, function, descriptor, captured)                                               \
    {NULL, (flags), 0, (void (*)(void))(function), (descriptor), (captured)}

TEST(a_copy_outlives_the_block_on_the_stack) {
    hand_block on_stack = BLOCK(0, body, &plain, "kept");
    void *copy = gy_block_copy(&on_stack);
    memset(&on_stack, 0, sizeof on_stack);
    EXPECT(copy != &on_stack);
    gy_block_invoke(copy);
    gy_block_release(copy);
    EXPECT_STR(test_trace_take(), "call kept");
}

TEST(captured_values_are_copied_and_disposed_of_once) {
    hand_block on_stack = BLOCK(HAS_HELPERS, body, &with_helpers, "x");
    void *copy = gy_block_copy(&on_stack);
    gy_block_invoke(copy);
    gy_block_release(copy);
    EXPECT_STR(test_trace_take(), "copy x call x dispose x");
}

TEST(a_copy_of_a_copy_is_counted) {
    hand_block on_stack = BLOCK(HAS_HELPERS, body, &with_helpers, "x");
    void *copy = gy_block_copy(&on_stack);
    EXPECT(gy_block_copy(copy) == copy);
    EXPECT(gy_block_copy(copy) == copy);
    gy_block_release(copy);
    gy_block_release(copy);
    EXPECT_STR(test_trace_take(), "copy x");
    gy_block_release(copy);
    EXPECT_STR(test_trace_take(), "dispose x");
}

TEST(a_global_block_is_its_own_copy) {
    static hand_block global = BLOCK(IS_GLOBAL, body, &plain, "global");
    EXPECT(gy_block_copy(&global) == &global);
    gy_block_release(&global);
    gy_block_release(&global);
    gy_block_invoke(&global);
    EXPECT_STR(test_trace_take(), "call global");
}

TEST(null_is_no_block) {
    EXPECT(gy_block_copy(NULL) == NULL);
    gy_block_release(NULL);
    hand_block on_stack = BLOCK(0, body, &plain, "stack");
    gy_block_release(&on_stack);
}

TEST(every_shape_gets_its_arguments) {
    hand_block timer = BLOCK(0, timer_body, &plain, "timer");
    hand_block observer = BLOCK(0, observer_body, &plain, "observer");
    gy_block_invoke_timer(&timer, (GYRunLoopTimerRef)16);
    gy_block_invoke_observer(&observer, (GYRunLoopObserverRef)32, kGYRunLoopExit);
    EXPECT_STR(test_trace_take(), "timer 1 observer 1 128");
}

static void copy_and_release(void *block) {
    for (int i = 0; i < 20000; i++) gy_block_release(gy_block_copy(block));
}

TEST(a_copy_is_counted_from_any_thread) {
    hand_block on_stack = BLOCK(HAS_HELPERS, body, &with_helpers, "shared");
    void *copy = gy_block_copy(&on_stack);
    pthread_t a = test_thread_start(copy_and_release, copy);
    pthread_t b = test_thread_start(copy_and_release, copy);
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_STR(test_trace_take(), "copy shared");
    gy_block_release(copy);
    EXPECT_STR(test_trace_take(), "dispose shared");
}

TEST(a_runtime_that_comes_later_takes_over_blocks_copied_before) {
    hand_block on_stack = BLOCK(HAS_HELPERS, body, &with_helpers, "handed-over");
    void *before = gy_block_copy(&on_stack);
    EXPECT(gy_block_copy(before) == before);
    /* Where the system has none, the same calls go on without one. */
    void *runtime = dlopen("libBlocksRuntime.so", RTLD_NOW | RTLD_GLOBAL);
    if (runtime == NULL) runtime = dlopen("libBlocksRuntime.so.0", RTLD_NOW | RTLD_GLOBAL);
    void *after = gy_block_copy(&on_stack);
    EXPECT_STR(test_trace_take(), "copy handed-over copy handed-over");
    gy_block_release(after);
    gy_block_release(before);
    EXPECT_STR(test_trace_take(), "dispose handed-over");
    gy_block_invoke(before);
    gy_block_release(before);
    EXPECT_STR(test_trace_take(), "call handed-over dispose handed-over");
}

TEST_MAIN()
