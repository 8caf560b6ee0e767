/* Reports of misuse: what tests of bad input expect of them. */
#ifndef GYRE_TESTS_MISUSE_H
#define GYRE_TESTS_MISUSE_H

#include "support/loop.h"

#include <stdlib.h>
#include <string.h>

/* The library has reported one line since the last look, which names the call and a rule. */
#define EXPECT_REPORTED(call) misuse_expect_reported((call), __FILE__, __LINE__)

static inline void misuse_expect_reported(const char *call, const char *file, int line) {
    char wanted[128] = "gyre: ";
    strcat(strcat(wanted, call), ": ");
    const char *text = test_log();
    bool names_call = strncmp(text, wanted, strlen(wanted)) == 0 && strchr(text, '\n') == NULL;
    bool names_rule = names_call && strstr(text, " (") != NULL && text[strlen(text) - 1] == ')';
    if (!names_rule) test_fail(file, line, "no report of %s but \"%s\"", call, text);
}

static void (*misuse_strict_call)(void);

static inline void misuse_be_strict(void) {
    setenv("GYRE_STRICT", "1", 1);
    misuse_strict_call();
}

/* In strict mode the process aborts after the line. */
static inline void expect_strict_abort(void (*call)(void)) {
    misuse_strict_call = call;
    test_expect_abort(misuse_be_strict);
}

#endif
