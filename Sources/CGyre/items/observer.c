#include "items/observer.h"

#include <errno.h>
#include <stdlib.h>

void gy_observer_list_destroy(gy_observer_list *list) { free(gy_observer_list_array(list)); }

static GYRunLoopObserverRef observer_at(const gy_observer_array *array, uint32_t i) {
    return atomic_load_explicit(&array->entries[i].observer, memory_order_relaxed);
}

GYRunLoopObserverRef gy_observer_list_first(gy_observer_list *list) {
    const gy_observer_array *array = gy_observer_list_array(list);
    for (; list->first < gy_observer_array_count(array); list->first++) {
        GYRunLoopObserverRef observer = observer_at(array, list->first);
        if (observer != NULL) return observer;
    }
    return NULL;
}

static gy_observer_entry *find(gy_observer_list *list, const struct GYRunLoopObserver *observer) {
    gy_observer_array *array = gy_observer_list_array(list);
    if (observer->item.mode_count == 0) return NULL;
    for (uint32_t i = list->first; i < gy_observer_array_count(array); i++) {
        if (observer_at(array, i) == observer) return &array->entries[i];
    }
    return NULL;
}

uint64_t gy_observer_list_sequence(gy_observer_list *list,
                                   const struct GYRunLoopObserver *observer) {
    const gy_observer_entry *entry = find(list, observer);
    return entry == NULL ? 0 : entry->place.sequence;
}

static void append(gy_observer_array *array, gy_observer_place place,
                   GYRunLoopObserverRef observer) {
    uint32_t count = atomic_load_explicit(&array->count, memory_order_relaxed);
    array->entries[count].place = place;
    atomic_init(&array->entries[count].observer, observer);
    /* Release: a round that sees the count sees the entry. */
    atomic_store_explicit(&array->count, count + 1, memory_order_release);
}

/* The newcomer has the latest sequence, so it goes behind its equals: before the first higher
 * order. */
static void copy_with(gy_observer_array *to, const gy_observer_array *from,
                      GYRunLoopObserverRef newcomer, gy_observer_place place) {
    bool is_in = false;
    for (uint32_t i = 0; i < gy_observer_array_count(from); i++) {
        GYRunLoopObserverRef other = observer_at(from, i);
        if (other == NULL) continue;
        if (!is_in && other->order > place.order) {
            append(to, place, newcomer);
            is_in = true;
        }
        append(to, from->entries[i].place, other);
    }
    if (!is_in) append(to, place, newcomer);
}

static bool goes_last(const gy_observer_array *array, GYIndex order) {
    uint32_t count = gy_observer_array_count(array);
    return array != NULL && count < array->room && array->entries[count - 1].place.order <= order;
}

static uint32_t live_count(const gy_observer_array *array) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < gy_observer_array_count(array); i++)
        count += observer_at(array, i) != NULL;
    return count;
}

static gy_observer_array *make_array(uint32_t room) {
    gy_observer_array *array = calloc(1, sizeof *array + room * sizeof array->entries[0]);
    if (array == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    array->room = room;
    return array;
}

/* Moves what comes behind the newcomer one place on. */
static void insert_in_place(gy_observer_array *array, GYRunLoopObserverRef newcomer,
                            gy_observer_place place) {
    uint32_t i = gy_observer_array_count(array);
    append(array, place, newcomer);
    for (; i > 0 && array->entries[i - 1].place.order > place.order; i--) {
        gy_observer_entry *from = &array->entries[i - 1], *to = &array->entries[i];
        to->place = from->place;
        to->late = from->late;
        atomic_store_explicit(&to->observer, observer_at(array, i - 1), memory_order_relaxed);
    }
    array->entries[i].place = place;
    array->entries[i].late = NULL;
    atomic_store_explicit(&array->entries[i].observer, newcomer, memory_order_relaxed);
}

bool gy_observer_list_insert(gy_observer_list *list, GYRunLoopObserverRef observer,
                             uint64_t sequence, bool is_quiet, gy_observer_array **old) {
    gy_observer_array *array = gy_observer_list_array(list);
    gy_observer_place place = {observer->order, sequence};
    *old = NULL;
    if (goes_last(array, observer->order)) {
        append(array, place, observer);
    } else if (is_quiet && gy_observer_array_count(array) > 0 &&
               gy_observer_array_count(array) < array->room) {
        insert_in_place(array, observer, place);
        list->first = 0;
    } else {
        gy_observer_array *bigger = make_array(2 * live_count(array) + 2);
        if (bigger == NULL) return false;
        copy_with(bigger, array, observer, place);
        list->first = 0;
        *old = array;
        atomic_store_explicit(&list->array, bigger, memory_order_seq_cst);
    }
    /* Release: pairs with the acquire of the loop's thread, which goes on to load the array. */
    atomic_fetch_or_explicit(&list->points, observer->points, memory_order_release);
    return true;
}

gy_observer_entry *gy_observer_list_remove(gy_observer_list *list,
                                           const struct GYRunLoopObserver *observer) {
    gy_observer_entry *entry = find(list, observer);
    if (entry == NULL) return NULL;
    /* Sequentially consistent: a round that has announced a call of it looks once more. */
    atomic_store_explicit(&entry->observer, NULL, memory_order_seq_cst);
    if (gy_observer_list_first(list) == NULL) {
        atomic_store_explicit(&list->points, 0, memory_order_relaxed);
    }
    return entry;
}
