#include "items/block.h"

#include "base/array.h"
#include "base/name.h"

#include <errno.h>
#include <gyre/GYArray.h>
#include <stdlib.h>

/* A pusher that finds this in the stack knows that nobody will ever take its block. */
static gy_block ended;
#define GY_BLOCKS_ENDED (&ended)

void gy_block_queue_init(gy_block_queue *queue) {
    gy_list_init(&queue->pending);
}

/* False, with errno, where memory is out; EINVAL where a mode is no string. */
static bool intern_modes(gy_block *block, GYTypeRef const *modes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!gy_object_is(modes[i], GY_KIND_STRING)) {
            errno = EINVAL;
            return false;
        }
        block->modes[i] = gy_name_intern(modes[i]);
        if (block->modes[i] == NULL) return false;
        block->mode_count = i + 1;
    }
    return true;
}

static gy_block *finish(gy_block *block, GYTypeRef const *modes, uint32_t count) {
    if (block == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    errno = EINVAL; /* no mode at all: it could never run */
    if (count > 0 && intern_modes(block, modes, count)) return block;
    gy_block_free(block);
    return NULL;
}

gy_block *gy_block_create(GYTypeRef mode) {
    bool is_array = gy_object_is(mode, GY_KIND_ARRAY);
    const struct GYArray *array = is_array ? mode : NULL;
    uint32_t count = is_array ? (uint32_t)array->count : 1;
    gy_block *block = calloc(1, sizeof *block + (count > 1 ? count * sizeof(GYStringRef) : 0));
    if (block != NULL) block->modes = count > 1 ? (GYStringRef *)(block + 1) : &block->mode;
    return finish(block, is_array ? array->values : &mode, count);
}

void gy_block_free(gy_block *block) {
    int saved = errno;
    for (uint32_t i = 0; i < block->mode_count; i++) gy_release(block->modes[i]);
    free(block);
    errno = saved;
}

bool gy_block_queue_push(gy_block_queue *queue, gy_block *block) {
    gy_block *top = atomic_load_explicit(&queue->incoming, memory_order_relaxed);
    /* Relaxed: ordered before the push by its release, and so before a wake-up that follows. */
    atomic_fetch_add_explicit(&queue->count, 1, memory_order_relaxed);
    do {
        if (top == GY_BLOCKS_ENDED) {
            atomic_fetch_sub_explicit(&queue->count, 1, memory_order_relaxed);
            return false;
        }
        block->next_incoming = top;
        /* Release: pairs with the acquire in take_in; the block and what was written before it are
         * seen by its call (R172). */
    } while (!atomic_compare_exchange_weak_explicit(&queue->incoming, &top, block,
                                                    memory_order_release, memory_order_relaxed));
    return true;
}

static void append_reversed(gy_block_queue *queue, gy_block *newest) {
    gy_node *before = queue->pending.previous; /* what is newer goes behind what is there */
    for (gy_block *b = newest; b != NULL; b = b->next_incoming) {
        b->node.previous = before;
        b->node.next = before->next;
        before->next->previous = &b->node;
        before->next = &b->node;
    }
}

void gy_block_queue_take_in(gy_block_queue *queue) {
    gy_block *top = atomic_load_explicit(&queue->incoming, memory_order_relaxed);
    if (top == NULL || top == GY_BLOCKS_ENDED) return;
    append_reversed(queue, atomic_exchange_explicit(&queue->incoming, NULL, memory_order_acquire));
}

void gy_block_queue_end(gy_block_queue *queue) {
    gy_block *top = atomic_exchange_explicit(&queue->incoming, GY_BLOCKS_ENDED, memory_order_acquire);
    if (top != GY_BLOCKS_ENDED) append_reversed(queue, top);
}

bool gy_block_queue_is_empty(const gy_block_queue *queue) {
    return atomic_load_explicit(&queue->count, memory_order_relaxed) == 0;
}

void gy_block_queue_remove(gy_block_queue *queue, gy_block *block) {
    gy_list_remove(&block->node);
    atomic_fetch_sub_explicit(&queue->count, 1, memory_order_relaxed);
}

bool gy_block_runs_in(const gy_block *block, GYStringRef mode, bool mode_is_common) {
    for (uint32_t i = 0; i < block->mode_count; i++) {
        if (block->modes[i] == mode) return true;
        if (mode_is_common && block->modes[i] == kGYRunLoopCommonModes) return true;
    }
    return false;
}
