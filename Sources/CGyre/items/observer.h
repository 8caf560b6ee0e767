/* Observers: what they are made of, and a mode's ordered list of them.
 *
 * Owns: the layout and the order (R132). No lock, no system call.
 * Threads: as told per field. */
#ifndef GYRE_ITEMS_OBSERVER_H
#define GYRE_ITEMS_OBSERVER_H

#include "items/item.h"

#include <gyre/GYRunLoopObserver.h>

struct GYRunLoopObserver {
    gy_item item;
    GYIndex order;
    GYOptionFlags activities; /* as it was made with */
    GYOptionFlags points; /* to be called at: of the activities those that exist, or drain points */
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
    _Atomic(GYRunLoopObserverRef) observer; /* NULL: it has left */
    /* It has left, and its mode's reference is here until no round looks at it any more; the
     * lock. */
    GYRunLoopObserverRef late;
} gy_observer_entry;

/* Once it is published, entries are only added behind the others, or leave. */
typedef struct gy_observer_array {
    struct gy_observer_array
        *next_late; /* valid while `is_late`: it is in its loop's list; the lock */
    bool is_late, is_replaced;
    _Atomic uint32_t count;
    uint32_t room;
    gy_observer_entry entries[]; /* by ascending place */
} gy_observer_array;

/* A mode's observers. Changes are made under the loop's lock; the loop's own thread walks the array
 * without it, and sees only what was there when it began (R134). */
typedef struct gy_observer_list {
    _Atomic(gy_observer_array *) array; /* NULL: none was ever added */
    _Atomic GYOptionFlags points; /* of all in the array, some gone perhaps */
    uint32_t first; /* entries before it have left; the lock */
} gy_observer_list;

void gy_observer_list_destroy(gy_observer_list *list);
/* When an observer was added; 0: it is not there. */
uint64_t gy_observer_list_sequence(gy_observer_list *list,
                                   const struct GYRunLoopObserver *observer);
/* The first that is there; NULL: none. */
GYRunLoopObserverRef gy_observer_list_first(gy_observer_list *list);
/* Adds an observer that is not there. Where that takes a new array, *old is the one before, which
 * the caller frees when no round looks at it any more; with `is_quiet` none does, and room is made
 * in the array itself. False, with errno, where memory is out. */
bool gy_observer_list_insert(gy_observer_list *list, GYRunLoopObserverRef observer,
                             uint64_t sequence, bool is_quiet, gy_observer_array **old);
/* Where it was, so that the caller can leave its reference there; NULL: it was not there. */
gy_observer_entry *gy_observer_list_remove(gy_observer_list *list,
                                           const struct GYRunLoopObserver *observer);

static inline gy_observer_array *gy_observer_list_array(gy_observer_list *list) {
    /* Sequentially consistent: whoever replaces the array and sees no round under way is seen by
     * the next round (loop/observers.c). */
    return atomic_load_explicit(&list->array, memory_order_seq_cst);
}

static inline uint32_t gy_observer_array_count(const gy_observer_array *array) {
    /* Acquire: pairs with the release of an entry that is added behind the others. */
    return array == NULL ? 0 : atomic_load_explicit(&array->count, memory_order_acquire);
}

#endif
