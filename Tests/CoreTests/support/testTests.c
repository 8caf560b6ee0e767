/* The runner's own tests. A case that has to fail is run by the runner itself, in a child of its
 * own: this program is called again with the case's name and the variable INNER set, and what it
 * prints and its exit status are looked at. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[16384];

static void read_all(int from) {
    size_t used = 0;
    ssize_t count;
    while ((count = read(from, output + used, sizeof output - 1 - used)) > 0) used += (size_t)count;
    output[used] = '\0';
}

/* Not "/proc/self/exe" itself: under valgrind that is valgrind. */
static void become_inner(const char *name) {
    char path[4096];
    ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);
    if (count < 0) _exit(126);
    path[count] = '\0';
    execl(path, "inner", name, (char *)NULL);
    _exit(127);
}

/* Runs one inner case by a runner of its own; gives the exit status, and `output`. */
static int run_inner(const char *name, const char *timeout_factor) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("INNER", "1", 1);
        if (timeout_factor != NULL) setenv("TEST_TIMEOUT", timeout_factor, 1);
        become_inner(name);
    }
    close(ends[1]);
    read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool printed(const char *part) { return strstr(output, part) != NULL; }

/* Inner cases do nothing, and pass, unless they are called by run_inner. */
static bool is_inner(void) { return getenv("INNER") != NULL; }

TEST(inner_passes) { EXPECT(true); }

TEST(inner_expectations_fail_and_the_case_goes_on) {
    if (!is_inner()) return;
    EXPECT(1 > 2);
    EXPECT_INT(2 + 2, 5);
    EXPECT_STR("entry wait exit", "entry sources exit");
    EXPECT_STR(NULL, "text");
    EXPECT_NEAR(1.0, 1.5, 0.25);
    printf("reached the end\n");
}

TEST(inner_requires) {
    if (!is_inner()) return;
    REQUIRE(errno == 12345);
    printf("reached the end\n");
    fflush(stdout);
}

static void require_nothing(void *unused) {
    (void)unused;
    REQUIRE(false);
}

TEST(inner_requires_on_another_thread) {
    if (!is_inner()) return;
    test_thread(require_nothing, NULL);
    printf("reached the end\n");
    fflush(stdout);
}

static void expect_nothing(void *unused) {
    (void)unused;
    EXPECT(false);
}

TEST(inner_fails_in_a_forked_process) {
    if (is_inner()) test_child(expect_nothing, NULL);
}

TEST(inner_returns_twice) {
    if (!is_inner()) return;
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
}

TEST(inner_skips) {
    TEST_SKIP_IF(is_inner(), "no reason");
    EXPECT(!is_inner());
}

TEST(inner_crashes) {
    if (is_inner()) raise(SIGKILL);
}

TEST(inner_exits) {
    if (is_inner()) _exit(0);
}

TEST(inner_hangs) {
    while (is_inner()) pause();
}

TEST(inner_leaves_a_process_behind) {
    if (!is_inner()) return;
    /* It holds the writing end of run_inner's pipe, so that would wait for it. */
    if (fork() == 0) {
        for (;;) pause();
    }
}

TEST(inner_leaks_a_descriptor) {
    if (is_inner()) EXPECT(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
}

TEST(inner_loses_a_descriptor) {
    if (is_inner()) close(STDIN_FILENO);
}

TEST(inner_leaks_an_allowed_descriptor) {
    if (!is_inner()) return;
    test_allow_descriptors(1);
    EXPECT(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
}

static pthread_key_t key;

static void close_descriptor(void *value) { close((int)(intptr_t)value); }

TEST(inner_holds_a_descriptor_until_its_thread_ends) {
    if (!is_inner()) return;
    pthread_key_create(&key, close_descriptor);
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(descriptor > 0);
    pthread_setspecific(key, (void *)(intptr_t)descriptor);
}

TEST(passing_cases_are_counted_and_give_status_0) {
    EXPECT_INT(run_inner("inner_passes", NULL), 0);
    EXPECT_STR(output, "ok inner_passes\n1 passed, 0 failed\n");
}

TEST(a_filter_that_names_nothing_fails) {
    EXPECT_INT(run_inner("no such case", NULL), 1);
    EXPECT(printed("0 passed, 0 failed\n"));
}

TEST(list_names_the_cases_in_the_order_of_the_file) {
    EXPECT_INT(run_inner("--list", NULL), 0);
    EXPECT(strncmp(output, "inner_passes\ninner_expectations", 31) == 0);
}

TEST(a_failed_expectation_prints_both_values_and_is_counted) {
    EXPECT_INT(run_inner("inner_expectations", NULL), 1);
    EXPECT(printed("testTests.c:"));
    EXPECT(printed(": expected: 1 > 2\n"));
    EXPECT(printed(": 2 + 2 is 4, expected 5\n"));
    EXPECT(printed("    actual:   entry wait exit\n"
                   "    expected: entry sources exit\n"
                   "                    ^\n"));
    EXPECT(printed("is NULL, expected text\n"));
    EXPECT(printed("is 1, expected 1.5 (within 0.25)\n"));
    EXPECT(printed("reached the end\n"));
    EXPECT(printed("FAILED inner_expectations_fail_and_the_case_goes_on: 5 expectations failed\n"));
    EXPECT(printed("\n0 passed, 1 failed\n"));
}

TEST(a_failed_requirement_ends_the_case) {
    EXPECT_INT(run_inner("inner_requires", NULL), 1);
    EXPECT(printed(": required: errno == 12345\n"));
    EXPECT(printed("FAILED inner_requires_on_another_thread: 1 expectation failed\n"));
    EXPECT(printed("\n0 passed, 2 failed\n"));
    EXPECT(!printed("reached the end"));
}

TEST(failures_in_forked_processes_are_counted) {
    EXPECT_INT(run_inner("inner_fails_in_a_forked_process", NULL), 1);
    EXPECT(printed(": 1 expectation failed\n"));
}

TEST(a_forked_process_that_returns_from_the_case_fails_it) {
    EXPECT_INT(run_inner("inner_returns_twice", NULL), 1);
    EXPECT(printed("a process that the case forked returned from the case\n"));
}

TEST(a_skipped_case_passes_and_says_why) {
    EXPECT_INT(run_inner("inner_skips", NULL), 0);
    EXPECT(printed(": skipped: no reason\n"));
    EXPECT(printed("1 passed, 0 failed\n"));
}

TEST(a_crash_fails_the_case_alone) {
    EXPECT_INT(run_inner("inner_crashes", NULL), 1);
    EXPECT(printed("FAILED inner_crashes: ended by signal 9 (Killed)\n"));
    EXPECT(printed("0 passed, 1 failed\n"));
}

TEST(an_exit_before_the_end_fails_the_case) {
    EXPECT_INT(run_inner("inner_exits", NULL), 1);
    EXPECT(printed("FAILED inner_exits: exit status 0 before its end\n"));
}

TEST(a_case_that_hangs_is_killed_and_reported_as_timed_out) {
    EXPECT_INT(run_inner("inner_hangs", "0.01"), 1);
    EXPECT(printed("FAILED inner_hangs: timed out after 0.3 s\n"));
}

TEST(processes_that_a_case_leaves_behind_are_killed) {
    EXPECT_INT(run_inner("inner_leaves_a_process_behind", NULL), 0);
}

TEST(a_leaked_descriptor_fails_the_case_and_is_shown) {
    EXPECT_INT(run_inner("inner_leaks_a_descriptor", NULL), 1);
    EXPECT(printed("descriptors: +1 at the end, allowed +0"));
    EXPECT(printed("-> /dev/null\n"));
}

TEST(a_lost_descriptor_fails_the_case) {
    EXPECT_INT(run_inner("inner_loses_a_descriptor", NULL), 1);
    EXPECT(printed("descriptors: -1 at the end, allowed +0"));
}

TEST(an_allowed_descriptor_does_not_fail_the_case) {
    EXPECT_INT(run_inner("inner_leaks_an_allowed_descriptor", NULL), 0);
}

TEST(what_ends_with_the_thread_of_the_case_is_no_leak) {
    EXPECT_INT(run_inner("inner_holds_a_descriptor_until_its_thread_ends", NULL), 0);
    EXPECT(printed("1 passed, 0 failed\n"));
}

TEST(traced_words_are_joined_and_taken_once) {
    EXPECT_STR(test_trace_take(), "");
    test_trace("entry");
    test_trace("timer%d", 7);
    EXPECT_STR(test_trace_take(), "entry timer7");
    EXPECT_STR(test_trace_take(), "");
}

static void signal_event(void *event) { test_event_signal(event); }

TEST(an_event_is_waited_for_across_threads) {
    test_event event = TEST_EVENT_INIT;
    EXPECT(!test_event_has_happened(&event));
    pthread_t thread = test_thread_start(signal_event, &event);
    test_event_wait(&event);
    EXPECT(test_event_has_happened(&event));
    test_thread_join(thread);
}

TEST(waiting_for_an_event_ends_at_the_deadline_and_not_before) {
    test_event event = TEST_EVENT_INIT;
    int64_t start_ns = test_now_ns();
    EXPECT(!test_event_wait_for(&event, 0.05));
    EXPECT(test_now_ns() - start_ns >= 50000000);
}

static bool is_true_at_the_third_look_only(int *looks) { return ++*looks == 3; }

TEST(a_state_that_is_over_at_once_has_been_waited_for) {
    int looks = 0;
    TEST_WAIT_UNTIL(is_true_at_the_third_look_only(&looks));
    EXPECT_INT(looks, 3);
}

TEST(an_abort_is_recognised) { test_expect_abort(abort); }

static void write_to_stderr(void *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    EXPECT_INT(written, (intmax_t)strlen(text));
}

TEST(standard_error_is_captured) {
    EXPECT_STR(test_stderr_of(write_to_stderr, "a line\n"), "a line\n");
    EXPECT_STR(test_stderr_of(write_to_stderr, ""), "");
}

TEST_MAIN()
