/* The runner: one forked child for each case, its time limit, its verdict.
 *
 * The runner itself stays single-threaded and never touches the library, so that each child begins
 * with nothing of it, and a case's thread is its process's first. */
#define _GNU_SOURCE 1
#include "test.h"

#include "runner.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_SECONDS 30

static test_case *first_case, *last_case;
static pid_t case_process;
static test_descriptor_list descriptors_before;

test_shared *test_shared_state;

/* Constructors run in the order in which a file defines its cases. */
void test_register(test_case *added) {
    if (last_case == NULL) {
        first_case = added;
    } else {
        last_case->next = added;
    }
    last_case = added;
}

double test_slowness(void) {
    const char *text = getenv("TEST_TIMEOUT");
    double factor = text == NULL ? 1 : strtod(text, NULL);
    return factor > 0 ? factor : 1;
}

/* One write(2) for each line: nothing is lost when the process dies, lines stay whole. */
void test_note(const char *file, int line, const char *message) {
    char *text;
    int count = asprintf(&text, "%s:%d: %s\n", file, line, message);
    if (count < 0) return;
    ssize_t written = write(STDOUT_FILENO, text, (size_t)count);
    (void)written;
    free(text);
}

void test_fail(const char *file, int line, const char *format, ...) {
    char *message;
    va_list arguments;
    va_start(arguments, format);
    int count = vasprintf(&message, format, arguments);
    va_end(arguments);
    atomic_fetch_add(&test_shared_state->failures, 1);
    if (count < 0) return;
    test_note(file, line, message);
    free(message);
}

int test_failures(void) { return atomic_load(&test_shared_state->failures); }

/* In the child. */

/* exit and not _exit: the leak check of the sanitizers is a part of the case. */
static _Noreturn void end_case(void) { exit(test_failures() > 0 ? 1 : 0); }

/* Whether the process's first thread has ended: it stays a zombie while others run. Joining it is
 * what the address sanitizer refuses. */
static bool first_thread_has_ended(void) {
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)case_process, (int)case_process);
    FILE *file = fopen(path, "re");
    if (file == NULL) return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    fclose(file);
    return state == 'Z' || state == 'X';
}

/* What is open once the case's thread has ended, and its loop with it, has leaked. */
static void *count_after_thread(void *unused) {
    (void)unused;
    while (!first_thread_has_ended()) test_pause();
    test_descriptors_balance(&descriptors_before, 0);
    end_case();
}

static _Noreturn void finish_case(void) {
    if (getpid() != case_process) {
        test_fail(__FILE__, __LINE__, "a process that the case forked returned from the case");
        _exit(1);
    }
    atomic_store(&test_shared_state->returned, true);
    if (test_descriptors_balance(&descriptors_before, 1)) end_case();
    pthread_t counter;
    if (pthread_create(&counter, NULL, count_after_thread, NULL) != 0) abort();
    pthread_exit(NULL);
}

static _Noreturn void run_case(const test_case *chosen, const sigset_t *mask) {
    static const struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    sigprocmask(SIG_SETMASK, mask, NULL);
    case_process = getpid();
    test_descriptors_read(&descriptors_before);
    chosen->body();
    finish_case();
}

/* In the runner. */

static double seconds_now(void) { return (double)test_now_ns() / 1e9; }

/* Gives false when the limit passed before the child's end. SIGCHLD is blocked and waited for; the
 * child stays a zombie, so that its process group's number is still its own. */
static bool wait_for_end(pid_t child, double limit_seconds) {
    double deadline = seconds_now() + limit_seconds;
    sigset_t child_ends;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid != 0) {
            return true;
        }
        double left = deadline - seconds_now();
        if (left <= 0) return false;
        /* A short step: one SIGCHLD may stand for several ends. */
        struct timespec step = {left > 1 ? 1 : 0, left > 1 ? 0 : (long)(left * 1e9)};
        sigtimedwait(&child_ends, NULL, &step);
    }
}

/* Why the case failed; NULL when it passed. */
static const char *verdict(bool in_time, int status, double limit_seconds) {
    static char text[160];
    int failures = test_failures();
    if (!in_time) {
        snprintf(text, sizeof text, "timed out after %g s", limit_seconds);
    } else if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (failures > 0) {
        snprintf(text, sizeof text, "%d expectation%s failed", failures, failures == 1 ? "" : "s");
    } else if (WEXITSTATUS(status) != 0 || !atomic_load(&test_shared_state->returned)) {
        snprintf(text, sizeof text, "exit status %d %s its end", WEXITSTATUS(status),
                 atomic_load(&test_shared_state->returned) ? "after" : "before");
    } else {
        return NULL;
    }
    return text;
}

static bool passes(const test_case *chosen) {
    double limit_seconds = LIMIT_SECONDS * test_slowness();
    sigset_t blocked, mask;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    atomic_store(&test_shared_state->failures, 0);
    atomic_store(&test_shared_state->returned, false);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) run_case(chosen, &mask);
    if (child < 0) {
        printf("FAILED %s: fork: %s\n", chosen->name, strerror(errno));
        return false;
    }
    setpgid(child, child);
    bool in_time = wait_for_end(child, limit_seconds);
    kill(-child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    const char *reason = verdict(in_time, status, limit_seconds);
    if (reason == NULL) {
        printf("ok %s\n", chosen->name);
    } else {
        printf("FAILED %s: %s\n", chosen->name, reason);
    }
    return reason == NULL;
}

int test_main(int argc, char **argv) {
    const char *filter = argc > 1 ? argv[1] : "";
    test_shared_state = mmap(NULL, sizeof *test_shared_state, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (test_shared_state == MAP_FAILED) return 2;
    if (strcmp(filter, "--list") == 0) {
        for (const test_case *each = first_case; each != NULL; each = each->next) puts(each->name);
        return 0;
    }
    int passed = 0, failed = 0;
    for (const test_case *each = first_case; each != NULL; each = each->next) {
        if (strstr(each->name, filter) == NULL) continue;
        if (passes(each)) {
            passed++;
        } else {
            failed++;
        }
    }
    /* A filter that names nothing is a mistake, not a success. */
    if (passed + failed == 0) printf("no case's name contains \"%s\"\n", filter);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0 ? 1 : 0;
}
