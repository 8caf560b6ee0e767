/* Captures the library's reports of misuse. */
#define _GNU_SOURCE 1
#include "test.h"

#include <gyre/GYBase.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *lines;

static void append(const char *line, void *unused) {
    (void)unused;
    char *longer;
    pthread_mutex_lock(&mutex);
    if (asprintf(&longer, "%s%s%s", lines == NULL ? "" : lines, lines == NULL ? "" : "\n", line) <
        0) {
        abort();
    }
    free(lines);
    lines = longer;
    pthread_mutex_unlock(&mutex);
}

void test_capture_log(void) { GYSetLogHandler(append, NULL); }

const char *test_log(void) {
    static char *taken;
    pthread_mutex_lock(&mutex);
    free(taken);
    taken = lines;
    lines = NULL;
    const char *text = taken == NULL ? "" : taken;
    pthread_mutex_unlock(&mutex);
    return text;
}
