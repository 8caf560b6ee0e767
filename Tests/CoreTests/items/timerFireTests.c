/* Timers fired by hand. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <setjmp.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

/* R191 */
LOOP_TEST(firing_a_repeating_timer_by_hand_leaves_its_schedule_as_it_was) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(1000, 1000, loop_timer_traces, "fired"));
    int64_t next_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "fired fired");
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), next_ns);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), DEFAULT), next_ns);
    EXPECT(GYRunLoopTimerIsValid(timer));
    loop_drop(timer);
}

/* R191: a date that is due is still served by the loop. */
LOOP_TEST(a_due_timer_fired_by_hand_is_fired_by_the_loop_too) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1000, loop_timer_traces, "fired"));
    EXPECT(GYRunLoopTimerFire(timer));
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired fired");
    loop_drop(timer);
}

static void traces_whether_valid(GYRunLoopTimerRef timer, void *word) {
    test_trace("%s %s", (const char *)word, GYRunLoopTimerIsValid(timer) ? "valid" : "invalid");
}

/* R191, R102 */
LOOP_TEST(firing_a_one_shot_timer_by_hand_ends_it_after_the_callout) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(1000, 0, traces_whether_valid, "fired"));
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "fired valid");
    EXPECT(!GYRunLoopTimerIsValid(timer));
    EXPECT(!GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, DEFAULT));
    EXPECT(!GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "");
    GYRelease(timer);
}

/* R191: nothing, and no mistake. */
LOOP_TEST(an_invalid_timer_is_not_fired_by_hand) {
    GYRunLoopTimerRef timer = loop_timer(1000, 1, loop_timer_traces, "fired");
    GYRunLoopTimerInvalidate(timer);
    test_capture_log();
    EXPECT(!GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "");
    EXPECT_STR(test_log(), "");
    GYRelease(timer);
}

LOOP_TEST(a_timer_without_a_callback_may_be_fired_by_hand) {
    GYRunLoopTimerRef once = loop_timer(1000, 0, NULL, NULL), again = loop_timer(1, 1, NULL, NULL);
    EXPECT(GYRunLoopTimerFire(once) && GYRunLoopTimerFire(again));
    EXPECT(!GYRunLoopTimerIsValid(once) && GYRunLoopTimerIsValid(again));
    GYRelease(once);
    loop_drop(again);
}

/* A timer that is in no loop is anybody's. */
static void fires(void *timer) { EXPECT(GYRunLoopTimerFire(timer)); }

TEST(a_timer_that_is_in_no_loop_may_be_fired_by_any_thread) {
    GYRunLoopTimerRef timer = loop_timer(1000, 1, loop_timer_traces, "fired");
    test_thread(fires, timer);
    fires(timer);
    EXPECT_STR(test_trace_take(), "fired fired");
    loop_drop(timer);
}

/* R191: reported, nothing. */
TEST(a_timer_in_the_loop_of_another_thread_is_not_fired_by_hand) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopTimerRef timer = loop_timer(1000, 1, loop_timer_traces, "fired");
    GYRunLoopAddTimer(worker.rl, timer, DEFAULT);
    test_capture_log();
    EXPECT(!GYRunLoopTimerFire(timer));
    EXPECT_STR(test_log(),
               "gyre: GYRunLoopTimerFire: it is in the loop of another thread, or being "
               "called by one (R191)");
    EXPECT_STR(test_trace_take(), "");
    loop_drop(timer);
    loop_worker_drop(&worker);
}

/* R112 */
static void runs_both_modes(GYRunLoopTimerRef timer, void *word) {
    loop_traces(word);
    GYRunLoopTimerSetNextFireAt(timer, 0);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    test_trace("end");
}

LOOP_TEST(a_timer_fired_by_hand_is_not_fired_by_runs_nested_in_that_and_others_are) {
    GYRunLoopTimerRef self = loop_in(DEFAULT, loop_timer(-1, 3600, runs_both_modes, "self"));
    GYRunLoopTimerRef here = loop_in(DEFAULT, loop_timer(-1, 3600, loop_timer_traces, "here"));
    GYRunLoopTimerRef there = loop_in(OTHER, loop_timer(-1, 3600, loop_timer_traces, "there"));
    loop_in(OTHER, self);
    EXPECT(GYRunLoopTimerFire(self));
    EXPECT_STR(test_trace_take(), "self here there end");
    loop_drop(self);
    loop_drop(here);
    loop_drop(there);
}

/* R105, R106: set before the callout returned, it is the next date. */
LOOP_TEST(a_date_set_while_a_timer_is_fired_by_hand_is_the_next_one) {
    GYRunLoopTimerRef self = loop_in(DEFAULT, loop_timer(1000, 3600, runs_both_modes, "self"));
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    EXPECT(GYRunLoopTimerFire(self));
    EXPECT_STR(test_trace_take(), "self end");
    EXPECT(GYRunLoopTimerGetNextFireAt(self) <= GYMonotonicNow());
    loop_drop(self);
    loop_drop(keep);
}

static int depth;

static void fires_itself(GYRunLoopTimerRef timer, void *word) {
    test_trace("%s %d", (const char *)word, ++depth);
    if (depth < 3) EXPECT(GYRunLoopTimerFire(timer));
    test_trace("end %d", depth--);
}

/* R191: at once, so inside the call in progress. */
LOOP_TEST(a_timer_fired_by_hand_in_its_own_callout_is_called_inside_it) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 3600, fires_itself, "call"));
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "call 1 call 2 call 3 end 3 end 2 end 1");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "call 1 call 2 call 3 end 3 end 2 end 1");
    EXPECT(GYRunLoopTimerGetNextFireAt(timer) > GYMonotonicNow());
    loop_drop(timer);
}

static void adds_itself(GYRunLoopTimerRef timer, void *word) {
    loop_traces(word);
    loop_in(DEFAULT, timer);
}

/* R39 */
LOOP_TEST(a_timer_added_while_it_is_fired_by_hand_waits_in_its_mode_afterwards) {
    GYRunLoopTimerRef timer = loop_timer(-1, 3600, adds_itself, "fired");
    EXPECT(GYRunLoopTimerFire(timer));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired fired");
    loop_drop(timer);
}

/* R108: it is in its mode all the time. */
static void traces_mode(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    test_trace("%d %d", GYRunLoopContainsTimer(rl, timer, DEFAULT),
               GYRunLoopGetNextTimerFireAt(rl, DEFAULT) == GYRunLoopTimerGetNextFireAt(timer));
}

LOOP_TEST(a_timer_that_is_fired_by_hand_is_the_next_one_of_its_mode) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(1000, 3600, traces_mode, NULL));
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "1 1");
    loop_drop(timer);
}

/* Contexts. */

static int held;

static const void *retain(const void *info) {
    held++;
    return info;
}

static void release(const void *info) {
    (void)info;
    held--;
    test_trace("released");
}

static GYRunLoopTimerRef with_context(double interval_s, GYRunLoopTimerCallBack callout,
                                      GYRunLoopTimerContext context) {
    return GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 1000, interval_s,
                                0, 0, callout, &context);
}

static void invalidates(GYRunLoopTimerRef timer, void *info) {
    (void)info;
    GYRunLoopTimerInvalidate(timer);
    test_trace("looked %d", held);
}

/* R121 */
LOOP_TEST(info_is_retained_around_a_call_by_hand_where_it_can_be) {
    int x;
    GYRunLoopTimerRef timer = loop_in(
        DEFAULT,
        with_context(1, invalidates,
                     (GYRunLoopTimerContext){.info = &x, .retain = retain, .release = release}));
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "released looked 1 released");
    GYRelease(timer);
    timer = with_context(1, invalidates, (GYRunLoopTimerContext){.info = &x, .release = release});
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "released looked -1");
    GYRelease(timer);
}

static void gives_itself_up(GYRunLoopTimerRef timer, void *info) {
    (void)info;
    GYRelease(timer);
    test_trace("valid %d", GYRunLoopTimerIsValid(timer));
}

/* R165 */
LOOP_TEST(a_timer_that_gives_up_its_last_reference_by_hand_lives_until_the_callout_returns) {
    GYRunLoopTimerRef timer = with_context(
        1, gives_itself_up, (GYRunLoopTimerContext){.retain = retain, .release = release});
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "valid 1");
}

typedef struct {
    GYRunLoopTimerRef timer;
    test_event is_called, may_return;
    atomic_bool has_returned, has_waited;
} slow_call;

static void waits_to_return(GYRunLoopTimerRef timer, void *given) {
    (void)timer;
    slow_call *self = given;
    test_event_signal(&self->is_called);
    test_event_wait(&self->may_return);
    atomic_store(&self->has_returned, true);
}

static void ends_and_waits(void *given) {
    slow_call *self = given;
    GYRunLoopTimerInvalidateAndWait(self->timer);
    EXPECT(atomic_load(&self->has_returned));
    atomic_store(&self->has_waited, true);
}

static void fires_slowly(void *given) { fires(((slow_call *)given)->timer); }

/* R171, R191 */
TEST(whoever_invalidates_and_waits_waits_for_a_call_by_hand) {
    slow_call self = {.timer = NULL};
    test_event_init(&self.is_called);
    test_event_init(&self.may_return);
    GYRunLoopTimerContext context = {.info = &self};
    self.timer =
        GYRunLoopTimerCreate(kGYAllocatorDefault, 0, 1000, 0, 0, waits_to_return, &context);
    pthread_t firing = test_thread_start(fires_slowly, &self);
    test_event_wait(&self.is_called);
    test_capture_log();
    EXPECT(!GYRunLoopTimerFire(self.timer));
    EXPECT_STR(test_log(),
               "gyre: GYRunLoopTimerFire: it is in the loop of another thread, or being "
               "called by one (R191)");
    pthread_t waiting = test_thread_start(ends_and_waits, &self);
    TEST_WAIT_UNTIL(!GYRunLoopTimerIsValid(self.timer));
    EXPECT(!atomic_load(&self.has_waited));
    test_event_signal(&self.may_return);
    test_thread_join(waiting);
    test_thread_join(firing);
    GYRelease(self.timer);
}

typedef struct {
    loop_worker worker;
    GYRunLoopTimerRef timer;
    atomic_int calls;
    atomic_bool is_over;
} race;

static void gives_and_takes(void *given) {
    race *self = given;
    for (int i = 0; i < 2000; i++) {
        GYRunLoopAddTimer(self->worker.rl, self->timer, DEFAULT);
        GYRunLoopRemoveTimer(self->worker.rl, self->timer, DEFAULT);
    }
    atomic_store(&self->is_over, true);
}

/* R110, R191: it is fired here or belongs there; wherever it is in the end, it fires. */
TEST(a_timer_is_not_lost_when_it_is_fired_by_hand_while_another_thread_gives_it_to_a_loop) {
    race self = {0};
    GYRunLoopTimerContext context = {.info = &self.calls};
    loop_worker_start(&self.worker, DEFAULT);
    self.timer = GYRunLoopTimerCreateAt(INT64_MAX, INT64_MAX, 0, loop_timer_counts, &context);
    test_capture_log();
    pthread_t other = test_thread_start(gives_and_takes, &self);
    while (!atomic_load(&self.is_over)) GYRunLoopTimerFire(self.timer);
    test_thread_join(other);
    GYRunLoopAddTimer(self.worker.rl, self.timer, DEFAULT);
    int before = atomic_load(&self.calls);
    GYRunLoopTimerSetNextFireAt(self.timer, 0);
    TEST_WAIT_UNTIL(atomic_load(&self.calls) > before);
    loop_drop(self.timer);
    loop_worker_drop(&self.worker);
}

static void invalidates_and_waits(GYRunLoopTimerRef timer, void *word) {
    GYRunLoopTimerInvalidateAndWait(timer);
    loop_traces(word);
}

LOOP_TEST(a_timer_does_not_wait_for_its_own_call_by_hand) {
    GYRunLoopTimerRef timer = loop_timer(1000, 1, invalidates_and_waits, "returned");
    EXPECT(GYRunLoopTimerFire(timer));
    EXPECT_STR(test_trace_take(), "returned");
    GYRelease(timer);
}

/* Calls that an exception or a jump leaves. */

static jmp_buf landing;

static void jumps(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    loop_traces(word);
    longjmp(landing, 1);
}

static __attribute__((noinline)) void fire_below(GYRunLoopTimerRef timer, int frames) {
    if (frames > 0) {
        fire_below(timer, frames - 1);
    } else {
        GYRunLoopTimerFire(timer);
    }
    __asm__ volatile(""); /* no tail call: the frame is what this is for */
}

static __attribute__((noinline)) void fire_and_land(GYRunLoopTimerRef timer) {
    if (setjmp(landing) == 0) fire_below(timer, 32);
}

LOOP_TEST(a_jump_out_of_a_call_by_hand_leaves_the_timer_to_be_fired_again) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(1000, 3600, jumps, "left"));
    int64_t next_ns = GYRunLoopTimerGetNextFireAt(timer);
    fire_and_land(timer);
    fire_and_land(timer);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "left left");
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), next_ns);
    GYRunLoopTimerSetNextFireAt(timer, 0);
    if (setjmp(landing) == 0) loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "left");
    loop_drop(timer);
}

LOOP_TEST(a_jump_out_of_a_call_by_hand_gives_back_what_it_held) {
    GYRunLoopTimerRef timer = with_context(
        0, jumps, (GYRunLoopTimerContext){.info = "left", .retain = retain, .release = release});
    loop_in(DEFAULT, timer);
    fire_and_land(timer);
    EXPECT_INT(held, 2);
    loop_poll(DEFAULT);
    EXPECT_INT(held, 0); /* the run has found it left, and so ended */
    EXPECT(!GYRunLoopTimerIsValid(timer));
    GYRelease(timer);
}

static void fires_and_lands(GYRunLoopTimerRef timer, void *other) {
    (void)timer;
    fire_and_land(other);
    test_trace("landed");
}

/* The run goes on, and finds the other timer free. */
LOOP_TEST(a_jump_out_of_a_call_by_hand_into_a_callout_lets_the_run_go_on) {
    GYRunLoopTimerRef other = loop_in(DEFAULT, loop_timer(1000, 3600, jumps, "left"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 3600, fires_and_lands, other));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "left landed");
    GYRunLoopTimerSetNextFireAt(other, 0);
    if (setjmp(landing) == 0) loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "left");
    loop_drop(timer);
    loop_drop(other);
}

static void leaves_a_call(void *timer) { fire_and_land(timer); }

/* R4 */
TEST(a_thread_that_has_left_a_call_by_hand_frees_the_timer_at_its_end) {
    GYRunLoopTimerRef timer = loop_timer(1000, 3600, jumps, "left");
    test_thread(leaves_a_call, timer);
    fire_and_land(timer);
    EXPECT_STR(test_trace_take(), "left left");
    loop_drop(timer);
}

static void exits(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    loop_traces(word);
    pthread_exit(NULL);
}

static void adds_and_fires(void *timer) {
    loop_in(DEFAULT, timer);
    GYRunLoopTimerFire(timer);
}

TEST(a_thread_that_ends_in_a_call_by_hand_frees_the_timer) {
    GYRunLoopTimerRef timer = loop_timer(1000, 3600, exits, "exits");
    test_thread(adds_and_fires, timer);
    EXPECT_STR(test_trace_take(), "exits");
    EXPECT(GYRunLoopTimerIsValid(timer));
    loop_in(DEFAULT, timer);
    EXPECT(GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, DEFAULT));
    loop_drop(timer);
}

/* R7 */
static void fires_in_child(void *timer) {
    loop_in(DEFAULT, timer);
    GYRunLoopTimerSetNextFireAt(timer, 0);
    loop_poll(DEFAULT);
}

static slow_call forked = {.is_called = TEST_EVENT_INIT, .may_return = TEST_EVENT_INIT};
static bool is_child;

static void waits_in_parent(GYRunLoopTimerRef timer, void *word) {
    if (is_child) {
        loop_traces(word);
    } else {
        waits_to_return(timer, &forked);
    }
}

static void checks_in_child(void *timer) {
    is_child = true;
    fires_in_child(timer);
    EXPECT_STR(test_trace_take(), "fired");
}

TEST(a_call_by_hand_on_another_thread_does_not_keep_the_timer_busy_in_the_child) {
    forked.timer = loop_timer(1000, 3600, waits_in_parent, "fired");
    pthread_t firing = test_thread_start(fires_slowly, &forked);
    test_event_wait(&forked.is_called);
    EXPECT_INT(test_child(checks_in_child, forked.timer), 0);
    test_event_signal(&forked.may_return);
    test_thread_join(firing);
    loop_drop(forked.timer);
}

TEST_MAIN()
