/* A four-ary min-heap. It does not know what it orders: an entry carries its key beside the
 * pointer, ties are broken by a rank its user gives, and the user is told where each entry has
 * moved. Owns its array. The user's lock protects it. */
#ifndef GYRE_BASE_HEAP_H
#define GYRE_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gy_heap_entry {
    int64_t key;
    void *item;
} gy_heap_entry;

typedef struct gy_heap {
    gy_heap_entry *entries; /* NULL while nothing was ever added */
    uint32_t count, capacity;
    void *owner; /* handed to the functions below */
    /* Which of two entries with equal keys comes first: the one with the lower rank. */
    uint64_t (*rank)(const void *item, const void *owner);
    void (*moved)(void *item, uint32_t index, void *owner);
} gy_heap;

void gy_heap_destroy(gy_heap *heap);

/* Makes room for one entry more; false, with errno, where memory is out. An insertion after it
 * cannot fail. */
bool gy_heap_reserve(gy_heap *heap, uint32_t count);
void gy_heap_insert(gy_heap *heap, int64_t key, void *item);
void gy_heap_remove(gy_heap *heap, uint32_t index);
void gy_heap_rekey(gy_heap *heap, uint32_t index, int64_t key);

/* After keys have been changed where they stand. */
void gy_heap_rebuild(gy_heap *heap);

/* Takes out every entry whose key is at most `limit` and writes it to `out`, which has room for
 * `room`; in the order of the array, not sorted. Returns how many; entries beyond `room` stay. */
uint32_t gy_heap_take_up_to(gy_heap *heap, int64_t limit, gy_heap_entry *out, uint32_t room);

#endif
