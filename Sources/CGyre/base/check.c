#include "base/check.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;
static GYLogHandler handler;
static void *handler_info;

void gy_log_handler_set(GYLogHandler new_handler, void *info) {
    pthread_mutex_lock(&handler_lock);
    handler = new_handler;
    handler_info = info;
    pthread_mutex_unlock(&handler_lock);
}

void gy_check_reset_in_child(void) { pthread_mutex_init(&handler_lock, NULL); }

/* getenv in a signal handler is safe as long as nobody calls setenv meanwhile; strict mode is for
 * debugging, where that is enough. */
static void abort_if_strict(void) {
    const char *strict = getenv("GYRE_STRICT");
    if (strict != NULL && strcmp(strict, "1") == 0) abort();
}

static void write_all(const char *text, size_t count) {
    while (count > 0) {
        ssize_t n = write(STDERR_FILENO, text, count);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text += n;
        count -= (size_t)n;
    }
}

static void tell(const char *call, const char *what, const char *rule) {
    char line[256];
    snprintf(line, sizeof line, "gyre: %s: %s (%s)", call, what, rule);
    pthread_mutex_lock(&handler_lock);
    GYLogHandler chosen = handler;
    void *info = handler_info;
    pthread_mutex_unlock(&handler_lock);
    if (chosen != NULL) {
        chosen(line, info);
    } else {
        size_t count = strlen(line);
        line[count] = '\n'; /* snprintf left room for one character: the terminator's */
        write_all(line, count + 1);
    }
}

void gy_report(const char *call, const char *what, const char *rule) {
    int saved = errno;
    tell(call, what, rule);
    abort_if_strict();
    errno = saved;
}

void gy_report_peer(const char *call, const char *what, const char *rule) {
    int saved = errno;
    tell(call, what, rule);
    errno = saved;
}

void gy_report_from_signal(const char *call, const char *what, const char *rule) {
    int saved = errno;
    const char *parts[] = {"gyre: ", call, ": ", what, " (", rule, ")\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) write_all(parts[i], strlen(parts[i]));
    abort_if_strict();
    errno = saved;
}

void gy_report_once(_Atomic bool *done, const char *call, const char *what, const char *rule) {
    /* Relaxed: only the flag itself is agreed upon. */
    if (atomic_exchange_explicit(done, true, memory_order_relaxed)) return;
    gy_report(call, what, rule);
}

#ifdef GYRE_DEBUG
_Noreturn void gy_assertion_failed(const char *text, const char *file, int line) {
    char message[256];
    int n =
        snprintf(message, sizeof message, "gyre: assertion failed: %s, %s:%d\n", text, file, line);
    if (n > 0) write_all(message, strlen(message));
    abort();
}
#endif
