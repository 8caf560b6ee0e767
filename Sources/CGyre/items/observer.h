/* Observers: what they are made of, and a mode's ordered list of them.
 *
 * Owns: the layout, the order (R132) and the walk of one round (R134). No lock, no system call.
 * Threads: as told per field. */
#ifndef GYRE_ITEMS_OBSERVER_H
#define GYRE_ITEMS_OBSERVER_H

#include "items/item.h"

#include <gyre/GYRunLoopObserver.h>

struct GYRunLoopObserver {
    gy_item item;
    GYIndex order;
    GYOptionFlags activities;
    GYRunLoopObserverCallBack callout;
    GYRunLoopObserverContext context; /* all but its info */
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

#endif
