/** dispatch.h - libdispatch's main queue, as far as tests of the main loop need it.
 *
 * Every reference is weak: where a program is linked without libdispatch its cases are skipped. */
#ifndef GYRE_TESTS_DISPATCH_H
#define GYRE_TESTS_DISPATCH_H

#include "support/loop.h"

/* libdispatch's headers are for compilers that have blocks. */
extern struct dispatch_queue_s _dispatch_main_q __attribute__((weak));
extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *))
    __attribute__((weak));
extern void dispatch_after_f(uint64_t when, struct dispatch_queue_s *queue, void *context,
                             void (*work)(void *)) __attribute__((weak));
extern uint64_t dispatch_time(uint64_t base, int64_t delta_ns) __attribute__((weak));

/** A case on the main thread. The descriptors that it leaves open are libdispatch's. */
#define MAIN_QUEUE_TEST(sentence)                                                                  \
    static void with_queue_##sentence(void);                                                       \
    TEST(sentence) {                                                                               \
        TEST_SKIP_IF(&_dispatch_main_q == NULL, "there is no libdispatch");                        \
        TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer does not know libdispatch");       \
        int open_before = test_descriptor_count();                                                 \
        with_queue_##sentence();                                                                   \
        test_allow_descriptors(test_descriptor_count() - open_before);                             \
    }                                                                                              \
    static void with_queue_##sentence(void)

/** Queues work; `loop_traces` and its sisters serve as it. */
static inline void queue_work(void (*work)(void *), void *context) {
    dispatch_async_f(&_dispatch_main_q, context, work);
}

#endif
