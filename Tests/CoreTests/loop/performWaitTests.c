/* Work that is waited for: GYRunLoopPerformAndWait. */
#include "support/loop.h"
#include "support/test.h"

#include <errno.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <string.h>

static void store_current(void *place) { *(GYRunLoopRef *)place = GYRunLoopGetCurrent(); }

/* R187, R172: the waiter reads without further ado what the function wrote. */
TEST(a_waited_for_call_is_made_on_the_loops_thread_before_the_wait_ends) {
    loop_worker worker;
    GYRunLoopRef seen = NULL;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    for (int i = 0; i < 100; i++) {
        seen = NULL;
        EXPECT(GYRunLoopPerformAndWait(worker.rl, kGYRunLoopDefaultMode, store_current, &seen));
        EXPECT(seen == worker.rl);
    }
    loop_worker_drop(&worker);
}

/* R187: whatever the mode, and though the loop is not running. */
LOOP_TEST(a_waited_for_call_on_the_own_thread_is_made_at_once) {
    GYRunLoopRef rl = GYRunLoopGetCurrent(), seen = NULL;
    EXPECT(GYRunLoopPerformAndWait(rl, GYSTR("never run"), store_current, &seen));
    EXPECT(seen == rl);
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "queued", NULL);
    EXPECT(GYRunLoopPerformAndWait(rl, kGYRunLoopDefaultMode, loop_traces, "at once"));
    EXPECT_STR(test_trace_take(), "at once");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "queued");
}

static void wait_on_itself(void *rl) {
    test_trace("(");
    EXPECT(GYRunLoopPerformAndWait(rl, kGYRunLoopDefaultMode, loop_traces, "inside"));
    test_trace(")");
}

/* R187 */
TEST(a_waited_for_call_may_wait_for_another_on_its_own_loop) {
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    EXPECT(GYRunLoopPerformAndWait(worker.rl, kGYRunLoopDefaultMode, wait_on_itself, worker.rl));
    EXPECT_STR(test_trace_take(), "( inside )");
    loop_worker_drop(&worker);
}

enum { WAITERS = 6, ROUNDS = 50 };

typedef struct {
    GYRunLoopRef rl;
    long sum; /* only the loop's thread touches it */
} shared_sum;

static void add_one(void *shared) { ((shared_sum *)shared)->sum++; }

static void add_many(void *shared) {
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(GYRunLoopPerformAndWait(((shared_sum *)shared)->rl, kGYRunLoopDefaultMode, add_one,
                                       shared));
    }
}

TEST(many_threads_may_wait_for_calls_of_one_loop) {
    loop_worker worker;
    pthread_t threads[WAITERS];
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    shared_sum shared = {worker.rl, 0};
    for (int i = 0; i < WAITERS; i++) threads[i] = test_thread_start(add_many, &shared);
    for (int i = 0; i < WAITERS; i++) test_thread_join(threads[i]);
    loop_worker_drop(&worker);
    EXPECT_INT(shared.sum, WAITERS * ROUNDS);
}

typedef struct {
    GYRunLoopRef rl;
    test_event answered;
} waiter;

static void wait_for_mode_b(void *given) {
    waiter *from = given;
    const void *names[] = {GYSTR("b"), GYSTR("c")};
    GYArrayRef modes = GYArrayCreate(kGYAllocatorDefault, names, 2, &kGYTypeArrayCallBacks);
    EXPECT(GYRunLoopPerformAndWait(from->rl, modes, loop_traces, "called"));
    GYRelease(modes);
    test_event_signal(&from->answered);
    GYRunLoopStop(from->rl);
}

/* R61 */
LOOP_TEST(a_waited_for_call_waits_for_a_run_of_one_of_its_modes) {
    waiter from = {GYRunLoopGetCurrent(), TEST_EVENT_INIT};
    GYRunLoopSourceRef keep = loop_keep(GYSTR("a"));
    GYRunLoopSourceRef others = loop_keep(GYSTR("b"));
    pthread_t thread = test_thread_start(wait_for_mode_b, &from);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("a"), 0.02, false), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    EXPECT(!test_event_has_happened(&from.answered));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("b"), 20, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "called");
    test_thread_join(thread);
    loop_drop(keep);
    loop_drop(others);
}

/* R5, F49; the loop that ends while someone waits is in threadExitTests.c. */
TEST(waiting_for_a_call_of_an_ended_loop_fails_at_once) {
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    loop_worker_end(&worker);
    errno = 0;
    EXPECT(!GYRunLoopPerformAndWait(worker.rl, kGYRunLoopDefaultMode, loop_traces, "never"));
    EXPECT_INT(errno, ESRCH);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(worker.rl);
}

LOOP_TEST(bad_arguments_of_a_waited_for_call_are_reported) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    test_capture_log();
    EXPECT(!GYRunLoopPerformAndWait(NULL, kGYRunLoopDefaultMode, loop_traces, ""));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformAndWait: ") != NULL);
    EXPECT(!GYRunLoopPerformAndWait(rl, NULL, loop_traces, ""));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformAndWait: ") != NULL);
    EXPECT(!GYRunLoopPerformAndWait(rl, rl, loop_traces, ""));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformAndWait: ") != NULL);
    EXPECT(!GYRunLoopPerformAndWait(rl, kGYRunLoopDefaultMode, NULL, NULL));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformAndWait: ") != NULL);
    EXPECT_STR(test_trace_take(), "");
}

TEST_MAIN()
