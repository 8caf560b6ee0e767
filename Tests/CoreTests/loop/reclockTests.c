/* Loops that go by a manual clock: the same passes, by a time that the program makes. */
#include "support/loop.h"

#include <gyre/GYClock.h>
#include <gyre/GYMessagePort.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define SECOND INT64_C(1000000000)
#define START_DATE 1000.0

/* The calling thread's loop goes by it, and keeps it. */
static GYManualClockRef go_by_clock(bool advances_itself) {
    GYManualClockRef clock = GYManualClockCreate(NULL, START_DATE, advances_itself);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    GYRelease(clock);
    return clock;
}

static GYRunLoopTimerRef timer_after(int64_t delay_ns, int64_t interval_ns, const char *word) {
    GYRunLoopTimerContext context = {.info = (void *)(uintptr_t)word};
    return GYRunLoopTimerCreateAfter(delay_ns, interval_ns, 0, loop_timer_traces, &context);
}

/* ---- a clock that is moved ---- */

/* R312 */
LOOP_TEST(a_timer_is_due_when_the_clock_shows_it) {
    GYManualClockRef clock = go_by_clock(false);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(5 * SECOND, 0, "fired"));
    GYManualClockAdvance(clock, 5 * SECOND - 1);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    GYManualClockAdvance(clock, 1);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
}

/* R312, R104: it was late. */
LOOP_TEST(a_repeating_timer_fires_once_for_one_move) {
    GYManualClockRef clock = go_by_clock(false);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(SECOND, SECOND, "tick"));
    GYManualClockAdvance(clock, 1000 * SECOND + SECOND / 2);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "tick");
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), 1001 * SECOND);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == START_DATE + 1001);
    EXPECT(GYRunLoopGetNextTimerFireDate(GYRunLoopGetCurrent(), DEFAULT) == START_DATE + 1001);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), DEFAULT), 1001 * SECOND);
    loop_drop(timer);
}

typedef struct {
    GYRunLoopRef rl;
    GYManualClockRef clock;
    int64_t by_ns;
} mover;

static void moves_when_asleep(void *given) {
    const mover *self = given;
    loop_wait_asleep(self->rl);
    GYManualClockAdvance(self->clock, self->by_ns);
}

static void be_moved_meanwhile(GYManualClockRef clock, int64_t by_ns, GYRunLoopRunResult expected) {
    mover self = {GYRunLoopGetCurrent(), clock, by_ns};
    pthread_t thread = test_thread_start(moves_when_asleep, &self);
    EXPECT_INT(loop_run(100), expected);
    test_thread_join(thread);
}

/* R312 */
LOOP_TEST(moving_the_clock_ends_the_sleep_of_a_loop) {
    GYManualClockRef clock = go_by_clock(false);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(60 * SECOND, 0, "fired"));
    be_moved_meanwhile(clock, 60 * SECOND, kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
}

/* R50, R312 */
LOOP_TEST(a_time_out_is_over_when_the_clock_shows_it) {
    GYManualClockRef clock = go_by_clock(false);
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    be_moved_meanwhile(clock, 100 * SECOND, kGYRunLoopRunTimedOut);
    EXPECT_INT(GYManualClockGetNow(clock), 100 * SECOND);
    loop_drop(keep);
}

static void moves_in_steps(void *given) {
    const mover *self = given;
    for (int i = 0; i < 100; i++) {
        loop_wait_asleep(self->rl);
        GYManualClockAdvance(self->clock, self->by_ns);
    }
}

/* R312, R156: less than it sleeps for is no wake-up. */
LOOP_TEST(a_move_that_makes_nothing_due_is_not_seen) {
    mover self = {GYRunLoopGetCurrent(), go_by_clock(false), SECOND};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAfterWaiting));
    pthread_t thread = test_thread_start(moves_in_steps, &self);
    EXPECT_INT(loop_run(100), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "wake");
    test_thread_join(thread);
    loop_drop(observer);
    loop_drop(keep);
}

static void counts_down(GYRunLoopTimerRef timer, void *left) {
    (void)timer;
    if (--*(int *)left == 0) GYRunLoopStop(GYRunLoopGetCurrent());
}

static atomic_bool is_over;

static void moves_blindly(void *clock) {
    while (!atomic_load(&is_over)) GYManualClockAdvance(clock, 1000);
}

/* R312, R48: a move between the look at the clock and the sleep is not lost. A lost one would be
 * made up for by the next; the last of them is not followed by any. */
LOOP_TEST(no_move_is_lost) {
    GYManualClockRef clock = go_by_clock(false);
    int left = 2000;
    GYRunLoopTimerContext context = {.info = &left};
    GYRunLoopTimerRef timer =
        loop_in(DEFAULT, GYRunLoopTimerCreateAfter(1000, 1000, 0, counts_down, &context));
    pthread_t thread = test_thread_start(moves_blindly, clock);
    EXPECT_INT(loop_run(1e9), kGYRunLoopRunStopped);
    atomic_store(&is_over, true);
    test_thread_join(thread);
    loop_drop(timer);
}

static void waits_for_timer(void *given) {
    mover *self = given;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(self->by_ns, 0, "fired"));
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), self->clock));
    EXPECT_INT(loop_run(1000), kGYRunLoopRunFinished);
    GYRelease(timer);
}

/* R310 */
LOOP_TEST(several_loops_go_by_one_clock) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    mover self = {NULL, clock, 5 * SECOND};
    pthread_t a = test_thread_start(waits_for_timer, &self);
    pthread_t b = test_thread_start(waits_for_timer, &self);
    for (int i = 0; i < 2; i++) {
        TEST_WAIT_UNTIL(GYGetRetainCount(clock) == 3);
        GYManualClockAdvance(clock, 5 * SECOND);
    }
    test_thread_join(a);
    test_thread_join(b);
    EXPECT_STR(test_trace_take(), "fired fired");
    GYRelease(clock);
}

/* R310: a delayed call is a timer. */
LOOP_TEST(a_delayed_call_goes_by_the_clock) {
    GYManualClockRef clock = go_by_clock(false);
    GYRelease(GYRunLoopPerformCreate(GYRunLoopGetCurrent(), DEFAULT, SECOND, loop_traces, "called",
                                     NULL));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    GYManualClockAdvance(clock, SECOND);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "called");
}

static void performs_later(void *given) {
    const mover *self = given;
    loop_wait_asleep(self->rl);
    GYRelease(GYRunLoopPerformCreate(self->rl, DEFAULT, SECOND, loop_stops, "called", NULL));
    GYManualClockAdvance(self->clock, SECOND);
}

/* R311: from the moment at which it is added. */
LOOP_TEST(a_delayed_call_from_another_thread_counts_from_then_on) {
    mover self = {GYRunLoopGetCurrent(), go_by_clock(false), 0};
    GYManualClockAdvance(self.clock, 7 * SECOND);
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    pthread_t thread = test_thread_start(performs_later, &self);
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "called");
    test_thread_join(thread);
    loop_drop(keep);
}

/* R314 */
LOOP_TEST(what_does_not_wait_for_time_goes_on) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    go_by_clock(false);
    GYRunLoopSourceRef port = loop_in(DEFAULT, loop_port(ends[0], loop_stops, "port"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(1, 0, "early"));
    REQUIRE(write(ends[1], "x", 1) == 1);
    EXPECT_INT(loop_run(1), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "port");
    loop_drop(timer);
    loop_drop(port);
    close(ends[0]);
    close(ends[1]);
}

/* ---- a clock that advances itself ---- */

/* R313: in order, each at its moment, and the run ends at its own. */
LOOP_TEST(a_clock_that_advances_itself_shows_each_deadline) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopTimerRef slow = loop_in(DEFAULT, timer_after(3 * SECOND, 3 * SECOND, "slow"));
    GYRunLoopTimerRef fast = loop_in(DEFAULT, timer_after(2 * SECOND, 2 * SECOND, "fast"));
    EXPECT_INT(loop_run(9.5), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "fast slow fast slow fast fast slow");
    EXPECT_INT(GYManualClockGetNow(clock), 9 * SECOND + SECOND / 2);
    loop_drop(slow);
    loop_drop(fast);
}

/* R313, R31: the passes are those of any other loop. */
LOOP_TEST(observers_see_it_sleep) {
    go_by_clock(true);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(SECOND, 0, "timer"));
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake timer exit");
    GYRelease(timer);
    loop_drop(observer);
}

/* R313, R109: as far as it would have slept. */
LOOP_TEST(tolerance_counts_as_ever) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopTimerRef late = loop_in(DEFAULT, timer_after(SECOND, 0, "tolerant"));
    GYRunLoopTimerRef exact = loop_in(DEFAULT, timer_after(2 * SECOND, 0, "exact"));
    GYRunLoopTimerSetTolerance(late, 5);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "tolerant exact");
    EXPECT_INT(GYManualClockGetNow(clock), 2 * SECOND);
    GYRelease(late);
    GYRelease(exact);
}

static void signals_itself(void *given) {
    void **self = given;
    test_trace("source");
    if (self[1] != NULL) GYRunLoopSourceSignal(self[0]);
    self[1] = NULL;
}

/* R313: it does not move while there is something to do. */
LOOP_TEST(a_clock_that_advances_itself_waits_for_what_is_ready) {
    int ends[2];
    void *self[2] = {NULL, ends};
    REQUIRE(pipe(ends) == 0);
    GYManualClockRef clock = go_by_clock(true);
    self[0] = loop_in(DEFAULT, loop_source0(0, signals_itself, self));
    GYRunLoopSourceRef port = loop_in(DEFAULT, loop_port(ends[0], loop_stops, "port"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(1, 0, "timer"));
    GYRunLoopSourceSignal(self[0]);
    REQUIRE(write(ends[1], "x", 1) == 1);
    EXPECT_INT(loop_run(1), kGYRunLoopRunStopped);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
    EXPECT_STR(test_trace_take(), "source port");
    loop_drop(timer);
    loop_drop(port);
    loop_drop(self[0]);
    close(ends[0]);
    close(ends[1]);
}

/* R313 */
LOOP_TEST(a_pass_that_does_not_wait_moves_no_clock) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(1, 0, "timer"));
    for (int i = 0; i < 10; i++) EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
    loop_drop(timer);
}

static void stops_when_asleep(void *rl) {
    loop_wait_asleep(rl);
    GYRunLoopStop(rl);
}

/* R313: without a deadline it sleeps. */
LOOP_TEST(a_loop_without_a_deadline_waits_for_real) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopTimerRef off = loop_in(DEFAULT, timer_after(SECOND, 0, "off"));
    GYRunLoopTimerSetNextFireAt(off, INT64_MAX);
    pthread_t thread = test_thread_start(stops_when_asleep, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
    loop_drop(off);
    loop_drop(keep);
}

static void takes_its_time(GYRunLoopTimerRef timer, void *clock) {
    (void)timer;
    test_trace("at %d", (int)(GYMonotonicNow() / SECOND));
    GYManualClockAdvance(clock, 5 * SECOND / 2);
}

/* R313, R104: a callout that moves the clock has taken that long. */
LOOP_TEST(a_callout_may_take_time) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopTimerContext context = {.info = clock};
    GYRunLoopTimerRef timer =
        loop_in(DEFAULT, GYRunLoopTimerCreateAfter(SECOND, SECOND, 0, takes_its_time, &context));
    EXPECT_INT(loop_run(9), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "at 1 at 4 at 7");
    loop_drop(timer);
}

static void runs_inside(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    test_trace("(");
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("inner"), 30, false), kGYRunLoopRunTimedOut);
    test_trace(")");
}

/* R313, F21: runs that nest end at their own moments. */
LOOP_TEST(nested_runs_go_by_the_same_clock) {
    GYManualClockRef clock = go_by_clock(true);
    GYRunLoopTimerContext context = {0};
    GYRunLoopTimerRef outer =
        loop_in(DEFAULT, GYRunLoopTimerCreateAfter(SECOND, 0, 0, runs_inside, &context));
    GYRunLoopTimerRef late = loop_in(DEFAULT, timer_after(2 * SECOND, 0, "late"));
    GYRunLoopTimerRef inner = loop_in(GYSTR("inner"), timer_after(20 * SECOND, 15 * SECOND, "in"));
    EXPECT_INT(loop_run(100), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "( in ) late");
    EXPECT_INT(GYManualClockGetNow(clock), 31 * SECOND);
    GYRelease(outer);
    GYRelease(late);
    loop_drop(inner);
}

static GYDataRef says_nothing(GYMessagePortRef port, int32_t id, GYDataRef data, void *info) {
    (void)port, (void)id, (void)data, (void)info;
    return NULL;
}

/* R310, R265 */
LOOP_TEST(a_request_waits_for_its_reply_by_the_clock) {
    GYManualClockRef clock = go_by_clock(true);
    GYMessagePortRef local =
        GYMessagePortCreateLocal(NULL, GYSTR("silent"), says_nothing, NULL, NULL);
    GYMessagePortRef remote = GYMessagePortCreateRemote(NULL, GYSTR("silent"));
    GYDataRef reply = NULL;
    EXPECT_INT(GYMessagePortSendRequest(remote, 1, NULL, 1, 60, DEFAULT, &reply),
               kGYMessagePortReceiveTimeout);
    EXPECT_INT(GYManualClockGetNow(clock), 60 * SECOND);
    GYMessagePortInvalidate(local);
    GYRelease(remote);
    GYRelease(local);
}

/* ---- changing over ---- */

/* R310 */
LOOP_TEST(timers_keep_their_distance_when_the_clock_changes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = timer_after(100 * SECOND, 40 * SECOND, "fired");
    loop_in(DEFAULT, loop_in(GYSTR("other"), timer));
    int64_t left_ns = GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow();
    GYManualClockRef clock = go_by_clock(false);
    int64_t at_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(at_ns <= left_ns && at_ns > 60 * SECOND);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, GYSTR("other")), at_ns);
    GYManualClockAdvance(clock, at_ns - 30 * SECOND);
    EXPECT(GYRunLoopSetClock(rl, NULL));
    left_ns = GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow();
    EXPECT(left_ns <= 30 * SECOND && left_ns > 1);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, GYSTR("other")), GYRunLoopTimerGetNextFireAt(timer));
    loop_drop(timer);
}

/* R310, R20: also one that is a common item alone. */
LOOP_TEST(a_common_timer_that_is_in_no_mode_keeps_its_distance) {
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopCommonModes, timer_after(SECOND * 50, 0, "fired"));
    GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), timer, DEFAULT);
    go_by_clock(false);
    int64_t at_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(at_ns > 0 && at_ns <= 50 * SECOND);
    loop_drop(timer);
}

/* R310: one that was put off stays so. */
LOOP_TEST(a_timer_that_was_put_off_is_put_off_by_every_clock) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_after(SECOND, SECOND, "fired"));
    GYRunLoopTimerSetNextFireAt(timer, INT64_MAX);
    GYManualClockRef clock = go_by_clock(false);
    GYManualClockAdvance(clock, INT64_MAX);
    loop_poll(DEFAULT);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), NULL));
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(timer);
}

/* R310, R103: the order too. */
LOOP_TEST(the_order_of_timers_stays_when_the_clock_changes) {
    GYRunLoopTimerRef timers[3];
    const char *words[] = {"a", "b", "c"};
    GYAbsoluteTime date = GYAbsoluteTimeGetCurrent() + 30;
    for (int i = 0; i < 3; i++) {
        GYRunLoopTimerContext context = {.info = (void *)(uintptr_t)words[i]};
        timers[i] = loop_in(DEFAULT,
                            GYRunLoopTimerCreate(NULL, date, 0, 0, 0, loop_timer_traces, &context));
    }
    go_by_clock(true);
    EXPECT_INT(loop_run(60), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "a b c");
    for (int i = 0; i < 3; i++) GYRelease(timers[i]);
}

/* R310: what was armed for the monotonic clock is not seen, and is armed again. */
LOOP_TEST(a_loop_goes_back_to_the_monotonic_clock) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.03, 0, loop_timer_stops, "fired"));
    EXPECT_INT(loop_run(0.001), kGYRunLoopRunTimedOut);
    go_by_clock(false);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "fired");
    GYRelease(timer);
}

static void sleeps_in_child(void *clock) {
    GYRunLoopTimerRef timer = loop_in(GYSTR("own"), timer_after(10 * SECOND, 0, "child"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("own"), 100, false), kGYRunLoopRunFinished);
    EXPECT_INT(GYManualClockGetNow(clock), 10 * SECOND);
    EXPECT_STR(test_trace_take(), "child");
    GYRelease(timer);
}

/* R7 */
TEST(the_child_of_a_fork_goes_by_the_same_clock) {
    GYManualClockRef clock = go_by_clock(true);
    EXPECT_INT(test_child(sleeps_in_child, clock), 0);
    EXPECT_INT(GYManualClockGetNow(clock), 0);
}

TEST_MAIN()
