/* Work that can be delayed and taken back: GYRunLoopPerformCreate, …Cancel, …GetState. */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <string.h>

static void trace_release(void *word) { test_trace("-%s", (const char *)word); }

static GYRunLoopPerformRef perform(GYTypeRef mode, int64_t delay_ns, const char *word) {
    return GYRunLoopPerformCreate(GYRunLoopGetCurrent(), mode, delay_ns, loop_traces, (void *)word,
                                  trace_release);
}

static GYArrayRef two_modes(void) {
    const void *names[] = {GYSTR("a"), GYSTR("b")};
    return GYArrayCreate(kGYAllocatorDefault, names, 2, &kGYTypeArrayCallBacks);
}

/* Calls without a delay. */

/* R60 */
LOOP_TEST(a_perform_without_delay_takes_its_place_among_the_other_calls) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "1", NULL);
    GYRunLoopPerformRef second = perform(kGYRunLoopDefaultMode, 0, "2");
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "3", NULL);
    GYRunLoopPerformRef fourth = perform(kGYRunLoopDefaultMode, -5, "4");
    EXPECT_INT(GYGetTypeID(second), GYRunLoopPerformGetTypeID());
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "1 2 -2 3 4 -4");
    GYRelease(second);
    GYRelease(fourth);
}

/* R13, R61 */
LOOP_TEST(a_perform_counts_and_runs_in_each_of_its_modes_once) {
    GYArrayRef modes = two_modes();
    GYRunLoopPerformRef now = perform(modes, 0, "now");
    GYRelease(modes);
    EXPECT_INT(loop_poll(GYSTR("b")), kGYRunLoopRunTimedOut);
    EXPECT_INT(loop_poll(GYSTR("a")), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "now -now");
    GYRelease(now);
}

static void perform_stop(void *rl) {
    loop_wait_asleep(rl);
    GYRelease(GYRunLoopPerformCreate(rl, kGYRunLoopDefaultMode, 0, loop_stops, "called", NULL));
}

/* R62 is about GYRunLoopPerform; this one wakes. */
LOOP_TEST(a_perform_from_another_thread_wakes_the_loop) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    pthread_t thread = test_thread_start(perform_stop, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "called");
    test_thread_join(thread);
    loop_drop(keep);
}

LOOP_TEST(a_perform_whose_reference_is_dropped_at_once_is_still_made) {
    GYRelease(perform(kGYRunLoopDefaultMode, 0, "now"));
    GYRelease(perform(kGYRunLoopDefaultMode, 1000000, "later"));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "now -now later -later");
}

/* Calls with a delay. */

static void trace_if_due(void *due_ns) {
    test_trace(test_now_ns() >= *(int64_t *)due_ns ? "due" : "early");
}

LOOP_TEST(a_delayed_perform_is_never_early) {
    for (int64_t delay_ns = 1; delay_ns < 3000000; delay_ns = delay_ns * 3 + 7) {
        int64_t due_ns = test_now_ns() + delay_ns;
        GYRunLoopPerformRef later = GYRunLoopPerformCreate(
            GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, delay_ns, trace_if_due, &due_ns, NULL);
        EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
        EXPECT_STR(test_trace_take(), "due");
        GYRelease(later);
    }
}

LOOP_TEST(delayed_performs_come_in_the_order_of_their_delays) {
    GYRelease(perform(kGYRunLoopDefaultMode, 500000000, "later"));
    GYRelease(perform(kGYRunLoopDefaultMode, 1, "sooner"));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "sooner -sooner later -later");
}

/* R13, R110 */
LOOP_TEST(a_delayed_perform_counts_in_each_of_its_modes_and_is_made_once) {
    GYArrayRef modes = two_modes();
    GYRunLoopPerformRef later = perform(modes, 1000000, "later");
    GYRelease(modes);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("b"), 10, false), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(GYSTR("a")), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "later -later");
    GYRelease(later);
}

/* R17, R61 */
LOOP_TEST(a_delayed_perform_for_the_common_modes_is_made_in_a_mode_that_joins) {
    GYRunLoopPerformRef later = perform(kGYRunLoopCommonModes, 1000000, "later");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), GYSTR("m"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 10, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "later -later");
    GYRelease(later);
}

static void perform_stop_later(void *rl) {
    loop_wait_asleep(rl);
    GYRelease(
        GYRunLoopPerformCreate(rl, kGYRunLoopDefaultMode, 1000000, loop_stops, "called", NULL));
}

/* R111 */
LOOP_TEST(a_delayed_perform_from_another_thread_is_noticed_by_a_sleeping_loop) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    pthread_t thread = test_thread_start(perform_stop_later, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "called");
    test_thread_join(thread);
    loop_drop(keep);
}

LOOP_TEST(a_delay_beyond_all_dates_is_a_call_that_waits) {
    GYRunLoopPerformRef never = perform(kGYRunLoopDefaultMode, INT64_MAX, "never");
    EXPECT_INT(loop_run(0.005), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYRunLoopPerformCancel(never), kGYRunLoopPerformCancelled);
    EXPECT_STR(test_trace_take(), "-never");
    GYRelease(never);
}

/* Taking back. */

/* R171: with and without a delay; released before the call returns, and once. */
LOOP_TEST(a_pending_perform_can_be_taken_back) {
    int64_t delays_ns[] = {0, 1000000};
    for (int i = 0; i < 2; i++) {
        GYRunLoopPerformRef work = perform(kGYRunLoopDefaultMode, delays_ns[i], "work");
        EXPECT_INT(GYRunLoopPerformGetState(work), kGYRunLoopPerformPending);
        EXPECT_INT(GYRunLoopPerformCancel(work), kGYRunLoopPerformCancelled);
        EXPECT_STR(test_trace_take(), "-work");
        EXPECT_INT(GYRunLoopPerformGetState(work), kGYRunLoopPerformCancelled);
        EXPECT_INT(GYRunLoopPerformCancel(work), kGYRunLoopPerformCancelled);
        EXPECT_INT(GYRunLoopPerformCancelAndWait(work), kGYRunLoopPerformCancelled);
        EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
        EXPECT_STR(test_trace_take(), "");
        GYRelease(work);
    }
}

LOOP_TEST(taking_back_one_call_leaves_the_others) {
    GYRunLoopPerformRef first = perform(kGYRunLoopDefaultMode, 0, "1");
    GYRunLoopPerformRef second = perform(kGYRunLoopDefaultMode, 0, "2");
    GYRunLoopPerformRef third = perform(kGYRunLoopDefaultMode, 0, "3");
    EXPECT_INT(GYRunLoopPerformCancel(second), kGYRunLoopPerformCancelled);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "-2 1 -1 3 -3");
    GYRelease(first);
    GYRelease(second);
    GYRelease(third);
}

static void cancel_other(void *other) {
    test_trace("state%d", GYRunLoopPerformCancel(*(GYRunLoopPerformRef *)other));
}

/* R65: even when the step has already taken it. */
LOOP_TEST(a_call_may_take_back_the_next_one_of_its_step) {
    GYRunLoopPerformRef second = NULL;
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, cancel_other, &second, NULL);
    second = perform(kGYRunLoopDefaultMode, 0, "second");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "-second state3");
    GYRelease(second);
}

LOOP_TEST(a_call_that_was_made_is_done_and_released_once) {
    int64_t delays_ns[] = {0, 1};
    for (int i = 0; i < 2; i++) {
        GYRunLoopPerformRef work = perform(kGYRunLoopDefaultMode, delays_ns[i], "work");
        loop_poll(kGYRunLoopDefaultMode);
        EXPECT_STR(test_trace_take(), "work -work");
        EXPECT_INT(GYRunLoopPerformGetState(work), kGYRunLoopPerformDone);
        EXPECT_INT(GYRunLoopPerformCancel(work), kGYRunLoopPerformDone);
        EXPECT_INT(GYRunLoopPerformCancelAndWait(work), kGYRunLoopPerformDone);
        EXPECT_STR(test_trace_take(), "");
        GYRelease(work);
    }
}

static void cancel_itself(void *self) {
    GYRunLoopPerformRef work = *(GYRunLoopPerformRef *)self;
    test_trace("%d", GYRunLoopPerformGetState(work));
    test_trace("%d", GYRunLoopPerformCancel(work));
    test_trace("%d", GYRunLoopPerformCancelAndWait(work));
}

/* R171: with a delay and without. */
LOOP_TEST(a_call_finds_itself_running) {
    for (int64_t delay_ns = 0; delay_ns < 2; delay_ns++) {
        GYRunLoopPerformRef work = NULL;
        work = GYRunLoopPerformCreate(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, delay_ns,
                                      cancel_itself, &work, NULL);
        loop_poll(kGYRunLoopDefaultMode);
        EXPECT_STR(test_trace_take(), "1 1 1");
        EXPECT_INT(GYRunLoopPerformGetState(work), kGYRunLoopPerformDone);
        GYRelease(work);
    }
}

typedef struct {
    GYRunLoopPerformRef work;
    test_event running, may_return;
    atomic_bool returned;
} slow_call;

static void take_long(void *given) {
    slow_call *call = given;
    test_event_signal(&call->running);
    test_event_wait(&call->may_return);
    atomic_store(&call->returned, true);
}

static void cancel_and_wait(void *given) {
    slow_call *call = given;
    EXPECT_INT(GYRunLoopPerformCancelAndWait(call->work), kGYRunLoopPerformDone);
    EXPECT(atomic_load(&call->returned));
}

/* R171 */
TEST(cancel_tells_that_a_call_runs_and_the_waiting_form_waits_for_its_return) {
    for (int64_t delay_ns = 0; delay_ns < 2; delay_ns++) {
        loop_worker worker;
        slow_call call = {.running = TEST_EVENT_INIT, .may_return = TEST_EVENT_INIT};
        loop_worker_start(&worker, kGYRunLoopDefaultMode);
        call.work = GYRunLoopPerformCreate(worker.rl, kGYRunLoopDefaultMode, delay_ns, take_long,
                                           &call, NULL);
        test_event_wait(&call.running);
        EXPECT_INT(GYRunLoopPerformGetState(call.work), kGYRunLoopPerformRunning);
        EXPECT_INT(GYRunLoopPerformCancel(call.work), kGYRunLoopPerformRunning);
        pthread_t waiter = test_thread_start(cancel_and_wait, &call);
        test_event_signal(&call.may_return);
        test_thread_join(waiter);
        EXPECT_INT(GYRunLoopPerformCancel(call.work), kGYRunLoopPerformDone);
        GYRelease(call.work);
        loop_worker_drop(&worker);
    }
}

static void leave_performs(void *given) {
    GYRunLoopPerformRef *performs = given;
    performs[0] = perform(GYSTR("never run"), 0, "now");
    performs[1] = perform(GYSTR("never run"), 1000000000000, "later");
}

/* R4 */
TEST(performs_that_are_left_when_the_thread_ends_are_released_and_say_so) {
    GYRunLoopPerformRef performs[2];
    test_thread(leave_performs, performs);
    const char *words = test_trace_take();
    EXPECT(strcmp(words, "-now -later") == 0 || strcmp(words, "-later -now") == 0);
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(GYRunLoopPerformGetState(performs[i]), kGYRunLoopPerformLoopEnded);
        EXPECT_INT(GYRunLoopPerformCancel(performs[i]), kGYRunLoopPerformLoopEnded);
        EXPECT_INT(GYRunLoopPerformCancelAndWait(performs[i]), kGYRunLoopPerformLoopEnded);
        GYRelease(performs[i]);
    }
    EXPECT_STR(test_trace_take(), "");
}

typedef struct {
    GYRunLoopRef rl;
    atomic_int called, released, cancelled;
} balance;

static void count_call(void *given) { atomic_fetch_add(&((balance *)given)->called, 1); }

static void count_release(void *given) { atomic_fetch_add(&((balance *)given)->released, 1); }

static void perform_and_cancel(void *given) {
    balance *counts = given;
    for (int i = 0; i < 500; i++) {
        GYRunLoopPerformRef work =
            GYRunLoopPerformCreate(counts->rl, kGYRunLoopDefaultMode, i % 3 == 0 ? 1000 : 0,
                                   count_call, counts, count_release);
        if (GYRunLoopPerformCancelAndWait(work) == kGYRunLoopPerformCancelled) {
            atomic_fetch_add(&counts->cancelled, 1);
        }
        GYRelease(work);
    }
}

/* R171: a call is either made or taken back, and released once in either case. */
TEST(cancelling_against_a_running_loop_makes_or_takes_back_each_call) {
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    balance counts = {.rl = worker.rl};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) threads[i] = test_thread_start(perform_and_cancel, &counts);
    for (int i = 0; i < 3; i++) test_thread_join(threads[i]);
    loop_worker_drop(&worker);
    EXPECT_INT(atomic_load(&counts.called) + atomic_load(&counts.cancelled), 1500);
    EXPECT_INT(atomic_load(&counts.released), 1500);
}

/* Misuse. */

LOOP_TEST(bad_arguments_of_performs_are_reported) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopMode mode = kGYRunLoopDefaultMode;
    test_capture_log();
    EXPECT(GYRunLoopPerformCreate(NULL, mode, 0, loop_traces, "", loop_traces) == NULL);
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformCreate: ") != NULL);
    EXPECT(GYRunLoopPerformCreate(rl, NULL, 0, loop_traces, "", loop_traces) == NULL);
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformCreate: ") != NULL);
    EXPECT(GYRunLoopPerformCreate(rl, mode, 5, NULL, "", loop_traces) == NULL);
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformCreate: ") != NULL);
    GYRunLoopPerformRef wrong[] = {NULL, (GYRunLoopPerformRef)rl};
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(GYRunLoopPerformCancel(wrong[i]), kGYRunLoopPerformLoopEnded);
        EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformCancel: ") != NULL);
        EXPECT_INT(GYRunLoopPerformCancelAndWait(wrong[i]), kGYRunLoopPerformLoopEnded);
        EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformCancelAndWait: ") != NULL);
        EXPECT_INT(GYRunLoopPerformGetState(wrong[i]), kGYRunLoopPerformLoopEnded);
        EXPECT(strstr(test_log(), "gyre: GYRunLoopPerformGetState: ") != NULL);
    }
    EXPECT_STR(test_trace_take(), "");
}

TEST_MAIN()
