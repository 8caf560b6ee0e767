/** embed.h - hosts for tests of embeddings: what a loop around poll(2) does, step by step. */
#ifndef GYRE_TESTS_EMBED_H
#define GYRE_TESTS_EMBED_H

#include "support/loop.h"

#include <gyre/GYRunLoopEmbedding.h>
#include <poll.h>

static inline GYRunLoopEmbeddingRef embed(GYRunLoopMode mode) {
    GYRunLoopEmbeddingRef e = GYRunLoopEmbeddingCreate(GYRunLoopGetCurrent(), mode);
    REQUIRE(e != NULL);
    return e;
}

static inline void embed_drop(GYRunLoopEmbeddingRef e) {
    EXPECT(GYRunLoopEmbeddingInvalidate(e));
    GYRelease(e);
}

/** Whether the descriptor is readable, after at most so many milliseconds. */
static inline bool embed_is_readable(GYRunLoopEmbeddingRef e, int timeout_ms) {
    struct pollfd p = {.fd = GYRunLoopEmbeddingGetDescriptor(e), .events = POLLIN};
    REQUIRE(p.fd >= 0);
    return poll(&p, 1, timeout_ms) == 1;
}

/** Waits until it is. */
static inline void embed_wait(GYRunLoopEmbeddingRef e) {
    REQUIRE(embed_is_readable(e, (int)(10000 * test_slowness())));
}

#define EMBED_GOES_ON(call) EXPECT_INT((call), kGYRunLoopEmbeddingGoesOn)

/** One iteration of a good host: prepare, wait, dispatch. */
static inline GYRunLoopRunResult embed_turn(GYRunLoopEmbeddingRef e) {
    GYRunLoopRunResult result = GYRunLoopEmbeddingPrepare(e);
    if (result != kGYRunLoopEmbeddingGoesOn) return result;
    embed_wait(e);
    return GYRunLoopEmbeddingDispatch(e);
}

/** Iterations until the loop would sleep; then it does. */
static inline void embed_until_idle(GYRunLoopEmbeddingRef e) {
    for (int i = 0; i < 1000; i++) {
        EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
        if (!embed_is_readable(e, 0)) return;
        EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    }
    test_fail(__FILE__, __LINE__, "it never comes to rest");
}

#endif
