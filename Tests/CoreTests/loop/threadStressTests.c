/* Many threads and many rounds: stops, ends, floods; nothing lost, nothing left. */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode

/* Stops. */

typedef struct {
    GYRunLoopRef rl;
    atomic_int begun, ended, acknowledged; /* rounds */
    int rounds;
} stopper;

/* Stops each round before, at or after the start of its run, until it has ended. */
static void stops_each_round(void *info) {
    stopper *self = info;
    for (int round = 1; round <= self->rounds; round++) {
        while (atomic_load(&self->begun) < round) sched_yield();
        for (int i = round % 200; i > 0; i--) atomic_load(&self->begun);
        while (atomic_load(&self->ended) < round) {
            GYRunLoopStop(self->rl);
            sched_yield();
        }
        atomic_store(&self->acknowledged, round);
    }
}

/* R43, R44, R48: never lost, and once the run has ended none is left for the next one. */
LOOP_TEST(a_stop_around_the_start_of_a_run_is_never_lost_and_never_reaches_a_later_run) {
    stopper self = {.rl = GYRunLoopGetCurrent(), .rounds = 2000};
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    pthread_t thread = test_thread_start(stops_each_round, &self);
    int stopped = 0, timed_out = 0;
    for (int round = 1; round <= self.rounds; round++) {
        atomic_store(&self.begun, round);
        stopped += loop_run(20) == kGYRunLoopRunStopped;
        atomic_store(&self.ended, round);
        while (atomic_load(&self.acknowledged) < round) sched_yield();
        if (round % 10 == 0) timed_out += loop_run(1e-6) == kGYRunLoopRunTimedOut;
    }
    test_thread_join(thread);
    EXPECT_INT(stopped, self.rounds);
    EXPECT_INT(timed_out, self.rounds / 10);
    loop_drop(keep);
}

/* Threads that come and go. */

static void has_a_loop(void *unused) {
    (void)unused;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(3600, 0, NULL, NULL));
    GYRunLoopSourceRef source = loop_keep(GYSTR("mode of a thread"));
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    GYRelease(timer);
    GYRelease(source);
}

static size_t bytes_in_use(void) { return mallinfo2().uordblks; }

/* R4: descriptors and memory stay as they are. */
TEST(two_thousand_threads_with_loops_one_after_another_leave_nothing) {
    for (int i = 0; i < 50; i++) test_thread(has_a_loop, NULL);
    int descriptors = test_descriptor_count();
    size_t bytes = bytes_in_use();
    for (int i = 0; i < 2000; i++) test_thread(has_a_loop, NULL);
    EXPECT_INT(test_descriptor_count(), descriptors);
    EXPECT(bytes_in_use() <= bytes + 2000);
}

/* R1: each has one of its own while they live together. */
TEST(a_hundred_threads_run_their_loops_at_once) {
    enum { COUNT = 100 };
    static loop_worker workers[COUNT];
    int descriptors = test_descriptor_count();
    for (int i = 0; i < COUNT; i++) loop_worker_start(&workers[i], DEFAULT);
    for (int i = 1; i < COUNT; i++) EXPECT(workers[i].rl != workers[i - 1].rl);
    for (int i = 0; i < COUNT; i++) loop_worker_drop(&workers[i]);
    EXPECT_INT(test_descriptor_count(), descriptors);
}

/* A loop that has nothing to wait with yet: it runs on work alone, which hands itself over again. */
typedef struct {
    GYRunLoopRef rl; /* retained */
    test_event is_known;
    int result;
} beginner;

static void hands_itself_over(void *info) {
    beginner *self = info;
    GYRunLoopPerform(self->rl, DEFAULT, hands_itself_over, self, NULL);
}

static void runs_on_work_alone(void *info) {
    beginner *self = info;
    self->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    hands_itself_over(self);
    test_event_signal(&self->is_known);
    self->result = loop_run(1e9);
}

/* R89, R111, R48: what a wait needs is made by whoever comes first. */
TEST(a_loop_may_fall_asleep_while_another_thread_adds_its_first_timer) {
    atomic_int spins = 0;
    for (int round = 0; round < 1000; round++) {
        beginner self;
        test_event_init(&self.is_known);
        pthread_t thread = test_thread_start(runs_on_work_alone, &self);
        test_event_wait(&self.is_known);
        for (int i = round % 100 * 20; i > 0; i--) atomic_load(&spins);
        GYRunLoopTimerRef timer =
            GYRunLoopTimerCreateAt(GYMonotonicNow(), 0, 0, loop_timer_stops, NULL);
        GYRunLoopAddTimer(self.rl, timer, DEFAULT);
        test_thread_join(thread);
        EXPECT_INT(self.result, kGYRunLoopRunStopped);
        loop_drop(timer);
        GYRelease(self.rl);
    }
}

/* A thread that ends with all kinds of work pending, and one that keeps giving it more. */
typedef struct {
    _Atomic(GYRunLoopRef) rl; /* retained */
    atomic_bool ends;
    atomic_int retained, released;
} ending;

static const void *retains(const void *info) {
    atomic_fetch_add(&((ending *)(uintptr_t)info)->retained, 1);
    return info;
}

static void releases(const void *info) {
    atomic_fetch_add(&((ending *)(uintptr_t)info)->released, 1);
}

static void performs(void *info) { (void)info; }

static void releases_perform(void *info) { releases(info); }

static void add_one_of_each(ending *self, GYRunLoopRef rl) {
    GYRunLoopSourceContext source_context = {.info = self, .retain = retains, .release = releases};
    GYRunLoopTimerContext context = {.info = self, .retain = retains, .release = releases};
    GYRunLoopObserverContext observing = {.info = self, .retain = retains, .release = releases};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(NULL, 0, &source_context);
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreateAt(GYMonotonicNow() + 1000000, 1000000, 0, NULL, &context);
    GYRunLoopObserverRef observer = GYRunLoopObserverCreate(NULL, 7, true, 0, NULL, &observing);
    GYRunLoopAddSource(rl, source, DEFAULT);
    GYRunLoopAddTimer(rl, timer, DEFAULT);
    GYRunLoopAddObserver(rl, observer, kGYRunLoopCommonModes);
    GYRunLoopSourceSignal(source);
    if (GYRunLoopPerform(rl, DEFAULT, performs, self, releases_perform)) retains(self);
    GYRelease(source);
    GYRelease(timer);
    GYRelease(observer);
}

static void ends_with_work(void *info) {
    ending *self = info;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    for (int i = 0; i < 3; i++) add_one_of_each(self, rl);
    GYRetain(rl);
    atomic_store(&self->rl, rl);
    loop_run(0.0005);
}

static void keeps_giving_work(void *info) {
    ending *self = info;
    while (atomic_load(&self->rl) == NULL) sched_yield();
    GYRunLoopRef rl = atomic_load(&self->rl);
    while (!atomic_load(&self->ends)) {
        add_one_of_each(self, rl);
        GYRunLoopWakeUp(rl);
        GYRunLoopStop(rl);
    }
}

/* R4, R5, R161, R171 */
TEST(a_thread_may_end_with_work_pending_while_others_give_it_more) {
    for (int i = 0; i < 200; i++) {
        ending self = {0};
        pthread_t giver = test_thread_start(keeps_giving_work, &self);
        test_thread(ends_with_work, &self);
        atomic_store(&self.ends, true);
        test_thread_join(giver);
        EXPECT(!GYRunLoopIsAlive(atomic_load(&self.rl)));
        GYRelease(atomic_load(&self.rl));
        EXPECT_INT(atomic_load(&self.released), atomic_load(&self.retained));
    }
}

/* The last reference. */

typedef struct {
    test_event entered, let_go;
    atomic_bool in_callout, released_inside, released;
} held;

static void is_held(void *info) {
    held *self = info;
    atomic_store(&self->in_callout, true);
    test_event_signal(&self->entered);
    test_event_wait(&self->let_go);
    atomic_store(&self->in_callout, false);
}

static void notes_release(const void *info) {
    held *self = (held *)(uintptr_t)info;
    atomic_store(&self->released_inside, atomic_load(&self->in_callout));
    atomic_store(&self->released, true);
}

/* R165, R170: given up by another thread while the callout is under way. */
TEST(the_last_reference_to_a_source_may_go_on_another_thread_during_its_callout) {
    loop_worker worker;
    held self = {.entered = TEST_EVENT_INIT, .let_go = TEST_EVENT_INIT};
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopSourceContext context = {.info = &self, .release = notes_release, .perform = is_held};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    GYRunLoopAddSource(worker.rl, source, DEFAULT);
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(worker.rl);
    test_event_wait(&self.entered);
    loop_drop(source);
    EXPECT(!atomic_load(&self.released));
    test_event_signal(&self.let_go);
    TEST_WAIT_UNTIL(atomic_load(&self.released));
    EXPECT(!atomic_load(&self.released_inside));
    loop_worker_drop(&worker);
}

/* Floods. */

#define PRODUCERS 4
#define TURNS 100
#define MOST_PENDING 10000

typedef struct {
    GYRunLoopRef rl;
    int next[PRODUCERS], wrong;
    int firings, port_performs;
    atomic_int pending;
    atomic_bool ends;
} flood;

typedef struct {
    flood *flood;
    int producer, number;
} flood_call;

static void takes_call(void *info) {
    flood_call *call = info;
    if (call->flood->next[call->producer]++ != call->number) call->flood->wrong++;
    atomic_fetch_sub(&call->flood->pending, 1);
}

typedef struct {
    flood *flood;
    int producer, given;
} flooder;

/* Gives calls without a pause, but not more than the machine's memory bears. */
static void floods(void *info) {
    flooder *self = info;
    while (!atomic_load(&self->flood->ends)) {
        if (atomic_load(&self->flood->pending) > MOST_PENDING) {
            sched_yield();
            continue;
        }
        flood_call *call = malloc(sizeof *call);
        REQUIRE(call != NULL);
        *call = (flood_call){self->flood, self->producer, self->given++};
        atomic_fetch_add(&self->flood->pending, 1);
        REQUIRE(GYRunLoopPerform(self->flood->rl, DEFAULT, takes_call, call, free));
        GYRunLoopWakeUp(self->flood->rl);
    }
}

static void stop_when_served(flood *self) {
    if (self->firings >= TURNS && self->port_performs >= TURNS) GYRunLoopStop(self->rl);
}

static void counts_firing(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    ((flood *)info)->firings++;
    stop_when_served(info);
}

static void counts_port(void *info) {
    ((flood *)info)->port_performs++;
    stop_when_served(info);
}

/* R60, R33, R63: in order for each producer; a timer and a port have their turns meanwhile. */
LOOP_TEST(four_producers_that_flood_a_loop_keep_their_order_and_starve_nobody) {
    flood self = {.rl = GYRunLoopGetCurrent()};
    int ends[2];
    pthread_t threads[PRODUCERS];
    flooder flooders[PRODUCERS];
    REQUIRE(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1e-9, counts_firing, &self));
    GYRunLoopSourceRef port = loop_in(DEFAULT, loop_port(ends[0], counts_port, &self));
    for (int i = 0; i < PRODUCERS; i++) {
        flooders[i] = (flooder){&self, i, 0};
        threads[i] = test_thread_start(floods, &flooders[i]);
    }
    EXPECT_INT(loop_run(60), kGYRunLoopRunStopped);
    atomic_store(&self.ends, true);
    for (int i = 0; i < PRODUCERS; i++) test_thread_join(threads[i]);
    loop_poll(DEFAULT);
    EXPECT_INT(self.wrong, 0);
    for (int i = 0; i < PRODUCERS; i++) EXPECT_INT(self.next[i], flooders[i].given);
    loop_drop(timer);
    loop_drop(port);
    close(ends[0]);
    close(ends[1]);
}

TEST_MAIN()
