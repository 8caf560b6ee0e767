#include "loop/slot.h"

#include "loop/membership.h"

/* The lock: a source that is being destroyed is still there to be looked at. */
static GYRunLoopSourceRef named_by(GYRunLoopSourceRef *slot) {
    GYRunLoopSourceRef source = *slot;
    return source != NULL && gy_source_is_valid(source) && gy_retain_if_live(source) ? source
                                                                                     : NULL;
}

GYRunLoopSourceRef gy_slot_get(GYRunLoopSourceRef *slot) {
    gy_membership_lock();
    GYRunLoopSourceRef source = named_by(slot);
    gy_membership_unlock();
    return source;
}

GYRunLoopSourceRef gy_slot_fill(GYRunLoopSourceRef *slot, GYRunLoopSourceRef source) {
    gy_membership_lock();
    GYRunLoopSourceRef named = named_by(slot);
    if (named == NULL) {
        source->slot = slot;
        *slot = named = gy_retain(source);
    }
    gy_membership_unlock();
    return named;
}

void gy_slot_clear(GYRunLoopSourceRef source) {
    if (source->slot == NULL) return; /* it was never told of by one: nobody else knows it now */
    gy_membership_lock();
    if (*source->slot == source) *source->slot = NULL;
    gy_membership_unlock();
}
