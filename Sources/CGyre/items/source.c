#include "items/source.h"

uint32_t gy_source_generation;

/* The three contexts begin alike; version 0 and version 1 end where version 2 goes on. One buffer
 * holds whichever it is, and what it does not have is zero. */
_Static_assert(sizeof(GYRunLoopSourceContext) <= sizeof(GYRunLoopSourceContext2), "room for 0");
_Static_assert(sizeof(GYRunLoopSourceContext1) <= sizeof(GYRunLoopSourceContext2), "room for 1");
_Static_assert(offsetof(GYRunLoopSourceContext, schedule) ==
                   offsetof(GYRunLoopSourceContext2, getPort),
               "the common part is common");

bool gy_source_version_is_known(const GYRunLoopSourceContext *context) {
    return context->version >= 0 && context->version <= 2;
}

size_t gy_source_context_size(GYIndex version) {
    switch (version) {
    case 0: return sizeof(GYRunLoopSourceContext);
    case 1: return sizeof(GYRunLoopSourceContext1);
    default: return sizeof(GYRunLoopSourceContext2);
    }
}

const GYRunLoopSourceContext *gy_source_context0(const struct GYRunLoopSource *source) {
    return (const GYRunLoopSourceContext *)(const void *)source->callbacks;
}

bool gy_source_set_invalid(GYRunLoopSourceRef source) {
    uint32_t old =
        atomic_fetch_or_explicit(&source->state, GY_SOURCE_INVALID, memory_order_acq_rel);
    atomic_fetch_and_explicit(&source->state, ~(uint32_t)GY_SOURCE_SIGNALLED, memory_order_relaxed);
    return (old & GY_SOURCE_INVALID) == 0;
}

/* Version 2 has two callbacks that may perform. */
static bool performs_alike(const struct GYRunLoopSource *a, const struct GYRunLoopSource *b) {
    if (a->callbacks->version == 0)
        return gy_source_context0(a)->perform == gy_source_context0(b)->perform;
    return a->callbacks->perform == b->callbacks->perform &&
           a->callbacks->performEvents == b->callbacks->performEvents;
}

bool gy_source_is_alike(const struct GYRunLoopSource *a, const struct GYRunLoopSource *b) {
    return gy_source_is_valid(a) == gy_source_is_valid(b) && a->order == b->order &&
           a->callbacks->version == b->callbacks->version &&
           a->callbacks->hash == b->callbacks->hash && a->callbacks->equal == b->callbacks->equal &&
           performs_alike(a, b);
}
