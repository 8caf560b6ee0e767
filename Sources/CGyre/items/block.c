#include "items/block.h"

#include "base/array.h"
#include "base/name.h"

#include <errno.h>
#include <gyre/GYArray.h>
#include <stdlib.h>

/* A pusher that finds this in the stack knows that nobody will ever take its block. */
static gy_block ended;
#define GY_BLOCKS_ENDED (&ended)

void gy_block_queue_init(gy_block_queue *queue) { gy_list_init(&queue->pending); }

static GYStringRef intern(GYTypeRef mode) {
    if (gy_object_is(mode, GY_KIND_STRING)) return gy_name_intern(mode);
    errno = EINVAL;
    return NULL;
}

/* False, with errno, where memory is out; EINVAL where a mode is no string, or there is none at
 * all, so that the block could never run. */
static bool intern_all(gy_block *block, const struct GYArray *array) {
    errno = array->count == 0 ? EINVAL : ENOMEM;
    GYStringRef *names = array->count == 0 ? NULL : calloc(array->count + 1, sizeof *names);
    if (names == NULL) return false;
    block->modes = (uintptr_t)names | 1;
    for (size_t i = 0; i < array->count; i++) {
        names[i] = intern(array->values[i]);
        if (names[i] == NULL) return false;
    }
    return true;
}

static bool set_modes(gy_block *block, GYTypeRef mode) {
    if (gy_object_is(mode, GY_KIND_ARRAY)) return intern_all(block, mode);
    block->modes = (uintptr_t)intern(mode);
    return block->modes != 0;
}

gy_block *gy_block_create(GYTypeRef mode) {
    gy_block *block = gy_recycled_take();
    if (block == NULL) return NULL;
    *block = (gy_block){.home = block->home};
    if (set_modes(block, mode)) return block;
    gy_block_free(block);
    return NULL;
}

void gy_block_give(gy_recycled_run *run, gy_block *block) {
    int saved = errno;
    uint32_t i = 0;
    for (GYStringRef name; (name = gy_block_mode_at(block, i)) != NULL; i++) gy_release(name);
    if ((block->modes & 1) != 0) free((void *)(block->modes - 1));
    gy_recycled_give(run, &block->memory);
    errno = saved;
}

void gy_block_free(gy_block *block) {
    gy_recycled_run run = {0};
    gy_block_give(&run, block);
    gy_recycled_flush(&run);
}

bool gy_block_queue_push(gy_block_queue *queue, gy_block *block) {
    gy_block *top = atomic_load_explicit(&queue->incoming, memory_order_relaxed);
    /* Relaxed: ordered before the push by its release, and so before a wake-up that follows. */
    atomic_fetch_add_explicit(&queue->count, 1, memory_order_relaxed);
    do {
        if (top == GY_BLOCKS_ENDED) {
            gy_block_queue_left(queue, 1);
            return false;
        }
        gy_block_set_next(block, top);
        /* Release: pairs with the acquire in take_incoming; the block and what was written before
         * it are seen by its call (R172). */
    } while (!atomic_compare_exchange_weak_explicit(&queue->incoming, &top, block,
                                                    memory_order_release, memory_order_relaxed));
    return true;
}

static gy_block *reversed(gy_block *newest) {
    gy_block *first = NULL;
    for (gy_block *b = newest, *next; b != NULL; b = next) {
        next = gy_block_next(b);
        gy_block_set_next(b, first);
        first = b;
    }
    return first;
}

gy_block *gy_block_queue_take_incoming(gy_block_queue *queue) {
    gy_block *top = atomic_load_explicit(&queue->incoming, memory_order_relaxed);
    if (top == NULL || top == GY_BLOCKS_ENDED) return NULL;
    return reversed(atomic_exchange_explicit(&queue->incoming, NULL, memory_order_acquire));
}

void gy_block_queue_keep(gy_block_queue *queue, gy_block *block) {
    gy_list_append(&queue->pending, &block->node);
}

static void keep_all(gy_block_queue *queue, gy_block *chain) {
    for (gy_block *next; chain != NULL; chain = next) {
        next = gy_block_next(chain);
        gy_block_queue_keep(queue, chain);
    }
}

void gy_block_queue_end(gy_block_queue *queue) {
    gy_block *top =
        atomic_exchange_explicit(&queue->incoming, GY_BLOCKS_ENDED, memory_order_acquire);
    if (top != GY_BLOCKS_ENDED) keep_all(queue, reversed(top));
}

bool gy_block_queue_is_empty(const gy_block_queue *queue) {
    return atomic_load_explicit(&queue->count, memory_order_relaxed) == 0;
}

void gy_block_queue_remove(gy_block *block) { gy_list_remove(&block->node); }

void gy_block_queue_left(gy_block_queue *queue, uint32_t count) {
    atomic_fetch_sub_explicit(&queue->count, count, memory_order_relaxed);
}

bool gy_block_runs_in(const gy_block *block, GYStringRef mode, bool mode_is_common) {
    uint32_t i = 0;
    for (GYStringRef name; (name = gy_block_mode_at(block, i)) != NULL; i++) {
        if (name == mode || (mode_is_common && name == kGYRunLoopCommonModes)) return true;
    }
    return false;
}
