/* The ends of processes as sources: what is told of whom, who takes the status, and how it goes
 * where the kernel has no pidfd. */
#include "items/source.h"
#include "support/loop.h"

#include <errno.h>
#include <gyre/GYProcess.h>
#include <gyre/GYSignal.h>
#include <gyre/GYString.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static void traces(GYRunLoopSourceRef source, const GYProcessEnd *end, void *word) {
    static const char *const outcomes[] = {"?", "exited", "signalled", "ended"};
    EXPECT(!GYRunLoopSourceIsValid(source));
    test_trace("%s%s(%d)", (const char *)word, outcomes[end->outcome], end->code);
}

static GYRunLoopSourceRef process_source(pid_t pid, GYOptionFlags options,
                                         GYProcessCallBack callout, void *info) {
    GYCallBackContext context = {.info = info};
    GYRunLoopSourceRef source =
        GYProcessCreateRunLoopSource(NULL, pid, options, 0, callout, &context);
    REQUIRE(source != NULL);
    return source;
}

/* Makes the kernel refuse pidfd_open in this process, and those that it forks. */
static void refuse_pidfd(int error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* Defines a case twice: with a pidfd, and with SIGCHLD in its place. */
#define BOTH_WAYS(sentence)                                                                        \
    static void body_of_##sentence(void);                                                          \
    LOOP_TEST(sentence) { body_of_##sentence(); }                                                  \
    LOOP_TEST(sentence##_without_pidfd) {                                                          \
        refuse_pidfd(ENOSYS);                                                                      \
        body_of_##sentence();                                                                      \
    }                                                                                              \
    static void body_of_##sentence(void)

static pid_t child_that_exits(int code) {
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) _exit(code);
    return pid;
}

/* It ends when it is killed. */
static pid_t child_that_stays(void) {
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    while (pid == 0) pause();
    return pid;
}

/* Returns when it is a zombie. */
static pid_t child_that_has_exited(int code) {
    pid_t pid = child_that_exits(code);
    siginfo_t info;
    REQUIRE(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    return pid;
}

static void serve_all(void) { EXPECT_INT(loop_run(10), kGYRunLoopRunFinished); }

static bool is_reaped(pid_t pid) { return waitpid(pid, NULL, WNOHANG) < 0 && errno == ECHILD; }

/* R240, R241 */
BOTH_WAYS(the_exit_code_of_a_child_is_told_and_its_status_taken) {
    pid_t pid = child_that_exits(7);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    serve_all();
    EXPECT_STR(test_trace_take(), "exited(7)");
    EXPECT(is_reaped(pid));
    EXPECT(!GYRunLoopSourceIsValid(source));
    GYRelease(source);
}

/* R240 */
BOTH_WAYS(the_signal_that_ended_a_child_is_told) {
    pid_t pid = child_that_stays();
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    REQUIRE(kill(pid, SIGKILL) == 0);
    serve_all();
    EXPECT_STR(test_trace_take(), "signalled(9)");
    GYRelease(source);
}

/* R240, F62 */
BOTH_WAYS(a_loop_that_runs_a_mode_of_its_own_alone_is_served) {
    GYRunLoopMode mode = GYSTR("my.mode");
    GYRunLoopSourceRef source = loop_in(mode, process_source(child_that_exits(1), 0, traces, ""));
    EXPECT_INT(GYRunLoopRunInMode(mode, 10, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "exited(1)");
    GYRelease(source);
}

/* R240 */
BOTH_WAYS(a_child_that_ended_before_it_was_watched_is_told) {
    pid_t pid = child_that_has_exited(3);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    serve_all();
    EXPECT_STR(test_trace_take(), "exited(3)");
    EXPECT(is_reaped(pid));
    GYRelease(source);
}

static GYProcessEnd got;

static void keeps(GYRunLoopSourceRef source, const GYProcessEnd *end, void *unused) {
    (void)source;
    (void)unused;
    got = *end;
}

static pid_t child_that_dumps(void) {
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid != 0) return pid;
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    signal(SIGQUIT, SIG_DFL);
    raise(SIGQUIT);
    _exit(1);
}

/* Where an image is written it lies here. */
static void clear_folder(const char *folder) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    EXPECT_INT(system(command), 0);
}

/* R240 */
LOOP_TEST(a_core_dump_is_told_as_waiting_tells_it) {
    char folder[] = "/tmp/gyre-XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    int status; /* whether this system writes an image is nothing that a test can ask for */
    pid_t model = child_that_dumps();
    REQUIRE(waitpid(model, &status, 0) == model);
    pid_t pid = child_that_dumps();
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, keeps, NULL));
    serve_all();
    EXPECT_INT(got.pid, pid);
    EXPECT_INT(got.outcome, kGYProcessSignalled);
    EXPECT_INT(got.code, SIGQUIT);
    EXPECT_INT(got.dumpedCore, WCOREDUMP(status) != 0);
    GYRelease(source);
    REQUIRE(chdir("/") == 0);
    clear_folder(folder);
}

/* ---- whose status ---- */

/* R241 */
BOTH_WAYS(the_status_is_left_to_who_asks_for_that) {
    pid_t pid = child_that_exits(5);
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, process_source(pid, kGYProcessLeaveStatus, traces, ""));
    serve_all();
    EXPECT_STR(test_trace_take(), "exited(5)");
    int status = 0;
    EXPECT_INT(waitpid(pid, &status, 0), pid);
    EXPECT_INT(WEXITSTATUS(status), 5);
    GYRelease(source);
}

/* R241, F84 */
BOTH_WAYS(no_other_child_is_waited_for) {
    pid_t other = child_that_has_exited(1), watched = child_that_exits(2);
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, process_source(watched, 0, traces, ""));
    serve_all();
    EXPECT_STR(test_trace_take(), "exited(2)");
    int status = 0;
    EXPECT_INT(waitpid(other, &status, 0), other);
    EXPECT_INT(WEXITSTATUS(status), 1);
    GYRelease(source);
}

/* R242 */
BOTH_WAYS(a_child_whose_status_the_program_takes_is_told_without) {
    pid_t pid = child_that_stays();
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    REQUIRE(kill(pid, SIGKILL) == 0);
    REQUIRE(waitpid(pid, NULL, 0) == pid);
    serve_all();
    EXPECT_STR(test_trace_take(), "ended(0)");
    GYRelease(source);
}

/* R241 */
BOTH_WAYS(a_source_that_is_invalidated_leaves_the_child_alone) {
    pid_t pid = child_that_has_exited(4);
    GYRunLoopSourceRef source = process_source(pid, 0, traces, "");
    loop_drop(source);
    int status = 0;
    EXPECT_INT(waitpid(pid, &status, 0), pid);
    EXPECT_INT(WEXITSTATUS(status), 4);
}

/* A process whose parent is a child of this one; it ends when the pipe is closed. */
static pid_t grandchild(int *end, pid_t *parent) {
    int hold[2], answer[2];
    REQUIRE(pipe(hold) == 0 && pipe(answer) == 0);
    *parent = fork();
    REQUIRE(*parent >= 0);
    if (*parent == 0) {
        close(hold[1]);
        pid_t pid = fork();
        char byte;
        if (pid == 0) _exit(read(hold[0], &byte, 1) == 0 ? 6 : 7);
        close(hold[0]);
        REQUIRE(write(answer[1], &pid, sizeof pid) == (ssize_t)sizeof pid);
        waitpid(pid, NULL, 0);
        _exit(0);
    }
    pid_t pid = 0;
    REQUIRE(read(answer[0], &pid, sizeof pid) == (ssize_t)sizeof pid);
    close(hold[0]);
    close(answer[0]);
    close(answer[1]);
    *end = hold[1];
    return pid;
}

/* R242 */
LOOP_TEST(of_a_process_that_is_no_child_the_end_is_told) {
    int end;
    pid_t parent, pid = grandchild(&end, &parent);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    close(end);
    serve_all();
    EXPECT_STR(test_trace_take(), "ended(0)");
    REQUIRE(waitpid(parent, NULL, 0) == parent);
    GYRelease(source);
}

/* R244 */
LOOP_TEST(a_process_that_is_no_child_is_refused_without_pidfd) {
    refuse_pidfd(EPERM);
    int end;
    pid_t parent, pid = grandchild(&end, &parent);
    EXPECT(GYProcessCreateRunLoopSource(NULL, pid, 0, 0, traces, NULL) == NULL);
    EXPECT_INT(errno, ENOSYS);
    close(end);
    REQUIRE(waitpid(parent, NULL, 0) == parent);
}

/* ---- many ---- */

static void adds_one(GYRunLoopSourceRef source, const GYProcessEnd *end, void *count) {
    (void)source;
    EXPECT_INT(end->outcome, kGYProcessExited);
    EXPECT_INT(end->code, 9);
    atomic_fetch_add((atomic_int *)count, 1);
}

enum { CHILDREN = 100 };

static void watch_many(GYRunLoopRef loop, GYProcessCallBack callout, void *info) {
    for (int i = 0; i < CHILDREN; i++) {
        GYRunLoopSourceRef source = process_source(child_that_exits(9), 0, callout, info);
        GYRunLoopAddSource(loop, source, kGYRunLoopDefaultMode);
        GYRelease(source);
    }
}

/* F84 */
static void watch_with_two_loops(void) {
    atomic_int counts[2] = {0};
    loop_worker workers[2];
    for (int i = 0; i < 2; i++) loop_worker_start(&workers[i], kGYRunLoopDefaultMode);
    for (int i = 0; i < 2; i++) watch_many(workers[i].rl, adds_one, &counts[i]);
    for (int i = 0; i < 2; i++) TEST_WAIT_UNTIL(atomic_load(&counts[i]) == CHILDREN);
    for (int i = 0; i < 2; i++) loop_worker_drop(&workers[i]);
    EXPECT(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

/* R240, F84 */
TEST(each_of_two_loops_hears_of_its_own_children) { watch_with_two_loops(); }

/* R244, F84 */
TEST(each_of_two_loops_hears_of_its_own_children_without_pidfd) {
    refuse_pidfd(ENOSYS);
    watch_with_two_loops();
}

/* R240. The case's end counts the descriptors. */
LOOP_TEST(a_thousand_children_leave_no_descriptor) {
    atomic_int count = 0;
    int before = 0;
    for (int round = 0; round < 10; round++) {
        watch_many(GYRunLoopGetCurrent(), adds_one, &count);
        serve_all();
        EXPECT_INT(atomic_load(&count), (round + 1) * CHILDREN);
        if (round == 0) before = test_descriptor_count();
        EXPECT_INT(test_descriptor_count(), before);
    }
}

/* R240 */
BOTH_WAYS(a_child_that_is_killed_at_any_moment_is_told_once) {
    for (int i = 0; i < 50; i++) {
        pid_t pid = child_that_stays();
        if (i % 2 == 0) kill(pid, SIGKILL);
        GYRunLoopSourceRef source =
            loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
        if (i % 2 == 1) kill(pid, SIGKILL);
        serve_all();
        EXPECT_STR(test_trace_take(), "signalled(9)");
        GYRelease(source);
    }
}

/* ---- life ---- */

static void runs_nested(GYRunLoopSourceRef source, const GYProcessEnd *end, void *word) {
    traces(source, end, word);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
}

/* R243 */
LOOP_TEST(a_run_in_the_callout_tells_nothing_again) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    GYRunLoopSourceRef source =
        loop_in(kGYRunLoopDefaultMode, process_source(child_that_exits(1), 0, runs_nested, ""));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "exited(1)");
    GYRelease(source);
    loop_drop(keep);
}

static const void *retained(const void *info) {
    test_trace("retained");
    return info;
}

static void released(const void *info) { test_trace("released %s", (const char *)info); }

/* R83 */
LOOP_TEST(the_context_is_released_with_the_source) {
    GYCallBackContext context = {.info = "", .retain = retained, .release = released};
    pid_t pid = child_that_exits(0);
    GYRunLoopSourceRef source = GYProcessCreateRunLoopSource(NULL, pid, 0, 3, traces, &context);
    EXPECT_INT(GYRunLoopSourceGetOrder(source), 3);
    loop_in(kGYRunLoopDefaultMode, source);
    GYRelease(source);
    serve_all();
    EXPECT_STR(test_trace_take(), "retained exited(0) released ");
}

static void performs_while_cancelled(void *source) {
    pthread_cancel(pthread_self());
    GYRunLoopSourceRef s = source;
    s->callbacks->perform(s->info); /* a turn, without the wait before it, which ends the thread */
}

/* A lock is held while the status is asked for: the thread must not end there. */
BOTH_WAYS(asking_for_the_status_is_no_cancellation_point) {
    pid_t pid = child_that_has_exited(2);
    GYRunLoopSourceRef source = process_source(pid, 0, keeps, NULL);
    test_thread_join(test_thread_start(performs_while_cancelled, source));
    EXPECT_INT(got.code, 2);
    loop_drop(source);
}

/* ---- refusals ---- */

/* R240 */
LOOP_TEST(what_is_no_process_is_refused) {
    test_capture_log();
    for (int pid = -1; pid <= 0; pid++) {
        errno = 0;
        EXPECT(GYProcessCreateRunLoopSource(NULL, pid, 0, 0, traces, NULL) == NULL);
        EXPECT_INT(errno, EINVAL);
        EXPECT_STR(test_log(), "gyre: GYProcessCreateRunLoopSource: not the number of a process "
                               "(R240)");
    }
}

/* R240 */
BOTH_WAYS(a_child_that_has_been_waited_for_is_refused) {
    pid_t pid = child_that_exits(0);
    REQUIRE(waitpid(pid, NULL, 0) == pid);
    GYCallBackContext context = {.info = "x", .release = released};
    EXPECT(GYProcessCreateRunLoopSource(NULL, pid, 0, 0, traces, &context) == NULL);
    EXPECT_INT(errno, ESRCH);
    EXPECT_STR(test_trace_take(), "released x");
}

/* R240 */
LOOP_TEST(no_descriptor_means_no_source_and_nothing_lost) {
    pid_t pid = child_that_exits(2);
    struct rlimit limit, none;
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    EXPECT(GYProcessCreateRunLoopSource(NULL, pid, 0, 0, traces, NULL) == NULL);
    EXPECT_INT(errno, EMFILE);
    EXPECT(GYSignalCreateRunLoopSource(NULL, SIGUSR1, 0, NULL, NULL) == NULL);
    EXPECT_INT(errno, EMFILE);
    setrlimit(RLIMIT_NOFILE, &limit);
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, process_source(pid, 0, traces, ""));
    serve_all();
    EXPECT_STR(test_trace_take(), "exited(2)");
    GYRelease(source);
}

/* ---- fork ---- */

static GYRunLoopSourceRef inherited;

/* R7 */
LOOP_TEST(in_the_child_of_a_fork_the_source_is_invalid) {
    pid_t pid = child_that_stays();
    inherited = process_source(pid, 0, traces, "");
    loop_in(GYSTR("mode"), inherited);
    pid_t child = fork();
    if (child == 0) {
        EXPECT(!GYRunLoopSourceIsValid(inherited));
        EXPECT_INT(GYRunLoopRunInMode(GYSTR("mode"), 10, false), kGYRunLoopRunFinished);
        _exit(test_failures() == 0 ? 0 : 1);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    EXPECT(GYRunLoopSourceIsValid(inherited));
    REQUIRE(kill(pid, SIGKILL) == 0);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("mode"), 10, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "signalled(9)");
    GYRelease(inherited);
}

TEST_MAIN()
