/* Threads, events with a deadline, child processes and the clock. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

bool test_is_thread_sanitized(void) { return __tsan_init != NULL; }

bool test_is_sanitized(void) { return __asan_init != NULL || test_is_thread_sanitized(); }

typedef struct {
    test_function function;
    void *arg;
} call;

static void *make_call(void *given) {
    call made = *(call *)given;
    free(given);
    made.function(made.arg);
    return NULL;
}

pthread_t test_thread_start(test_function function, void *arg) {
    pthread_t thread;
    call *given = malloc(sizeof *given);
    if (given == NULL) abort();
    *given = (call){function, arg};
    REQUIRE(pthread_create(&thread, NULL, make_call, given) == 0);
    return thread;
}

void test_thread_join(pthread_t thread) { pthread_join(thread, NULL); }

void test_thread(test_function function, void *arg) {
    test_thread_join(test_thread_start(function, arg));
}

int64_t test_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void test_pause(void) {
    struct timespec step = {0, 200000};
    nanosleep(&step, NULL);
}

void test_event_init(test_event *event) { *event = (test_event)TEST_EVENT_INIT; }

void test_event_signal(test_event *event) {
    pthread_mutex_lock(&event->mutex);
    event->happened = true;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->mutex);
}

bool test_event_has_happened(test_event *event) {
    pthread_mutex_lock(&event->mutex);
    bool happened = event->happened;
    pthread_mutex_unlock(&event->mutex);
    return happened;
}

/* The condition waits by the wall clock, so it waits in steps, and the monotonic clock decides. */
bool test_event_wait_for(test_event *event, double seconds) {
    int64_t deadline_ns = test_now_ns() + (int64_t)(seconds * test_slowness() * 1e9);
    pthread_mutex_lock(&event->mutex);
    while (!event->happened && test_now_ns() < deadline_ns) {
        struct timespec step;
        clock_gettime(CLOCK_REALTIME, &step);
        step.tv_nsec += 100000000;
        if (step.tv_nsec >= 1000000000) {
            step.tv_sec++;
            step.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&event->changed, &event->mutex, &step);
    }
    bool happened = event->happened;
    pthread_mutex_unlock(&event->mutex);
    return happened;
}

/* _exit: what the child shares with the case, such as output and exit handlers, is the case's. */
int test_child(test_function function, void *arg) {
    pid_t child = fork();
    if (child == 0) {
        function(arg);
        _exit(0);
    }
    REQUIRE(child > 0);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

static void call_without_argument(void *given) {
    void (*function)(void) = *(void (**)(void))given;
    function();
}

bool test_abort_expected(void (*function)(void), const char *text, const char *file, int line) {
    int status = test_child(call_without_argument, &function);
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (!aborted) test_fail(file, line, "%s did not abort (wait status %#x)", text, status);
    return aborted;
}

/* Through a file and not a pipe: there is no limit to what is written, and no second thread. */
const char *test_stderr_of(test_function function, void *arg) {
    static char text[8192];
    FILE *file = tmpfile();
    REQUIRE(file != NULL);
    fflush(stderr);
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    REQUIRE(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    function(arg);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    ssize_t count = pread(fileno(file), text, sizeof text - 1, 0);
    text[count < 0 ? 0 : count] = '\0';
    fclose(file);
    return text;
}
