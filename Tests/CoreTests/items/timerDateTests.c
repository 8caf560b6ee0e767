/* Dates that are set while a timer is in its callout and in no loop, or on the way to one. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sched.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")
#define HOUR INT64_C(3600000000000)

static void leave(GYRunLoopTimerRef timer) {
    GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), timer, DEFAULT);
}

static int64_t far_ns;

static void leaves_and_sets_a_deadline(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    leave(timer);
    GYRunLoopTimerSetNextFireAt(timer, far_ns);
    test_trace("fired");
}

static GYRunLoopTimerRef fired(double interval_s, GYRunLoopTimerCallBack callout, void *info) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, interval_s, callout, info));
    loop_poll(DEFAULT);
    return timer;
}

/* R105, R106: in a loop or not. */
LOOP_TEST(a_deadline_set_in_the_callout_of_a_timer_that_has_left_its_loop_is_the_next_one) {
    far_ns = GYMonotonicNow() + HOUR;
    GYRunLoopTimerRef timer = fired(1, leaves_and_sets_a_deadline, NULL);
    EXPECT_STR(test_trace_take(), "fired");
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), far_ns);
    loop_in(OTHER, timer);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), OTHER), far_ns);
    loop_drop(timer);
}

static void leaves_and_sets_a_date(GYRunLoopTimerRef timer, void *date) {
    leave(timer);
    GYRunLoopTimerSetNextFireDate(timer, *(const double *)date);
}

/* R107: as set, to the last bit. */
LOOP_TEST(a_date_set_in_the_callout_of_a_timer_that_has_left_its_loop_reads_as_set) {
    double date = GYAbsoluteTimeGetCurrent() - 12345.678901234;
    GYRunLoopTimerRef timer = fired(1, leaves_and_sets_a_date, &date);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    loop_drop(timer);
}

static void leaves_sets_a_deadline_and_returns(GYRunLoopTimerRef timer, void *unused) {
    leaves_and_sets_a_deadline(timer, unused);
    loop_in(DEFAULT, timer);
}

/* R106 */
LOOP_TEST(a_deadline_set_while_a_timer_is_out_of_its_loop_holds_when_it_is_added_again) {
    far_ns = 0;
    GYRunLoopTimerRef timer = fired(3600, leaves_sets_a_deadline_and_returns, NULL);
    far_ns = GYMonotonicNow() + HOUR;
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired fired");
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), DEFAULT), far_ns);
    loop_drop(timer);
}

static void leaves_and_returns(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    leave(timer);
    loop_in(DEFAULT, timer);
}

/* R104: what was set for one firing is not kept for the next. */
LOOP_TEST(a_timer_whose_deadline_was_set_in_a_callout_computes_the_one_after_it) {
    far_ns = 0;
    GYRunLoopTimerRef timer = fired(3600, leaves_sets_a_deadline_and_returns, NULL);
    far_ns = GYMonotonicNow() + HOUR / 2;
    loop_poll(DEFAULT);
    loop_drop(timer);
    timer = fired(3600, leaves_and_returns, NULL);
    EXPECT(GYRunLoopTimerGetNextFireAt(timer) > GYMonotonicNow() + HOUR / 2);
    loop_drop(timer);
}

/* Two threads. */

typedef struct {
    GYRunLoopTimerRef timer;
    GYRunLoopRef elsewhere;
    atomic_int rounds_begun, rounds_over;
    atomic_bool has_fired_elsewhere;
} race;

static void leaves_and_lets_the_other_thread_go(GYRunLoopTimerRef timer, void *given) {
    race *self = given;
    if (GYRunLoopGetCurrent() == self->elsewhere) {
        atomic_store(&self->has_fired_elsewhere, true);
        return;
    }
    leave(timer);
    GYRunLoopTimerSetNextFireAt(timer, 0);
    atomic_fetch_add(&self->rounds_begun, 1);
}

static void wait_for_round(race *self, int round) {
    while (atomic_load(&self->rounds_begun) < round) sched_yield();
}

#define ROUNDS 3000

static void sets_a_deadline_in_each_round(void *given) {
    race *self = given;
    for (int round = 1; round <= ROUNDS; round++) {
        wait_for_round(self, round);
        GYRunLoopTimerSetNextFireAt(self->timer, far_ns + round);
        atomic_store(&self->rounds_over, round);
    }
}

/* R105: whether it came before the end of the callout or after it, it is the last that was set. */
LOOP_TEST(a_deadline_set_by_another_thread_while_a_callout_ends_is_not_lost) {
    race self = {.timer = NULL};
    far_ns = GYMonotonicNow() + HOUR;
    self.timer = loop_timer(-1, 1, leaves_and_lets_the_other_thread_go, &self);
    pthread_t other = test_thread_start(sets_a_deadline_in_each_round, &self);
    for (int round = 1; round <= ROUNDS; round++) {
        GYRunLoopTimerSetNextFireAt(self.timer, 0);
        loop_in(DEFAULT, self.timer);
        loop_poll(DEFAULT);
        TEST_WAIT_UNTIL(atomic_load(&self.rounds_over) == round);
        if (!EXPECT_INT(GYRunLoopTimerGetNextFireAt(self.timer), far_ns + round)) break;
    }
    atomic_store(&self.rounds_begun, ROUNDS);
    test_thread_join(other);
    loop_drop(self.timer);
}

static void adds_it_elsewhere_in_each_round(void *given) {
    race *self = given;
    for (int round = 1; round <= ROUNDS; round++) {
        wait_for_round(self, round);
        GYRunLoopAddTimer(self->elsewhere, self->timer, DEFAULT);
        atomic_store(&self->rounds_over, round);
    }
}

/* R110, R111: it waits in the heap of the loop that it was given to. */
LOOP_TEST(a_timer_given_to_another_loop_while_its_callout_ends_fires_there) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    race self = {.elsewhere = worker.rl};
    self.timer = loop_timer(-1, 3600, leaves_and_lets_the_other_thread_go, &self);
    pthread_t other = test_thread_start(adds_it_elsewhere_in_each_round, &self);
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&self.has_fired_elsewhere, false);
        GYRunLoopTimerSetNextFireAt(self.timer, 0);
        loop_in(DEFAULT, self.timer);
        /* Its callout on the worker may not be over yet. */
        while (atomic_load(&self.rounds_begun) < round) loop_poll(DEFAULT);
        TEST_WAIT_UNTIL(atomic_load(&self.has_fired_elsewhere));
        TEST_WAIT_UNTIL(atomic_load(&self.rounds_over) == round);
        GYRunLoopRemoveTimer(worker.rl, self.timer, DEFAULT);
    }
    test_thread_join(other);
    loop_drop(self.timer);
    loop_worker_drop(&worker);
}

TEST_MAIN()
