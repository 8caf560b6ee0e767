#include "items/observer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void gy_observer_list_destroy(gy_observer_list *list) {
    free(list->entries);
    list->entries = NULL;
    list->count = list->room = 0;
}

static bool is_behind(gy_observer_place a, gy_observer_place b) {
    return a.order != b.order ? a.order > b.order : a.sequence > b.sequence;
}

/* The index of the first entry behind a place. */
static uint32_t index_behind(const gy_observer_list *list, gy_observer_place place) {
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_behind(list->entries[middle].place, place)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static uint32_t index_of(const gy_observer_list *list, const struct GYRunLoopObserver *observer) {
    /* Sequences start at 1, so this place lies before all with the observer's order. */
    uint32_t i = index_behind(list, (gy_observer_place){observer->order, 0});
    for (; i < list->count && list->entries[i].place.order == observer->order; i++) {
        if (list->entries[i].observer == observer) return i;
    }
    return list->count;
}

bool gy_observer_list_contains(const gy_observer_list *list,
                               const struct GYRunLoopObserver *observer) {
    return index_of(list, observer) < list->count;
}

static bool make_room(gy_observer_list *list) {
    if (list->count < list->room) return true;
    uint32_t room = list->room == 0 ? 4 : list->room * 2;
    gy_observer_entry *entries = realloc(list->entries, room * sizeof *entries);
    if (entries == NULL) {
        errno = ENOMEM;
        return false;
    }
    list->entries = entries;
    list->room = room;
    return true;
}

bool gy_observer_list_insert(gy_observer_list *list, GYRunLoopObserverRef observer,
                             uint64_t sequence) {
    if (!make_room(list)) return false;
    gy_observer_entry entry = {{observer->order, sequence}, observer};
    uint32_t i = index_behind(list, entry.place);
    memmove(&list->entries[i + 1], &list->entries[i], (list->count - i) * sizeof entry);
    list->entries[i] = entry;
    list->count++;
    /* Release: pairs with the acquire of the loop's thread, which goes on to take the lock. */
    atomic_fetch_or_explicit(&list->activities, observer->activities, memory_order_release);
    return true;
}

bool gy_observer_list_remove(gy_observer_list *list, const struct GYRunLoopObserver *observer) {
    uint32_t i = index_of(list, observer);
    if (i == list->count) return false;
    list->count--;
    memmove(&list->entries[i], &list->entries[i + 1], (list->count - i) * sizeof *list->entries);
    if (list->count == 0) atomic_store_explicit(&list->activities, 0, memory_order_relaxed);
    return true;
}

static bool may_be_called(const gy_observer_entry *entry, GYRunLoopActivity activity,
                          uint64_t limit) {
    uint32_t flags = gy_item_flags_now(&entry->observer->item);
    return (entry->observer->activities & activity) != 0 && entry->place.sequence < limit &&
           (flags & (GY_ITEM_INVALID | GY_ITEM_BUSY)) == 0;
}

GYRunLoopObserverRef gy_observer_list_next(const gy_observer_list *list, gy_observer_place *place,
                                           GYRunLoopActivity activity, uint64_t limit) {
    for (uint32_t i = index_behind(list, *place); i < list->count; i++) {
        if (!may_be_called(&list->entries[i], activity, limit)) continue;
        *place = list->entries[i].place;
        return list->entries[i].observer;
    }
    return NULL;
}
