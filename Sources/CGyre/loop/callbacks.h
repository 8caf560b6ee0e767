/* The callbacks of sources, shared: a program makes thousands of sources from a handful of contexts
 * that differ in `info` alone.
 *
 * Owns: the table of sets in use, each counted. Threads: any; the table has its own lock, rank
 * table. */
#ifndef GYRE_LOOP_CALLBACKS_H
#define GYRE_LOOP_CALLBACKS_H

#include "items/source.h"

/* The one copy of a context's callbacks (its info is NULL there); NULL with errno. */
const GYRunLoopSourceContext2 *gy_callbacks_take(const GYRunLoopSourceContext *context);
void gy_callbacks_give(const GYRunLoopSourceContext2 *callbacks);

void gy_callbacks_lock_for_fork(void);
void gy_callbacks_unlock_after_fork(void);

#endif
