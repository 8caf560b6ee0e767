#include "loop/source_object.h"

#include "base/check.h"
#include "loop/callbacks.h"
#include "loop/callout.h"
#include "loop/describe.h"
#include "loop/membership.h"
#include "loop/slot.h"
#include "loop/want.h"

#include <errno.h>

GYRunLoopSourceRef gy_source_create(GYIndex order, const GYRunLoopSourceContext *context) {
    GYRunLoopSourceRef source = gy_object_create(&gy_source_type, sizeof *source);
    if (source == NULL) return NULL;
    source->order = order;
    source->callbacks = gy_callbacks_take(context);
    if (source->callbacks == NULL) {
        gy_release(source);
        errno = ENOMEM;
        return NULL;
    }
    if (gy_source_is_port(source)) gy_want_init(source);
    const void *info = context->info;
    if (context->retain != NULL) info = gy_callout_retain(context->retain, info);
    source->info = (void *)(uintptr_t)info;
    return source;
}

GYHashCode gy_source_hash(GYRunLoopSourceRef source) {
    if (source->callbacks->hash == NULL) return (GYHashCode)(uintptr_t)source->info;
    return gy_callout_hash(source->callbacks->hash, source->info);
}

bool gy_source_equal(GYRunLoopSourceRef a, GYRunLoopSourceRef b) {
    if (a == b) return true;
    if (!gy_source_is_alike(a, b)) return false;
    if (a->callbacks->equal == NULL) return a->info == b->info;
    return gy_callout_equal(a->callbacks->equal, a->info, b->info);
}

/* Relaxed: every thread that works it out stores the same value. */
void gy_source_need_hash(GYRunLoopSourceRef source) {
    if (atomic_load_explicit(&source->hash, memory_order_relaxed) != 0) return;
    uint32_t hash = gy_pointer_hash((const void *)gy_source_hash(source)) | 1;
    atomic_store_explicit(&source->hash, hash, memory_order_relaxed);
}

uint32_t gy_source_set_hash(GYRunLoopSourceRef source) {
    uint32_t hash = atomic_load_explicit(&source->hash, memory_order_relaxed);
    gy_assert(hash != 0);
    return hash;
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopSourceRef source = object;
    if (source->kind != NULL) source->kind->finalizing(source->info);
    const GYRunLoopSourceContext2 *callbacks = source->callbacks;
    void (*release)(const void *) = NULL;
    void *info = source->info;
    gy_membership_free_all(source);
    if (callbacks != NULL) { /* it was finished */
        if (gy_source_is_port(source)) gy_slot_clear(source);
        release = callbacks->release;
        gy_callbacks_give(callbacks);
    }
    gy_object_free(source);
    if (release != NULL) gy_callout_release(release, info); /* R83 */
}

static bool type_equal(const void *a, const void *b) {
    return gy_source_equal((GYRunLoopSourceRef)(uintptr_t)a, (GYRunLoopSourceRef)(uintptr_t)b);
}

static GYHashCode type_hash(const void *object) {
    return gy_source_hash((GYRunLoopSourceRef)(uintptr_t)object);
}

const gy_type gy_source_type = {
    .kind = GY_KIND_SOURCE,
    .name = "GYRunLoopSource",
    .finalize = finalize,
    .copy_description = gy_describe_source,
    .equal = type_equal,
    .hash = type_hash,
};
