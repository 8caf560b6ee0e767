/* Observers: activities, order, rounds, re-entry, ends. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <limits.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")
#define SOURCES kGYRunLoopBeforeSources

/* An observer that traces a word and then acts on another one. */
typedef struct watcher {
    const char *word;
    void (*act)(struct watcher *self);
    GYRunLoopObserverRef self, other;
} watcher;

static void observe(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    watcher *self = info;
    (void)activity;
    EXPECT(observer == self->self);
    test_trace("%s", self->word);
    if (self->act != NULL) self->act(self);
}

static void watch_for(watcher *self, GYOptionFlags activities, bool repeats, GYIndex order) {
    self->self = loop_observer(activities, repeats, order, observe, self);
    loop_in(DEFAULT, self->self);
}

static void watch(watcher *self, GYIndex order) { watch_for(self, SOURCES, true, order); }

/* One pass over a mode that is not empty; gives what it traced. */
static const char *pass(void) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    loop_poll(DEFAULT);
    loop_drop(keep);
    return test_trace_take();
}

/* R130 */
TEST(the_activities_have_their_fixed_numbers) {
    EXPECT_INT(kGYRunLoopEntry, 1);
    EXPECT_INT(kGYRunLoopBeforeTimers, 2);
    EXPECT_INT(kGYRunLoopBeforeSources, 4);
    EXPECT_INT(kGYRunLoopBeforeWaiting, 32);
    EXPECT_INT(kGYRunLoopAfterWaiting, 64);
    EXPECT_INT(kGYRunLoopExit, 128);
    EXPECT_INT(kGYRunLoopAllActivities, 0x0FFFFFFF);
}

static GYOptionFlags seen_together, seen_odd;

static void notes_activity(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)info;
    seen_together |= activity;
    if (activity == 0 || (activity & (activity - 1)) != 0) seen_odd |= activity;
}

/* R130, R138 */
LOOP_TEST(the_callback_gets_exactly_one_activity) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAllActivities, true, 0, notes_activity, NULL));
    loop_run(0.001);
    EXPECT_INT(seen_together, 1 | 2 | 4 | 32 | 64 | 128);
    EXPECT_INT(seen_odd, 0);
    loop_drop(observer);
    loop_drop(keep);
}

/* R130: a mask without a known activity is never called. */
LOOP_TEST(an_observer_of_no_activity_is_never_called) {
    const GYOptionFlags masks[] = {0, 8, 16, 256, ~(GYOptionFlags)0xff};
    for (int i = 0; i < 5; i++) {
        watcher w = {.word = "called"};
        watch_for(&w, masks[i], true, 0);
        EXPECT_STR(pass(), "");
        loop_drop(w.self);
    }
}

/* R131 */
TEST(order_activities_and_repeats_read_as_given) {
    GYRunLoopObserverRef a = loop_observer(kGYRunLoopAllActivities, false, LONG_MIN, NULL, NULL);
    GYRunLoopObserverRef b = loop_observer(kGYRunLoopExit, true, LONG_MAX, NULL, NULL);
    EXPECT_INT(GYRunLoopObserverGetOrder(a), LONG_MIN);
    EXPECT_INT(GYRunLoopObserverGetActivities(a), kGYRunLoopAllActivities);
    EXPECT(!GYRunLoopObserverDoesRepeat(a));
    EXPECT_INT(GYRunLoopObserverGetOrder(b), LONG_MAX);
    EXPECT_INT(GYRunLoopObserverGetActivities(b), kGYRunLoopExit);
    EXPECT(GYRunLoopObserverDoesRepeat(b));
    GYRelease(a);
    GYRelease(b);
}

/* R132 */
LOOP_TEST(observers_are_called_by_order_over_the_whole_range_and_equals_by_addition) {
    static const GYIndex orders[] = {LONG_MAX, 0, LONG_MIN, 0, 5};
    static const char *const words[] = {"last", "a", "first", "b", "5"};
    watcher w[5] = {0};
    for (int i = 0; i < 5; i++) w[i].word = words[i];
    for (int i = 0; i < 5; i++) watch(&w[i], orders[i]);
    EXPECT_STR(pass(), "first a b 5 last");
    loop_in(DEFAULT, w[1].self);
    EXPECT_STR(pass(), "first a b 5 last");
    GYRunLoopRemoveObserver(GYRunLoopGetCurrent(), w[1].self, DEFAULT);
    loop_in(DEFAULT, w[1].self);
    EXPECT_STR(pass(), "first b a 5 last");
    for (int i = 0; i < 5; i++) loop_drop(w[i].self);
}

static void expects_valid(watcher *self) { EXPECT(GYRunLoopObserverIsValid(self->self)); }

/* R133: once in all, in whichever mode comes first. */
LOOP_TEST(a_one_shot_observer_is_called_at_its_first_activity_in_any_mode_and_then_invalid) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    watcher w = {.word = "once", .act = expects_valid};
    watch_for(&w, kGYRunLoopBeforeTimers | kGYRunLoopBeforeSources, false, 0);
    loop_in(OTHER, w.self);
    loop_poll(OTHER);
    EXPECT(!GYRunLoopObserverIsValid(w.self));
    EXPECT_STR(pass(), "once");
    EXPECT(!GYRunLoopContainsObserver(GYRunLoopGetCurrent(), w.self, DEFAULT));
    GYRelease(w.self);
    loop_drop(keep);
}

static void nests(watcher *self) {
    (void)self;
    loop_poll(DEFAULT);
}

/* R133, R135: not even by a run nested in its only callout. */
LOOP_TEST(a_one_shot_observer_is_not_called_again_inside_its_callout) {
    watcher w = {.word = "once", .act = nests};
    watch_for(&w, kGYRunLoopBeforeTimers | kGYRunLoopBeforeSources, false, 0);
    EXPECT_STR(pass(), "once");
    GYRelease(w.self);
}

/* Rounds. */

static void adds_other(watcher *self) { loop_in(DEFAULT, self->other); }
static void invalidates_other(watcher *self) { GYRunLoopObserverInvalidate(self->other); }
static void removes_other(watcher *self) {
    GYRunLoopRemoveObserver(GYRunLoopGetCurrent(), self->other, DEFAULT);
}

/* R134: before and behind the one that adds, and in the rounds of the same pass. */
LOOP_TEST(an_observer_added_in_a_round_waits_for_the_next_round) {
    for (GYIndex order = -1; order <= 1; order++) {
        watcher added = {.word = "added"}, w = {.word = "adds", .act = adds_other};
        const GYOptionFlags two = kGYRunLoopBeforeTimers | kGYRunLoopBeforeSources;
        added.self = loop_observer(two, true, order, observe, &added);
        w.other = added.self;
        watch_for(&w, kGYRunLoopBeforeTimers, true, 0);
        EXPECT_STR(pass(), "adds added");
        loop_drop(added.self);
        loop_drop(w.self);
    }
}

/* R134 */
LOOP_TEST(an_observer_invalidated_or_removed_in_a_round_is_not_called_in_it) {
    void (*const acts[])(watcher *) = {invalidates_other, removes_other};
    for (int i = 0; i < 2; i++) {
        watcher first = {.word = "first", .act = acts[i]}, second = {.word = "second"};
        watch(&first, 0);
        watch(&second, 1);
        first.other = second.self;
        EXPECT_STR(pass(), "first");
        EXPECT_INT(GYRunLoopObserverIsValid(second.self), acts[i] == removes_other);
        loop_drop(first.self);
        loop_drop(second.self);
    }
}

static void swaps_other(watcher *self) {
    removes_other(self);
    adds_other(self);
}

/* R134: it was removed meanwhile, and what is added is new. */
LOOP_TEST(an_observer_removed_and_added_in_a_round_is_called_once_at_most_in_it) {
    watcher first = {.word = "first", .act = swaps_other}, second = {.word = "second"};
    watch(&first, 0);
    watch(&second, 1);
    first.other = second.self;
    const char *trace = pass();
    EXPECT(strcmp(trace, "first") == 0 || strcmp(trace, "first second") == 0);
    first.act = NULL;
    EXPECT_STR(pass(), "first second");
    loop_drop(first.self);
    loop_drop(second.self);
}

static void frees_other(watcher *self) {
    if (self->other == NULL) return;
    GYRunLoopObserverInvalidate(self->other);
    GYRelease(self->other);
    self->other = NULL;
}

/* F40: freed by its owner while the round is under way. */
LOOP_TEST(an_observer_that_an_earlier_one_frees_in_the_same_round_is_skipped) {
    watcher first = {.word = "first", .act = frees_other};
    watch(&first, 0);
    for (int i = 0; i < 10000; i++) {
        watcher second = {.word = "second"};
        watch(&second, 1);
        first.other = second.self;
        if (!EXPECT_STR(pass(), "first")) break;
    }
    loop_drop(first.self);
}

/* Nested runs. */

/* R135: Tcl registers two observers with one callback for this. */
LOOP_TEST(an_observer_in_a_callout_is_not_called_by_nested_runs_and_others_are) {
    watcher a = {.word = "a", .act = nests}, b = {.word = "b"};
    watch(&a, 0);
    watch(&b, 1);
    EXPECT_STR(pass(), "a b b");
    b.act = nests;
    EXPECT_STR(pass(), "a b b a");
    loop_drop(a.self);
    loop_drop(b.self);
}

static void nests_once(watcher *self) {
    self->act = NULL;
    loop_poll(DEFAULT);
}

static void brackets(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)info;
    test_trace(activity == kGYRunLoopEntry ? "(" : ")");
}

/* R138, R30: the nesting level can be counted. */
LOOP_TEST(entry_and_exit_come_in_pairs_around_nested_and_polling_runs) {
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopEntry | kGYRunLoopExit, true, 0, brackets, NULL));
    watcher w = {.word = "w", .act = nests_once};
    watch(&w, 0);
    EXPECT_STR(pass(), "( w ( ) )");
    loop_drop(w.self);
    loop_drop(observer);
}

/* Loops and ends. */

/* R136 */
TEST(an_observer_belongs_to_one_loop_at_a_time) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopObserverRef observer = loop_observer(kGYRunLoopEntry, true, 0, NULL, NULL);
    GYRunLoopAddObserver(rl, observer, OTHER);
    GYRunLoopAddObserver(rl, observer, DEFAULT);
    test_capture_log();
    GYRunLoopAddObserver(worker.rl, observer, OTHER);
    EXPECT(strstr(test_log(), "GYRunLoopAddObserver") != NULL);
    EXPECT(!GYRunLoopContainsObserver(worker.rl, observer, OTHER));
    GYRunLoopRemoveObserver(rl, observer, OTHER);
    GYRunLoopAddObserver(worker.rl, observer, OTHER);
    EXPECT(!GYRunLoopContainsObserver(worker.rl, observer, OTHER));
    GYRunLoopRemoveObserver(rl, observer, DEFAULT);
    GYRunLoopAddObserver(worker.rl, observer, OTHER);
    EXPECT(GYRunLoopContainsObserver(worker.rl, observer, OTHER));
    loop_drop(observer);
    loop_worker_drop(&worker);
}

/* R18, R17, R20 */
LOOP_TEST(a_common_observer_is_in_all_common_modes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    watcher w = {.word = "w"};
    w.self = loop_observer(SOURCES, true, 0, observe, &w);
    loop_in(kGYRunLoopCommonModes, w.self);
    GYRunLoopAddCommonMode(rl, OTHER);
    loop_poll(OTHER);
    EXPECT_STR(pass(), "w w");
    GYRunLoopRemoveObserver(rl, w.self, kGYRunLoopCommonModes);
    EXPECT(!GYRunLoopContainsObserver(rl, w.self, OTHER));
    EXPECT(!GYRunLoopContainsObserver(rl, w.self, kGYRunLoopCommonModes));
    loop_drop(w.self);
    loop_drop(keep);
}

static void count_release(const void *info) { ++*(int *)(uintptr_t)info; }

static void ends_itself(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)activity;
    GYRunLoopObserverInvalidate(observer);
    EXPECT_INT(*(int *)info, 1);
    EXPECT(!GYRunLoopObserverIsValid(observer));
    test_trace("whole");
}

static GYRunLoopObserverRef counted_observer(int *releases, GYRunLoopObserverCallBack callout) {
    GYRunLoopObserverContext context = {.info = releases, .release = count_release};
    return GYRunLoopObserverCreate(kGYAllocatorDefault, SOURCES, true, 0, callout, &context);
}

/* R137, R162 */
LOOP_TEST(an_observer_may_invalidate_itself_which_releases_its_context_at_once) {
    int releases = 0;
    GYRunLoopObserverRef observer = loop_in(DEFAULT, counted_observer(&releases, ends_itself));
    loop_in(OTHER, observer);
    EXPECT_STR(pass(), "whole");
    EXPECT(!GYRunLoopContainsObserver(GYRunLoopGetCurrent(), observer, OTHER));
    GYRunLoopObserverContext read = {.info = &read};
    GYRunLoopObserverGetContext(observer, &read);
    EXPECT(read.info == NULL);
    GYRunLoopObserverInvalidate(observer);
    loop_in(DEFAULT, observer);
    EXPECT(!GYRunLoopContainsObserver(GYRunLoopGetCurrent(), observer, DEFAULT));
    GYRelease(observer);
    EXPECT_INT(releases, 1);
}

/* F50, R163, R161: removed and given up is gone. */
LOOP_TEST(an_observer_that_is_removed_and_released_releases_its_context) {
    int releases = 0;
    GYRunLoopObserverRef observer = loop_in(DEFAULT, counted_observer(&releases, NULL));
    GYRelease(observer);
    EXPECT_INT(releases, 0);
    GYRunLoopRemoveObserver(GYRunLoopGetCurrent(), observer, DEFAULT);
    EXPECT_INT(releases, 1);
}

static void signals_when_idle(watcher *self) {
    self->act = NULL;
    GYRunLoopSourceSignal((GYRunLoopSourceRef)(uintptr_t)self->other);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

/* F45, R153: work found when the loop is idle is done in the next pass, without another event. */
LOOP_TEST(idle_work_handed_out_before_the_sleep_is_done_in_the_next_pass_and_not_in_this_one) {
    GYRunLoopObserverRef timers = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopBeforeTimers));
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_stops, "work"));
    watcher idle = {.word = "idle", .act = signals_when_idle};
    watch_for(&idle, kGYRunLoopBeforeWaiting, true, 0);
    idle.other = (GYRunLoopObserverRef)(uintptr_t)source;
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "timers idle timers work");
    loop_drop(idle.self);
    loop_drop(source);
    loop_drop(timers);
}

TEST_MAIN()
