/* Performed work: a call to be made on a loop's thread, and the queue that brings it there.
 *
 * Owns: the queue's incoming stack, which any thread pushes to without a lock. What the loop has
 * taken out of it, in order, stands in `pending` (the loop's lock).
 * Threads: as told per function. */
#ifndef GYRE_ITEMS_BLOCK_H
#define GYRE_ITEMS_BLOCK_H

#include "base/list.h"
#include "base/object.h"

#include <gyre/GYRunLoopPerform.h>

/* What can be asked about a call, or taken back. Its own object, since it may outlive the call. */
struct GYRunLoopPerform {
    gy_object head;
    _Atomic int32_t state;          /* GYRunLoopPerformState */
    _Atomic uint32_t is_waited_for; /* the end of the call is announced */
    _Atomic(GYRunLoopRef) loop;     /* retained; cleared when the perform is destroyed */
    struct gy_block *block;         /* while it is queued; the loop's lock */
    GYRunLoopTimerRef timer;        /* of a delayed call; retained */
    GYPerformFunction function, release;
    void *info;
};

typedef struct gy_block {
    struct gy_block *next_incoming; /* in the incoming stack, and once picked to run */
    gy_node node;                   /* in pending */
    GYPerformFunction function, release;
    void *info;
    GYRunLoopPerformRef perform; /* retained; NULL for most */
    GYStringRef *modes;          /* interned, retained; points to `mode` where there is one */
    GYStringRef mode;
    uint32_t mode_count;
} gy_block;

typedef struct gy_block_queue {
    _Atomic(gy_block *) incoming; /* newest first; GY_BLOCKS_ENDED once the loop is dead */
    _Atomic uint32_t count; /* in either place; raised before a push, so it is never too low */
    gy_node pending;
} gy_block_queue;

void gy_block_queue_init(gy_block_queue *queue);
/* A block for one mode or for the strings of an array; NULL with errno. */
gy_block *gy_block_create(GYTypeRef mode);
void gy_block_free(gy_block *block);

/* Any thread, no lock. False: the queue has ended and the block is still the caller's. */
bool gy_block_queue_push(gy_block_queue *queue, gy_block *block);
/* Moves what has come in to `pending`, oldest first; the loop's lock. */
void gy_block_queue_take_in(gy_block_queue *queue);
/* No push succeeds any more; what was in goes to `pending`; the loop's lock. */
void gy_block_queue_end(gy_block_queue *queue);
/* Whether there is nothing at all; the loop's own thread, no lock. */
bool gy_block_queue_is_empty(const gy_block_queue *queue);
/* Takes a block out of `pending`; the loop's lock. */
void gy_block_queue_remove(gy_block_queue *queue, gy_block *block);

/* R61. */
bool gy_block_runs_in(const gy_block *block, GYStringRef mode, bool mode_is_common);

#endif
