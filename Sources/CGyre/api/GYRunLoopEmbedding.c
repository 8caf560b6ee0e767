/* Embeddings as the public sees them. Threads: the loop's own, which is checked here. */
#include <gyre/GYRunLoopEmbedding.h>

#include "api/arguments.h"
#include "base/check.h"
#include "loop/current.h"
#include "loop/embed.h"
#include "loop/registry.h"

#include <errno.h>

GYTypeID GYRunLoopEmbeddingGetTypeID(void) { return GY_KIND_EMBEDDING; }

/* Whether a loop is the caller's; else reported. */
static bool is_own(GYRunLoopRef loop, const char *call) {
    if (gy_registry_is_own(loop)) return true;
    gy_report(call, "only the loop's own thread may do that", "R300");
    errno = EPERM;
    return false;
}

/* Whether an argument is an embedding of the caller's loop; else reported. */
static bool check(GYRunLoopEmbeddingRef embedding, const char *call) {
    if (gy_argument_is(embedding, GY_KIND_EMBEDDING, call)) return is_own(embedding->loop, call);
    errno = EINVAL;
    return false;
}

static bool is_covered(enum gy_embed_state state, const char *call) {
    if (state != GY_EMBED_COVERED) return false;
    gy_report(call, "a run that was begun since is in progress", "R307");
    errno = EBUSY;
    return true;
}

static bool is_called(enum gy_embed_state state, const char *call) {
    if (state != GY_EMBED_CALLED) return false;
    gy_report(call, "the embedding is being called already", "R307");
    errno = EBUSY;
    return true;
}

typedef GYRunLoopRunResult (*half)(GYRunLoopEmbeddingRef embedding, const void *frame);

/* No reference is held around it, which a jump would leave behind: the loop has one. */
static GYRunLoopRunResult do_half(GYRunLoopEmbeddingRef embedding, half what, const char *call,
                                  const void *frame) {
    if (!check(embedding, call)) return kGYRunLoopRunFinished;
    if (!gy_embed_is_valid(embedding)) return kGYRunLoopRunStopped;
    enum gy_embed_state state = gy_embed_state_now(embedding, frame);
    if (is_called(state, call) || is_covered(state, call)) return kGYRunLoopEmbeddingGoesOn;
    return what(embedding, frame);
}

GYRunLoopEmbeddingRef GYRunLoopEmbeddingCreate(GYRunLoopRef rl, GYRunLoopMode mode) {
    static const char call[] = "GYRunLoopEmbeddingCreate";
    errno = EINVAL;
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call) || !is_own(rl, call)) return NULL;
    GYStringRef name = gy_argument_mode(mode, call);
    if (name == NULL) return NULL;
    GYRunLoopEmbeddingRef embedding = NULL;
    if (name != kGYRunLoopCommonModes) {
        embedding = gy_embed_create(rl, name);
    } else {
        gy_report(call, "the common modes' name stands for a set and cannot be run", "R16");
        errno = EINVAL;
    }
    gy_release(name); /* a name in use by an embedding, or a constant: errno stays */
    return embedding;
}

GYRunLoopRunResult GYRunLoopEmbeddingPrepare(GYRunLoopEmbeddingRef embedding) {
    return do_half(embedding, gy_embed_prepare, "GYRunLoopEmbeddingPrepare",
                   __builtin_frame_address(0));
}

GYRunLoopRunResult GYRunLoopEmbeddingDispatch(GYRunLoopEmbeddingRef embedding) {
    return do_half(embedding, gy_embed_dispatch, "GYRunLoopEmbeddingDispatch",
                   __builtin_frame_address(0));
}

int GYRunLoopEmbeddingGetDescriptor(GYRunLoopEmbeddingRef embedding) {
    if (!check(embedding, "GYRunLoopEmbeddingGetDescriptor")) return -1;
    return gy_embed_is_valid(embedding) ? gy_embed_descriptor(embedding) : -1;
}

int64_t GYRunLoopEmbeddingGetNextDeadline(GYRunLoopEmbeddingRef embedding) {
    if (!check(embedding, "GYRunLoopEmbeddingGetNextDeadline")) return GY_NEVER;
    return gy_embed_is_valid(embedding) ? gy_embed_next_deadline(embedding) : GY_NEVER;
}

bool GYRunLoopEmbeddingInvalidate(GYRunLoopEmbeddingRef embedding) {
    static const char call[] = "GYRunLoopEmbeddingInvalidate";
    const void *frame = __builtin_frame_address(0);
    if (!check(embedding, call)) return false;
    if (is_covered(gy_embed_state_now(embedding, frame), call)) return false;
    return gy_embed_invalidate(embedding, frame);
}

bool GYRunLoopEmbeddingIsValid(GYRunLoopEmbeddingRef embedding) {
    return gy_argument_is(embedding, GY_KIND_EMBEDDING, "GYRunLoopEmbeddingIsValid") &&
           gy_embed_is_valid(embedding);
}
