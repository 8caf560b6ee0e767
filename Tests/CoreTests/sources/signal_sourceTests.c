/* Signals as sources: who hears of them, what they say, and what becomes of the handlers that were
 * there. */
#include "support/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYFileWatcher.h>
#include <gyre/GYProcess.h>
#include <gyre/GYSignal.h>
#include <gyre/GYString.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void traces(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *word) {
    (void)source;
    test_trace("%s%d", (const char *)word, signal->signal);
}

static void adds_one(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *count) {
    (void)source;
    (void)signal;
    atomic_fetch_add((atomic_int *)count, 1);
}

static GYRunLoopSourceRef signal_source(int signal, GYSignalCallBack callout, void *info) {
    GYCallBackContext context = {.info = info};
    GYRunLoopSourceRef source = GYSignalCreateRunLoopSource(NULL, signal, 0, callout, &context);
    REQUIRE(source != NULL);
    return source;
}

/* Polls until nothing is ready. */
static void poll_all(GYRunLoopMode mode) {
    while (GYRunLoopRunInMode(mode, 0, true) == kGYRunLoopRunHandledSource) {
    }
}

/* Waits for one turn: a signal for the process may reach it on another thread, and later. */
static void serve_one(void) {
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
}

static struct sigaction action_of(int signal) {
    struct sigaction action;
    REQUIRE(sigaction(signal, NULL, &action) == 0);
    return action;
}

/* R230 */
LOOP_TEST(a_signal_ends_the_sleep_and_performs_its_source) {
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, traces, "s"));
    REQUIRE(kill(getpid(), SIGUSR1) == 0);
    serve_one();
    EXPECT_STR(test_trace_take(), "s10");
    loop_drop(source);
}

/* R230, F84 */
LOOP_TEST(each_of_several_sources_hears_of_each_signal) {
    atomic_int a_count = 0, b_count = 0, other_count = 0;
    GYRunLoopMode mode = kGYRunLoopDefaultMode;
    GYRunLoopSourceRef a = loop_in(mode, signal_source(SIGUSR1, adds_one, &a_count));
    GYRunLoopSourceRef b = loop_in(mode, signal_source(SIGUSR1, adds_one, &b_count));
    GYRunLoopSourceRef other = loop_in(mode, signal_source(SIGUSR2, adds_one, &other_count));
    raise(SIGUSR1);
    raise(SIGUSR1);
    poll_all(mode);
    EXPECT_INT(a_count, 2);
    EXPECT_INT(b_count, 2);
    loop_drop(a);
    raise(SIGUSR1);
    raise(SIGUSR2);
    poll_all(mode);
    EXPECT_INT(a_count, 2);
    EXPECT_INT(b_count, 3);
    EXPECT_INT(other_count, 1);
    loop_drop(b);
    loop_drop(other);
}

/* R230, F62 */
LOOP_TEST(a_loop_that_runs_a_mode_of_its_own_alone_is_served) {
    GYRunLoopMode mode = GYSTR("my.mode");
    GYRunLoopSourceRef source = loop_in(mode, signal_source(SIGUSR1, traces, "s"));
    raise(SIGUSR1);
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "s10");
    loop_drop(source);
}

/* R230, F84 */
TEST(two_loops_hear_of_each_signal) {
    atomic_int counts[2] = {0};
    loop_worker workers[2];
    GYRunLoopSourceRef sources[2];
    for (int i = 0; i < 2; i++) {
        loop_worker_start(&workers[i], kGYRunLoopDefaultMode);
        sources[i] = signal_source(SIGUSR1, adds_one, &counts[i]);
        GYRunLoopAddSource(workers[i].rl, sources[i], kGYRunLoopDefaultMode);
    }
    for (int n = 1; n <= 20; n++) {
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        TEST_WAIT_UNTIL(atomic_load(&counts[0]) == n && atomic_load(&counts[1]) == n);
    }
    for (int i = 0; i < 2; i++) {
        loop_drop(sources[i]);
        loop_worker_drop(&workers[i]);
    }
}

static GYSignalInfo got;

static void keeps(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *unused) {
    (void)source;
    (void)unused;
    got = *signal;
}

/* R233 */
LOOP_TEST(the_callout_is_told_who_sent_it_and_what) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGRTMIN + 1, keeps, NULL));
    REQUIRE(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 4711}) == 0);
    serve_one();
    EXPECT_INT(got.signal, SIGRTMIN + 1);
    EXPECT_INT(got.code, SI_QUEUE);
    EXPECT_INT(got.pid, getpid());
    EXPECT_INT(got.uid, getuid());
    EXPECT_INT((int)got.value, 4711);
    EXPECT_INT(got.lost, 0);
    REQUIRE(kill(getpid(), SIGRTMIN + 1) == 0);
    serve_one();
    EXPECT_INT(got.code, SI_USER);
    EXPECT_INT(got.value, 0);
    loop_drop(source);
}

/* R233 */
LOOP_TEST(what_does_not_fit_into_the_queue_is_counted) {
    enum { SENT = 5000 };
    atomic_int told = 0;
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, adds_one, &told));
    for (int i = 0; i < SENT; i++) raise(SIGUSR1);
    poll_all(kGYRunLoopDefaultMode);
    int queued = atomic_load(&told);
    EXPECT(queued > 0 && queued < SENT);
    GYRunLoopSourceInvalidate(source);
    GYRelease(source);
    source = loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, keeps, NULL));
    for (int i = 0; i < SENT; i++) raise(SIGUSR1);
    serve_one();
    EXPECT_INT(got.lost, SENT - queued); /* told with the first that is told after the loss */
    serve_one();
    EXPECT_INT(got.lost, 0);
    loop_drop(source);
}

/* ---- handlers that were there ---- */

static _Atomic int plain_calls, full_calls;

static void plain_handler(int signal) {
    (void)signal;
    atomic_fetch_add(&plain_calls, 1);
}

static void full_handler(int signal, siginfo_t *info, void *frame) {
    if (signal == SIGUSR1 && info->si_pid == getpid() && frame != NULL) {
        atomic_fetch_add(&full_calls, 1);
    }
}

static void install(int signal, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    REQUIRE(sigaction(signal, &action, NULL) == 0);
}

static void install_full(int signal, int flags) {
    struct sigaction action = {.sa_sigaction = full_handler, .sa_flags = SA_SIGINFO | flags};
    REQUIRE(sigaction(signal, &action, NULL) == 0);
}

/* R231 */
LOOP_TEST(an_earlier_handler_is_called_as_well_and_put_back) {
    install(SIGUSR1, plain_handler, SA_RESTART);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, traces, "s"));
    raise(SIGUSR1);
    EXPECT_INT(plain_calls, 1);
    poll_all(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "s10");
    loop_drop(source);
    EXPECT(action_of(SIGUSR1).sa_handler == plain_handler);
    EXPECT((action_of(SIGUSR1).sa_flags & (SA_RESTART | SA_SIGINFO)) == SA_RESTART);
    raise(SIGUSR1);
    EXPECT_INT(plain_calls, 2);
}

/* R231: calls are interrupted, or not, as they were before. */
LOOP_TEST(what_else_a_handler_was_installed_with_stays) {
    struct sigaction earlier = {.sa_handler = plain_handler, .sa_flags = SA_NOCLDSTOP};
    sigaddset(&earlier.sa_mask, SIGUSR2);
    REQUIRE(sigaction(SIGUSR1, &earlier, NULL) == 0);
    GYRunLoopSourceRef a = signal_source(SIGUSR1, traces, "a");
    GYRunLoopSourceRef b = signal_source(SIGURG, traces, "b");
    struct sigaction ours = action_of(SIGUSR1);
    EXPECT((ours.sa_flags & (SA_RESTART | SA_NOCLDSTOP)) == SA_NOCLDSTOP);
    EXPECT(sigismember(&ours.sa_mask, SIGUSR2) == 1);
    EXPECT((action_of(SIGURG).sa_flags & SA_RESTART) != 0); /* nothing was interrupted by it */
    loop_drop(a);
    loop_drop(b);
}

/* R231 */
LOOP_TEST(an_earlier_handler_with_information_gets_it) {
    install_full(SIGUSR1, 0);
    GYRunLoopSourceRef source = signal_source(SIGUSR1, traces, "s");
    raise(SIGUSR1);
    EXPECT_INT(full_calls, 1);
    loop_drop(source);
    EXPECT(action_of(SIGUSR1).sa_sigaction == full_handler);
}

/* R231 */
LOOP_TEST(an_earlier_handler_for_one_call_is_called_once) {
    install(SIGUSR1, plain_handler, (int)SA_RESETHAND);
    GYRunLoopSourceRef source = signal_source(SIGUSR1, traces, "s");
    raise(SIGUSR1);
    raise(SIGUSR1);
    EXPECT_INT(plain_calls, 1);
    loop_drop(source);
    EXPECT(action_of(SIGUSR1).sa_handler == SIG_DFL);
}

/* R231 */
LOOP_TEST(the_last_source_of_a_signal_puts_the_default_back) {
    GYRunLoopSourceRef a = signal_source(SIGTERM, traces, "a");
    GYRunLoopSourceRef b = signal_source(SIGTERM, traces, "b");
    GYRunLoopSourceInvalidate(a);
    EXPECT(action_of(SIGTERM).sa_handler != SIG_DFL);
    raise(SIGTERM);
    GYRunLoopSourceInvalidate(b);
    EXPECT(action_of(SIGTERM).sa_handler == SIG_DFL);
    GYRelease(a);
    GYRelease(b);
}

/* R231 */
LOOP_TEST(a_source_that_is_released_only_puts_the_handler_back_too) {
    GYRelease(signal_source(SIGTERM, traces, "a"));
    EXPECT(action_of(SIGTERM).sa_handler == SIG_DFL);
}

/* R231 */
LOOP_TEST(a_handler_that_replaced_ours_stays) {
    GYRunLoopSourceRef source = signal_source(SIGUSR1, traces, "s");
    install(SIGUSR1, plain_handler, 0);
    loop_drop(source);
    EXPECT(action_of(SIGUSR1).sa_handler == plain_handler);
    raise(SIGUSR1);
    EXPECT_INT(plain_calls, 1);
}

static struct sigaction below;

/* What a crash reporter does: it takes over, and calls what was there. */
static void calls_below(int signal, siginfo_t *info, void *frame) {
    atomic_fetch_add(&plain_calls, 1);
    if ((below.sa_flags & SA_SIGINFO) != 0) below.sa_sigaction(signal, info, frame);
}

static void take_over(int signal) {
    struct sigaction action = {.sa_sigaction = calls_below, .sa_flags = SA_SIGINFO};
    REQUIRE(sigaction(signal, &action, &below) == 0);
}

/* R231 */
LOOP_TEST(who_is_chained_over_ours_is_called_once_and_so_is_what_lies_below) {
    install_full(SIGUSR1, 0);
    atomic_int counts[2] = {0};
    GYRunLoopMode mode = kGYRunLoopDefaultMode;
    GYRunLoopSourceRef a = loop_in(mode, signal_source(SIGUSR1, adds_one, &counts[0]));
    take_over(SIGUSR1);
    GYRunLoopSourceRef b = loop_in(mode, signal_source(SIGUSR1, adds_one, &counts[1]));
    raise(SIGUSR1);
    poll_all(mode);
    EXPECT_INT(counts[0], 1);
    EXPECT_INT(counts[1], 1);
    EXPECT_INT(plain_calls, 1);
    EXPECT_INT(full_calls, 1);
    loop_drop(a);
    loop_drop(b);
    EXPECT(action_of(SIGUSR1).sa_sigaction == calls_below);
    raise(SIGUSR1); /* through ours, which nobody listens to any more */
    EXPECT_INT(full_calls, 2);
}

/* R231 */
LOOP_TEST(a_signal_that_is_taken_over_again_and_again_is_refused_in_the_end) {
    GYRunLoopSourceRef sources[16] = {0};
    int made = 0;
    while (made < 16) {
        sources[made] = GYSignalCreateRunLoopSource(NULL, SIGUSR1, 0, traces, NULL);
        if (sources[made] == NULL) break;
        made++;
        install(SIGUSR1, plain_handler, 0);
    }
    EXPECT_INT(made, 8);
    EXPECT_INT(errno, EBUSY);
    EXPECT(action_of(SIGUSR1).sa_handler == plain_handler);
    for (int i = 0; i < made; i++) loop_drop(sources[i]);
}

/* R231 */
LOOP_TEST(children_of_a_process_that_ignores_their_end_are_still_no_zombies) {
    install(SIGCHLD, SIG_IGN, 0);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, signal_source(SIGCHLD, keeps, NULL));
    pid_t child = fork();
    if (child == 0) _exit(3);
    serve_one();
    EXPECT_INT(got.pid, child);
    EXPECT_INT(got.code, CLD_EXITED);
    EXPECT_INT(got.status, 3);
    EXPECT(waitpid(child, NULL, 0) < 0 && errno == ECHILD);
    loop_drop(source);
    EXPECT(action_of(SIGCHLD).sa_handler == SIG_IGN);
}

/* ---- masks ---- */

static void block(int signal) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &mask, NULL) == 0);
}

/* R232. On the main thread: all that the process has block the signal. */
TEST(a_signal_that_every_thread_blocks_is_taken_for_all_sources) {
    block(SIGUSR1);
    atomic_int counts[2] = {0};
    GYRunLoopSourceRef sources[2];
    for (int i = 0; i < 2; i++) {
        sources[i] = loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, adds_one, &counts[i]));
    }
    for (int n = 1; n <= 3; n++) {
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        while (atomic_load(&counts[0]) + atomic_load(&counts[1]) < 2 * n) serve_one();
        EXPECT_INT(atomic_load(&counts[0]), n);
    }
    for (int i = 0; i < 2; i++) loop_drop(sources[i]);
}

/* R232 */
TEST(a_blocked_signal_says_who_sent_it_and_what) {
    block(SIGRTMIN);
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGRTMIN, keeps, NULL));
    for (int i = 0; i < 3; i++) {
        REQUIRE(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
    }
    for (int i = 0; i < 3; i++) {
        serve_one();
        EXPECT_INT(got.signal, SIGRTMIN);
        EXPECT_INT(got.code, SI_QUEUE);
        EXPECT_INT(got.pid, getpid());
        EXPECT_INT((int)got.value, i);
    }
    loop_drop(source);
}

static test_event ends = TEST_EVENT_INIT;

static void lets_signals_through(void *unused) {
    (void)unused;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    test_event_wait(&ends);
}

/* R232 */
TEST(a_signal_that_another_thread_takes_is_told_once) {
    block(SIGUSR1);
    atomic_int told = 0;
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, adds_one, &told));
    pthread_t thread = test_thread_start(lets_signals_through, NULL);
    for (int n = 1; n <= 50; n++) {
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        while (atomic_load(&told) < n) serve_one(); /* a turn may find nothing any more */
        poll_all(kGYRunLoopDefaultMode);
        EXPECT_INT(atomic_load(&told), n);
    }
    test_event_signal(&ends);
    test_thread_join(thread);
    loop_drop(source);
}

/* R232 */
TEST(no_mask_is_changed) {
    sigset_t before, after;
    block(SIGUSR2);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    GYRunLoopSourceRef source = signal_source(SIGUSR1, traces, "s");
    raise(SIGUSR1);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int s = 1; s < 32; s++) EXPECT_INT(sigismember(&after, s), sigismember(&before, s));
    loop_drop(source);
}

/* ---- ends ---- */

static void invalidates(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *word) {
    traces(source, signal, word);
    GYRunLoopSourceInvalidate(source);
}

/* R235, F85 */
LOOP_TEST(a_source_that_ends_in_its_first_callout_tells_nothing_more) {
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, invalidates, "s"));
    for (int i = 0; i < 10; i++) raise(SIGUSR1);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "s10");
    EXPECT(action_of(SIGUSR1).sa_handler == SIG_DFL);
    EXPECT(!GYRunLoopSourceIsValid(source));
    GYRelease(source);
}

/* R235 */
LOOP_TEST(what_came_before_a_source_was_made_is_not_told) {
    GYRunLoopSourceRef first = signal_source(SIGUSR1, traces, "first");
    raise(SIGUSR1);
    loop_drop(first);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, traces, "s"));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
}

static void released(const void *info) { test_trace("released %s", (const char *)info); }

/* R83 */
LOOP_TEST(the_context_is_released_with_the_source) {
    GYCallBackContext context = {.info = "info", .release = released};
    GYRunLoopSourceRef source = GYSignalCreateRunLoopSource(NULL, SIGUSR1, 7, traces, &context);
    EXPECT_INT(GYRunLoopSourceGetOrder(source), 7);
    GYRunLoopSourceInvalidate(source);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(source);
    EXPECT_STR(test_trace_take(), "released info");
}

static _Atomic bool stormy;

static void raises(void *unused) {
    (void)unused;
    while (atomic_load(&stormy)) kill(getpid(), SIGUSR1);
}

/* R235, F97. Handlers on several threads write while sources come and go. */
TEST(sources_come_and_go_in_a_storm_of_signals) {
    int rounds = (int)(500 / test_slowness());
    GYRunLoopSourceRef keeper = signal_source(SIGUSR1, traces, "k"); /* the handler stays */
    atomic_store(&stormy, true);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) threads[i] = test_thread_start(raises, NULL);
    for (int i = 0; i < rounds; i++) {
        atomic_int told = 0;
        GYRunLoopSourceRef source =
            loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, adds_one, &told));
        if (i % 8 == 0) GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true);
        loop_drop(source);
    }
    atomic_store(&stormy, false);
    for (int i = 0; i < 3; i++) test_thread_join(threads[i]);
    loop_drop(keeper);
}

/* R171, R235, F97. The loop is told while another thread ends the source. */
TEST(sources_end_on_another_thread_while_they_are_told) {
    int rounds = (int)(500 / test_slowness());
    loop_worker worker;
    loop_worker_start(&worker, kGYRunLoopDefaultMode);
    for (int i = 0; i < rounds; i++) {
        atomic_int told = 0;
        GYRunLoopSourceRef source = signal_source(SIGUSR1, adds_one, &told);
        GYRunLoopAddSource(worker.rl, source, kGYRunLoopDefaultMode);
        for (int n = 0; n < i % 4; n++) raise(SIGUSR1);
        if (i % 2 == 0) sched_yield();
        GYRunLoopSourceInvalidateAndWait(source);
        int before = atomic_load(&told);
        sched_yield();
        EXPECT_INT(atomic_load(&told), before);
        GYRelease(source);
    }
    loop_worker_drop(&worker);
}

/* Every descriptor of the process but those of the runner is closed by an exec. */
static int inherited_count(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) count++;
    }
    return count;
}

TEST(nothing_is_inherited_by_a_program_that_is_started) {
    int before = inherited_count();
    block(SIGUSR1);
    GYRunLoopSourceRef sources[] = {
        loop_in(kGYRunLoopDefaultMode, signal_source(SIGUSR1, traces, "s")),
        loop_in(kGYRunLoopDefaultMode,
                GYProcessCreateRunLoopSource(NULL, getpid(), 0, 0, NULL, NULL)),
        loop_in(kGYRunLoopDefaultMode, GYFileWatcherCreateRunLoopSource(NULL, 0, NULL, NULL)),
    };
    EXPECT(test_descriptor_count() > before);
    EXPECT_INT(inherited_count(), before);
    for (int i = 0; i < 3; i++) loop_drop(sources[i]);
}

/* ---- refusals ---- */

/* R234 */
LOOP_TEST(a_signal_that_cannot_be_watched_is_refused) {
    static const int bad[] = {0, -1, SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, 65, 1000};
    test_capture_log();
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        errno = 0;
        EXPECT(GYSignalCreateRunLoopSource(NULL, bad[i], 0, traces, NULL) == NULL);
        EXPECT_INT(errno, EINVAL);
        EXPECT_STR(test_log(), "gyre: GYSignalCreateRunLoopSource: a signal that cannot be watched "
                               "(R234)");
    }
}

/* R160 */
LOOP_TEST(an_unknown_version_of_the_context_is_refused) {
    test_capture_log();
    GYCallBackContext context = {.version = 1, .info = "info", .release = released};
    EXPECT(GYSignalCreateRunLoopSource(NULL, SIGUSR1, 0, traces, &context) == NULL);
    EXPECT_STR(test_log(), "gyre: GYSignalCreateRunLoopSource: unknown version of the context "
                           "(R160)");
    EXPECT_STR(test_trace_take(), "");
    EXPECT(action_of(SIGUSR1).sa_handler == SIG_DFL);
}

/* ---- fork ---- */

static GYRunLoopSourceRef inherited;

static void finds_nothing_inherited(void *unused) {
    (void)unused;
    EXPECT(!GYRunLoopSourceIsValid(inherited));
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), inherited, GYSTR("mode")));
    EXPECT(action_of(SIGUSR1).sa_handler == plain_handler);
    raise(SIGUSR1);
    EXPECT_INT(plain_calls, 1);
    GYRunLoopSourceRef own = loop_in(GYSTR("mode"), signal_source(SIGUSR1, traces, "child"));
    raise(SIGUSR1);
    poll_all(GYSTR("mode"));
    EXPECT_STR(test_trace_take(), "child10");
    loop_drop(own);
}

/* R236, R7 */
TEST(a_child_starts_without_the_sources_and_the_handlers) {
    install(SIGUSR1, plain_handler, 0);
    inherited = loop_in(GYSTR("mode"), signal_source(SIGUSR1, traces, "parent"));
    GYRunLoopRunInMode(GYSTR("mode"), 0, false);
    EXPECT_INT(test_child(finds_nothing_inherited, NULL), 0);
    poll_all(GYSTR("mode"));
    EXPECT_STR(test_trace_take(), ""); /* the child's signals were the child's */
    raise(SIGUSR1);
    poll_all(GYSTR("mode"));
    EXPECT_STR(test_trace_take(), "parent10");
    loop_drop(inherited);
}

TEST_MAIN()
