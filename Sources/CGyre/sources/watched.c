#include "sources/watched.h"

#include "loop/slot.h"
#include "loop/source_object.h"
#include "loop/sources.h"
#include "loop/want.h"

static int tell(gy_watched *watched) {
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    int error = source == NULL ? 0 : gy_want_changed(source);
    gy_release(source);
    return error;
}

/* The changes of the word release; pair with the acquire in gy_watched_asked. */

int gy_watched_ask(gy_watched *watched, uint32_t more) {
    atomic_fetch_or_explicit(&watched->asked, more, memory_order_acq_rel);
    return tell(watched);
}

int gy_watched_drop(gy_watched *watched, uint32_t less) {
    uint32_t old = atomic_fetch_and_explicit(&watched->asked, ~less, memory_order_acq_rel);
    return (old & less) == 0 ? 0 : tell(watched);
}

uint32_t gy_watched_take(gy_watched *watched, uint32_t events) {
    uint32_t old = atomic_fetch_and_explicit(&watched->asked, ~events, memory_order_acq_rel);
    if ((old & events) != 0) tell(watched);
    return old & events;
}

static GYRunLoopSourceRef make(gy_watched *watched, GYIndex order,
                               const GYRunLoopSourceContext2 *context) {
    GYRunLoopSourceRef source =
        gy_source_create(order, (const GYRunLoopSourceContext *)(const void *)context);
    if (source == NULL) return NULL;
    source->asked = &watched->asked;
    source->is_level = true;
    return source;
}

GYRunLoopSourceRef gy_watched_copy_source(gy_watched *watched, GYIndex order,
                                          const GYRunLoopSourceContext2 *context) {
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    if (source != NULL) return source;
    GYRunLoopSourceRef made = make(watched, order, context);
    if (made == NULL) return NULL;
    source = gy_slot_fill(&watched->source, made);
    gy_release(made); /* another thread's may have been faster */
    return source;
}

void gy_watched_end(gy_watched *watched) {
    atomic_store_explicit(&watched->asked, 0, memory_order_release);
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    if (source != NULL) gy_source_invalidate(source);
    gy_release(source);
}
