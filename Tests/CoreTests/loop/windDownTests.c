/* The end of all runs of a loop, for good (R49). */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include <errno.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define DEFAULT kGYRunLoopDefaultMode
#define ALL_STEPS kGYRunLoopAllActivities

static void wind_down(void *word) {
    if (word != NULL) test_trace("%s", (const char *)word);
    GYRunLoopWindDown(GYRunLoopGetCurrent());
}

static void timer_winds_down(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    wind_down(word);
}

static void observer_winds_down(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                void *word) {
    (void)observer;
    (void)activity;
    wind_down(word);
}

static void expect_every_run_is_stopped(void) {
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 1000, true), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(DEFAULT, INT64_MAX, false), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("unknown"), 1000, false), kGYRunLoopRunStopped);
    GYRunLoopRun();
}

/* R49 */
LOOP_TEST(runs_that_are_called_after_it_are_stopped_and_call_nothing) {
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_traces, "source"));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0, 0, loop_timer_traces, "timer"));
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(ALL_STEPS));
    GYRunLoopSourceSignal(source);
    EXPECT(!GYRunLoopIsWindingDown(GYRunLoopGetCurrent()));
    wind_down(NULL);
    EXPECT(GYRunLoopIsWindingDown(GYRunLoopGetCurrent()));
    expect_every_run_is_stopped();
    wind_down(NULL);
    expect_every_run_is_stopped();
    EXPECT_STR(test_trace_take(), "");
    EXPECT(GYRunLoopCopyCurrentMode(GYRunLoopGetCurrent()) == NULL);
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* R49, R16: what cannot be run is refused as ever. */
LOOP_TEST(the_common_modes_cannot_be_run_after_it_either) {
    test_capture_log();
    wind_down(NULL);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopCommonModes, 1000, false), kGYRunLoopRunFinished);
}

/* R49, R43: the iteration is carried out to its end. */
LOOP_TEST(a_run_that_it_finds_in_progress_finishes_its_iteration) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0, 0, timer_winds_down, "timer"));
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(ALL_STEPS));
    GYRunLoopPerform(GYRunLoopGetCurrent(), DEFAULT, loop_traces, "call", NULL);
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources call wait wake timer exit");
    loop_drop(observer);
    loop_drop(timer);
    loop_drop(keep);
}

/* R49, R46 */
LOOP_TEST(from_an_entry_observer_it_ends_the_run_before_its_first_iteration) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(ALL_STEPS));
    GYRunLoopObserverRef winder =
        loop_in(DEFAULT, loop_observer(kGYRunLoopEntry, true, 1, observer_winds_down, "down"));
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry down exit");
    loop_drop(winder);
    loop_drop(observer);
    loop_drop(keep);
}

/* R49, R37: it does not go to sleep over one that came from the observer before the sleep. */
LOOP_TEST(from_an_observer_before_the_sleep_it_keeps_the_run_from_sleeping) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef winder = loop_in(
        DEFAULT, loop_observer(kGYRunLoopBeforeWaiting, true, 0, observer_winds_down, NULL));
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    loop_drop(winder);
    loop_drop(keep);
}

/* R49, R41 */
LOOP_TEST(a_result_that_goes_first_is_given_and_the_next_run_is_stopped) {
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, wind_down, NULL));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 1000, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 1000, true), kGYRunLoopRunStopped);
    loop_drop(source);
}

static void poll_and_trace(void *mode) {
    test_trace("%d", (int)GYRunLoopRunInMode(mode, 1000, false));
}

/* R49, R45: other than a stop it ends all of them, each after its iteration. */
LOOP_TEST(it_ends_every_run_around_the_innermost) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep[] = {loop_keep(DEFAULT), loop_keep(GYSTR("2")), loop_keep(GYSTR("3"))};
    GYRunLoopPerform(rl, DEFAULT, poll_and_trace, (void *)GYSTR("2"), NULL);
    GYRunLoopPerform(rl, DEFAULT, loop_traces, "rest-of-1", NULL);
    GYRunLoopPerform(rl, GYSTR("2"), poll_and_trace, (void *)GYSTR("3"), NULL);
    GYRunLoopPerform(rl, GYSTR("2"), loop_traces, "rest-of-2", NULL);
    GYRunLoopPerform(rl, GYSTR("3"), wind_down, "down", NULL);
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "down 2 rest-of-2 2 rest-of-1");
    for (int i = 0; i < 3; i++) loop_drop(keep[i]);
}

/* R49, R45: a stop meant for the nested run alone is one still. */
LOOP_TEST(a_stop_of_a_nested_run_ends_no_other) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep[] = {loop_keep(DEFAULT), loop_keep(GYSTR("2"))};
    GYRunLoopPerform(rl, DEFAULT, poll_and_trace, (void *)GYSTR("2"), NULL);
    GYRunLoopPerform(rl, GYSTR("2"), loop_stops, "stop", NULL);
    EXPECT_INT(loop_run(0.001), kGYRunLoopRunTimedOut);
    EXPECT(!GYRunLoopIsWindingDown(rl));
    EXPECT_STR(test_trace_take(), "stop 2");
    for (int i = 0; i < 2; i++) loop_drop(keep[i]);
}

/* A thread that may be wound down before it runs. */
typedef struct {
    GYRunLoopRef rl; /* retained */
    test_event is_known, may_run;
    int results[2];
} runner;

static void run_twice(void *info) {
    runner *self = info;
    self->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    test_event_signal(&self->is_known);
    test_event_wait(&self->may_run);
    for (int i = 0; i < 2; i++) self->results[i] = GYRunLoopRunInMode(DEFAULT, 1e9, false);
    loop_drop(keep);
}

static pthread_t start_runner(runner *self) {
    test_event_init(&self->is_known);
    test_event_init(&self->may_run);
    pthread_t thread = test_thread_start(run_twice, self);
    test_event_wait(&self->is_known);
    return thread;
}

static void expect_both_were_stopped(runner *self, pthread_t thread) {
    test_thread_join(thread);
    EXPECT_INT(self->results[0], kGYRunLoopRunStopped);
    EXPECT_INT(self->results[1], kGYRunLoopRunStopped);
    GYRelease(self->rl);
}

/* R49, R44 */
TEST(a_thread_that_has_not_come_to_run_yet_does_not_run) {
    runner self;
    pthread_t thread = start_runner(&self);
    GYRunLoopWindDown(self.rl);
    test_event_signal(&self.may_run);
    expect_both_were_stopped(&self, thread);
}

/* R49, R48 */
TEST(a_loop_that_sleeps_is_woken_by_it) {
    runner self;
    pthread_t thread = start_runner(&self);
    test_event_signal(&self.may_run);
    loop_wait_asleep(self.rl);
    GYRunLoopWindDown(self.rl);
    expect_both_were_stopped(&self, thread);
}

/* R49: it is that loop alone. */
TEST(no_other_loop_is_wound_down) {
    loop_worker other;
    loop_worker_start(&other, DEFAULT);
    runner self;
    pthread_t thread = start_runner(&self);
    GYRunLoopWindDown(self.rl);
    test_event_signal(&self.may_run);
    expect_both_were_stopped(&self, thread);
    EXPECT(!GYRunLoopIsWindingDown(other.rl));
    EXPECT(!GYRunLoopIsWindingDown(GYRunLoopGetMain()));
    EXPECT(GYRunLoopPerformAndWait(other.rl, DEFAULT, loop_traces, "goes-on"));
    EXPECT_STR(test_trace_take(), "goes-on");
    loop_worker_drop(&other);
}

static void leave_work(void *given) {
    GYRunLoopRef *rl = given;
    *rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    wind_down(NULL);
    REQUIRE(GYRunLoopPerform(*rl, DEFAULT, loop_traces, "called", loop_traces));
    EXPECT_INT(loop_run(1000), kGYRunLoopRunStopped);
    test_trace("left");
    loop_drop(keep);
}

/* R49, R4, R5: work is taken until the thread ends, and released without being run. */
TEST(work_that_is_pending_is_released_at_the_end_of_the_thread) {
    GYRunLoopRef rl;
    test_thread(leave_work, &rl);
    EXPECT_STR(test_trace_take(), "left called");
    EXPECT(GYRunLoopIsWindingDown(rl));
    GYRunLoopWindDown(rl);
    errno = 0;
    EXPECT(!GYRunLoopPerform(rl, DEFAULT, loop_traces, "called", loop_traces));
    EXPECT_INT(errno, ESRCH);
    GYRelease(rl);
}

static void run_in_child(void *unused) {
    (void)unused;
    expect_every_run_is_stopped();
}

/* R49, R7 */
LOOP_TEST(the_child_of_a_fork_keeps_it) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    wind_down(NULL);
    EXPECT_INT(test_child(run_in_child, NULL), 0);
    loop_drop(keep);
}

/* R164 */
LOOP_TEST(a_loop_that_winds_down_is_described_as_stopped) {
    char text[512];
    for (int i = 0; i < 2; i++) {
        GYStringRef shown = GYCopyDescription(GYRunLoopGetCurrent());
        GYStringGetCString(shown, text, sizeof text, kGYStringEncodingUTF8);
        EXPECT(strstr(text, i == 0 ? "stopped = No" : "stopped = Yes") != NULL);
        GYRelease(shown);
        wind_down(NULL);
    }
}

static GYRunLoopRef handlers_loop;
static atomic_int handled;

static void winds_down_in_handler(int number) {
    (void)number;
    int found = errno;
    errno = 4711;
    GYRunLoopWindDown(handlers_loop);
    if (errno != 4711) abort();
    errno = found;
    atomic_fetch_add(&handled, 1);
}

/* What takes the loop's lock and the allocator's. */
static void use_locks(void *unused) {
    (void)unused;
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, NULL, NULL));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(3600, 0, NULL, NULL));
    loop_drop(timer);
    loop_drop(source);
}

/* R155, R49: a handler that waited for a lock of the code that it interrupts would wait for ever. */
TEST(a_signal_handler_may_wind_down_a_loop_whose_lock_its_thread_holds) {
    handlers_loop = GYRunLoopGetCurrent();
    struct sigaction action = {.sa_handler = winds_down_in_handler};
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 50}, {0, 1}}, never = {{0, 0}, {0, 0}};
    REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (atomic_load(&handled) < 1000) use_locks(NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    expect_every_run_is_stopped();
}

/* Many rounds. */

static void runs_in_callout(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    GYRunLoopRunInMode(GYSTR("nested"), 1e9, false);
}

/* Every second round has a run nested in another. */
static void run_with_nested(void *info) {
    runner *self = info;
    self->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRunLoopSourceRef keep[] = {loop_keep(DEFAULT), loop_keep(GYSTR("nested"))};
    GYRunLoopTimerRef timer = NULL;
    if (self->results[0] % 2 == 1) timer = loop_in(DEFAULT, loop_timer(0, 0, runs_in_callout, 0));
    test_event_signal(&self->is_known);
    for (int i = 0; i < 2; i++) self->results[i] = GYRunLoopRunInMode(DEFAULT, 1e9, false);
    if (timer != NULL) loop_drop(timer);
    for (int i = 0; i < 2; i++) loop_drop(keep[i]);
}

/* R49, R48: whatever the thread is about. One call is enough, and its reference the last. */
TEST(it_is_never_lost_at_whatever_moment_it_comes) {
    atomic_int spins = 0;
    for (int round = 0; round < 1000; round++) {
        runner self = {.results = {round}};
        test_event_init(&self.is_known);
        pthread_t thread = test_thread_start(run_with_nested, &self);
        test_event_wait(&self.is_known);
        for (int i = round % 100 * 20; i > 0; i--) atomic_load(&spins);
        GYRunLoopWindDown(self.rl);
        expect_both_were_stopped(&self, thread);
    }
}

TEST_MAIN()
