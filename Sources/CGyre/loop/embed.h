/* A mode of a loop inside the loop of somebody else: a run whose step 8 is left to a host, which
 * waits for one descriptor.
 *
 * Owns: the type of embeddings, and the outlet of each. The run is an ordinary one, an activation
 * on the loop's stack. While the host waits it is parked: it has no stack frame then, so no jump
 * takes it away, and no drain pool, so the host's own pools come and go as it likes. The loop is
 * asleep meanwhile, so that wake-ups ring, or the outlet is rung.
 * Threads: the loop's own, no lock held. `frame` is an address in the caller's stack frame. */
#ifndef GYRE_LOOP_EMBED_H
#define GYRE_LOOP_EMBED_H

#include "loop/run.h"

struct GYRunLoopEmbedding {
    gy_object head;
    GYRunLoopRef loop; /* retained */
    GYStringRef mode;  /* interned, retained */
    _Atomic bool is_invalid;
    bool is_prepared; /* steps 1 to 7 are done; valid while the run is in progress */
    gy_outlet outlet; /* in the loop's list, with a reference, until it is let go */
    gy_run run;       /* `number` is that of the last one begun; 0: none, or it has ended */
};

extern const gy_type gy_embedding_type;

/* NULL with errno. */
GYRunLoopEmbeddingRef gy_embed_create(GYRunLoopRef loop, GYStringRef mode);
/* False: its loop has ended, or it was invalidated. Any thread. */
bool gy_embed_is_valid(const struct GYRunLoopEmbedding *embedding);

enum gy_embed_state {
    GY_EMBED_IDLE, /* no run is in progress */
    GY_EMBED_PARKED,
    GY_EMBED_COVERED, /* parked, and runs are in progress that were begun since */
    GY_EMBED_CALLED, /* in a callout */
};
/* After clearing away what frames have left behind. */
enum gy_embed_state gy_embed_state_now(GYRunLoopEmbeddingRef embedding, const void *frame);

/* All that follow may be called idle or parked, the last one also in a callout. */
GYRunLoopRunResult gy_embed_prepare(GYRunLoopEmbeddingRef embedding, const void *frame);
GYRunLoopRunResult gy_embed_dispatch(GYRunLoopEmbeddingRef embedding, const void *frame);
/* False with errno, and nothing has happened. */
bool gy_embed_invalidate(GYRunLoopEmbeddingRef embedding, const void *frame);

/* The descriptor, made anew in the child of a fork; -1 with errno. */
int gy_embed_descriptor(GYRunLoopEmbeddingRef embedding);
/* When it will be readable if nothing else comes; 0: it is. */
int64_t gy_embed_next_deadline(GYRunLoopEmbeddingRef embedding);

/* The thread is ending: no host comes any more. */
void gy_embed_end_all(GYRunLoopRef loop);

#endif
