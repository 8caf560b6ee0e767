/* A thread's stack of drain pools: nesting, order, memory, the end of the thread. */
#include "base/pool.h"

#include "support/test.h"

static void traces(void *word) { test_trace("%s", (const char *)word); }

static void defer(const char *word) {
    EXPECT_INT(gy_pool_defer(traces, (void *)word), GY_POOL_TAKEN);
}

TEST(what_was_deferred_is_called_newest_first) {
    uint64_t pool = gy_pool_push(false);
    defer("a");
    defer("b");
    defer("c");
    EXPECT_STR(test_trace_take(), "");
    gy_pool_pop(pool);
    EXPECT_STR(test_trace_take(), "c b a");
}

TEST(popping_a_pool_leaves_the_one_around_it_untouched) {
    uint64_t outer = gy_pool_push(false);
    defer("outer");
    uint64_t inner = gy_pool_push(false);
    defer("inner");
    gy_pool_pop(inner);
    EXPECT_STR(test_trace_take(), "inner");
    gy_pool_pop(outer);
    EXPECT_STR(test_trace_take(), "outer");
}

TEST(popping_an_outer_pool_pops_those_inside) {
    uint64_t outer = gy_pool_push(false);
    defer("a");
    uint64_t inner = gy_pool_push(false);
    defer("b");
    gy_pool_pop(outer);
    EXPECT_STR(test_trace_take(), "b a");
    EXPECT_INT(gy_pool_find(inner), GY_POOL_MISSING);
    EXPECT_INT(gy_pool_defer(traces, ""), GY_POOL_NONE);
}

TEST(draining_keeps_the_pool) {
    uint64_t pool = gy_pool_push(false);
    defer("a");
    gy_pool_drain(pool);
    EXPECT_INT(gy_pool_find(pool), GY_POOL_WITHIN);
    defer("b");
    gy_pool_pop(pool);
    EXPECT_STR(test_trace_take(), "a b");
}

static void defers_more(void *word) {
    traces(word);
    defer("more");
}

TEST(what_is_deferred_while_a_pool_drains_goes_into_it) {
    uint64_t outer = gy_pool_push(false);
    uint64_t pool = gy_pool_push(false);
    defer("last");
    gy_pool_defer(defers_more, "first");
    gy_pool_pop(pool);
    EXPECT_STR(test_trace_take(), "first more last");
    gy_pool_pop(outer);
    EXPECT_STR(test_trace_take(), "");
}

static uint64_t draining;

static void pops_the_draining_pool(void *word) {
    gy_pool_pop(draining);
    traces(word);
}

TEST(a_pool_popped_while_it_drains_is_empty_and_gone) {
    uint64_t outer = gy_pool_push(false);
    defer("outer");
    draining = gy_pool_push(false);
    defer("a");
    gy_pool_defer(pops_the_draining_pool, "b");
    gy_pool_pop(draining);
    EXPECT_STR(test_trace_take(), "a b");
    gy_pool_pop(outer);
    EXPECT_STR(test_trace_take(), "outer");
}

static void pushes_and_forgets(void *word) {
    gy_pool_push(false);
    defer(word);
}

TEST(a_pool_that_deferred_work_forgets_is_drained_with_the_one_around) {
    uint64_t pool = gy_pool_push(false);
    defer("a");
    gy_pool_defer(pushes_and_forgets, "forgotten");
    gy_pool_pop(pool);
    EXPECT_STR(test_trace_take(), "forgotten a");
}

TEST(a_token_is_never_used_again) {
    uint64_t last = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t token = gy_pool_push(false);
        if (token <= last) test_fail(__FILE__, __LINE__, "a token came back in turn %d", i);
        last = token;
        gy_pool_pop(token);
    }
    EXPECT_INT(gy_pool_find(last), GY_POOL_MISSING);
}

static void look_for_foreign_pool(void *token) {
    gy_pool_push(false);
    EXPECT_INT(gy_pool_find(*(uint64_t *)token), GY_POOL_MISSING);
    gy_pool_pop(*(uint64_t *)token);
}

TEST(a_pool_is_on_the_stack_of_its_own_thread_alone) {
    uint64_t pool = gy_pool_push(false);
    defer("a");
    test_thread(look_for_foreign_pool, &pool);
    EXPECT_STR(test_trace_take(), "");
    gy_pool_pop(pool);
    EXPECT_STR(test_trace_take(), "a");
}

TEST(what_lies_below_a_fence_is_told_apart) {
    uint64_t outer = gy_pool_push(false);
    uint64_t fence = gy_pool_push(true);
    uint64_t inner = gy_pool_push(false);
    EXPECT_INT(gy_pool_find(outer), GY_POOL_FENCED);
    EXPECT_INT(gy_pool_find(fence), GY_POOL_FENCED);
    EXPECT_INT(gy_pool_find(inner), GY_POOL_WITHIN);
    gy_pool_unfence(fence);
    EXPECT_INT(gy_pool_find(outer), GY_POOL_WITHIN);
    gy_pool_pop(outer);
}

TEST(pushing_and_deferring_count_as_changes_and_draining_does_not) {
    EXPECT_INT(gy_pool_changes(), 0);
    uint64_t pool = gy_pool_push(false);
    EXPECT_INT(gy_pool_changes(), 1);
    defer("a");
    EXPECT_INT(gy_pool_changes(), 2);
    gy_pool_drain(pool);
    gy_pool_pop(pool);
    EXPECT_INT(gy_pool_changes(), 2);
}

static void does_nothing(void *unused) { (void)unused; }

TEST(memory_beyond_a_page_is_given_back_once_it_is_drained) {
    uint64_t pool = gy_pool_push(false);
    for (int i = 0; i < 10000; i++) gy_pool_defer(does_nothing, NULL);
    EXPECT(gy_pools_here->entry_room >= 10000);
    gy_pool_drain(pool);
    EXPECT_INT(gy_pools_here->entry_room * sizeof(gy_pool_entry), 4096);
    gy_pool_pop(pool);
}

/* The end of a thread. */

static void leave_pools(void *unused) {
    (void)unused;
    gy_pool_push(false);
    defer("outer");
    gy_pool_push(false);
    defer("inner");
}

TEST(what_a_thread_still_holds_is_drained_at_its_end) {
    test_thread(leave_pools, NULL);
    EXPECT_STR(test_trace_take(), "inner outer");
}

static pthread_key_t key;

static void defer_from_destructor(void *word) { defer(word); }

static void leave_a_pool_and_a_key(void *unused) {
    (void)unused;
    gy_pool_push(false);
    pthread_key_create(&key, defer_from_destructor);
    pthread_setspecific(key, "farewell");
    defer("body");
}

TEST(destructors_of_thread_data_may_still_defer_into_a_pool_that_is_left) {
    test_thread(leave_a_pool_and_a_key, NULL);
    EXPECT_STR(test_trace_take(), "farewell body");
}

static void push_and_pop(void *unused) {
    (void)unused;
    gy_pool_pop(gy_pool_push(false));
    test_trace("popped");
}

static void leave_a_key(void *unused) {
    (void)unused;
    pthread_key_create(&key, push_and_pop);
    pthread_setspecific(key, "");
}

/* That nothing is left is the leak sanitizer's to see. */
TEST(a_destructor_that_pushes_and_pops_leaves_no_memory) {
    test_thread(leave_a_key, NULL);
    EXPECT_STR(test_trace_take(), "popped");
}

TEST_MAIN()
