/* Runs whose frames a jump takes away: to the next run of the thread it is as if they had returned.
 *
 * A run that is left lies deeper in the stack than what runs afterwards; that is how it is told. */
#include "support/counted.h"
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <setjmp.h>

#define DEFAULT kGYRunLoopDefaultMode
#define INNER GYSTR("inner")
#define NOINLINE __attribute__((noinline))

static jmp_buf landing;

static _Noreturn void leaves(counted *self) {
    (void)self;
    longjmp(landing, 1);
}

static NOINLINE void run_below(GYRunLoopMode mode, int frames) {
    if (frames > 0) {
        run_below(mode, frames - 1);
    } else {
        GYRunLoopRunInMode(mode, 10, false);
    }
    __asm__ volatile(""); /* no tail call: the frame is what this is for */
}

/* True if a callout left the run by a jump. */
static NOINLINE bool is_left(GYRunLoopMode mode) {
    if (setjmp(landing) != 0) return true;
    run_below(mode, 32);
    return false;
}

/* What a jump out of each kind does to the item itself. */

static void expect_calls(counted *item, int calls) { EXPECT_INT(atomic_load(&item->calls), calls); }

/* A timer may not be due in the first pass. */
static void poll_until_called(counted *item, int calls) {
    int64_t until_ns = test_now_ns() + (int64_t)(1e10 * test_slowness());
    while (atomic_load(&item->calls) < calls && test_now_ns() < until_ns) loop_poll(DEFAULT);
    EXPECT(atomic_load(&item->calls) >= calls);
}

LOOP_TEST(a_jump_out_of_an_observer_leaves_it_to_be_called_again) {
    counted item = {.kind = COUNTED_OBSERVER, .act = leaves};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    expect_calls(&item, 2);
    counted_finish(&item);
    EXPECT_INT(counted_held(&item), 0);
    loop_drop(keep);
}

LOOP_TEST(a_jump_out_of_a_one_shot_observer_ends_it) {
    counted item = {.kind = COUNTED_OBSERVER, .once = true, .act = leaves};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    loop_poll(DEFAULT);
    expect_calls(&item, 1);
    EXPECT(!GYRunLoopObserverIsValid((GYRunLoopObserverRef)item.object));
    EXPECT_INT(counted_held(&item), 0);
    counted_finish(&item);
    loop_drop(keep);
}

LOOP_TEST(a_jump_out_of_a_source_uses_up_the_signal) {
    counted item = {.kind = COUNTED_SOURCE, .act = leaves};
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    loop_poll(DEFAULT);
    expect_calls(&item, 1);
    counted_rearm(&item);
    loop_poll(DEFAULT);
    expect_calls(&item, 2);
    counted_finish(&item);
    EXPECT_INT(counted_held(&item), 0);
}

LOOP_TEST(a_jump_out_of_a_port_leaves_it_to_be_performed_again) {
    counted item = {.kind = COUNTED_PORT, .act = leaves};
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    loop_poll(DEFAULT);
    expect_calls(&item, 2);
    counted_finish(&item);
    EXPECT_INT(counted_held(&item), 0);
}

LOOP_TEST(a_jump_out_of_a_repeating_timer_leaves_it_to_fire_again) {
    counted item = {.kind = COUNTED_TIMER, .act = leaves};
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    poll_until_called(&item, 2);
    EXPECT(GYRunLoopTimerIsValid((GYRunLoopTimerRef)item.object));
    counted_finish(&item);
}

LOOP_TEST(a_jump_out_of_a_one_shot_timer_ends_it) {
    counted item = {.kind = COUNTED_TIMER, .once = true, .act = leaves};
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunFinished);
    expect_calls(&item, 1);
    EXPECT(!GYRunLoopTimerIsValid((GYRunLoopTimerRef)item.object));
    counted_finish(&item);
}

/* R121: the reference that a firing holds beside the timer's own goes as well. */
LOOP_TEST(a_jump_out_of_a_timer_gives_back_what_the_firing_held) {
    for (int once = 0; once < 2; once++) {
        counted item = {.kind = COUNTED_TIMER, .once = once == 1, .act = leaves};
        counted_add(&item, DEFAULT);
        EXPECT(is_left(DEFAULT));
        loop_poll(DEFAULT);
        counted_finish(&item);
        EXPECT_INT(counted_held(&item), 0);
    }
}

/* A timer whose context jumps out of the release that ends a firing. */
static atomic_int held, firings;

static const void *holds(const void *info) {
    atomic_fetch_add(&held, 1);
    return info;
}

static void lets_go_and_leaves(const void *info) {
    atomic_fetch_sub(&held, 1);
    if (atomic_load(&firings) == 1) leaves((counted *)(uintptr_t)info);
}

static void counts_firing(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    atomic_fetch_add(&firings, 1);
}

static GYRunLoopTimerRef timer_that_leaves_after_firing(void) {
    GYRunLoopTimerContext context = {.info = &held, .retain = holds, .release = lets_go_and_leaves};
    return GYRunLoopTimerCreate(NULL, GYAbsoluteTimeGetCurrent(), 0.001, 0, 0, counts_firing,
                                &context);
}

/* R121 */
LOOP_TEST(a_jump_out_of_the_release_after_a_firing_leaves_the_timer_to_fire_again) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_that_leaves_after_firing());
    EXPECT(is_left(DEFAULT));
    EXPECT_INT(atomic_load(&held), 1);
    TEST_WAIT_UNTIL((loop_poll(DEFAULT), atomic_load(&firings) >= 3));
    loop_drop(timer);
    EXPECT_INT(atomic_load(&held), 0);
}

static void fires_and_exits(void *timer) {
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, DEFAULT);
    if (setjmp(landing) != 0) pthread_exit(NULL);
    run_below(DEFAULT, 1);
}

/* R4 */
LOOP_TEST(a_thread_that_ends_in_the_release_after_a_firing_frees_the_timer) {
    GYRunLoopTimerRef timer = timer_that_leaves_after_firing();
    test_thread(fires_and_exits, timer);
    loop_in(DEFAULT, timer);
    TEST_WAIT_UNTIL((loop_poll(DEFAULT), atomic_load(&firings) >= 3));
    GYRunLoopTimerInvalidateAndWait(timer);
    EXPECT_INT(atomic_load(&held), 0);
    loop_drop(timer);
}

static void removes_itself(GYRunLoopTimerRef timer, void *info) {
    (void)info;
    counts_firing(timer, NULL);
    GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), timer, DEFAULT);
}

/* R103: its turn had come, and its call had not begun. */
LOOP_TEST(a_jump_out_of_a_timer_s_destruction_leaves_the_next_one_due) {
    GYRunLoopTimerContext context = {.info = &held, .release = lets_go_and_leaves};
    GYAbsoluteTime now = GYAbsoluteTimeGetCurrent();
    GYRunLoopTimerRef first =
        loop_in(DEFAULT, GYRunLoopTimerCreate(NULL, now - 2, 100, 0, 0, removes_itself, &context));
    GYRunLoopTimerRef second = loop_in(DEFAULT, loop_timer(0, 0, loop_timer_traces, "second"));
    GYRelease(first); /* its mode has the last reference */
    EXPECT(is_left(DEFAULT));
    EXPECT_STR(test_trace_take(), "");
    TEST_WAIT_UNTIL(loop_poll(DEFAULT) == kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "second");
    loop_drop(second);
}

static void expect_work_ends(enum counted_kind kind) {
    counted item = {.kind = kind, .act = leaves};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    loop_poll(DEFAULT);
    expect_calls(&item, 1);
    EXPECT_INT(GYRunLoopPerformGetState((GYRunLoopPerformRef)item.object), kGYRunLoopPerformDone);
    EXPECT_INT(counted_held(&item), 0);
    counted_finish(&item);
    loop_drop(keep);
}

LOOP_TEST(a_jump_out_of_performed_work_ends_the_work) { expect_work_ends(COUNTED_WORK); }

LOOP_TEST(a_jump_out_of_delayed_work_ends_the_work) { expect_work_ends(COUNTED_DELAYED); }

/* What a step had taken. */

/* Three of a kind, `jumper` of which leaves the run. */
static void expect_rest_runs(enum counted_kind kind, int jumper, const char *before,
                             const char *after) {
    static const char *const words[] = {"a", "b", "c"};
    counted items[3] = {0};
    for (int i = 0; i < 3; i++) {
        items[i].kind = kind;
        items[i].word = words[i];
        items[i].once = true;
        items[i].order = i;
        items[i].act = i == jumper ? leaves : NULL;
        counted_add(&items[i], DEFAULT);
    }
    EXPECT(is_left(DEFAULT));
    EXPECT_STR(test_trace_take(), before);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), after);
    for (int i = 0; i < 3; i++) counted_finish(&items[i]);
}

LOOP_TEST(signalled_sources_that_a_step_had_not_got_to_are_performed_by_the_next_run) {
    expect_rest_runs(COUNTED_SOURCE, 0, "a", "b c");
    expect_rest_runs(COUNTED_SOURCE, 1, "a b", "c");
}

LOOP_TEST(due_timers_that_a_step_had_not_got_to_are_fired_by_the_next_run) {
    expect_rest_runs(COUNTED_TIMER, 0, "a", "b c");
    expect_rest_runs(COUNTED_TIMER, 1, "a b", "c");
}

LOOP_TEST(work_that_a_step_had_not_got_to_is_done_by_the_next_run) {
    expect_rest_runs(COUNTED_WORK, 0, "a", "b c");
    expect_rest_runs(COUNTED_WORK, 1, "a b", "c");
}

LOOP_TEST(work_added_after_a_jump_runs_behind_what_the_step_had_taken) {
    counted first = {.kind = COUNTED_WORK, .word = "first", .act = leaves};
    counted second = {.kind = COUNTED_WORK, .word = "second"};
    counted third = {.kind = COUNTED_WORK, .word = "third"};
    counted_add(&first, DEFAULT);
    counted_add(&second, DEFAULT);
    EXPECT(is_left(DEFAULT));
    counted_add(&third, DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "first second third");
    counted_finish(&first);
    counted_finish(&second);
    counted_finish(&third);
}

/* The loop. */

static void expect_mode(counted *self) {
    (void)self;
    EXPECT_STR(loop_current_mode_text(), "inner");
}

LOOP_TEST(after_a_jump_the_next_run_sees_its_own_mode_and_none_is_left_behind_it) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        counted jumper = {.kind = (enum counted_kind)kind, .act = leaves};
        counted looker = {.kind = COUNTED_SOURCE, .act = expect_mode};
        GYRunLoopSourceRef keep = loop_keep(DEFAULT);
        counted_add(&jumper, DEFAULT);
        EXPECT(is_left(DEFAULT));
        counted_add(&looker, INNER);
        loop_poll(INNER);
        expect_calls(&looker, 1);
        EXPECT(GYRunLoopCopyCurrentMode(GYRunLoopGetCurrent()) == NULL);
        counted_finish(&jumper);
        counted_finish(&looker);
        loop_drop(keep);
    }
}

LOOP_TEST(a_stop_of_a_run_that_a_jump_has_left_does_not_reach_the_next_one) {
    counted item = {.kind = COUNTED_SOURCE, .act = leaves};
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    GYRunLoopStop(GYRunLoopGetCurrent());
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    counted_finish(&item);
}

static void add_from_elsewhere(void *rl) {
    GYRunLoopTimerRef timer = loop_timer(0, 0, loop_timer_traces, "timer");
    GYRunLoopAddTimer(rl, timer, DEFAULT);
    GYRelease(timer);
    EXPECT(GYRunLoopPerform(rl, DEFAULT, loop_traces, "work", NULL));
}

LOOP_TEST(after_a_jump_out_of_any_callout_another_thread_can_still_add_items) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        counted item = {.kind = (enum counted_kind)kind, .act = leaves};
        GYRunLoopSourceRef keep = loop_keep(DEFAULT);
        counted_add(&item, DEFAULT);
        EXPECT(is_left(DEFAULT));
        test_thread(add_from_elsewhere, GYRunLoopGetCurrent());
        loop_run_until_idle(DEFAULT);
        EXPECT_STR(test_trace_take(), "work timer");
        counted_finish(&item);
        loop_drop(keep);
    }
}

/* Waits for what a jump has left: over once the loop runs again. */
static void wait_for_end(void *observer) { GYRunLoopObserverInvalidateAndWait(observer); }

LOOP_TEST(whoever_waits_for_a_callout_that_a_jump_has_left_goes_on_when_the_loop_runs_again) {
    counted item = {.kind = COUNTED_OBSERVER, .act = leaves};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(&item, DEFAULT);
    EXPECT(is_left(DEFAULT));
    pthread_t waiter = test_thread_start(wait_for_end, (void *)(uintptr_t)item.object);
    TEST_WAIT_UNTIL(!GYRunLoopObserverIsValid((GYRunLoopObserverRef)item.object));
    loop_poll(DEFAULT);
    test_thread_join(waiter);
    counted_finish(&item);
    loop_drop(keep);
}

/* Nested runs. */

static void runs_inner(counted *self) {
    (void)self;
    GYRunLoopRunInMode(INNER, 10, false);
}

static void expect_both_end(enum counted_kind outer_kind, enum counted_kind kind) {
    counted outer = {.kind = outer_kind, .act = runs_inner};
    counted inner = {.kind = kind, .act = leaves};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT), inner_keep = loop_keep(INNER);
    counted_add(&outer, DEFAULT);
    counted_add(&inner, INNER);
    EXPECT(is_left(DEFAULT));
    expect_calls(&inner, 1);
    counted_rearm(&outer);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    poll_until_called(&outer, outer_kind < COUNTED_WORK ? 2 : 1);
    EXPECT(GYRunLoopCopyCurrentMode(GYRunLoopGetCurrent()) == NULL);
    counted_finish(&outer);
    counted_finish(&inner);
    loop_drop(keep);
    loop_drop(inner_keep);
}

/* The jump leaves both runs. */
LOOP_TEST(a_jump_out_of_a_nested_run_and_the_one_around_it_ends_both) {
    for (int outer_kind = 0; outer_kind < COUNTED_KINDS; outer_kind++) {
        for (int kind = 0; kind < COUNTED_KINDS; kind++) {
            expect_both_end((enum counted_kind)outer_kind, (enum counted_kind)kind);
        }
    }
}

static GYRunLoopObserverRef exit_observer;

static void survives_inner(counted *self) {
    EXPECT(is_left(INNER));
    test_trace("landed");
    exit_observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopExit));
    EXPECT(counted_held(self) > 0);
}

static void expect_default_mode(counted *self) {
    (void)self;
    EXPECT_STR(loop_current_mode_text(), "kCFRunLoopDefaultMode");
}

static void expect_outer_goes_on(enum counted_kind outer_kind) {
    counted outer = {.kind = outer_kind, .act = survives_inner};
    counted inner = {.kind = COUNTED_SOURCE, .act = leaves};
    counted looker = {.kind = COUNTED_SOURCE, .act = expect_default_mode};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(&outer, DEFAULT);
    counted_add(&inner, INNER);
    poll_until_called(&outer, 1);
    EXPECT_STR(test_trace_take(), "landed exit");
    EXPECT(GYRunLoopCopyCurrentMode(GYRunLoopGetCurrent()) == NULL);
    counted_add(&looker, DEFAULT);
    loop_poll(DEFAULT);
    expect_calls(&looker, 1);
    EXPECT_STR(test_trace_take(), "exit");
    counted_finish(&outer);
    counted_finish(&inner);
    counted_finish(&looker);
    loop_drop(exit_observer);
    loop_drop(keep);
}

/* The jump ends in the callout of the run around, which goes on. */
LOOP_TEST(a_jump_out_of_a_nested_run_into_an_observer_lets_the_run_around_go_on) {
    expect_outer_goes_on(COUNTED_OBSERVER);
}

LOOP_TEST(a_jump_out_of_a_nested_run_into_a_source_lets_the_run_around_go_on) {
    expect_outer_goes_on(COUNTED_SOURCE);
    expect_outer_goes_on(COUNTED_PORT);
}

LOOP_TEST(a_jump_out_of_a_nested_run_into_a_timer_lets_the_run_around_go_on) {
    expect_outer_goes_on(COUNTED_TIMER);
}

LOOP_TEST(a_jump_out_of_a_nested_run_into_performed_work_lets_the_run_around_go_on) {
    expect_outer_goes_on(COUNTED_WORK);
    expect_outer_goes_on(COUNTED_DELAYED);
}

static void survives_inner_and_stops(counted *self) {
    survives_inner(self);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

LOOP_TEST(a_stop_after_a_jump_out_of_a_nested_run_is_for_the_run_around) {
    counted outer = {.kind = COUNTED_SOURCE, .act = survives_inner_and_stops};
    counted inner = {.kind = COUNTED_SOURCE, .act = leaves};
    counted_add(&outer, DEFAULT);
    counted_add(&inner, INNER);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    counted_finish(&outer);
    counted_finish(&inner);
    loop_drop(exit_observer);
}

TEST_MAIN()
