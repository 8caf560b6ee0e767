/* A place in which the owner of a source names it without keeping it: the source keeps its owner, as
 * its info, and the two would keep each other for ever.
 *
 * Owns: nothing but the rule. Relies on: the memberships' lock. Threads: any, no lock held. */
#ifndef GYRE_LOOP_SLOT_H
#define GYRE_LOOP_SLOT_H

#include "loop/loop.h"

/* The valid source that a slot names, retained; NULL: none. */
GYRunLoopSourceRef gy_slot_get(GYRunLoopSourceRef *slot);
/* Has the slot name a new source of version 1 or 2, unless it names a valid one. Returns the one
 * that it names then, retained. The slot lives as long as the source's info. */
GYRunLoopSourceRef gy_slot_fill(GYRunLoopSourceRef *slot, GYRunLoopSourceRef source);

/* Of a source that is about to be freed. */
void gy_slot_clear(GYRunLoopSourceRef source);

#endif
