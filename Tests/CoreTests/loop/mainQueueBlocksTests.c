/* Blocks on libdispatch's main queue, done by the main loop. */
#include "support/dispatch.h"

extern void dispatch_async(struct dispatch_queue_s *queue, void (^work)(void))
    __attribute__((weak));

/* R210 */
MAIN_QUEUE_TEST(blocks_are_run_in_order) {
    dispatch_async(&_dispatch_main_q, ^{
      test_trace("a");
    });
    dispatch_async(&_dispatch_main_q, ^{
      loop_stops("b");
    });
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "a b");
}

TEST_MAIN()
