/* Allocations of the calling thread, counted and refused: for tests of what takes memory and of
 * what comes of having none.
 *
 * Owns: malloc and its sisters, in a program that this is linked into. Relies on: glibc, which has
 * its own functions under other names too. Threads: each counts for itself. */
#ifndef GYRE_TESTS_ALLOCATIONS_H
#define GYRE_TESTS_ALLOCATIONS_H

#include <stdbool.h>

/* Whether anything is counted: not with a sanitizer, which has an allocator of its own. */
bool allocations_are_counted(void);

/* How many allocations the thread has made. */
long allocations_made(void);

/* Refuses the thread one allocation, with ENOMEM: the next one for 1, the one after it for 2. One
 * alone, since what tells of a failure takes memory too. */
void allocations_refuse(long number);

/* How many the thread has been refused. */
long allocations_refused(void);

#endif
