/* Sources as objects: how they are made, compared and destroyed.
 *
 * Owns: the type of sources. Threads: any; none of these may be called with a lock held but
 * gy_source_set_hash, for they call out. */
#ifndef GYRE_LOOP_SOURCE_OBJECT_H
#define GYRE_LOOP_SOURCE_OBJECT_H

#include "loop/loop.h"

extern const gy_type gy_source_type;

/* Makes a source from a context of a version that is known, and retains its info. NULL with
 * errno. */
GYRunLoopSourceRef gy_source_create(GYIndex order, const GYRunLoopSourceContext *context);

/* What `GYHash` says of it. */
GYHashCode gy_source_hash(GYRunLoopSourceRef source);
/* R82. */
bool gy_source_equal(GYRunLoopSourceRef a, GYRunLoopSourceRef b);

/* What its place in a set goes by. It has to be needed once before it is asked for: needing it
 * calls out, so that comes before the lock. */
void gy_source_need_hash(GYRunLoopSourceRef source);
uint32_t gy_source_set_hash(GYRunLoopSourceRef source);

#endif
