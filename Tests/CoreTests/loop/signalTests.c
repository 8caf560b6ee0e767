/* Unix signals and a running loop: stopping from handlers at any moment (R155), and signals that
 * end a program (F66). Wake-ups and signals are in wakeSignalTests.c. */
#include "support/loop.h"
#include "support/test.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static GYRunLoopRef loop;
static GYRunLoopSourceRef source;
static atomic_int handled;

static void start_signals(int number, void (*handler)(int), long step_us) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(number, &action, NULL);
    struct itimerval every = {{0, step_us}, {0, step_us}};
    setitimer(ITIMER_REAL, &every, NULL);
}

static void end_signals(void) {
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
}

static void stop_in_handler(int number) {
    (void)number;
    atomic_fetch_add(&handled, 1);
    GYRunLoopStop(loop);
}

/* R155, F65: the handler comes at any moment, inside the loop's own code too. Signals between the
 * runs are dropped, so they go on coming until the run has seen one. */
TEST(a_signal_handler_may_stop_the_loop_at_any_moment) {
    loop = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(GYSTR("m"));
    GYRunLoopTimerRef busy = loop_in(GYSTR("m"), loop_timer(0, 0.0001, NULL, NULL));
    start_signals(SIGALRM, stop_in_handler, 300);
    for (int i = 0; i < 2000; i++) {
        EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 1e20, false), kGYRunLoopRunStopped);
    }
    end_signals();
    EXPECT(atomic_load(&handled) > 0);
    loop_drop(busy);
    loop_drop(keep);
}

static void keep_errno(int number) {
    (void)number;
    errno = 4711;
    GYRunLoopWakeUp(loop);
    GYRunLoopSourceSignal(source);
    GYRunLoopStop(loop);
    if (errno == 4711) atomic_fetch_add(&handled, 1);
}

static void raise_when_asleep(void *unused) {
    (void)unused;
    loop_wait_asleep(loop);
    keep_errno(0);
}

/* R155 */
LOOP_TEST(waking_signalling_and_stopping_keep_errno) {
    loop = GYRunLoopGetCurrent();
    source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, NULL, NULL));
    keep_errno(0);
    GYRunLoopSourceSignal(source);
    loop_poll(kGYRunLoopDefaultMode);
    pthread_t thread = test_thread_start(raise_when_asleep, NULL);
    EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT_INT(atomic_load(&handled), 2);
    loop_drop(source);
}

static void tell_asleep(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                        void *descriptor) {
    (void)observer;
    (void)activity;
    REQUIRE(write(*(int *)descriptor, "x", 1) == 1);
}

/* F66 */
TEST(a_signal_without_a_handler_ends_a_sleeping_program) {
    int ends[2], status = 0;
    char byte;
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        GYRunLoopSourceRef keep = loop_keep(GYSTR("m"));
        loop_in(GYSTR("m"), loop_observer(kGYRunLoopBeforeWaiting, true, 0, tell_asleep, &ends[1]));
        GYRunLoopRunInMode(GYSTR("m"), 1e20, false);
        loop_drop(keep);
        _exit(1);
    }
    REQUIRE(read(ends[0], &byte, 1) == 1);
    kill(child, SIGINT);
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    close(ends[0]);
    close(ends[1]);
}

TEST_MAIN()
