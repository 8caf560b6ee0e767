/* Other threads at a running loop: changes, ends, waiting for ends, and what they can rely on. */
#include "support/loop.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sched.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

/* Changes. */

/* R170: what a loop does while others change it from all sides. */
typedef struct {
    GYRunLoopRef rl;
    int rounds;
    atomic_int *count;
} changer;

static void changes_sources(void *info) {
    changer *self = info;
    for (int i = 0; i < self->rounds; i++) {
        GYRunLoopSourceRef source = loop_source0(i % 3, loop_counts, self->count);
        GYRunLoopAddSource(self->rl, source, DEFAULT);
        GYRunLoopAddSource(self->rl, source, kGYRunLoopCommonModes);
        GYRunLoopSourceSignal(source);
        GYRunLoopWakeUp(self->rl);
        if (i % 2) GYRunLoopRemoveSource(self->rl, source, DEFAULT);
        loop_drop(source);
    }
}

static void changes_timers(void *info) {
    changer *self = info;
    for (int i = 0; i < self->rounds; i++) {
        GYRunLoopTimerRef timer = loop_timer(0, i % 2 ? 0.001 : 0, loop_timer_counts, self->count);
        GYRunLoopAddTimer(self->rl, timer, DEFAULT);
        GYRunLoopAddTimer(self->rl, timer, OTHER);
        GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent());
        if (i % 3 == 0) GYRunLoopRemoveTimer(self->rl, timer, DEFAULT);
        loop_drop(timer);
    }
}

static void observes(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *count) {
    (void)observer;
    (void)activity;
    loop_counts(count);
}

static void changes_observers(void *info) {
    changer *self = info;
    for (int i = 0; i < self->rounds; i++) {
        GYRunLoopObserverRef observer =
            loop_observer(kGYRunLoopAllActivities, i % 2, i % 3, observes, self->count);
        GYRunLoopAddObserver(self->rl, observer, DEFAULT);
        GYRunLoopWakeUp(self->rl);
        if (i % 3 == 0) GYRunLoopRemoveObserver(self->rl, observer, DEFAULT);
        loop_drop(observer);
    }
}

static void changes_ports(void *info) {
    changer *self = info;
    int ends[2];
    REQUIRE(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    for (int i = 0; i < self->rounds; i++) {
        GYRunLoopSourceRef port = loop_port(ends[0], loop_counts, self->count);
        GYRunLoopAddSource(self->rl, port, DEFAULT);
        if (i % 2) GYRunLoopRemoveSource(self->rl, port, DEFAULT);
        loop_drop(port);
    }
    close(ends[0]);
    close(ends[1]);
}

static void expect_loop_survives(test_function changes, int threads, int rounds) {
    loop_worker worker;
    pthread_t started[8];
    atomic_int count = 0, last = 0;
    test_capture_log();
    loop_worker_start(&worker, DEFAULT);
    changer self = {worker.rl, rounds, &count};
    for (int i = 0; i < threads; i++) started[i] = test_thread_start(changes, &self);
    for (int i = 0; i < threads; i++) test_thread_join(started[i]);
    GYRunLoopSourceRef source = loop_source0(0, loop_counts, &last);
    GYRunLoopAddSource(worker.rl, source, DEFAULT);
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(worker.rl);
    TEST_WAIT_UNTIL(atomic_load(&last) == 1);
    loop_drop(source);
    loop_worker_drop(&worker);
    EXPECT_STR(test_log(), "");
}

/* R170, R171 */
TEST(sources_come_and_go_from_other_threads_while_the_loop_runs) {
    expect_loop_survives(changes_sources, 4, 1000);
}

/* R170, R171 */
TEST(timers_come_and_go_from_other_threads_while_the_loop_runs) {
    expect_loop_survives(changes_timers, 4, 1000);
}

/* R170, R171 */
TEST(observers_come_and_go_from_other_threads_while_the_loop_runs) {
    expect_loop_survives(changes_observers, 4, 1000);
}

/* F97: eight threads, two thousand pipes' sources each, one loop. */
TEST(ports_come_and_go_from_eight_threads_while_the_loop_runs) {
    expect_loop_survives(changes_ports, 8, 2000);
}

typedef struct {
    GYRunLoopRef rl;
    atomic_bool ends;
    atomic_int count;
} churner;

static void churns_signalled_sources(void *info) {
    churner *self = info;
    while (!atomic_load(&self->ends)) {
        GYRunLoopSourceRef source = loop_source0(0, loop_counts, &self->count);
        GYRunLoopAddSource(self->rl, source, DEFAULT);
        GYRunLoopSourceSignal(source);
        loop_drop(source);
    }
}

/* Waits without a pause, for there are many rounds. */
static void wait_for_count(atomic_int *count, int wanted) {
    int64_t until_ns = test_now_ns() + (int64_t)(1e10 * test_slowness());
    while (atomic_load(count) < wanted && test_now_ns() < until_ns) sched_yield();
    REQUIRE(atomic_load(count) >= wanted);
}

/* R48, R72: the end of one source does not swallow the signal of another. */
TEST(no_signal_is_lost_while_other_signalled_sources_come_and_go) {
    loop_worker worker;
    atomic_int performed = 0;
    loop_worker_start(&worker, DEFAULT);
    churner self = {.rl = worker.rl};
    GYRunLoopSourceRef source = loop_source0(1, loop_counts, &performed);
    GYRunLoopAddSource(worker.rl, source, DEFAULT);
    pthread_t thread = test_thread_start(churns_signalled_sources, &self);
    for (int i = 1; i <= 20000; i++) {
        GYRunLoopSourceSignal(source);
        GYRunLoopWakeUp(worker.rl);
        wait_for_count(&performed, i);
    }
    atomic_store(&self.ends, true);
    test_thread_join(thread);
    loop_drop(source);
    loop_worker_drop(&worker);
}

/* Ends that are waited for. Each round has memory of its own, so that a late call is seen. */

typedef struct {
    atomic_bool ended; /* set once the invalidation has returned */
    atomic_bool in_callout;
    atomic_int calls, calls_after;
} guarded;

#define ROUNDS 2000

static guarded rounds[ROUNDS];

static void note_call(guarded *self) {
    atomic_store(&self->in_callout, true);
    if (atomic_load(&self->ended)) atomic_fetch_add(&self->calls_after, 1);
    atomic_fetch_add(&self->calls, 1);
    atomic_store(&self->in_callout, false);
}

static void guarded_fire(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    note_call(info);
}

static void guarded_perform(void *info) { note_call(info); }

static void guarded_observe(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    note_call(info);
}

static void time_one(guarded *self, GYRunLoopRef rl, bool waits) {
    GYRunLoopTimerRef timer = loop_timer(0, 1e-6, guarded_fire, self);
    GYRunLoopAddTimer(rl, timer, DEFAULT);
    if (waits) TEST_WAIT_UNTIL(atomic_load(&self->calls) > 0);
    GYRunLoopTimerInvalidateAndWait(timer);
    EXPECT(!atomic_load(&self->in_callout));
    atomic_store(&self->ended, true);
    GYRelease(timer);
}

static void signal_one(guarded *self, GYRunLoopRef rl, bool waits) {
    GYRunLoopSourceRef source = loop_source0(0, guarded_perform, self);
    GYRunLoopAddSource(rl, source, DEFAULT);
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(rl);
    if (waits) TEST_WAIT_UNTIL(atomic_load(&self->calls) > 0);
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(rl);
    GYRunLoopSourceInvalidateAndWait(source);
    EXPECT(!atomic_load(&self->in_callout));
    atomic_store(&self->ended, true);
    GYRelease(source);
}

static void observe_one(guarded *self, GYRunLoopRef rl, bool waits) {
    GYRunLoopObserverRef observer =
        loop_observer(kGYRunLoopAllActivities, true, 0, guarded_observe, self);
    GYRunLoopAddObserver(rl, observer, DEFAULT);
    GYRunLoopWakeUp(rl);
    if (waits) TEST_WAIT_UNTIL(atomic_load(&self->calls) > 0);
    GYRunLoopObserverInvalidateAndWait(observer);
    EXPECT(!atomic_load(&self->in_callout));
    atomic_store(&self->ended, true);
    GYRelease(observer);
}

static void expect_no_late_call(void (*play)(guarded *, GYRunLoopRef, bool)) {
    loop_worker worker;
    int late = 0;
    loop_worker_start(&worker, DEFAULT);
    for (int i = 0; i < ROUNDS; i++) play(&rounds[i], worker.rl, i % 2);
    loop_worker_drop(&worker);
    for (int i = 0; i < ROUNDS; i++) late += atomic_load(&rounds[i].calls_after);
    EXPECT_INT(late, 0);
}

/* R171, F53: after the waiting form nothing runs and nothing begins. */
TEST(no_timer_callout_runs_or_begins_after_invalidate_and_wait) { expect_no_late_call(time_one); }

/* R171 */
TEST(no_source_callout_runs_or_begins_after_invalidate_and_wait) {
    expect_no_late_call(signal_one);
}

/* R171 */
TEST(no_observer_callout_runs_or_begins_after_invalidate_and_wait) {
    expect_no_late_call(observe_one);
}

/* A callout that is held up until it is let go. */
typedef struct {
    test_event entered, let_go, waited;
    atomic_bool returning;
    GYRunLoopSourceRef source;
} held;

static void is_held(void *info) {
    held *self = info;
    test_event_signal(&self->entered);
    test_event_wait(&self->let_go);
    atomic_store(&self->returning, true);
}

static void invalidates_and_waits(void *info) {
    held *self = info;
    GYRunLoopSourceInvalidateAndWait(self->source);
    EXPECT(atomic_load(&self->returning));
    test_event_signal(&self->waited);
}

static void start_held(held *self, loop_worker *worker) {
    test_event_init(&self->entered);
    test_event_init(&self->let_go);
    test_event_init(&self->waited);
    loop_worker_start(worker, DEFAULT);
    self->source = loop_source0(0, is_held, self);
    GYRunLoopAddSource(worker->rl, self->source, DEFAULT);
    GYRunLoopSourceSignal(self->source);
    GYRunLoopWakeUp(worker->rl);
    test_event_wait(&self->entered);
}

/* R171: the plain form returns while the callout is held up, the waiting form after it. */
TEST(invalidate_does_not_wait_for_a_callout_in_progress_and_the_waiting_form_does) {
    loop_worker worker;
    held self = {0};
    start_held(&self, &worker);
    GYRunLoopSourceInvalidate(self.source);
    EXPECT(!atomic_load(&self.returning));
    pthread_t thread = test_thread_start(invalidates_and_waits, &self);
    EXPECT(!test_event_wait_for(&self.waited, 0.02));
    test_event_signal(&self.let_go);
    test_event_wait(&self.waited);
    test_thread_join(thread);
    GYRelease(self.source);
    loop_worker_drop(&worker);
}

static GYRunLoopTimerRef own_timer;
static GYRunLoopObserverRef own_observer;
static GYRunLoopSourceRef own_source;

static void ends_all_and_waits(const char *word) {
    GYRunLoopTimerInvalidateAndWait(own_timer);
    GYRunLoopObserverInvalidateAndWait(own_observer);
    GYRunLoopSourceInvalidateAndWait(own_source);
    test_trace("%s", word);
}

static void source_ends(void *word) { ends_all_and_waits(word); }

static void timer_ends(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    ends_all_and_waits(word);
}

static void observer_ends(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *word) {
    (void)observer;
    (void)activity;
    ends_all_and_waits(word);
}

/* R171: waiting for oneself would never end. */
LOOP_TEST(the_waiting_form_does_not_wait_on_the_loops_own_thread) {
    for (int who = 0; who < 3; who++) {
        own_timer = loop_in(DEFAULT, loop_timer(-1, 0, who == 0 ? timer_ends : NULL, "timer"));
        own_observer = loop_in(DEFAULT, loop_observer(kGYRunLoopBeforeSources, true, 0,
                                                      who == 1 ? observer_ends : NULL, "observer"));
        own_source = loop_in(DEFAULT, loop_source0(0, who == 2 ? source_ends : NULL, "source"));
        GYRunLoopSourceSignal(own_source);
        GYRunLoopSourceRef keep = loop_keep(OTHER);
        loop_in(DEFAULT, keep);
        EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
        loop_drop(own_timer);
        loop_drop(own_observer);
        loop_drop(own_source);
        loop_drop(keep);
    }
    EXPECT_STR(test_trace_take(), "timer observer source");
}

/* Plain memory, so that a thread sanitizer sees a race. */
static long plain_value;

typedef struct {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
    long value;
    atomic_int done;
} writer;

static void signals_done(void *info) {
    writer *self = info;
    EXPECT_INT(plain_value, self->value);
    plain_value = -1;
    atomic_fetch_add(&self->done, 1);
}

static void fires_done(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    signals_done(info);
}

/* One way of handing over in each round. */
static void hand_over(writer *self, int way) {
    if (way == 0) {
        GYRunLoopSourceSignal(self->source);
        GYRunLoopWakeUp(self->rl);
    } else if (way == 1) {
        GYRunLoopPerform(self->rl, DEFAULT, signals_done, self, NULL);
        GYRunLoopWakeUp(self->rl);
    } else {
        GYRunLoopTimerRef timer = loop_timer(0, 0, fires_done, self);
        GYRunLoopAddTimer(self->rl, timer, DEFAULT);
        GYRelease(timer);
    }
}

/* R172 */
TEST(what_was_written_before_a_signal_a_perform_or_an_addition_is_seen_by_the_callout) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    writer self = {.rl = worker.rl};
    self.source = loop_source0(0, signals_done, &self);
    GYRunLoopAddSource(worker.rl, self.source, DEFAULT);
    for (int i = 1; i <= 999; i++) {
        self.value = i;
        plain_value = i;
        hand_over(&self, i % 3);
        wait_for_count(&self.done, i);
        EXPECT_INT(plain_value, -1);
    }
    loop_drop(self.source);
    loop_worker_drop(&worker);
}

TEST_MAIN()
