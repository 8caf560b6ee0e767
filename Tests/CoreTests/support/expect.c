/* Expectations, and words traced for order assertions. */
#define _GNU_SOURCE 1
#include "test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool test_expect(bool held, const char *text, const char *file, int line) {
    if (!held) test_fail(file, line, "expected: %s", text);
    return held;
}

bool test_expect_int(intmax_t actual, intmax_t expected, const char *text, const char *file,
                     int line) {
    if (actual != expected) {
        test_fail(file, line, "%s is %jd, expected %jd", text, actual, expected);
    }
    return actual == expected;
}

bool test_expect_near(double actual, double expected, double tolerance, const char *text,
                      const char *file, int line) {
    bool near = actual == expected || fabs(actual - expected) <= tolerance;
    if (!near) {
        test_fail(file, line, "%s is %.9g, expected %.9g (within %.9g)", text, actual, expected,
                  tolerance);
    }
    return near;
}

/* Two lines and a mark under the first character that differs. */
bool test_expect_str(const char *actual, const char *expected, const char *text, const char *file,
                     int line) {
    if (actual == NULL || expected == NULL) {
        if (actual == expected) return true;
        test_fail(file, line, "%s is %s, expected %s", text, actual == NULL ? "NULL" : actual,
                  expected == NULL ? "NULL" : expected);
        return false;
    }
    if (strcmp(actual, expected) == 0) return true;
    int same = 0;
    while (actual[same] != '\0' && actual[same] == expected[same]) same++;
    test_fail(file, line, "%s\n    actual:   %s\n    expected: %s\n              %*s^", text,
              actual, expected, same, "");
    return false;
}

/* _exit: the case has failed, and other threads may be anywhere. */
void test_require(bool held, const char *text, const char *file, int line) {
    if (held) return;
    test_fail(file, line, "required: %s", text);
    _exit(1);
}

static pthread_mutex_t trace_mutex = PTHREAD_MUTEX_INITIALIZER;
static char *trace_text;

void test_trace(const char *format, ...) {
    char *word, *longer;
    va_list arguments;
    va_start(arguments, format);
    int count = vasprintf(&word, format, arguments);
    va_end(arguments);
    if (count < 0) abort();
    pthread_mutex_lock(&trace_mutex);
    const char *before = trace_text == NULL ? "" : trace_text;
    if (asprintf(&longer, "%s%s%s", before, *before == '\0' ? "" : " ", word) < 0) abort();
    free(trace_text);
    trace_text = longer;
    pthread_mutex_unlock(&trace_mutex);
    free(word);
}

const char *test_trace_take(void) {
    static char *taken;
    pthread_mutex_lock(&trace_mutex);
    free(taken);
    taken = trace_text;
    trace_text = NULL;
    const char *text = taken == NULL ? "" : taken;
    pthread_mutex_unlock(&trace_mutex);
    return text;
}
