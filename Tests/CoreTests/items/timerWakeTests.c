/* Timers and a sleeping loop: what takes effect at once, and what nobody sees. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static GYRunLoopObserverRef waiting_observer(GYRunLoopMode mode) {
    const GYOptionFlags waiting = kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting;
    return loop_in(mode, loop_trace_observer(waiting));
}

/* Does something to a timer as soon as its loop is asleep. */
typedef struct {
    GYRunLoopRef rl;
    GYRunLoopTimerRef timer;
    void (*act)(GYRunLoopRef rl, GYRunLoopTimerRef timer);
    int64_t deadline_ns; /* of the timer, before the act */
    int64_t acted_ns;
} interference;

static void interferes(void *info) {
    interference *self = info;
    loop_wait_asleep(self->rl);
    self->act(self->rl, self->timer);
    self->acted_ns = GYMonotonicNow();
}

static void adds(GYRunLoopRef rl, GYRunLoopTimerRef timer) {
    GYRunLoopAddTimer(rl, timer, DEFAULT);
}

static void moves_to_now(GYRunLoopRef rl, GYRunLoopTimerRef timer) {
    (void)rl;
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent());
}

static GYRunLoopRunResult run_with_interference(interference *self, double seconds) {
    self->rl = GYRunLoopGetCurrent();
    self->deadline_ns = GYRunLoopTimerGetNextFireAt(self->timer);
    pthread_t thread = test_thread_start(interferes, self);
    GYRunLoopRunResult result = loop_run(seconds);
    test_thread_join(thread);
    return result;
}

/* R111, with and without a timer in the mode already. */
LOOP_TEST(a_timer_added_from_another_thread_fires_without_a_wake_up) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    for (int with_other = 0; with_other < 2; with_other++) {
        GYRunLoopTimerRef other = loop_timer(3600, 0, NULL, NULL);
        if (with_other) loop_in(DEFAULT, other);
        interference self = {.timer = loop_timer(0.01, 0, loop_timer_stops, "fired"), .act = adds};
        EXPECT_INT(run_with_interference(&self, 20), kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), "fired");
        GYRelease(self.timer);
        loop_drop(other);
    }
    loop_drop(keep);
}

/* R111, R105 */
LOOP_TEST(a_timer_moved_to_an_earlier_date_from_another_thread_fires_without_a_wake_up) {
    interference self = {.timer = loop_timer(3600, 3600, loop_timer_stops, "fired")};
    self.act = moves_to_now;
    loop_in(DEFAULT, self.timer);
    EXPECT_INT(run_with_interference(&self, 20), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "fired");
    loop_drop(self.timer);
}

/* R111: also where the loop was woken by it once before, so that nothing is armed any more. */
LOOP_TEST(a_timer_can_be_moved_back_and_forth_under_a_sleeping_loop) {
    interference self = {.timer = loop_timer(3600, 3600, loop_timer_stops, "fired")};
    self.act = moves_to_now;
    loop_in(DEFAULT, self.timer);
    for (int i = 0; i < 20; i++) {
        GYRunLoopTimerSetNextFireDate(self.timer, GYAbsoluteTimeGetCurrent() + 3600 - i);
        EXPECT_INT(run_with_interference(&self, 20), kGYRunLoopRunStopped);
    }
    loop_drop(self.timer);
}

/* R114: nothing at the old date that anybody sees. */

static void removes(GYRunLoopRef rl, GYRunLoopTimerRef timer) {
    GYRunLoopRemoveTimer(rl, timer, DEFAULT);
}

static void invalidates(GYRunLoopRef rl, GYRunLoopTimerRef timer) {
    (void)rl;
    GYRunLoopTimerInvalidate(timer);
}

static void puts_off(GYRunLoopRef rl, GYRunLoopTimerRef timer) {
    (void)rl;
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() + 3600);
}

static void (*const takings[])(GYRunLoopRef, GYRunLoopTimerRef) = {removes, invalidates, puts_off};

/* R114: before the run. The kernel timer was armed by an earlier run. */
LOOP_TEST(a_timer_taken_away_before_the_run_leaves_no_visible_wake_up) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer = waiting_observer(DEFAULT);
    for (int i = 0; i < 3; i++) {
        GYRunLoopTimerRef timer = loop_timer(0.05, 0, loop_timer_traces, "fired");
        loop_in(DEFAULT, timer);
        loop_run(0.001);
        EXPECT_STR(test_trace_take(), "wait wake");
        takings[i](GYRunLoopGetCurrent(), timer);
        loop_run(0.08);
        EXPECT_STR(test_trace_take(), "wait wake");
        loop_drop(timer);
    }
    loop_drop(observer);
    loop_drop(keep);
}

/* R114: under the sleeping loop. Where the machine was so slow that the date had come, nothing is
 * asked. */
LOOP_TEST(a_timer_taken_away_while_the_loop_sleeps_leaves_no_visible_wake_up) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer = waiting_observer(DEFAULT);
    for (int i = 0; i < 3; i++) {
        interference self = {.timer = loop_timer(0.1, 0, loop_timer_traces, "fired")};
        self.act = takings[i];
        loop_in(DEFAULT, self.timer);
        EXPECT_INT(run_with_interference(&self, 0.2), kGYRunLoopRunTimedOut);
        const char *trace = test_trace_take();
        if (self.acted_ns < self.deadline_ns) EXPECT_STR(trace, "wait wake");
        loop_drop(self.timer);
    }
    loop_drop(observer);
    loop_drop(keep);
}

static void take_away_in_callout(void *info) {
    interference *self = info;
    self->act(GYRunLoopGetCurrent(), self->timer);
    test_trace("taken");
}

/* R114: on the loop's own thread, after it has slept with the timer armed. */
LOOP_TEST(a_timer_taken_away_by_a_callout_leaves_no_visible_wake_up) {
    GYRunLoopObserverRef observer = waiting_observer(DEFAULT);
    for (int i = 0; i < 3; i++) {
        interference self = {.timer = loop_timer(0.05, 0, loop_timer_traces, "fired")};
        self.act = takings[i];
        loop_in(DEFAULT, self.timer);
        loop_run(0.001);
        test_trace_take();
        GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, take_away_in_callout, &self));
        GYRunLoopSourceSignal(source);
        EXPECT_INT(loop_run(0.08), kGYRunLoopRunTimedOut);
        EXPECT_STR(test_trace_take(), "taken wait wake");
        loop_drop(source);
        loop_drop(self.timer);
    }
    loop_drop(observer);
}

/* R114 */
LOOP_TEST(a_one_shot_timer_in_two_modes_that_fired_in_one_leaves_nothing_in_the_other) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.02, 0, loop_timer_traces, "fired"));
    loop_in(OTHER, timer);
    GYRunLoopObserverRef observer = waiting_observer(OTHER);
    GYRunLoopRunInMode(OTHER, 0.001, false);
    EXPECT_STR(test_trace_take(), "wait wake");
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "fired");
    EXPECT(GYRunLoopGetNextTimerFireDate(GYRunLoopGetCurrent(), OTHER) == 0);
    GYRunLoopRunInMode(OTHER, 0.02, false);
    EXPECT_STR(test_trace_take(), "wait wake");
    GYRelease(timer);
    loop_drop(observer);
    loop_drop(keep);
}

/* Served in time. */

/* R32, R33, F52: whatever woke the loop, and in a run that does not wait. */
LOOP_TEST(an_overdue_timer_is_served_by_the_next_pass) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.002, 0, loop_timer_traces, "fired"));
    while (GYMonotonicNow() < GYRunLoopTimerGetNextFireAt(timer)) continue;
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
}

static void expects_date_reached(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    EXPECT(GYMonotonicNow() >= GYRunLoopTimerGetNextFireAt(timer));
    EXPECT(GYAbsoluteTimeGetCurrent() >= GYRunLoopTimerGetNextFireDate(timer));
    loop_stops("fired");
}

static void adds_the_waiting_timer(GYRunLoopTimerRef timer, void *waiting) {
    (void)timer;
    loop_in(DEFAULT, waiting);
    test_trace("added");
}

/* F6: made early, added late, from a callback. */
LOOP_TEST(a_timer_does_not_fire_before_its_date_however_long_before_its_addition_it_was_made) {
    GYRunLoopTimerRef waiting = loop_timer(0.05, 0, expects_date_reached, NULL);
    GYRunLoopTimerRef adding = loop_timer(0.02, 0, adds_the_waiting_timer, waiting);
    loop_in(DEFAULT, adding);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "added fired");
    GYRelease(waiting);
    GYRelease(adding);
}

static void adds_due_timer(void *timer) { loop_in(DEFAULT, timer); }

/* R39: with a source performed, the iteration polls, and timers have their turn in it. */
LOOP_TEST(a_due_timer_added_by_a_source_fires_in_the_same_iteration) {
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_trace_observer(kGYRunLoopBeforeTimers | kGYRunLoopExit));
    GYRunLoopTimerRef timer = loop_timer(-1, 0, loop_timer_traces, "fired");
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, adds_due_timer, timer));
    GYRunLoopSourceSignal(source);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "timers fired exit");
    GYRelease(timer);
    loop_drop(source);
    loop_drop(observer);
}

TEST_MAIN()
