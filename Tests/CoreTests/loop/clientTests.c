/* How programs use run loops: each case is one habit that must go on working. */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <limits.h>
#include <string.h>

/* Stop takes one pointer and is itself the perform callback, with the loop as info. */
LOOP_TEST(stop_may_be_the_perform_callback_of_a_source) {
    GYRunLoopSourceContext context = {.info = GYRunLoopGetCurrent(),
                                      .perform = (void (*)(void *))(void (*)(void))GYRunLoopStop};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    loop_in(kGYRunLoopCommonModes, source);
    for (int i = 0; i < 3; i++) {
        GYRunLoopSourceSignal(source);
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    }
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunFinished);
    loop_drop(source);
}

/* Source and wake-up, the universal way to post to a loop (R72, R73, R85). */

LOOP_TEST(a_signal_before_the_first_run_is_not_lost) {
    GYRunLoopSourceRef source = loop_source0(0, loop_stops, "performed");
    GYRunLoopSourceSignal(source);
    loop_in(kGYRunLoopDefaultMode, source);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
}

LOOP_TEST(many_signals_before_one_pass_give_one_perform) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "performed"));
    for (int i = 0; i < 100; i++) {
        GYRunLoopSourceSignal(source);
        GYRunLoopWakeUp(GYRunLoopGetCurrent());
    }
    for (int i = 0; i < 3; i++) loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
}

enum { POSTERS = 3, POSTS = 300 };

typedef struct {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
    atomic_int posted, seen;
} post_box;

/* Takes what was posted before: the last signal came after the last post, so nothing is left. */
static void empty_post_box(void *given) {
    post_box *box = given;
    atomic_store(&box->seen, atomic_load(&box->posted));
    if (atomic_load(&box->seen) == POSTERS * POSTS) GYRunLoopStop(box->rl);
}

static void post(void *given) {
    post_box *box = given;
    for (int i = 0; i < POSTS; i++) {
        atomic_fetch_add(&box->posted, 1);
        GYRunLoopSourceSignal(box->source);
        GYRunLoopWakeUp(box->rl);
    }
}

/* R48, R172 */
LOOP_TEST(nothing_posted_by_signal_and_wake_up_from_other_threads_is_lost) {
    post_box box = {.rl = GYRunLoopGetCurrent()};
    pthread_t threads[POSTERS];
    box.source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, empty_post_box, &box));
    for (int i = 0; i < POSTERS; i++) threads[i] = test_thread_start(post, &box);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    for (int i = 0; i < POSTERS; i++) test_thread_join(threads[i]);
    EXPECT_INT(atomic_load(&box.seen), POSTERS * POSTS);
    loop_drop(box.source);
}

/* Yielding between batches: a source signals itself in its perform and wakes the loop (R73). */

typedef struct {
    GYRunLoopSourceRef source;
    int left;
} batches;

static void work_one_batch(void *given) {
    batches *work = given;
    test_trace("batch");
    if (--work->left == 0) return;
    GYRunLoopSourceSignal(work->source);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

LOOP_TEST(a_source_that_yields_by_signalling_itself_lets_others_have_their_turn) {
    batches work = {NULL, 3};
    work.source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, work_one_batch, &work));
    GYRunLoopSourceRef other =
        loop_in(kGYRunLoopDefaultMode, loop_source0(1, loop_traces, "other"));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(-1, 0, loop_timer_traces, "timer"));
    GYRunLoopSourceSignal(work.source);
    GYRunLoopSourceSignal(other);
    EXPECT_INT(loop_run_until_idle(kGYRunLoopDefaultMode), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "batch other timer batch batch");
    loop_drop(timer);
    loop_drop(other);
    loop_drop(work.source);
}

static void signal_and_wake(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                            void *given) {
    (void)observer;
    (void)activity;
    batches *work = given;
    if (work->left-- == 0) {
        GYRunLoopStop(GYRunLoopGetCurrent());
        return;
    }
    GYRunLoopSourceSignal(work->source);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

/* The same from an observer before waiting: the sleep ends at once, the next pass performs. */
LOOP_TEST(an_observer_before_waiting_may_ask_for_another_pass) {
    batches work = {loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_traces, "source")), 2};
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode,
                loop_trace_observer(kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting));
    GYRunLoopObserverRef asker =
        loop_in(kGYRunLoopDefaultMode,
                loop_observer(kGYRunLoopBeforeWaiting, true, 1, signal_and_wake, &work));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "wait wake source wait wake source wait wake");
    loop_drop(asker);
    loop_drop(observer);
    loop_drop(work.source);
}

static void signal_in_timer(GYRunLoopTimerRef timer, void *source) {
    (void)timer;
    test_trace("timer");
    GYRunLoopSourceSignal(source);
}

/* Signalled without a wake-up, from another callback of the same loop. */
LOOP_TEST(a_source_signalled_by_a_timer_is_performed_without_sleeping_first) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, loop_stops, "source"));
    GYRunLoopTimerRef timer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, signal_in_timer, source));
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(),
               "entry timers sources wait wake timer timers sources source exit");
    loop_drop(observer);
    loop_drop(timer);
    loop_drop(source);
}

/* Timers keep a mode alive and end no run (R13, R40); nested runs do not re-enter them (R112). */

static void run_nested_from_timer(GYRunLoopTimerRef timer, void *count) {
    (void)timer;
    test_trace("(");
    if (atomic_fetch_add((atomic_int *)count, 1) == 0) {
        EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 1e20, true), kGYRunLoopRunStopped);
    }
    test_trace(")");
}

LOOP_TEST(a_timer_is_not_re_entered_by_a_nested_run_and_a_second_one_fires) {
    atomic_int count = 0;
    GYRunLoopTimerRef outer =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0.0001, run_nested_from_timer, &count));
    GYRunLoopTimerRef other =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0.005, 0, loop_timer_stops, "other"));
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "( other )");
    EXPECT(GYRunLoopTimerIsValid(outer));
    loop_drop(outer);
    loop_drop(other);
}

/* Polling a private mode (R51, R75). */

static int pump_until_idle(GYRunLoopMode mode, double seconds) {
    int handled = 0;
    while (GYRunLoopRunInMode(mode, seconds, true) == kGYRunLoopRunHandledSource) handled++;
    return handled;
}

LOOP_TEST(polling_while_a_source_was_handled_handles_each_once) {
    GYRunLoopMode mode = GYSTR("my.poll.mode");
    GYRunLoopSourceRef sources[3];
    atomic_int count = 0;
    EXPECT_INT(GYRunLoopRunInMode(mode, 1000, true), kGYRunLoopRunFinished);
    for (int i = 0; i < 3; i++) {
        sources[i] = loop_in(mode, loop_source0(i, loop_counts, &count));
        GYRunLoopSourceSignal(sources[i]);
    }
    EXPECT_INT(GYRunLoopRunInMode(mode, 0, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(atomic_load(&count), 1);
    EXPECT_INT(pump_until_idle(mode, 0), 2);
    EXPECT_INT(atomic_load(&count), 3);
    GYRunLoopSourceSignal(sources[1]);
    EXPECT_INT(pump_until_idle(mode, 0.001), 1);
    for (int i = 0; i < 3; i++) loop_drop(sources[i]);
    EXPECT_INT(pump_until_idle(mode, 0.001), 0);
    EXPECT_INT(GYRunLoopRunInMode(mode, 0.001, true), kGYRunLoopRunFinished);
}

/* Tcl's notifier: a private mode is run from before waiting, by one of two observers with the same
 * callback, since one in a callout is not called again (R135). */

typedef struct {
    int depth, deepest;
} nesting;

static void run_before_waiting(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                               void *given) {
    (void)observer;
    nesting *levels = given;
    if (activity == kGYRunLoopEntry && ++levels->depth > levels->deepest) levels->deepest++;
    if (activity == kGYRunLoopExit) levels->depth--;
    if (activity == kGYRunLoopBeforeWaiting && levels->depth == 1) {
        GYRunLoopRunResult result = GYRunLoopRunInMode(GYSTR("events only"), 1e20, true);
        test_trace("%d", result);
        if (result == kGYRunLoopRunFinished) GYRunLoopStop(GYRunLoopGetCurrent());
    }
}

/* R150: the wait after the nested run only looks, so another comes; it finds the mode empty. */
LOOP_TEST(entry_and_exit_pair_up_when_a_mode_is_run_from_before_waiting) {
    nesting levels = {0, 0};
    GYRunLoopObserverRef two[2];
    for (int i = 0; i < 2; i++) {
        two[i] = loop_observer(kGYRunLoopAllActivities, true, i == 0 ? LONG_MIN : LONG_MAX,
                               run_before_waiting, &levels);
    }
    loop_in(kGYRunLoopDefaultMode, two[0]);
    loop_in(GYSTR("events only"), two[1]);
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopTimerRef stopper = loop_timer(0.0005, 0, loop_timer_stops, NULL);
    loop_in(GYSTR("events only"), stopper);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "2 1");
    EXPECT_INT(levels.deepest, 2);
    EXPECT_INT(levels.depth, 0);
    loop_drop(stopper);
    loop_drop(keep);
    for (int i = 0; i < 2; i++) loop_drop(two[i]);
}

static void trace_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *word) {
    (void)observer;
    (void)activity;
    loop_traces(word);
}

/* R132: the smallest and the largest index are orders like others. */
LOOP_TEST(observers_may_be_first_and_last_by_the_ends_of_the_range) {
    static const GYIndex orders[] = {LONG_MAX, 0, LONG_MIN, 2000000, -1};
    static char *words[] = {"max", "0", "min", "2000000", "-1"};
    GYRunLoopObserverRef observers[5];
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 5; i++) {
        observers[i] =
            loop_observer(kGYRunLoopBeforeTimers, true, orders[i], trace_observer, words[i]);
        loop_in(kGYRunLoopDefaultMode, observers[i]);
        EXPECT_INT(GYRunLoopObserverGetOrder(observers[i]), orders[i]);
    }
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "min -1 0 2000000 max");
    for (int i = 0; i < 5; i++) loop_drop(observers[i]);
    loop_drop(keep);
}

static void run_watcher(void *place) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    atomic_store((_Atomic(GYRunLoopRef) *)place, GYRunLoopGetCurrent());
    GYRunLoopRun();
    loop_drop(keep);
}

/* A watcher is stopped by a thread that spins until its loop waits (R152). */
TEST(a_loop_that_another_thread_sees_waiting_can_be_stopped_for_good) {
    for (int i = 0; i < 50; i++) {
        _Atomic(GYRunLoopRef) place = NULL;
        pthread_t watcher = test_thread_start(run_watcher, &place);
        TEST_WAIT_UNTIL(atomic_load(&place) != NULL);
        TEST_WAIT_UNTIL(GYRunLoopIsWaiting(atomic_load(&place)));
        GYRunLoopStop(atomic_load(&place));
        test_thread_join(watcher);
    }
}

static void announce(void *running) { test_event_signal(running); }

typedef struct {
    GYRunLoopRef rl;
    test_event running;
} announcing;

static void announce_and_run(void *given) {
    announcing *shared = given;
    shared->rl = GYRunLoopGetCurrent();
    GYRunLoopPerform(shared->rl, kGYRunLoopDefaultMode, announce, &shared->running, NULL);
    GYRunLoopWakeUp(shared->rl);
    GYRunLoopRun();
}

/* A block queued before the run counts, so that Run does not end at once (R13). */
TEST(a_call_queued_before_run_announces_that_the_loop_is_running) {
    announcing shared = {NULL, TEST_EVENT_INIT};
    pthread_t thread = test_thread_start(announce_and_run, &shared);
    test_event_wait(&shared.running);
    GYRunLoopStop(shared.rl);
    test_thread_join(thread);
}

TEST_MAIN()
