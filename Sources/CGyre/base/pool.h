/* A thread's stack of drain pools, and what was deferred into them.
 *
 * Owns: the stack, made when a thread first pushes a pool and freed when the thread ends. Relies
 * on: nothing but libc. Threads: the calling one's stack, each function; no lock may be held where
 * something is drained.
 *
 * All pools of a thread share one array of entries; a pool is the part of it from its base on, up
 * to the next pool's. Draining takes an entry out before it calls it, and finds its pool anew after
 * each call: what is called may push, pop and defer, or leave by a jump. */
#ifndef GYRE_BASE_POOL_H
#define GYRE_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gy_pool_entry {
    void (*function)(void *info);
    void *info;
} gy_pool_entry;

typedef struct gy_pool {
    uint64_t token;
    size_t base; /* entries before it are those of the pools below */
    bool is_fence; /* nothing below may be popped while it is there: a run's */
} gy_pool;

typedef struct gy_pool_stack {
    gy_pool *pools; /* innermost last, tokens ascending */
    uint32_t depth, pool_room;
    gy_pool_entry *entries; /* newest last */
    size_t count, entry_room;
    uint64_t next_token, end_token; /* this thread's share of the tokens */
    uint64_t changes; /* pushes and deferred calls so far */
} gy_pool_stack;

/* NULL: the thread has none. Initial-exec: read without a call. */
extern __thread gy_pool_stack *gy_pools_here __attribute__((tls_model("initial-exec")));

/* A token that no pool of any thread has had before; 0, with errno, where memory is out. */
uint64_t gy_pool_push(bool is_fence);

enum gy_pool_place {
    GY_POOL_MISSING, /* not on this thread's stack */
    GY_POOL_FENCED,  /* there, and below a fence */
    GY_POOL_WITHIN,
};
enum gy_pool_place gy_pool_find(uint64_t token);

/* Calls what a pool and those above it hold, newest first, until all are empty, and ends those
 * above. A pool that is not there: nothing. */
void gy_pool_drain(uint64_t token);
/* The same, and the pool itself ends. */
void gy_pool_pop(uint64_t token);
/* A fence becomes an ordinary pool. */
void gy_pool_unfence(uint64_t token);

enum gy_pool_result {
    GY_POOL_TAKEN,
    GY_POOL_NONE, /* the thread has no pool */
    GY_POOL_FULL, /* no memory; errno */
};
enum gy_pool_result gy_pool_defer(void (*function)(void *info), void *info);

/* Drains all pools of the thread and frees the stack. What follows makes a new one. */
void gy_pool_end_thread(void);

/* How often something was pushed or deferred on this thread. Where the number is the same as after a
 * drain, there is nothing to drain. */
static inline uint64_t gy_pool_changes(void) {
    return gy_pools_here == NULL ? 0 : gy_pools_here->changes;
}
/* Ends the innermost pool, which is known to be empty. */
static inline void gy_pool_drop(void) { gy_pools_here->depth--; }

#endif
