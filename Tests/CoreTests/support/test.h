/** test.h - cases, expectations and the helpers that tests of the core are written with.
 *
 * A test file is a program of its own:
 *
 *     #include "support/test.h"
 *
 *     TEST(stop_ends_the_run) {
 *         EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false), kGYRunLoopRunTimedOut);
 *     }
 *
 *     TEST_MAIN()
 *
 * It runs the cases whose name contains its argument, all without one; `--list` names them. Its
 * last line is `N passed, M failed`, its exit status 1 if any failed.
 *
 * Every case runs in a forked child of its own, on the child's main thread, and fails when
 * - an expectation failed, in any thread or in any process that the case forked,
 * - the child ended in another way than by returning from the case (signal, exit, sanitizer),
 * - it took longer than 30 seconds times the environment's TEST_TIMEOUT (a factor, 1 by default),
 * - it left more or fewer descriptors open than it found (test_allow_descriptors).
 * Whatever processes a case leaves behind are killed when it ends. */
#ifndef GYRE_TESTS_TEST_H
#define GYRE_TESTS_TEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_case {
    const char *name;
    void (*body)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *added);
int test_main(int argc, char **argv);

/** Defines a case; its name is a sentence. */
#define TEST(sentence)                                                                             \
    static void sentence(void);                                                                    \
    __attribute__((constructor)) static void register_##sentence(void) {                           \
        static test_case self = {#sentence, sentence, NULL};                                       \
        test_register(&self);                                                                      \
    }                                                                                              \
    static void sentence(void)

/** Stands once, at the end of a test file. */
#define TEST_MAIN()                                                                                \
    int main(int argc, char **argv) { return test_main(argc, argv); }

/* Expectations. They give whether they held; a failure is printed and counted, the case goes on. */

#define EXPECT(x) test_expect((x) ? true : false, #x, __FILE__, __LINE__)
#define EXPECT_INT(actual, expected)                                                               \
    test_expect_int((intmax_t)(actual), (intmax_t)(expected), #actual, __FILE__, __LINE__)
/** A mismatch is shown as a diff. NULL equals only NULL. */
#define EXPECT_STR(actual, expected)                                                               \
    test_expect_str((actual), (expected), #actual, __FILE__, __LINE__)
#define EXPECT_NEAR(actual, expected, tolerance)                                                   \
    test_expect_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
/** Ends the process of the case, from whichever thread, when `x` does not hold. */
#define REQUIRE(x) test_require((x) ? true : false, #x, __FILE__, __LINE__)

bool test_expect(bool held, const char *text, const char *file, int line);
bool test_expect_int(intmax_t actual, intmax_t expected, const char *text, const char *file,
                     int line);
bool test_expect_str(const char *actual, const char *expected, const char *text, const char *file,
                     int line);
bool test_expect_near(double actual, double expected, double tolerance, const char *text,
                      const char *file, int line);
void test_require(bool held, const char *text, const char *file, int line);
/** Counts and prints a failure that the other forms cannot express. */
void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Leaves the function, and so the case, which counts as passed; says why. */
#define TEST_SKIP_IF(condition, why)                                                               \
    do {                                                                                           \
        if (condition) {                                                                           \
            test_note(__FILE__, __LINE__, "skipped: " why);                                        \
            return;                                                                                \
        }                                                                                          \
    } while (0)
void test_note(const char *file, int line, const char *message);

/** How many expectations have failed in this case so far. */
int test_failures(void);

/* Descriptors. */

/** How many descriptors the process has open. */
int test_descriptor_count(void);
/** Lets the case end with `count` descriptors more than it began with; negative for fewer.
 *
 * What the loop of the case's own thread holds needs no allowance: where descriptors are left at
 * the end, the runner lets that thread end, which tears its loop down, and counts again. */
void test_allow_descriptors(int count);

/* Order: words joined by single spaces, from any thread. */

void test_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** What was traced since the last take; the text is valid until the next take. */
const char *test_trace_take(void);

/* The library's reports. */

/** Captures what the library reports from now on. */
void test_capture_log(void);
/** The captured lines joined by newlines, which are then forgotten; valid until the next call. */
const char *test_log(void);

/* Threads. */

typedef void (*test_function)(void *arg);

/** Runs a function on a thread of its own and waits for its end. */
void test_thread(test_function function, void *arg);
pthread_t test_thread_start(test_function function, void *arg);
void test_thread_join(pthread_t thread);

/** Nanoseconds of CLOCK_MONOTONIC. */
int64_t test_now_ns(void);
/** The factor by which the run is slower than usual, as TEST_TIMEOUT tells: for long loops. */
double test_slowness(void);
/** Whether the address or thread sanitizer is in the process: it has memory of its own, and ends
 * its part of a thread in the last round of destructors of thread data. */
bool test_is_sanitized(void);
/** Whether it is the thread sanitizer: in a child forked from a process with several threads its
 * runtime makes the waiting system calls twice. */
bool test_is_thread_sanitized(void);

/** Something that happens once. What was written before the signal is visible after the wait. */
typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool happened;
} test_event;
#define TEST_EVENT_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false}

void test_event_init(test_event *event);
void test_event_signal(test_event *event);
bool test_event_has_happened(test_event *event);
/** False when the deadline passed first. */
bool test_event_wait_for(test_event *event, double seconds);
/** Waits for at most 10 seconds (times TEST_TIMEOUT); ends the case when nothing happened. */
#define test_event_wait(event) REQUIRE(test_event_wait_for((event), 10))

/** Polls a condition that nothing signals, such as another thread's state, for at most 10 seconds
 * (times TEST_TIMEOUT); ends the case when it does not come true. What was true once is enough. */
#define TEST_WAIT_UNTIL(x)                                                                         \
    do {                                                                                           \
        int64_t test_until = test_now_ns() + (int64_t)(1e10 * test_slowness());                    \
        bool test_held;                                                                            \
        while (!(test_held = (x)) && test_now_ns() < test_until) test_pause();                     \
        test_require(test_held, #x, __FILE__, __LINE__);                                           \
    } while (0)
void test_pause(void);

/* Child processes. */

/** Runs a function in a forked child and waits for it.
 * - Result: the wait status, as waitpid gives it. A child that returns exits with 0. */
int test_child(test_function function, void *arg);
/** Expects that a function, called in a forked child, ends it by abort(). */
#define test_expect_abort(function) test_abort_expected((function), #function, __FILE__, __LINE__)
bool test_abort_expected(void (*function)(void), const char *text, const char *file, int line);
/** What standard error got while a function ran here; valid until the next call. */
const char *test_stderr_of(test_function function, void *arg);

#endif
