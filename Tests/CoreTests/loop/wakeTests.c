/* Waking: when a wake-up is remembered, when it is dropped, and what is not one. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sys/eventfd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static void wake(void) { GYRunLoopWakeUp(GYRunLoopGetCurrent()); }

/* An observer that calls a function the first time. */
typedef struct {
    void (*act)(void);
    bool has_acted;
} first_time;

static void acts_once(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    first_time *self = info;
    (void)observer;
    (void)activity;
    if (self->has_acted) return;
    self->has_acted = true;
    self->act();
}

/* How often a run that ends by its time-out slept; the time-out is kept in any case. */
static int sleeps_of_run(double seconds) {
    int count = 0;
    int64_t start_ns = test_now_ns();
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer =
        loop_observer(kGYRunLoopAfterWaiting, true, 0, port_counts_iteration, &count);
    loop_in(DEFAULT, observer);
    EXPECT_INT(loop_run(seconds), kGYRunLoopRunTimedOut);
    EXPECT(test_now_ns() - start_ns >= (int64_t)(seconds * 1e9));
    loop_drop(observer);
    loop_drop(keep);
    return count;
}

static int sleeps_when_acting_at(GYRunLoopActivity activity, void (*act)(void)) {
    first_time self = {act, false};
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(activity, true, -1, acts_once, &self));
    int sleeps = sleeps_of_run(0.02);
    EXPECT(self.has_acted);
    loop_drop(observer);
    return sleeps;
}

/* Remembered and dropped. */

/* R151 */
LOOP_TEST(a_wake_up_outside_a_run_is_dropped) {
    wake();
    wake();
    EXPECT_INT(sleeps_of_run(0.02), 1);
}

/* R153 */
LOOP_TEST(a_wake_up_sent_between_the_start_and_the_sleep_ends_that_sleep_at_once) {
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopEntry, wake), 2);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeTimers, wake), 2);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeSources, wake), 2);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeWaiting, wake), 2);
}

static void wakes(void *unused) {
    (void)unused;
    wake();
}

/* R153, R31 step 3 */
LOOP_TEST(a_wake_up_sent_by_a_block_before_the_sleep_ends_that_sleep_at_once) {
    GYRunLoopPerform(GYRunLoopGetCurrent(), DEFAULT, wakes, NULL, NULL);
    EXPECT_INT(sleeps_of_run(0.02), 2);
}

static void wakes_thrice(void) {
    wake();
    wake();
    wake();
}

/* R150 */
LOOP_TEST(several_wake_ups_before_the_loop_gets_going_are_one) {
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeWaiting, wakes_thrice), 2);
}

static void timer_wakes(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    wakes(unused);
}

static void performs_wake(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    GYRunLoopPerform(GYRunLoopGetCurrent(), DEFAULT, wakes, unused, NULL);
}

/* Sleeps of a run whose first one is ended by a timer that is due. */
static int sleeps_with_due_timer(GYRunLoopTimerCallBack callout) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 0, callout, NULL));
    int sleeps = sleeps_of_run(0.02);
    loop_drop(timer);
    return sleeps;
}

/* R153: the timer ends the first sleep, the time-out the second, and there is no third. */
LOOP_TEST(a_wake_up_sent_after_the_sleep_is_dropped) {
    EXPECT_INT(sleeps_with_due_timer(timer_wakes), 2);
    EXPECT_INT(sleeps_with_due_timer(performs_wake), 2);
    first_time self = {wake, false};
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAfterWaiting, true, 0, acts_once, &self));
    EXPECT_INT(sleeps_with_due_timer(NULL), 2);
    EXPECT(self.has_acted);
    loop_drop(observer);
}

static void port_wakes(port *self) {
    (void)self;
    wake();
}

/* R153 */
LOOP_TEST(a_wake_up_sent_by_a_port_callback_is_dropped) {
    port p = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK), .act = port_wakes};
    port_watch(&p);
    EXPECT_INT(sleeps_of_run(0.02), 2);
    loop_drop(p.source);
    close(p.fd);
}

/* R153: nor does the next run see it. */
LOOP_TEST(a_wake_up_sent_by_an_exit_observer_is_dropped) {
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopExit, wake), 1);
    EXPECT_INT(sleeps_of_run(0.02), 1);
}

/* R153, R38: the pass that performs the source does not sleep; its look uses the wake-up. */
LOOP_TEST(a_wake_up_sent_by_a_source_is_used_up_by_the_pass_that_performs_it) {
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, wakes, NULL));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(sleeps_of_run(0.02), 1);
    loop_drop(source);
}

/* R150: no source is performed and no timer fired because of it. */
LOOP_TEST(a_wake_up_performs_nothing) {
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_traces, "source"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(3600, 0, loop_timer_traces, "timer"));
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeWaiting, wake), 2);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
    loop_drop(timer);
}

/* From other threads. */

static GYRunLoopRef woken_loop;

static void wakes_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(woken_loop);
    GYRunLoopWakeUp(woken_loop);
}

static void stops_loop(void) { GYRunLoopStop(GYRunLoopGetCurrent()); }

/* R150, F71 */
LOOP_TEST(a_wake_up_of_a_sleeping_loop_yields_one_after_waiting) {
    const GYOptionFlags traced = kGYRunLoopAllActivities;
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef tracing = loop_in(DEFAULT, loop_trace_observer(traced));
    first_time self = {stops_loop, false};
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAfterWaiting, true, 1, acts_once, &self));
    woken_loop = GYRunLoopGetCurrent();
    pthread_t thread = test_thread_start(wakes_when_asleep, NULL);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    loop_drop(observer);
    loop_drop(tracing);
    loop_drop(keep);
}

static void expects_awake(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    (void)info;
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
}

static void sleeps_nested(void) {
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
    GYRunLoopRunInMode(OTHER, 20, false);
    EXPECT(!GYRunLoopIsWaiting(GYRunLoopGetCurrent()));
}

static void stops_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(woken_loop);
    GYRunLoopStop(woken_loop);
}

/* R152: true while a nested run sleeps too. */
LOOP_TEST(a_loop_is_waiting_while_it_or_a_nested_run_sleeps_and_in_no_callout) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_observer(kGYRunLoopAllActivities, true, 0, expects_awake, NULL));
    loop_in(OTHER, observer);
    woken_loop = GYRunLoopGetCurrent();
    pthread_t thread = test_thread_start(stops_when_asleep, NULL);
    sleeps_when_acting_at(kGYRunLoopBeforeTimers, sleeps_nested);
    test_thread_join(thread);
    EXPECT(!GYRunLoopIsWaiting(woken_loop));
    loop_drop(observer);
    loop_drop(keep);
}

/* Nested runs. */

static void wakes_and_nests(void) {
    wake();
    GYRunLoopRunInMode(OTHER, 0.005, false);
}

static void nests(void) { GYRunLoopRunInMode(OTHER, 0.001, false); }

/* R150 */
LOOP_TEST(a_wake_up_used_by_a_nested_run_does_not_wake_the_outer_one_again) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeSources, wakes_and_nests), 1);
    loop_drop(keep);
}

/* A nested run that its timer's wake-up finds going round, and that sleeps once more. */
static void is_woken_going_round(void) {
    GYRunLoopTimerRef timer = loop_in(OTHER, loop_timer(-1, 0, timer_wakes, NULL));
    GYRunLoopRunInMode(OTHER, 0.005, false);
    loop_drop(timer);
}

/* R153: it came between the start of the outer iteration and its sleep. */
LOOP_TEST(a_wake_up_that_a_nested_run_drops_going_round_ends_the_sleep_of_the_outer_one) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeSources, is_woken_going_round), 2);
    loop_drop(keep);
}

/* R150: so that nothing is lost, the sleep that would follow is only a look. */
LOOP_TEST(after_a_run_nested_in_a_before_waiting_observer_the_loop_looks_before_it_sleeps) {
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeWaiting, nests), 2);
    EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeWaiting, wakes_and_nests), 2);
    loop_drop(keep);
}

/* Edges without a wake-up. */

static GYRunLoopSourceRef ending;

static void signals_ending(void) { GYRunLoopSourceSignal(ending); }

/* A run of the other mode whose sleep a wake-up from another thread ends. It is not stopped, for a
 * stop would wake again. */
static void is_woken_in_nested_run(void) {
    first_time self = {signals_ending, false};
    ending = loop_in(OTHER, loop_source0(0, NULL, &self));
    GYRunLoopObserverRef observer =
        loop_in(OTHER, loop_observer(kGYRunLoopAfterWaiting, true, 0, acts_once, &self));
    pthread_t thread = test_thread_start(wakes_when_asleep, NULL);
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 20, true), kGYRunLoopRunHandledSource);
    test_thread_join(thread);
    loop_drop(observer);
    loop_drop(ending);
}

/* R156: each mode with a port has a set of its own, in which the edge is still to be seen. */
LOOP_TEST(the_edge_of_a_wake_up_that_another_modes_run_used_is_not_seen) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    GYRunLoopSourceRef here = loop_in(DEFAULT, loop_port(fd, loop_traces, "port"));
    GYRunLoopSourceRef there = loop_in(OTHER, loop_port(fd, loop_traces, "port"));
    woken_loop = GYRunLoopGetCurrent();
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(sleeps_when_acting_at(kGYRunLoopBeforeSources, is_woken_in_nested_run), 1);
    }
    EXPECT_STR(test_trace_take(), "");
    loop_drop(here);
    loop_drop(there);
    close(fd);
}

/* R156: a set made later sees the old count at its first wait. */
LOOP_TEST(the_edge_of_an_old_wake_up_is_not_seen_in_a_mode_that_gets_its_first_port_later) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    woken_loop = GYRunLoopGetCurrent();
    is_woken_in_nested_run();
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_port(fd, loop_traces, "port"));
    EXPECT_INT(sleeps_of_run(0.02), 1);
    loop_drop(source);
    loop_drop(keep);
    close(fd);
}

/* Great numbers. */

typedef struct {
    atomic_long pending, taken, calls;
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
} item_queue;

#define PRODUCERS 4
#define ITEMS 50000

static void takes_all(void *info) {
    item_queue *queue = info;
    atomic_fetch_add(&queue->taken, atomic_exchange(&queue->pending, 0));
    atomic_fetch_add(&queue->calls, 1);
}

static void produces(void *info) {
    item_queue *queue = info;
    for (int i = 0; i < ITEMS; i++) {
        atomic_fetch_add(&queue->pending, 1);
        GYRunLoopSourceSignal(queue->source);
        GYRunLoopWakeUp(queue->rl);
    }
}

static void start_producers(item_queue *queue, loop_worker *worker, pthread_t *threads) {
    loop_worker_start(worker, DEFAULT);
    queue->rl = worker->rl;
    queue->source = loop_source0(0, takes_all, queue);
    GYRunLoopAddSource(worker->rl, queue->source, DEFAULT);
    for (int i = 0; i < PRODUCERS; i++) threads[i] = test_thread_start(produces, queue);
}

/* F74, R48, R172 */
TEST(no_item_of_four_producers_that_signal_and_wake_is_lost) {
    loop_worker worker;
    pthread_t threads[PRODUCERS];
    item_queue queue = {0};
    start_producers(&queue, &worker, threads);
    for (int i = 0; i < PRODUCERS; i++) test_thread_join(threads[i]);
    TEST_WAIT_UNTIL(atomic_load(&queue.taken) == (long)PRODUCERS * ITEMS);
    EXPECT(atomic_load(&queue.calls) <= (long)PRODUCERS * ITEMS);
    loop_drop(queue.source);
    loop_worker_drop(&worker);
}

/* F74, R171: the source ends in the middle. */
TEST(a_source_may_be_invalidated_while_four_producers_signal_it) {
    loop_worker worker;
    pthread_t threads[PRODUCERS];
    item_queue queue = {0};
    start_producers(&queue, &worker, threads);
    TEST_WAIT_UNTIL(atomic_load(&queue.taken) > ITEMS / 2);
    GYRunLoopSourceInvalidateAndWait(queue.source);
    long calls = atomic_load(&queue.calls);
    for (int i = 0; i < PRODUCERS; i++) test_thread_join(threads[i]);
    EXPECT_INT(atomic_load(&queue.calls), calls);
    GYRelease(queue.source);
    loop_worker_drop(&worker);
}

/* Two loops that hand one another the turn: a lost wake-up stops them. */
typedef struct {
    loop_worker worker;
    GYRunLoopSourceRef source, others;
    GYRunLoopRef other_loop;
    int turns;
    test_event done;
} player;

#define TURNS 20000

static void plays(void *info) {
    player *self = info;
    if (++self->turns == TURNS) test_event_signal(&self->done);
    GYRunLoopSourceSignal(self->others);
    GYRunLoopWakeUp(self->other_loop);
}

/* R48: also in the moment between deciding to sleep and sleeping. */
TEST(two_loops_that_wake_one_another_never_lose_a_turn) {
    player players[2] = {0};
    for (int i = 0; i < 2; i++) {
        test_event_init(&players[i].done);
        loop_worker_start(&players[i].worker, DEFAULT);
        players[i].source = loop_source0(0, plays, &players[i]);
    }
    for (int i = 0; i < 2; i++) {
        players[i].others = players[1 - i].source;
        players[i].other_loop = players[1 - i].worker.rl;
        GYRunLoopAddSource(players[i].worker.rl, players[i].source, DEFAULT);
    }
    GYRunLoopSourceSignal(players[0].source);
    GYRunLoopWakeUp(players[0].worker.rl);
    for (int i = 0; i < 2; i++) test_event_wait(&players[i].done);
    for (int i = 0; i < 2; i++) loop_worker_end(&players[i].worker);
    for (int i = 0; i < 2; i++) {
        loop_drop(players[i].source);
        GYRelease(players[i].worker.rl);
    }
}

TEST_MAIN()
