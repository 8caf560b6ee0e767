/* Which thread has which loop (R1 to R3, R6, R9). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>

static void store_current(void *place) { *(GYRunLoopRef *)place = GYRunLoopGetCurrent(); }

static void store_main(void *place) { *(GYRunLoopRef *)place = GYRunLoopGetMain(); }

/* R1 */
LOOP_TEST(a_thread_gets_the_same_loop_for_its_whole_life) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT(rl != NULL);
    EXPECT(GYRunLoopGetCurrent() == rl);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT(GYRunLoopGetCurrent() == rl);
}

/* R1 */
TEST(two_threads_that_live_at_once_have_two_loops) {
    loop_worker a, b;
    loop_worker_start(&a, kGYRunLoopDefaultMode);
    loop_worker_start(&b, kGYRunLoopDefaultMode);
    EXPECT(a.rl != b.rl);
    EXPECT(!GYRunLoopIsCurrent(a.rl));
    loop_worker_drop(&a);
    loop_worker_drop(&b);
}

static void count_descriptors(void *count) { *(int *)count = test_descriptor_count(); }

/* R1 */
TEST(a_thread_that_never_asks_for_its_loop_opens_nothing) {
    GYRunLoopGetCurrent();
    int before = test_descriptor_count(), inside = 0;
    test_thread(count_descriptors, &inside);
    EXPECT_INT(inside, before);
}

static void ask_before_and_after(void *answers) {
    GYRunLoopRef *seen = answers;
    seen[0] = GYRunLoopGetCurrentIfMade();
    seen[1] = GYRunLoopGetCurrentIfMade();
    seen[2] = GYRunLoopGetCurrent() == GYRunLoopGetCurrentIfMade() ? NULL : GYRunLoopGetCurrent();
}

/* R1 */
TEST(asking_whether_there_is_a_loop_makes_none) {
    GYRunLoopRef seen[3];
    test_thread(ask_before_and_after, seen);
    for (int i = 0; i < 3; i++) EXPECT(seen[i] == NULL);
}

/* R2 */
TEST(the_main_loop_that_another_thread_has_asked_for_is_there) {
    GYRunLoopRef seen = NULL;
    EXPECT(GYRunLoopGetCurrentIfMade() == NULL);
    test_thread(store_main, &seen);
    EXPECT(GYRunLoopGetCurrentIfMade() == seen);
    EXPECT(GYRunLoopGetCurrent() == seen);
}

static void expect_other(void *main) { EXPECT(!GYRunLoopIsCurrent(main)); }

static void counts(void *count) { ++*(int *)count; }

/* R2 */
TEST(the_main_loop_is_the_main_threads_before_that_has_asked_for_it) {
    GYRunLoopRef seen = NULL;
    int count = 0;
    test_thread(store_main, &seen);
    EXPECT(GYRunLoopPerformAndWait(seen, kGYRunLoopDefaultMode, counts, &count));
    EXPECT_INT(count, 1);
    test_thread(store_main, &seen);
    EXPECT(GYRunLoopIsCurrent(seen));
}

/* R2 */
TEST(the_main_loop_that_nobody_has_run_is_not_another_threads) {
    GYRunLoopRef main = GYRunLoopGetMain();
    EXPECT(GYRunLoopIsCurrent(main));
    test_thread(expect_other, (void *)main);
}

/* R2 */
TEST(the_main_loop_may_be_asked_for_by_another_thread_first) {
    GYRunLoopRef seen = NULL;
    test_thread(store_main, &seen);
    EXPECT(seen != NULL);
    EXPECT(GYRunLoopGetCurrent() == seen);
    EXPECT(GYRunLoopGetMain() == seen);
}

/* R2 */
TEST(the_first_caller_is_not_the_main_thread_unless_it_is_the_first_thread) {
    GYRunLoopRef others = NULL;
    test_thread(store_current, &others);
    EXPECT(GYRunLoopGetMain() == GYRunLoopGetCurrent());
    EXPECT(GYRunLoopIsCurrent(GYRunLoopGetMain()));
}

/* R3 */
LOOP_TEST(retaining_and_releasing_a_loop_is_balanced) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYIndex before = GYGetRetainCount(rl);
    EXPECT(GYRetain(rl) == rl);
    EXPECT_INT(GYGetRetainCount(rl), before + 1);
    GYRelease(rl);
    EXPECT_INT(GYGetRetainCount(rl), before);
    EXPECT(GYRunLoopIsAlive(rl));
}

/* R3 */
LOOP_TEST(loops_are_equal_by_identity) {
    GYRunLoopRef mine = GYRunLoopGetCurrent(), main = GYRunLoopGetMain();
    EXPECT(GYEqual(mine, mine));
    EXPECT(!GYEqual(mine, main));
    EXPECT(GYHash(mine) == GYHash(mine));
}

/* R6 */
LOOP_TEST(loop_source_timer_and_observer_are_four_types) {
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    GYRunLoopTimerRef timer = loop_timer(1, 0, NULL, NULL);
    GYRunLoopObserverRef observer = loop_trace_observer(kGYRunLoopEntry);
    const void *objects[] = {GYRunLoopGetCurrent(), source, timer, observer};
    GYTypeID types[] = {GYRunLoopGetTypeID(), GYRunLoopSourceGetTypeID(), GYRunLoopTimerGetTypeID(),
                        GYRunLoopObserverGetTypeID()};
    for (int i = 0; i < 4; i++) {
        EXPECT_INT(GYGetTypeID(objects[i]), types[i]);
        for (int k = 0; k < i; k++) EXPECT(types[i] != types[k]);
    }
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

static void leave_overdue_timer(void *given) {
    loop_worker *other = given;
    GYRunLoopTimerRef foreign = loop_timer(-1, 0, loop_timer_traces, "foreign");
    GYRunLoopAddTimer(other->rl, foreign, GYSTR("unused"));
    GYRunLoopTimerRef own = loop_in(GYSTR("unused"), loop_timer(-1, 0, loop_timer_traces, "own"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("unused"), 10, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "own");
    loop_drop(foreign);
    loop_drop(own);
}

/* R9 */
TEST(running_runs_the_calling_threads_loop) {
    loop_worker other;
    loop_worker_start(&other, kGYRunLoopDefaultMode);
    test_thread(leave_overdue_timer, &other);
    loop_worker_drop(&other);
}

TEST_MAIN()
