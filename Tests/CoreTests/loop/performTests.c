/* Work given to a loop as function and info: order, modes, steps (R60 to R68). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <string.h>

static void perform_in(GYTypeRef mode, const char *word) {
    EXPECT(GYRunLoopPerform(GYRunLoopGetCurrent(), mode, loop_traces, (void *)word, NULL));
}

static GYArrayRef two_modes(const char *a, const char *b) {
    GYStringRef names[] = {GYRunLoopModeNamed(a), GYRunLoopModeNamed(b)};
    GYArrayRef array =
        GYArrayCreate(kGYAllocatorDefault, (const void **)names, 2, &kGYTypeArrayCallBacks);
    GYRelease(names[0]);
    GYRelease(names[1]);
    return array;
}

/* Order and modes. */

/* R60 */
LOOP_TEST(calls_run_first_in_first_out_whatever_named_their_mode) {
    GYArrayRef both = two_modes("m", "other");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), GYSTR("m"));
    perform_in(GYSTR("m"), "1");
    perform_in(both, "2");
    perform_in(kGYRunLoopCommonModes, "3");
    perform_in(GYSTR("m"), "4");
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "1 2 3 4");
    GYRelease(both);
}

/* R61, R64 */
LOOP_TEST(a_call_waits_for_a_run_of_one_of_its_modes_and_keeps_its_place) {
    GYArrayRef both = two_modes("a", "b");
    perform_in(GYSTR("b"), "b1");
    perform_in(GYSTR("a"), "a1");
    perform_in(both, "ab");
    perform_in(GYSTR("c"), "c1");
    perform_in(GYSTR("b"), "b2");
    loop_poll(GYSTR("a"));
    EXPECT_STR(test_trace_take(), "a1 ab");
    perform_in(GYSTR("b"), "b3");
    loop_poll(GYSTR("b"));
    EXPECT_STR(test_trace_take(), "b1 b2 b3");
    loop_poll(GYSTR("c"));
    EXPECT_STR(test_trace_take(), "c1");
    GYRelease(both);
}

/* R61 */
LOOP_TEST(a_call_for_the_common_modes_runs_in_what_is_common_by_then) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(GYSTR("m"));
    perform_in(kGYRunLoopCommonModes, "common");
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "");
    GYRunLoopAddCommonMode(rl, GYSTR("m"));
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "common");
    loop_drop(keep);
}

/* R61 */
LOOP_TEST(an_array_may_hold_the_common_modes) {
    GYArrayRef modes = two_modes("m", "kCFRunLoopCommonModes");
    perform_in(modes, "1");
    perform_in(modes, "2");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "1 2");
    perform_in(modes, "3");
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "3");
    GYRelease(modes);
}

/* R61 */
LOOP_TEST(a_mode_argument_is_copied) {
    char bytes[] = "m";
    GYStringRef mode = GYStringCreateWithCString(NULL, bytes, kGYStringEncodingUTF8);
    GYMutableArrayRef array = GYArrayCreateMutable(NULL, 0, &kGYTypeArrayCallBacks);
    GYArrayAppendValue(array, mode);
    perform_in(mode, "string");
    perform_in(array, "array");
    bytes[0] = 'x';
    GYArraySetValueAtIndex(array, 0, GYSTR("x"));
    GYRelease(mode);
    GYRelease(array);
    EXPECT_INT(loop_poll(GYSTR("x")), kGYRunLoopRunFinished);
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "string array");
}

/* Waking. */

typedef struct {
    GYRunLoopRef rl;
    test_event given;
    atomic_bool timer_came; /* on a very slow machine before the loop was seen asleep */
} giver;

static void give_without_waking(void *shared) {
    giver *to = shared;
    TEST_WAIT_UNTIL(GYRunLoopIsWaiting(to->rl) || atomic_load(&to->timer_came));
    EXPECT(GYRunLoopPerform(to->rl, kGYRunLoopDefaultMode, loop_traces, "block", NULL));
    test_event_signal(&to->given);
}

static void wait_until_given(GYRunLoopTimerRef timer, void *shared) {
    (void)timer;
    atomic_store(&((giver *)shared)->timer_came, true);
    test_event_wait(&((giver *)shared)->given);
    loop_stops("timer");
}

/* R62: had it woken the loop, there would be two waits, and "block" would come before "timer". */
LOOP_TEST(a_call_from_another_thread_wakes_no_loop) {
    giver shared = {GYRunLoopGetCurrent(), TEST_EVENT_INIT, false};
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.1, 0, wait_until_given, &shared));
    pthread_t thread = test_thread_start(give_without_waking, &shared);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer block exit");
    test_thread_join(thread);
    loop_drop(timer);
    loop_drop(observer);
}

static void perform_in_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                void *word) {
    (void)observer;
    (void)activity;
    perform_in(kGYRunLoopDefaultMode, word);
}

/* R62 */
LOOP_TEST(a_call_given_before_waiting_runs_after_the_next_wake) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopObserverRef giving =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeWaiting, false, 1, perform_in_observer, "block"));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.002, 0, loop_timer_stops, "timer"));
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer block exit");
    loop_drop(timer);
    loop_drop(giving);
    loop_drop(observer);
}

/* Steps. */

/* R63, R35: given at each activity, each runs in the next of the steps 3, 4 and 11. */
LOOP_TEST(calls_run_in_the_next_of_the_three_steps) {
    static const GYOptionFlags at[] = {kGYRunLoopEntry, kGYRunLoopBeforeTimers,
                                       kGYRunLoopBeforeSources, kGYRunLoopBeforeWaiting,
                                       kGYRunLoopAfterWaiting};
    static const char *words[] = {"Entry", "BeforeTimers", "BeforeSources", "BeforeWaiting",
                                  "AfterWaiting"};
    GYRunLoopObserverRef givers[5];
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    for (int i = 0; i < 5; i++) {
        givers[i] = loop_observer(at[i], false, 1, perform_in_observer, (void *)words[i]);
        loop_in(kGYRunLoopDefaultMode, givers[i]);
    }
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.002, 0, loop_timer_traces, "timer"));
    EXPECT_INT(loop_run(20), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(),
               "entry timers sources Entry BeforeTimers BeforeSources wait wake timer "
               "BeforeWaiting AfterWaiting exit");
    loop_drop(timer);
    for (int i = 0; i < 5; i++) loop_drop(givers[i]);
    loop_drop(observer);
}

static void change_everything(void *rl) {
    GYRunLoopTimerRef timer = loop_timer(1000, 0, NULL, NULL);
    GYRunLoopAddTimer(rl, timer, kGYRunLoopCommonModes);
    GYRunLoopAddCommonMode(rl, GYSTR("x"));
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "given", NULL);
    GYRelease(GYRunLoopCopyAllModes(rl));
    loop_drop(timer);
    test_trace("changed");
}

static void let_a_thread_change_the_loop(void *rl) { test_thread(change_everything, rl); }

/* R63, R170 */
LOOP_TEST(no_lock_is_held_while_a_call_runs) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, let_a_thread_change_the_loop, rl,
                     let_a_thread_change_the_loop);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "changed changed given given");
}

static void perform_two_more(void *word) {
    loop_traces(word);
    perform_in(kGYRunLoopDefaultMode, "inside1");
    perform_in(kGYRunLoopDefaultMode, "inside2");
}

/* R64: the step takes what is pending when it begins; the rest waits for step 11. */
LOOP_TEST(calls_given_by_a_call_wait_for_the_next_step) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 0, loop_timer_traces, "timer"));
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, perform_two_more, "first", NULL);
    perform_in(kGYRunLoopDefaultMode, "second");
    EXPECT_INT(loop_run(20), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "first second timer inside1 inside2");
    loop_drop(timer);
}

static void perform_itself(void *count) {
    if (atomic_fetch_add((atomic_int *)count, 1) < 1000) {
        GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, perform_itself, count, NULL);
    }
}

/* R64: steps 3 and 11 of the one pass, and no more. */
LOOP_TEST(a_call_that_gives_itself_again_does_not_hold_up_the_pass) {
    atomic_int count = 0;
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, perform_itself, &count, NULL);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_INT(atomic_load(&count), 2);
}

static void run_inside(void *unused) {
    (void)unused;
    test_trace("(");
    GYRunLoopRunResult empty = loop_poll(kGYRunLoopDefaultMode);
    perform_in(kGYRunLoopDefaultMode, "new");
    GYRunLoopRunResult with_new = loop_poll(kGYRunLoopDefaultMode);
    test_trace(")");
    EXPECT_INT(empty, kGYRunLoopRunFinished);
    EXPECT_INT(with_new, kGYRunLoopRunTimedOut);
}

/* R65, R13, F117: what the step took is not there for the nested run, what is new is. */
LOOP_TEST(a_run_inside_a_call_sees_new_calls_and_not_the_taken_ones) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, run_inside, NULL, NULL);
    perform_in(kGYRunLoopDefaultMode, "taken");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "( new ) taken");
}

/* What is not taken. */

/* R66 */
LOOP_TEST(no_function_or_another_kind_of_mode_is_refused_and_reported) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const void *values[] = {rl};
    GYArrayRef no_strings = GYArrayCreate(NULL, values, 1, &kGYTypeArrayCallBacks);
    GYArrayRef empty = GYArrayCreate(NULL, NULL, 0, &kGYTypeArrayCallBacks);
    GYTypeRef wrong[] = {NULL, rl, no_strings, empty};
    test_capture_log();
    for (int i = 0; i < 4; i++) {
        EXPECT(!GYRunLoopPerform(rl, wrong[i], loop_traces, "never", loop_traces));
        EXPECT(strstr(test_log(), "gyre: GYRunLoopPerform: ") != NULL);
    }
    EXPECT(!GYRunLoopPerform(rl, kGYRunLoopDefaultMode, NULL, "never", loop_traces));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerform: ") != NULL);
    EXPECT(!GYRunLoopPerform(NULL, kGYRunLoopDefaultMode, loop_traces, "never", loop_traces));
    EXPECT(strstr(test_log(), "gyre: GYRunLoopPerform: ") != NULL);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(no_strings);
    GYRelease(empty);
}

/* R67 */
LOOP_TEST(a_call_does_not_keep_the_iteration_from_waiting) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    perform_in(kGYRunLoopDefaultMode, "block");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.005, true), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources block wait wake exit");
    loop_drop(keep);
    loop_drop(observer);
}

static void release_and_use_the_loop(void *word) {
    test_trace("-%s", (const char *)word);
    GYRunLoopSourceRef keep = loop_keep(GYSTR("inner"));
    EXPECT_INT(loop_poll(GYSTR("inner")), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

/* R68 */
LOOP_TEST(a_call_is_released_right_after_it_ran_and_the_release_may_use_the_loop) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "a", release_and_use_the_loop);
    GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "b", release_and_use_the_loop);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "a -a b -b");
}

/* Producers. */

enum { PRODUCERS = 4, CALLS = 500 };

typedef struct {
    GYRunLoopRef rl;
    int seen;
    struct produced {
        atomic_int *total;
        int *seen;
        int value;
    } calls[CALLS];
} producer;

static void check_order(void *given) {
    struct produced *call = given;
    EXPECT_INT(call->value, *call->seen);
    *call->seen = call->value + 1;
    if (atomic_fetch_add(call->total, 1) + 1 == PRODUCERS * CALLS)
        GYRunLoopStop(GYRunLoopGetCurrent());
}

static void produce(void *given) {
    producer *from = given;
    for (int i = 0; i < CALLS; i++) {
        GYRunLoopPerform(from->rl, kGYRunLoopDefaultMode, check_order, &from->calls[i], NULL);
        GYRunLoopWakeUp(from->rl);
    }
}

/* R60, R172 */
LOOP_TEST(calls_of_several_threads_all_run_in_each_threads_order) {
    static producer producers[PRODUCERS];
    atomic_int total = 0;
    pthread_t threads[PRODUCERS];
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < PRODUCERS; i++) {
        producers[i].rl = GYRunLoopGetCurrent();
        for (int k = 0; k < CALLS; k++) {
            producers[i].calls[k] = (struct produced){&total, &producers[i].seen, k};
        }
        threads[i] = test_thread_start(produce, &producers[i]);
    }
    EXPECT_INT(loop_run(20 * test_slowness()), kGYRunLoopRunStopped);
    for (int i = 0; i < PRODUCERS; i++) test_thread_join(threads[i]);
    EXPECT_INT(atomic_load(&total), PRODUCERS * CALLS);
    loop_drop(keep);
}

TEST_MAIN()
