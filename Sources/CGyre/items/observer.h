/* Observers: what they are made of, and a mode's ordered list of them.
 *
 * Owns: the layout, the order (R132) and the walk of one round (R134). No lock, no system call.
 * Threads: as told per field. */
#ifndef GYRE_ITEMS_OBSERVER_H
#define GYRE_ITEMS_OBSERVER_H

#include "base/object.h"

#include <gyre/GYRunLoopObserver.h>

enum gy_observer_flags {
    GY_OBSERVER_INVALID = 1,
    GY_OBSERVER_CALLED = 2, /* in a callout: nested runs pass it over (R135) */
    GY_OBSERVER_COMMON = 4, /* a common item of its loop; its loop's lock */
    GY_OBSERVER_WAITED_FOR = 8,
};

struct GYRunLoopObserver {
    gy_object head;
    _Atomic uint32_t flags;
    uint32_t mode_count;        /* its loop's lock */
    _Atomic(GYRunLoopRef) loop; /* NULL: free; see loop/registry.h for how it is read */
    GYIndex order;
    GYOptionFlags activities;
    GYRunLoopObserverCallBack callout;
    GYRunLoopObserverContext context; /* all but its info */
    _Atomic(void *) info;             /* NULL after invalidation */
    bool repeats;
};

/* A place in a list: by order, then by when it was added. */
typedef struct gy_observer_place {
    GYIndex order;
    uint64_t sequence;
} gy_observer_place;

typedef struct gy_observer_entry {
    gy_observer_place place;
    GYRunLoopObserverRef observer;
} gy_observer_entry;

/* A mode's observers by ascending place; the loop's lock, but `activities`, which the loop's own
 * thread reads without it to see that nobody wants to be called. */
typedef struct gy_observer_list {
    gy_observer_entry *entries;
    uint32_t count, room;
    _Atomic GYOptionFlags activities; /* of all in the list, some gone perhaps */
} gy_observer_list;

void gy_observer_list_destroy(gy_observer_list *list);
bool gy_observer_list_contains(const gy_observer_list *list, const struct GYRunLoopObserver *observer);
/* False, with errno, where memory is out. */
bool gy_observer_list_insert(gy_observer_list *list, GYRunLoopObserverRef observer, uint64_t sequence);
bool gy_observer_list_remove(gy_observer_list *list, const struct GYRunLoopObserver *observer);

/* The first observer behind `*place` that wants the activity, may be called and was added before
 * `limit`; moves `*place` to it. NULL ends the round. Robust against any change between calls. */
GYRunLoopObserverRef gy_observer_list_next(const gy_observer_list *list, gy_observer_place *place,
                                           GYRunLoopActivity activity, uint64_t limit);

/* Where a round starts: before every place. */
#define GY_OBSERVER_FIRST_PLACE ((gy_observer_place){LONG_MIN, 0})

static inline uint32_t gy_observer_flags_now(const struct GYRunLoopObserver *observer) {
    return atomic_load_explicit(&observer->flags, memory_order_acquire);
}
static inline bool gy_observer_is_valid(const struct GYRunLoopObserver *observer) {
    return (gy_observer_flags_now(observer) & GY_OBSERVER_INVALID) == 0;
}
/* Both return the flags before the change; sequentially consistent as those of timers. */
static inline uint32_t gy_observer_set_flags(GYRunLoopObserverRef observer, uint32_t flags) {
    return atomic_fetch_or_explicit(&observer->flags, flags, memory_order_seq_cst);
}
static inline uint32_t gy_observer_clear_flags(GYRunLoopObserverRef observer, uint32_t flags) {
    return atomic_fetch_and_explicit(&observer->flags, ~flags, memory_order_seq_cst);
}

#endif
