/* What the files of the runner share with one another and tests do not need. */
#ifndef GYRE_TESTS_RUNNER_H
#define GYRE_TESTS_RUNNER_H

#include <stdatomic.h>

/* Lives in memory that the runner, the child of the case and all that the case forks share. */
typedef struct {
    atomic_int failures;
    atomic_bool returned; /* the body came to its end */
} test_shared;

extern test_shared *test_shared_state;

/* The open descriptors, as "number -> target" lines. */
typedef struct {
    int count;
    char text[16384];
} test_descriptor_list;

void test_descriptors_read(test_descriptor_list *list);
/* Compares with what was read at the beginning and counts a failure if there is a difference that
 * the case did not allow. Gives false, and counts nothing, where `only_ask` is set. */
int test_descriptors_balance(const test_descriptor_list *before, int only_ask);

#endif
