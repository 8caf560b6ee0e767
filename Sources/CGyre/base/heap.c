#include "base/heap.h"

#include <errno.h>
#include <stdlib.h>

#define ARITY 4u

void gy_heap_destroy(gy_heap *heap) {
    free(heap->entries);
    heap->entries = NULL;
    heap->count = heap->capacity = 0;
}

bool gy_heap_reserve(gy_heap *heap, uint32_t count) {
    if (count <= heap->capacity) return true;
    uint32_t capacity = heap->capacity == 0 ? 8 : heap->capacity + heap->capacity / 2;
    if (capacity < count) capacity = count;
    gy_heap_entry *entries = realloc(heap->entries, (size_t)capacity * sizeof *entries);
    if (entries == NULL) {
        errno = ENOMEM;
        return false;
    }
    heap->entries = entries;
    heap->capacity = capacity;
    return true;
}

static bool precedes(const gy_heap *heap, gy_heap_entry a, gy_heap_entry b) {
    if (a.key != b.key) return a.key < b.key;
    return heap->rank(a.item, heap->owner) < heap->rank(b.item, heap->owner);
}

static void put(gy_heap *heap, uint32_t index, gy_heap_entry entry) {
    heap->entries[index] = entry;
    heap->moved(entry.item, index, heap->owner);
}

static void sift_up(gy_heap *heap, uint32_t index, gy_heap_entry entry) {
    while (index > 0) {
        uint32_t parent = (index - 1) / ARITY;
        if (!precedes(heap, entry, heap->entries[parent])) break;
        put(heap, index, heap->entries[parent]);
        index = parent;
    }
    put(heap, index, entry);
}

static uint32_t least_child(const gy_heap *heap, uint32_t index) {
    uint32_t first = index * ARITY + 1;
    if (first >= heap->count) return UINT32_MAX;
    uint32_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    uint32_t least = first;
    for (uint32_t i = first + 1; i < end; i++) {
        if (precedes(heap, heap->entries[i], heap->entries[least])) least = i;
    }
    return least;
}

static void sift_down(gy_heap *heap, uint32_t index, gy_heap_entry entry) {
    for (;;) {
        uint32_t child = least_child(heap, index);
        if (child == UINT32_MAX || !precedes(heap, heap->entries[child], entry)) break;
        put(heap, index, heap->entries[child]);
        index = child;
    }
    put(heap, index, entry);
}

static void settle(gy_heap *heap, uint32_t index, gy_heap_entry entry) {
    if (index > 0 && precedes(heap, entry, heap->entries[(index - 1) / ARITY])) {
        sift_up(heap, index, entry);
    } else {
        sift_down(heap, index, entry);
    }
}

void gy_heap_insert(gy_heap *heap, int64_t key, void *item) {
    sift_up(heap, heap->count++, (gy_heap_entry){key, item});
}

void gy_heap_remove(gy_heap *heap, uint32_t index) {
    gy_heap_entry last = heap->entries[--heap->count];
    if (index < heap->count) settle(heap, index, last);
}

void gy_heap_rekey(gy_heap *heap, uint32_t index, int64_t key) {
    settle(heap, index, (gy_heap_entry){key, heap->entries[index].item});
}

/* From the last parent up, as after any bulk change. */
void gy_heap_rebuild(gy_heap *heap) {
    for (uint32_t i = 0; i < heap->count; i++) heap->moved(heap->entries[i].item, i, heap->owner);
    if (heap->count < 2) return;
    for (uint32_t i = (heap->count - 2) / ARITY + 1; i-- > 0;) sift_down(heap, i, heap->entries[i]);
}

static uint32_t take_many(gy_heap *heap, int64_t limit, gy_heap_entry *out, uint32_t room) {
    uint32_t taken = 0, kept = 0;
    for (uint32_t i = 0; i < heap->count; i++) {
        gy_heap_entry e = heap->entries[i];
        if (e.key <= limit && taken < room) {
            out[taken++] = e;
        } else {
            heap->entries[kept++] = e;
        }
    }
    heap->count = kept;
    gy_heap_rebuild(heap);
    return taken;
}

uint32_t gy_heap_take_up_to(gy_heap *heap, int64_t limit, gy_heap_entry *out, uint32_t room) {
    uint32_t taken = 0;
    /* A few are cheaper one by one; beyond that one pass over the array and one rebuild are. */
    uint32_t one_by_one = heap->count / 16 + 4;
    while (heap->count > 0 && heap->entries[0].key <= limit && taken < room) {
        if (taken == one_by_one) return taken + take_many(heap, limit, out + taken, room - taken);
        out[taken++] = heap->entries[0];
        gy_heap_remove(heap, 0);
    }
    return taken;
}
