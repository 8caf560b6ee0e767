/* Unix signals: they are no wake-ups, and their handlers may wake, signal and stop. */
#define _GNU_SOURCE 1
#include "items/port.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#define DEFAULT kGYRunLoopDefaultMode

static GYRunLoopRef rl;
static GYRunLoopSourceRef source;
static atomic_int handled;

/* Raises SIGALRM again and again until stop_alarm; these cases have one thread, which gets it. */
static void start_alarm(void (*handler)(int), int first_us, int each_us) {
    struct sigaction action = {.sa_handler = handler};
    struct itimerval times = {{0, each_us}, {0, first_us}};
    rl = GYRunLoopGetCurrent();
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &times, NULL) == 0);
}

static void stop_alarm(void) {
    struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, NULL);
    signal(SIGALRM, SIG_IGN);
}

static void only_counts(int number) {
    (void)number;
    atomic_fetch_add(&handled, 1);
}

/* R154: a storm of them, each of which interrupts the wait. */
TEST(a_thousand_signals_neither_wake_the_loop_nor_change_its_time_out) {
    int64_t start_ns = test_now_ns();
    start_alarm(only_counts, 1, 100);
    EXPECT_INT(port_iterations_of_run(0.2), 1);
    stop_alarm();
    EXPECT(test_now_ns() - start_ns >= 200000000);
    EXPECT(atomic_load(&handled) > 0);
}

/* R154: nor does a timer come early or get lost. */
TEST(signals_that_interrupt_the_sleep_leave_timers_alone) {
    int64_t start_ns = test_now_ns();
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.1, 0, loop_timer_stops, "timer"));
    GYRunLoopObserverRef observer =
        loop_in(DEFAULT, loop_trace_observer(kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting));
    start_alarm(only_counts, 1, 200);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    stop_alarm();
    EXPECT(test_now_ns() - start_ns >= 99000000);
    EXPECT_STR(test_trace_take(), "wait wake timer");
    GYRelease(timer);
    loop_drop(observer);
}

static void wakes_signals_and_stops(int number) {
    (void)number;
    int found = errno;
    errno = 4711;
    GYRunLoopSourceSignal(source);
    GYRunLoopWakeUp(rl);
    GYRunLoopStop(rl);
    if (errno != 4711) abort();
    errno = found;
    atomic_fetch_add(&handled, 1);
}

/* What takes the loop's lock and the allocator's. */
static void use_locks(void) {
    GYRunLoopSourceRef another = loop_in(DEFAULT, loop_source0(0, NULL, malloc(100)));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(3600, 0, NULL, NULL));
    GYRunLoopSourceContext context = {.version = 0};
    GYRunLoopSourceGetContext(another, &context);
    loop_poll(DEFAULT);
    loop_drop(timer);
    loop_drop(another);
    free(context.info);
}

/* R155: a handler that waited for a lock of the code that it interrupts would wait for ever. */
TEST(a_signal_handler_may_wake_signal_and_stop_while_its_thread_holds_the_loops_lock) {
    atomic_int count = 0;
    source = loop_in(DEFAULT, loop_source0(0, loop_counts, &count));
    start_alarm(wakes_signals_and_stops, 1, 50);
    while (atomic_load(&handled) < 2000) use_locks();
    stop_alarm();
    EXPECT(atomic_load(&count) > 0);
    EXPECT(atomic_load(&count) <= atomic_load(&handled));
    loop_drop(source);
}

static void misuses_all_three(void *unused) {
    (void)unused;
    errno = 4711;
    GYRunLoopWakeUp(NULL);
    GYRunLoopStop(NULL);
    GYRunLoopSourceSignal(NULL);
    EXPECT_INT(errno, 4711);
}

/* R155: by write(2), and not through the log handler. */
TEST(reports_of_the_calls_for_signal_handlers_go_to_standard_error) {
    test_capture_log();
    const char *text = test_stderr_of(misuses_all_three, NULL);
    EXPECT(strstr(text, "GYRunLoopWakeUp") != NULL);
    EXPECT(strstr(text, "GYRunLoopStop") != NULL);
    EXPECT(strstr(text, "GYRunLoopSourceSignal") != NULL);
    EXPECT_STR(test_log(), "");
}

static void wakes_the_dead(int number) {
    (void)number;
    GYRunLoopWakeUp(rl);
    GYRunLoopStop(rl);
    GYRunLoopSourceSignal(source);
    atomic_fetch_add(&handled, 1);
}

/* R155, R5 */
TEST(a_signal_handler_may_use_a_loop_that_has_ended_and_a_source_that_is_invalid) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    loop_worker_end(&worker);
    source = loop_source0(0, NULL, NULL);
    GYRunLoopSourceInvalidate(source);
    start_alarm(wakes_the_dead, 1, 100);
    rl = worker.rl;
    TEST_WAIT_UNTIL(atomic_load(&handled) > 10);
    stop_alarm();
    GYRelease(source);
    GYRelease(worker.rl);
}

TEST_MAIN()
