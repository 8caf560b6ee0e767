#include "loop/callbacks.h"

#include "base/lock.h"
#include "base/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct shared {
    GYRunLoopSourceContext2 context; /* first: what users point to */
    uint32_t users, hash;
} shared;

static gy_lock table_lock = GY_LOCK_INIT(GY_RANK_TABLE);
static gy_set table;

/* The three contexts begin alike, and the callbacks that a shorter one lacks are NULL. */
static GYRunLoopSourceContext2 full_copy(const GYRunLoopSourceContext *context) {
    GYRunLoopSourceContext2 full;
    memset(&full, 0, sizeof full); /* padding too: copies are compared as bytes */
    memcpy(&full, context, gy_source_context_size(context->version));
    full.info = NULL;
    return full;
}

static uint32_t hash_of(const GYRunLoopSourceContext2 *context) {
    uintptr_t sum = (uintptr_t)context->perform ^ (uintptr_t)context->performEvents * 3 ^
                    (uintptr_t)context->getPort * 5 ^ (uintptr_t)context->release * 7;
    return gy_pointer_hash((const void *)(sum + (uintptr_t)context->version));
}

static shared *find(const GYRunLoopSourceContext2 *context, uint32_t hash) {
    uint32_t cursor = 0;
    for (shared *s; (s = gy_set_candidate(&table, hash, &cursor)) != NULL;) {
        if (memcmp(&s->context, context, sizeof *context) == 0) return s;
    }
    return NULL;
}

static shared *insert(const GYRunLoopSourceContext2 *context, uint32_t hash) {
    shared *s = calloc(1, sizeof *s);
    if (s == NULL || !gy_set_insert(&table, s, hash)) {
        free(s);
        errno = ENOMEM;
        return NULL;
    }
    memcpy(&s->context, context, sizeof *context);
    s->hash = hash;
    return s;
}

const GYRunLoopSourceContext2 *gy_callbacks_take(const GYRunLoopSourceContext *context) {
    GYRunLoopSourceContext2 full = full_copy(context);
    uint32_t hash = hash_of(&full);
    gy_lock_take(&table_lock);
    shared *s = find(&full, hash);
    if (s == NULL) s = insert(&full, hash);
    if (s != NULL) s->users++;
    gy_lock_give(&table_lock);
    return s == NULL ? NULL : &s->context;
}

void gy_callbacks_give(const GYRunLoopSourceContext2 *callbacks) {
    shared *s = (shared *)(uintptr_t)callbacks;
    gy_lock_take(&table_lock);
    bool is_last = --s->users == 0;
    if (is_last) gy_set_remove(&table, s, s->hash);
    /* An empty table is no table: a program that ends leaves nothing behind. */
    if (table.count == 0) gy_set_destroy(&table);
    gy_lock_give(&table_lock);
    if (is_last) free(s);
}

void gy_callbacks_lock_for_fork(void) { gy_lock_take_unranked(&table_lock); }
void gy_callbacks_unlock_after_fork(void) { gy_lock_give_unranked(&table_lock); }
