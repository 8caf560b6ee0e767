/* A hash set of pointers. Which pointers are equal is its user's business: it finds candidates by
 * hash. Open addressing with linear probing; removal shifts back, so there are no tombstones.
 * Owns its table, not what the pointers point to. The user's lock protects it. */
#ifndef GYRE_BASE_SET_H
#define GYRE_BASE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gy_set_entry {
    void *item; /* NULL: free */
    uint32_t hash;
} gy_set_entry;

typedef struct gy_set {
    gy_set_entry *entries; /* NULL while nothing was ever added */
    uint32_t capacity;     /* a power of two */
    uint32_t count;
} gy_set;

uint32_t gy_pointer_hash(const void *pointer);

void gy_set_destroy(gy_set *set);
/* False, with errno, where memory is out. The item must not be there yet. */
bool gy_set_insert(gy_set *set, void *item, uint32_t hash);
bool gy_set_contains(const gy_set *set, const void *item, uint32_t hash);
/* False if the very item is not there. */
bool gy_set_remove(gy_set *set, const void *item, uint32_t hash);

/* Walks the items whose hash is `hash`: start with *cursor = 0; NULL ends it. */
void *gy_set_candidate(const gy_set *set, uint32_t hash, uint32_t *cursor);
/* Walks all items: start with *cursor = 0; NULL ends it. */
void *gy_set_next(const gy_set *set, uint32_t *cursor);

#endif
