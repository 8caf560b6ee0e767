/* Sources entering and leaving modes.
 *
 * Owns: the rules of entering and leaving (R17 to R20, R78, R80, R82, R89).
 * Threads: any; none of these may be called with a lock held, for they call out. Mode names are
 * interned. */
#ifndef GYRE_LOOP_SOURCES_H
#define GYRE_LOOP_SOURCES_H

#include "loop/loop.h"

/* Sets errno: 0, or why nothing changed (R89). False where the loop is dead. */
bool gy_source_add(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode);
void gy_source_remove(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode);
bool gy_source_contains(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode);
void gy_source_invalidate(GYRunLoopSourceRef source);

/* The mode has just become common: the common sources join it. False with errno, and none has. */
bool gy_source_join_common(GYRunLoopRef loop, GYStringRef mode);
/* Teardown: version 0 sources leave first, then the others (R4). */
void gy_source_leave_all(GYRunLoopRef loop);

#endif
