#include "base/set.h"

#include <errno.h>
#include <stdlib.h>

uint32_t gy_pointer_hash(const void *pointer) {
    uint64_t x = (uint64_t)(uintptr_t)pointer;
    return (uint32_t)((x * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

void gy_set_destroy(gy_set *set) {
    free(set->entries);
    *set = (gy_set){0};
}

static uint32_t home_of(const gy_set *set, uint32_t hash) { return hash & (set->capacity - 1); }

static void place(gy_set *set, gy_set_entry entry) {
    uint32_t i = home_of(set, entry.hash);
    while (set->entries[i].item != NULL) i = (i + 1) & (set->capacity - 1);
    set->entries[i] = entry;
}

static bool grow(gy_set *set) {
    gy_set bigger = {.capacity = set->capacity == 0 ? 4 : set->capacity * 2, .count = set->count};
    bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
    if (bigger.entries == NULL) {
        errno = ENOMEM;
        return false;
    }
    for (uint32_t i = 0; i < set->capacity; i++) {
        if (set->entries[i].item != NULL) place(&bigger, set->entries[i]);
    }
    free(set->entries);
    *set = bigger;
    return true;
}

bool gy_set_insert(gy_set *set, void *item, uint32_t hash) {
    if ((uint64_t)(set->count + 1) * 4 > (uint64_t)set->capacity * 3 && !grow(set)) return false;
    place(set, (gy_set_entry){item, hash});
    set->count++;
    return true;
}

/* The index of the very item, or capacity. */
static uint32_t index_of(const gy_set *set, const void *item, uint32_t hash) {
    if (set->capacity == 0) return 0;
    for (uint32_t i = home_of(set, hash); set->entries[i].item != NULL;
         i = (i + 1) & (set->capacity - 1)) {
        if (set->entries[i].item == item) return i;
    }
    return set->capacity;
}

bool gy_set_contains(const gy_set *set, const void *item, uint32_t hash) {
    return index_of(set, item, hash) < set->capacity;
}

bool gy_set_remove(gy_set *set, const void *item, uint32_t hash) {
    uint32_t hole = index_of(set, item, hash);
    if (hole >= set->capacity) return false;
    uint32_t mask = set->capacity - 1;
    for (uint32_t i = (hole + 1) & mask; set->entries[i].item != NULL; i = (i + 1) & mask) {
        uint32_t home = home_of(set, set->entries[i].hash);
        /* An entry may move back into the hole unless its home lies behind the hole. */
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            set->entries[hole] = set->entries[i];
            hole = i;
        }
    }
    set->entries[hole] = (gy_set_entry){0};
    set->count--;
    return true;
}

void *gy_set_candidate(const gy_set *set, uint32_t hash, uint32_t *cursor) {
    if (set->capacity == 0) return NULL;
    for (; *cursor < set->capacity; (*cursor)++) {
        const gy_set_entry *e = &set->entries[(home_of(set, hash) + *cursor) & (set->capacity - 1)];
        if (e->item == NULL) return NULL;
        if (e->hash != hash) continue;
        (*cursor)++;
        return e->item;
    }
    return NULL;
}

void *gy_set_next(const gy_set *set, uint32_t *cursor) {
    while (*cursor < set->capacity) {
        void *item = set->entries[(*cursor)++].item;
        if (item != NULL) return item;
    }
    return NULL;
}
