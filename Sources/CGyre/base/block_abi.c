#include "base/block_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The flags word: a count of references in steps of two, and what the compiler says. */
enum {
    COUNT_MASK = 0xFFFE,
    COUNT_ONE = 2,
    ON_HEAP = 1 << 24,
    HAS_HELPERS = 1 << 25,
    IS_GLOBAL = 1 << 28,
};

typedef struct {
    unsigned long reserved;
    unsigned long size;
    /* With HAS_HELPERS only: */
    void (*copy)(void *to, const void *from);
    void (*dispose)(const void *block);
} descriptor;

typedef struct {
    void *isa;
    _Atomic int32_t flags;
    int32_t reserved;
    void (*invoke)(void); /* really takes the block, then the arguments */
    const descriptor *descriptor;
    /* The captured values follow. */
} block_layout;

typedef void *(*copy_function)(const void *);
typedef void (*release_function)(const void *);

/* NULL where nothing that the program was linked with defines them. */
extern void *_Block_copy(const void *block) __attribute__((weak));
extern void _Block_release(const void *block) __attribute__((weak));

/* A runtime that came later, by dlopen. Only a hit is kept: the next call may find one. */
static void *find(_Atomic(void *) *known, const char *name) {
    /* Relaxed: the address of a function, which was there before it could be found. */
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found != NULL) return found;
    found = dlsym(RTLD_DEFAULT, name);
    atomic_store_explicit(known, found, memory_order_relaxed);
    return found;
}

static copy_function runtime_copy(void) {
    static _Atomic(void *) known;
    if (_Block_copy != NULL) return _Block_copy;
    void *found = find(&known, "_Block_copy");
    copy_function function;
    memcpy(&function, &found, sizeof function); /* POSIX lets the address be a function's */
    return function;
}

static release_function runtime_release(void) {
    static _Atomic(void *) known;
    if (_Block_release != NULL) return _Block_release;
    void *found = find(&known, "_Block_release");
    release_function function;
    memcpy(&function, &found, sizeof function);
    return function;
}

/* A count that has reached its mask stays there: such a block is never freed. */
static bool is_saturated(int32_t flags) { return (flags & COUNT_MASK) == COUNT_MASK; }

static void add_reference(block_layout *block) {
    int32_t flags = atomic_load_explicit(&block->flags, memory_order_relaxed);
    while (!is_saturated(flags) &&
           !atomic_compare_exchange_weak_explicit(&block->flags, &flags, flags + COUNT_ONE,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void *move_to_heap(const block_layout *block, int32_t flags) {
    block_layout *copy = malloc(block->descriptor->size);
    if (copy == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(copy, block, block->descriptor->size);
    atomic_init(&copy->flags, (flags & ~(COUNT_MASK | 1)) | ON_HEAP | COUNT_ONE);
    if (flags & HAS_HELPERS) block->descriptor->copy(copy, block);
    return copy;
}

void *gy_block_copy(const void *block) {
    if (block == NULL) return NULL;
    copy_function copy = runtime_copy();
    if (copy != NULL) return copy(block);
    block_layout *b = (block_layout *)(uintptr_t)block;
    int32_t flags = atomic_load_explicit(&b->flags, memory_order_relaxed);
    if (flags & IS_GLOBAL) return b;
    if ((flags & ON_HEAP) == 0) return move_to_heap(b, flags);
    add_reference(b);
    return b;
}

bool gy_block_copy_into(const void *block, void *room, size_t size) {
    const block_layout *b = block;
    int32_t flags = atomic_load_explicit(&b->flags, memory_order_relaxed);
    if ((flags & (IS_GLOBAL | ON_HEAP | HAS_HELPERS)) != 0) return false;
    if (b->descriptor->size > size) return false;
    memcpy(room, block, b->descriptor->size);
    return true;
}

/* Whether the reference given up was the last. */
static bool drop_reference(block_layout *block) {
    int32_t flags = atomic_load_explicit(&block->flags, memory_order_relaxed);
    do {
        if (is_saturated(flags)) return false;
        /* Release on every drop, acquire on the last: all uses happen before the end. */
    } while (!atomic_compare_exchange_weak_explicit(&block->flags, &flags, flags - COUNT_ONE,
                                                    memory_order_acq_rel, memory_order_relaxed));
    return (flags & COUNT_MASK) == COUNT_ONE;
}

const void *gy_block_copy_as_info(const void *block) { return gy_block_copy(block); }

void gy_block_release(const void *block) {
    if (block == NULL) return;
    release_function release = runtime_release();
    if (release != NULL) {
        release(block);
        return;
    }
    block_layout *b = (block_layout *)(uintptr_t)block;
    int32_t flags = atomic_load_explicit(&b->flags, memory_order_relaxed);
    if ((flags & IS_GLOBAL) || (flags & ON_HEAP) == 0) return;
    if (!drop_reference(b)) return;
    if (flags & HAS_HELPERS) b->descriptor->dispose(b);
    free(b);
}

void gy_block_invoke(void *block) {
    void (*invoke)(void *) = (void (*)(void *))((block_layout *)block)->invoke;
    invoke(block);
}

void gy_block_invoke_timer(void *block, GYRunLoopTimerRef timer) {
    void (*invoke)(void *, GYRunLoopTimerRef) =
        (void (*)(void *, GYRunLoopTimerRef))((block_layout *)block)->invoke;
    invoke(block, timer);
}

void gy_block_invoke_observer(void *block, GYRunLoopObserverRef observer, GYOptionFlags activity) {
    void (*invoke)(void *, GYRunLoopObserverRef, GYOptionFlags) =
        (void (*)(void *, GYRunLoopObserverRef, GYOptionFlags))((block_layout *)block)->invoke;
    invoke(block, observer, activity);
}
