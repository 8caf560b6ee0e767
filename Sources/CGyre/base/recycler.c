#include "base/recycler.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A thread keeps at most about so many unused nodes; what comes home beyond that is freed. */
#define KEEP_AT_MOST 4096

typedef struct gy_store {
    gy_recycled *mine;            /* own thread */
    _Atomic(gy_recycled *) back;  /* come home; STORE_CLOSED once the thread has ended */
    _Atomic int32_t back_count;   /* about how many those are */
    /* Nodes in use or in a list, and one for the thread: whoever takes it to zero frees the
     * store. */
    _Atomic uint32_t references;
} gy_store;

static gy_recycled closed;
#define STORE_CLOSED (&closed)

static __thread gy_store *own_store __attribute__((tls_model("initial-exec")));
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void drop(gy_store *store, uint32_t references) {
    /* Acquire and release: all uses of the store come before its end. */
    if (atomic_fetch_sub_explicit(&store->references, references, memory_order_acq_rel) ==
        references) {
        free(store);
    }
}

static uint32_t free_list(gy_recycled *node) {
    uint32_t count = 0;
    for (gy_recycled *next; node != NULL; node = next, count++) {
        next = node->next;
        free(node);
    }
    return count;
}

static void thread_ends(void *value) {
    gy_store *store = value;
    own_store = NULL;
    uint32_t freed = free_list(store->mine);
    freed += free_list(atomic_exchange_explicit(&store->back, STORE_CLOSED, memory_order_acquire));
    drop(store, freed + 1);
}

static void make_key(void) { has_key = pthread_key_create(&key, thread_ends) == 0; }

static gy_store *make_store(void) {
    pthread_once(&key_once, make_key);
    gy_store *store = has_key ? calloc(1, sizeof *store) : NULL;
    if (store == NULL) return NULL;
    atomic_init(&store->references, 1);
    if (pthread_setspecific(key, store) != 0) {
        free(store);
        return NULL;
    }
    own_store = store;
    return store;
}

static gy_recycled *make_node(gy_store *store) {
    gy_recycled *node = malloc(GY_RECYCLED_SIZE);
    if (node == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    node->home = store;
    /* Relaxed: the thread's own reference keeps the store meanwhile. */
    if (store != NULL) atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
    return node;
}

void *gy_recycled_take(void) {
    gy_store *store = own_store;
    if (store == NULL) store = make_store();
    if (store == NULL) return make_node(NULL); /* homeless: freed when it is given back */
    if (store->mine == NULL && atomic_load_explicit(&store->back, memory_order_relaxed) != NULL) {
        /* Acquire: pairs with the release of the give that sent them. */
        store->mine = atomic_exchange_explicit(&store->back, NULL, memory_order_acquire);
        atomic_store_explicit(&store->back_count, 0, memory_order_relaxed); /* about */
    }
    gy_recycled *node = store->mine;
    if (node == NULL) return make_node(store);
    store->mine = node->next;
    return node;
}

/* True if the run is in the store's list; false if it is closed, or full. The nodes keep the store
 * until they are in the list, and not a moment longer: it is counted before. */
static bool send_home(gy_store *store, const gy_recycled_run *run) {
    int32_t before =
        atomic_fetch_add_explicit(&store->back_count, (int32_t)run->count, memory_order_relaxed);
    gy_recycled *top = atomic_load_explicit(&store->back, memory_order_relaxed);
    do {
        if (before > KEEP_AT_MOST || top == STORE_CLOSED) {
            atomic_fetch_sub_explicit(&store->back_count, (int32_t)run->count,
                                      memory_order_relaxed);
            return false;
        }
        run->last->next = top;
    } while (!atomic_compare_exchange_weak_explicit(&store->back, &top, run->first,
                                                    memory_order_release, memory_order_relaxed));
    return true;
}

void gy_recycled_flush(gy_recycled_run *run) {
    if (run->first == NULL) return;
    gy_store *store = run->first->home;
    run->last->next = NULL;
    if (store == NULL) {
        free_list(run->first);
    } else if (!send_home(store, run)) {
        run->last->next = NULL;
        free_list(run->first);
        drop(store, run->count);
    }
    *run = (gy_recycled_run){0};
}

void gy_recycled_give(gy_recycled_run *run, gy_recycled *node) {
    if (run->first != NULL && run->first->home != node->home) gy_recycled_flush(run);
    if (run->first == NULL) run->last = node;
    node->next = run->first;
    run->first = node;
    run->count++;
}
