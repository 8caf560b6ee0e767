/* The end of the process inside a callout, or while a loop runs. */
#include "support/counted.h"
#include "support/loop.h"

#include <gyre/GYString.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode

static void expect_status(test_function function, void *arg, int status) {
    int end = test_child(function, arg);
    EXPECT(WIFEXITED(end));
    EXPECT_INT(WEXITSTATUS(end), status);
}

/* The handlers stand in the innermost callout's frame. */
static void use_loop(const char *word) {
    GYRunLoopTimerRef timer = loop_timer(0, 0, loop_timer_traces, (void *)(uintptr_t)word);
    loop_in(GYSTR("farewell"), timer);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("farewell"), 10, false), kGYRunLoopRunFinished);
    loop_drop(timer);
}

static bool destructor_looks;

static void at_exit(void) {
    use_loop("handler");
    EXPECT_STR(test_trace_take(), "handler");
}

/* After the handlers, as the destructors of a program's static objects may be. */
__attribute__((destructor)) static void at_unload(void) {
    if (!destructor_looks) return;
    use_loop("destructor");
    EXPECT_STR(test_trace_take(), "destructor");
    _exit(test_failures() > 0 ? 1 : 42);
}

static void exits(counted *self) {
    (void)self;
    exit(7);
}

static void run_and_exit(void *item) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    counted_add(item, DEFAULT);
    GYRunLoopRunInMode(DEFAULT, 10, false);
    loop_drop(keep);
}

static void exit_with_handler(void *item) {
    atexit(at_exit);
    run_and_exit(item);
}

static void exit_with_destructor(void *item) {
    destructor_looks = true;
    exit_with_handler(item);
}

TEST(a_process_may_exit_inside_every_kind_of_callout) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        counted item = {.kind = (enum counted_kind)kind, .act = exits};
        expect_status(run_and_exit, &item, 7);
    }
}

TEST(exit_handlers_may_run_the_loop_whose_callout_has_called_exit) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        counted item = {.kind = (enum counted_kind)kind, .act = exits};
        expect_status(exit_with_handler, &item, 7);
    }
}

TEST(static_destructors_may_run_the_loop_whose_callout_has_called_exit) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        counted item = {.kind = (enum counted_kind)kind, .act = exits};
        expect_status(exit_with_destructor, &item, 42);
    }
}

/* A loop on another thread. */

static atomic_int firings;
static GYRunLoopRef detached_loop;
static test_event detached_is_ready = TEST_EVENT_INIT;

static void *run_detached(void *interval_s) {
    detached_loop = GYRunLoopGetCurrent();
    double interval = *(double *)interval_s;
    loop_in(DEFAULT, loop_timer(interval, interval, loop_timer_counts, &firings));
    test_event_signal(&detached_is_ready);
    GYRunLoopRunInMode(DEFAULT, 3600, false);
    return NULL;
}

static void start_detached(void *interval_s) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run_detached, interval_s) == 0);
    pthread_detach(thread);
    test_event_wait(&detached_is_ready);
}

static void exit_while_detached_runs(void *interval_s) {
    start_detached(interval_s);
    TEST_WAIT_UNTIL(atomic_load(&firings) > 10);
    GYRunLoopGetCurrent();
    exit(9);
}

static void exit_while_detached_sleeps(void *interval_s) {
    start_detached(interval_s);
    loop_wait_asleep(detached_loop);
    exit(9);
}

TEST(a_process_may_exit_while_a_detached_thread_is_busy_with_its_loop) {
    double interval_s = 1e-6;
    for (int i = 0; i < 5; i++) expect_status(exit_while_detached_runs, &interval_s, 9);
}

TEST(a_process_may_exit_while_a_detached_thread_sleeps_in_its_loop) {
    double interval_s = 1000;
    expect_status(exit_while_detached_sleeps, &interval_s, 9);
}

static void *exit_in_callout_of_second_thread(void *item) {
    run_and_exit(item);
    return NULL;
}

static void exit_beside_the_main_loop(void *item) {
    pthread_t thread;
    atexit(at_exit);
    REQUIRE(pthread_create(&thread, NULL, exit_in_callout_of_second_thread, item) == 0);
    GYRunLoopRunInMode(DEFAULT, 3600, false);
}

/* The handlers run on the thread that exits, and use its loop. */
TEST(another_thread_may_exit_the_process_inside_a_callout_while_the_main_loop_sleeps) {
    counted item = {.kind = COUNTED_TIMER, .act = exits};
    expect_status(exit_beside_the_main_loop, &item, 7);
}

TEST_MAIN()
