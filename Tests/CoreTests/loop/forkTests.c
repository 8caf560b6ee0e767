/* Loops after a fork without exec (R7): the child's loop works on descriptors of its own, and
 * nothing that the child does reaches the parent's loops. */
#include "support/loop.h"
#include "support/test.h"

#include <errno.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int pipe_ends[2];

static void open_pipe(void) { REQUIRE(pipe(pipe_ends) == 0); }

static void close_pipe(void) {
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void send_byte(void) { REQUIRE(write(pipe_ends[1], "x", 1) == 1); }

static void take_byte(void *word) {
    char byte;
    REQUIRE(read(pipe_ends[0], &byte, 1) == 1);
    test_trace("%s", (const char *)word);
}

static void wake_after_sleep(void *rl) {
    loop_wait_asleep(rl);
    GYRunLoopStop(rl);
}

/* Each kind of item in a mode of the calling thread's loop. */
static void use_each_kind(void *unused) {
    (void)unused;
    GYRunLoopMode mode = GYSTR("each kind");
    GYRunLoopSourceRef source = loop_in(mode, loop_source0(0, loop_traces, "source"));
    GYRunLoopSourceRef port = loop_in(mode, loop_port(pipe_ends[0], take_byte, "port"));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, true), kGYRunLoopRunHandledSource);
    send_byte();
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, true), kGYRunLoopRunHandledSource);
    loop_drop(source);
    loop_drop(port);
    GYRunLoopTimerRef timer = loop_in(mode, loop_timer(0.002, 0, loop_timer_traces, "timer"));
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, false), kGYRunLoopRunFinished);
    loop_drop(timer);
    EXPECT_STR(test_trace_take(), "source port timer");
}

static void be_stopped_by_a_thread(void *unused) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    use_each_kind(unused);
    pthread_t waker = test_thread_start(wake_after_sleep, GYRunLoopGetCurrent());
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    test_thread_join(waker);
    loop_drop(keep);
}

static void fork_and_use(GYRunLoopTimerRef timer, void *function) {
    (void)timer;
    EXPECT_INT(test_child(*(test_function *)function, NULL), 0);
    use_each_kind(NULL);
}

static void run_a_forking_timer(test_function in_child) {
    open_pipe();
    GYRunLoopTimerRef timer = loop_in(GYSTR("forking"), loop_timer(0, 0, fork_and_use, &in_child));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("forking"), 10, false), kGYRunLoopRunFinished);
    loop_drop(timer);
    use_each_kind(NULL);
    close_pipe();
}

/* R7 */
TEST(a_fork_in_a_callout_gives_the_child_a_working_loop) {
    run_a_forking_timer(be_stopped_by_a_thread);
}

/* R7 */
LOOP_TEST(a_fork_on_another_thread_gives_the_child_a_working_loop) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    run_a_forking_timer(use_each_kind);
}

static void fork_again(void *unused) {
    use_each_kind(unused);
    EXPECT_INT(test_child(use_each_kind, NULL), 0);
    use_each_kind(unused);
}

/* R7 */
TEST(a_child_may_fork_again) { run_a_forking_timer(fork_again); }

static GYRunLoopRef forking_loop;

static void be_the_main_thread(void *unused) {
    (void)unused;
    EXPECT(GYRunLoopGetCurrent() == forking_loop);
    EXPECT(GYRunLoopGetMain() == forking_loop);
    EXPECT(GYRunLoopIsCurrent(forking_loop));
    EXPECT(GYRunLoopIsAlive(forking_loop));
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
}

/* R7, R14 */
LOOP_TEST(the_forking_thread_is_the_main_thread_of_the_child) {
    forking_loop = GYRunLoopGetCurrent();
    EXPECT(GYRunLoopGetMain() != forking_loop);
    EXPECT_INT(test_child(be_the_main_thread, NULL), 0);
    EXPECT(GYRunLoopGetMain() != forking_loop);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
}

static void be_the_main_thread_of_a_fresh_process(void *unused) {
    (void)unused;
    EXPECT(GYRunLoopGetMain() == GYRunLoopGetCurrent());
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
}

static void fork_without_a_loop(void *unused) {
    (void)unused;
    EXPECT_INT(test_child(be_the_main_thread_of_a_fresh_process, NULL), 0);
}

/* R7 */
TEST(a_thread_that_forks_without_a_loop_gets_the_main_loop_of_the_child) {
    GYRunLoopGetMain();
    test_thread(fork_without_a_loop, NULL);
}

static GYRunLoopSourceRef old_source, old_port;
static GYRunLoopTimerRef old_timer;

static void run_what_was_there(void *unused) {
    (void)unused;
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("old"), 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "block source");
    send_byte();
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("old"), 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "port");
    GYRunLoopTimerSetNextFireAt(old_timer, test_now_ns() + 2000000);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("old"), 10, true), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "timer");
}

/* R7: the child has copies of its own of all that the loop held, signals and blocks included. */
TEST(what_a_loop_held_before_the_fork_serves_parent_and_child) {
    open_pipe();
    GYRunLoopMode mode = GYSTR("old");
    old_source = loop_in(mode, loop_source0(0, loop_traces, "source"));
    old_port = loop_in(mode, loop_port(pipe_ends[0], take_byte, "port"));
    old_timer = loop_in(mode, loop_timer(1000, 0, loop_timer_stops, "timer"));
    GYRunLoopPerform(GYRunLoopGetCurrent(), mode, loop_traces, "block", NULL);
    GYRunLoopSourceSignal(old_source);
    EXPECT_INT(test_child(run_what_was_there, NULL), 0);
    run_what_was_there(NULL);
    loop_drop(old_source);
    loop_drop(old_port);
    loop_drop(old_timer);
    close_pipe();
}

static void find_other_loop_dead(void *given) {
    loop_worker *other = given;
    EXPECT(!GYRunLoopIsAlive(other->rl));
    EXPECT(!GYRunLoopIsWaiting(other->rl));
    EXPECT(GYRunLoopCopyCurrentMode(other->rl) == NULL);
    errno = 0;
    EXPECT(!GYRunLoopPerform(other->rl, other->mode, loop_traces, "", NULL));
    EXPECT_INT(errno, ESRCH);
    GYRunLoopTimerRef timer = loop_timer(0, 0, NULL, NULL);
    GYRunLoopAddTimer(other->rl, timer, other->mode);
    EXPECT(!GYRunLoopContainsTimer(other->rl, timer, other->mode));
    loop_drop(timer);
}

/* R7, R5 */
TEST(loops_of_other_threads_are_dead_in_the_child) {
    loop_worker other;
    loop_worker_start(&other, kGYRunLoopDefaultMode);
    EXPECT_INT(test_child(find_other_loop_dead, &other), 0);
    EXPECT(GYRunLoopIsAlive(other.rl));
    loop_worker_drop(&other);
}

typedef struct {
    loop_worker worker;
    GYRunLoopSourceRef port;
    GYRunLoopTimerRef timer;
    atomic_int wakes;
} watched;

static void count_wake(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *wakes) {
    (void)observer;
    (void)activity;
    atomic_fetch_add((atomic_int *)wakes, 1);
}

static void disturb(void *given) {
    watched *other = given;
    open_pipe();
    for (int i = 0; i < 10; i++) {
        GYRunLoopWakeUp(other->worker.rl);
        GYRunLoopStop(other->worker.rl);
    }
    GYRunLoopTimerSetNextFireAt(other->timer, 0);
    GYRunLoopRemoveSource(other->worker.rl, other->port, other->worker.mode);
    GYRunLoopSourceInvalidate(other->port);
    GYRunLoopTimerInvalidate(other->timer);
    loop_poll(kGYRunLoopDefaultMode);
    use_each_kind(NULL);
}

static void take_byte_and_stop(void *word) {
    take_byte(word);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R7: the worker sleeps throughout, until its port, which the child removed, gets a byte. */
TEST(nothing_the_child_does_reaches_a_sleeping_loop_of_the_parent) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    watched other = {.wakes = 0};
    open_pipe();
    loop_worker_start(&other.worker, GYSTR("watched"));
    other.port = loop_port(pipe_ends[0], take_byte_and_stop, "port");
    other.timer = loop_timer(1000, 0, NULL, NULL);
    GYRunLoopObserverRef observer =
        loop_observer(kGYRunLoopAfterWaiting, true, 0, count_wake, &other.wakes);
    GYRunLoopAddSource(other.worker.rl, other.port, other.worker.mode);
    GYRunLoopAddTimer(other.worker.rl, other.timer, other.worker.mode);
    GYRunLoopAddObserver(other.worker.rl, observer, other.worker.mode);
    EXPECT_INT(test_child(disturb, &other), 0);
    EXPECT_INT(atomic_load(&other.wakes), 0);
    EXPECT(GYRunLoopIsWaiting(other.worker.rl));
    send_byte();
    TEST_WAIT_UNTIL(atomic_load(&other.wakes) > 0);
    loop_worker_end(&other.worker);
    EXPECT_STR(test_trace_take(), "port");
    loop_drop(observer);
    loop_drop(other.port);
    loop_drop(other.timer);
    GYRelease(other.worker.rl);
    close_pipe();
}

typedef struct {
    int firings;
    pid_t child;
} five_times;

static void fork_then_stop_at_the_fifth(GYRunLoopTimerRef timer, void *given) {
    (void)timer;
    five_times *shared = given;
    if (++shared->firings == 1) shared->child = fork();
    if (shared->firings == 5) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R7: both run the same timer at the same time, to the end of the run that the fork was made in. */
TEST(a_run_goes_on_in_parent_and_child_and_each_gets_all_its_timer_events) {
    five_times shared = {0, 0};
    GYRunLoopMode mode = GYSTR("both");
    GYRunLoopTimerRef timer =
        loop_in(mode, loop_timer(0.002, 0.002, fork_then_stop_at_the_fifth, &shared));
    EXPECT_INT(GYRunLoopRunInMode(mode, 20, false), kGYRunLoopRunStopped);
    EXPECT_INT(shared.firings, 5);
    if (shared.child == 0) _exit(0);
    int status = -1;
    waitpid(shared.child, &status, 0);
    EXPECT_INT(status, 0);
    loop_drop(timer);
}

static int second_pipe[2];
static pid_t forked;

/* Whichever of the two ports comes first forks, and the child takes the other one's byte. */
static void fork_in_first_port(void *word) {
    char byte;
    test_trace("%s", (const char *)word);
    if (forked != 0) return;
    forked = fork();
    if (forked != 0) {
        waitpid(forked, NULL, 0);
        GYRunLoopStop(GYRunLoopGetCurrent());
        return;
    }
    forked = -1;
    EXPECT(read(pipe_ends[0], &byte, 1) == 1);
    EXPECT(read(second_pipe[0], &byte, 1) == 1);
}

/* R7 */
TEST(events_fetched_before_the_fork_are_dropped_in_the_child) {
    GYRunLoopMode mode = GYSTR("fetched");
    open_pipe();
    REQUIRE(pipe(second_pipe) == 0);
    GYRunLoopSourceRef first = loop_in(mode, loop_port(pipe_ends[0], fork_in_first_port, "port"));
    GYRunLoopSourceRef second =
        loop_in(mode, loop_port(second_pipe[0], fork_in_first_port, "port"));
    send_byte();
    EXPECT_INT(write(second_pipe[1], "x", 1), 1);
    GYRunLoopRunResult result = GYRunLoopRunInMode(mode, 0.05, false);
    if (forked == -1) {
        EXPECT_INT(result, kGYRunLoopRunTimedOut);
        EXPECT_STR(test_trace_take(), "port");
        _exit(0);
    }
    loop_drop(first);
    loop_drop(second);
    close(second_pipe[0]);
    close(second_pipe[1]);
    close_pipe();
}

static atomic_bool hammering;

static void add_and_remove(void *rl) {
    GYRunLoopTimerRef timer = loop_timer(1000, 0, NULL, NULL);
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    while (atomic_load(&hammering)) {
        GYRunLoopAddTimer(rl, timer, kGYRunLoopCommonModes);
        GYRunLoopAddSource(rl, source, kGYRunLoopDefaultMode);
        GYRunLoopRemoveSource(rl, source, kGYRunLoopDefaultMode);
        GYRunLoopRemoveTimer(rl, timer, kGYRunLoopCommonModes);
    }
    loop_drop(timer);
    loop_drop(source);
}

/* R7: a lock that another thread held at the fork would never be given back in the child. */
TEST(a_fork_while_another_thread_changes_the_loop_leaves_no_lock_held) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    open_pipe();
    atomic_store(&hammering, true);
    pthread_t other = test_thread_start(add_and_remove, GYRunLoopGetCurrent());
    for (int i = 0; i < 50; i++) EXPECT_INT(test_child(use_each_kind, NULL), 0);
    atomic_store(&hammering, false);
    test_thread_join(other);
    close_pipe();
}

/* Sources that threads were busy with, which the child does not have. */

static GYRunLoopSourceRef hammered;

static void signals_hammered(void *unused) {
    (void)unused;
    while (atomic_load(&hammering)) GYRunLoopSourceSignal(hammered);
}

static void signals_itself(void *performed) {
    atomic_fetch_add((atomic_int *)performed, 1);
    if (atomic_load(&hammering)) GYRunLoopSourceSignal(hammered);
}

static void add_and_invalidate(void *unused) {
    GYRunLoopMode mode = GYSTR("another");
    GYRunLoopAddSource(GYRunLoopGetCurrent(), hammered, mode);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), hammered, mode);
    GYRunLoopSourceInvalidateAndWait(hammered);
    use_each_kind(unused);
}

static void expect_children_are_not_held_up(void) {
    open_pipe();
    for (int i = 0; i < 50; i++) EXPECT_INT(test_child(add_and_invalidate, NULL), 0);
    atomic_store(&hammering, false);
    close_pipe();
}

static void fork_while_signalling(GYRunLoopRef rl) {
    hammered = loop_source0(0, NULL, NULL);
    if (rl != NULL) GYRunLoopAddSource(rl, hammered, kGYRunLoopDefaultMode);
    atomic_store(&hammering, true);
    pthread_t other = test_thread_start(signals_hammered, NULL);
    expect_children_are_not_held_up();
    test_thread_join(other);
    loop_drop(hammered);
}

/* R7: in the child nobody ends the signal that was under way. */
TEST(a_source_that_a_thread_was_signalling_at_the_fork_ends_in_the_child) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    fork_while_signalling(GYRunLoopGetCurrent());
    fork_while_signalling(worker.rl);
    fork_while_signalling(NULL);
    loop_worker_drop(&worker);
}

/* R7, R171: nor does the callout that was in progress, or about to be, ever return there. */
TEST(a_source_that_a_loop_was_performing_at_the_fork_is_not_waited_for_in_the_child) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    atomic_int performed = 0;
    hammered = loop_source0(0, signals_itself, &performed);
    GYRunLoopAddSource(worker.rl, hammered, kGYRunLoopDefaultMode);
    atomic_store(&hammering, true);
    GYRunLoopSourceSignal(hammered);
    GYRunLoopWakeUp(worker.rl);
    /* What the worker allocates it has by then: an allocator may not be prepared for a fork. */
    TEST_WAIT_UNTIL(atomic_load(&performed) > 2);
    expect_children_are_not_held_up();
    loop_drop(hammered);
    loop_worker_drop(&worker);
}

static void waits_for_hammered(void *event) {
    GYRunLoopSourceInvalidateAndWait(hammered);
    test_event_signal(event);
}

static void is_still_performed_in_child(void *event) {
    pthread_t other = test_thread_start(waits_for_hammered, event);
    EXPECT(!test_event_wait_for(event, 0.02));
    GYRunLoopSourceInvalidateAndWait(hammered); /* the callout is this thread's own */
    pthread_detach(other);
}

static void forks_in_callout(void *event) {
    EXPECT_INT(test_child(is_still_performed_in_child, event), 0);
}

/* R7, R171 */
TEST(a_source_whose_callout_forks_is_still_waited_for_in_the_child) {
    TEST_SKIP_IF(test_is_thread_sanitized(), "the sanitizer waits twice in the child");
    test_event event = TEST_EVENT_INIT;
    hammered = loop_in(GYSTR("forking"), loop_source0(0, forks_in_callout, &event));
    GYRunLoopSourceSignal(hammered);
    EXPECT_INT(loop_poll(GYSTR("forking")), kGYRunLoopRunTimedOut);
    loop_drop(hammered);
}

static void exit_with_handlers(void *unused) {
    (void)unused;
    exit(test_failures() == 0 ? 0 : 1);
}

/* R7 */
TEST(a_child_that_just_exits_leaves_the_parents_loop_as_it_was) {
    open_pipe();
    GYRunLoopSourceRef port = loop_in(GYSTR("exit"), loop_port(pipe_ends[0], take_byte, "port"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("exit"), 0, false), kGYRunLoopRunTimedOut);
    EXPECT_INT(test_child(exit_with_handlers, NULL), 0);
    send_byte();
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("exit"), 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "port");
    loop_drop(port);
    use_each_kind(NULL);
    close_pipe();
}

TEST_MAIN()
