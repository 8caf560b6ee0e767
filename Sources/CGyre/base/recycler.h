/* Memory for small nodes that one thread takes and another gives back, over and over: each thread
 * keeps its own nodes, and they come home in runs, with one atomic step a run, where malloc would
 * have two threads meet at every node.
 *
 * Owns: each thread's store of nodes; it is freed when its thread has ended and all nodes are home.
 * Relies on: malloc, thread-specific data. Threads: any. */
#ifndef GYRE_BASE_RECYCLER_H
#define GYRE_BASE_RECYCLER_H

#include <stdint.h>

/* What a node begins with; the rest, up to the size, is its user's, and so is `next` while the node
 * is in use. */
typedef struct gy_recycled {
    struct gy_store *home;
    struct gy_recycled *next;
} gy_recycled;

#define GY_RECYCLED_SIZE 120u /* with malloc's word, two cache lines */

/* A node, not cleared; NULL with errno where memory is out. */
void *gy_recycled_take(void);

/* Nodes of one home that are on their way back together. Zeroed: none. */
typedef struct gy_recycled_run {
    gy_recycled *first, *last;
    uint32_t count;
} gy_recycled_run;

void gy_recycled_give(gy_recycled_run *run, gy_recycled *node);
/* Sends off what has been given. */
void gy_recycled_flush(gy_recycled_run *run);

#endif
