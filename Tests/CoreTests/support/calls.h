/** calls.h - how many system calls things take, counted by strace.
 *
 * A case runs its program once more, under strace, with the name of a scene. The scene does its
 * work a number of times between calls_begin and calls_end. A test file ends with CALLS_MAIN in
 * place of TEST_MAIN. */
#ifndef GYRE_TESTS_CALLS_H
#define GYRE_TESTS_CALLS_H

#include <stdbool.h>

typedef struct {
    const char *name; /* NULL: the end of the list */
    void (*play)(void);
} calls_scene;

void calls_begin(void);
void calls_end(void);

/** Expects at most so many calls between the two. Reads and writes can be left out, which the
 * kernel then filters: traced, they would take so long that the loop has to look at its descriptors
 * more often. */
void calls_expect_at_most(const char *scene, int limit, bool without_reads_and_writes);

int calls_main(int argc, char **argv, const calls_scene *scenes);

/** Stands once, at the end of a test file. */
#define CALLS_MAIN(scenes)                                                                         \
    int main(int argc, char **argv) { return calls_main(argc, argv, (scenes)); }

#endif
