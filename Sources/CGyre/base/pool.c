#include "base/pool.h"

#include "base/lock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define FIRST_POOLS 8u
#define FIRST_ENTRIES 16u
/* A page: as much is kept when more was needed once. */
#define KEPT_ENTRIES (4096u / sizeof(gy_pool_entry))
/* Threads take tokens from the common count so many at a time. */
#define TOKEN_SHARE 65536u

__thread gy_pool_stack *gy_pools_here;

/* ---- the stack's life ---- */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_error;

/* How often this thread's destructor has put its work off: until the third round, like that of the
 * loop, since destructors of others may still use what the pools hold. */
static __thread int rounds_waited __attribute__((tls_model("initial-exec")));

static void thread_exits(void *stack) {
    const gy_pool_stack *s = stack;
    if (s->depth > 0 && ++rounds_waited < 3) {
        pthread_setspecific(key, stack);
    } else {
        gy_pool_end_thread();
    }
}

static void make_key(void) { key_error = pthread_key_create(&key, thread_exits); }

/* NULL with errno. */
static gy_pool_stack *make_stack(void) {
    pthread_once(&key_once, make_key);
    gy_pool_stack *s = calloc(1, sizeof *s);
    int error = s == NULL ? ENOMEM : key_error;
    if (error == 0) error = pthread_setspecific(key, s);
    if (error == 0) return gy_pools_here = s;
    free(s);
    errno = error;
    return NULL;
}

/* ---- tokens ---- */

/* Relaxed: the shares only have to differ. They ascend on each thread. */
static uint64_t next_token(gy_pool_stack *s) {
    static _Atomic uint64_t shares = 1;
    if (s->next_token == s->end_token) {
        s->next_token = atomic_fetch_add_explicit(&shares, 1, memory_order_relaxed) * TOKEN_SHARE;
        s->end_token = s->next_token + TOKEN_SHARE;
    }
    return s->next_token++;
}

/* How deep a pool stands, from 1; 0: it is not there. */
static uint32_t depth_of(uint64_t token) {
    const gy_pool_stack *s = gy_pools_here;
    uint32_t depth = s == NULL ? 0 : s->depth;
    while (depth > 0 && s->pools[depth - 1].token > token) depth--;
    return depth > 0 && s->pools[depth - 1].token == token ? depth : 0;
}

/* ---- pushing and deferring ---- */

static bool make_room_for_pool(gy_pool_stack *s) {
    if (s->depth < s->pool_room) return true;
    uint32_t room = s->pool_room == 0 ? FIRST_POOLS : s->pool_room * 2;
    gy_pool *pools = realloc(s->pools, room * sizeof *pools);
    if (pools == NULL) {
        errno = ENOMEM;
        return false;
    }
    s->pools = pools;
    s->pool_room = room;
    return true;
}

uint64_t gy_pool_push(bool is_fence) {
    gy_pool_stack *s = gy_pools_here != NULL ? gy_pools_here : make_stack();
    if (s == NULL || !make_room_for_pool(s)) return 0;
    uint64_t token = next_token(s);
    s->changes++;
    s->pools[s->depth++] = (gy_pool){.token = token, .base = s->count, .is_fence = is_fence};
    return token;
}

static bool resize_entries(gy_pool_stack *s, size_t room) {
    gy_pool_entry *entries = realloc(s->entries, room * sizeof *entries);
    if (entries == NULL) return false;
    s->entries = entries;
    s->entry_room = room;
    return true;
}

enum gy_pool_result gy_pool_defer(void (*function)(void *info), void *info) {
    gy_pool_stack *s = gy_pools_here;
    if (s == NULL || s->depth == 0) return GY_POOL_NONE;
    if (s->count == s->entry_room &&
        !resize_entries(s, s->entry_room == 0 ? FIRST_ENTRIES : s->entry_room * 2)) {
        errno = ENOMEM;
        return GY_POOL_FULL;
    }
    s->entries[s->count++] = (gy_pool_entry){function, info};
    s->changes++;
    return GY_POOL_TAKEN;
}

/* ---- draining ---- */

static __attribute__((noinline)) void gyre_calls_out_to_deferred_work(void (*function)(void *),
                                                                      void *info) {
    function(info);
    __asm__ volatile(""); /* no tail call: the frame must stay visible */
}

/* Half of what is kept, so that a number of entries about the limit does not move memory each
 * time. */
static void give_back(gy_pool_stack *s) {
    if (s->entry_room > KEPT_ENTRIES && s->count <= KEPT_ENTRIES / 2) {
        resize_entries(s, KEPT_ENTRIES); /* a failure keeps what there is */
    }
}

/* Takes the newest entry of a pool or those above, which end; false: there is none, or no pool. */
static bool take_newest(uint64_t token, gy_pool_entry *entry) {
    gy_pool_stack *s = gy_pools_here;
    uint32_t depth = depth_of(token);
    if (depth == 0) return false;
    s->depth = depth;
    if (s->count == s->pools[depth - 1].base) return false;
    *entry = s->entries[--s->count];
    return true;
}

void gy_pool_drain(uint64_t token) {
    gy_lock_none_held();
    gy_pool_entry entry;
    while (take_newest(token, &entry)) gyre_calls_out_to_deferred_work(entry.function, entry.info);
    if (gy_pools_here != NULL) give_back(gy_pools_here);
}

void gy_pool_pop(uint64_t token) {
    gy_pool_drain(token);
    uint32_t depth = depth_of(token);
    if (depth > 0) gy_pools_here->depth = depth - 1;
}

/* ---- fences, and the end of the thread ---- */

enum gy_pool_place gy_pool_find(uint64_t token) {
    uint32_t depth = depth_of(token);
    if (depth == 0) return GY_POOL_MISSING;
    const gy_pool_stack *s = gy_pools_here;
    for (uint32_t i = depth - 1; i < s->depth; i++) {
        if (s->pools[i].is_fence) return GY_POOL_FENCED;
    }
    return GY_POOL_WITHIN;
}

void gy_pool_unfence(uint64_t token) {
    uint32_t depth = depth_of(token);
    if (depth > 0) gy_pools_here->pools[depth - 1].is_fence = false;
}

void gy_pool_end_thread(void) {
    while (gy_pools_here != NULL && gy_pools_here->depth > 0) {
        gy_pool_pop(gy_pools_here->pools[0].token);
    }
    gy_pool_stack *s = gy_pools_here;
    if (s == NULL) return;
    gy_pools_here = NULL;
    pthread_setspecific(key, NULL);
    free(s->pools);
    free(s->entries);
    free(s);
}
