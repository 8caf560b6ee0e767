/* Performed work: a call to be made on a loop's thread, and the queue that brings it there.
 *
 * Owns: the queue's incoming stack, which any thread pushes to without a lock. What the loop has
 * taken out of it and not run, in order, stands in `pending` (the loop's lock).
 * Threads: as told per function. */
#ifndef GYRE_ITEMS_BLOCK_H
#define GYRE_ITEMS_BLOCK_H

#include "base/list.h"
#include "base/object.h"
#include "base/recycler.h"

#include <gyre/GYRunLoopPerform.h>

/* What can be asked about a call, or taken back. Its own object, since it may outlive the call. */
struct GYRunLoopPerformRequest {
    gy_object head;
    _Atomic int32_t state;          /* GYRunLoopPerformState */
    _Atomic uint32_t is_waited_for; /* the end of the call is announced */
    _Atomic(GYRunLoopRef) loop;     /* retained; cleared when the perform is destroyed */
    struct gy_block *block;         /* while it is queued; the loop's lock */
    GYRunLoopTimerRef timer;        /* of a delayed call; retained */
    GYPerformFunction function, release;
    void *info;
};

#define GY_BLOCK_ROOM 48u

typedef struct gy_block {
    union {
        gy_recycled memory; /* its `next` makes the incoming stack, and the chain of those to run */
        struct {
            struct gy_store *home;
            gy_node node; /* in pending */
        };
    };
    GYPerformFunction function, release;
    void *info;
    GYRunLoopPerformRef perform; /* retained; NULL for most */
    /* An interned string, retained; or, with the lowest bit set, an array of them that ends with
     * NULL. */
    uintptr_t modes;
    _Alignas(16) unsigned char room[]; /* for a block of the language that holds plain values */
} gy_block;

_Static_assert(sizeof(gy_block) + GY_BLOCK_ROOM <= GY_RECYCLED_SIZE, "blocks are recycled nodes");

typedef struct gy_block_queue {
    _Atomic(gy_block *) incoming; /* newest first; a sentinel once the loop is dead */
    _Atomic uint32_t count; /* in either place; raised before a push, so it is never too low */
    gy_node pending;
} gy_block_queue;

void gy_block_queue_init(gy_block_queue *queue);
/* A block for one mode or for the strings of an array; NULL with errno. */
gy_block *gy_block_create(GYTypeRef mode);
void gy_block_free(gy_block *block);
/* The same for many in a row. */
void gy_block_give(gy_recycled_run *run, gy_block *block);

/* Any thread, no lock. False: the queue has ended and the block is still the caller's. */
bool gy_block_queue_push(gy_block_queue *queue, gy_block *block);
/* What has come in, as a chain by `next`, oldest first: for the caller to run or to keep. The
 * loop's lock. */
gy_block *gy_block_queue_take_incoming(gy_block_queue *queue);
/* Keeps a block, behind those in `pending`. The loop's lock. */
void gy_block_queue_keep(gy_block_queue *queue, gy_block *block);
/* No push succeeds any more; what was in goes to `pending`; the loop's lock. */
void gy_block_queue_end(gy_block_queue *queue);
/* Whether there is nothing at all; any thread, no lock. */
bool gy_block_queue_is_empty(const gy_block_queue *queue);
/* Takes a block out of `pending`; the loop's lock. It still counts until it is said to have
 * left. */
void gy_block_queue_remove(gy_block *block);
void gy_block_queue_left(gy_block_queue *queue, uint32_t count);

/* NULL behind the last. */
static inline GYStringRef gy_block_mode_at(const gy_block *block, uint32_t i) {
    if ((block->modes & 1) != 0) return ((GYStringRef *)(block->modes - 1))[i];
    return i == 0 ? (GYStringRef)block->modes : NULL;
}
static inline gy_block *gy_block_next(const gy_block *block) {
    return (gy_block *)(void *)block->memory.next;
}
static inline void gy_block_set_next(gy_block *block, gy_block *next) {
    block->memory.next = next == NULL ? NULL : &next->memory;
}

/* R61. */
bool gy_block_runs_in(const gy_block *block, GYStringRef mode, bool mode_is_common);

#endif
