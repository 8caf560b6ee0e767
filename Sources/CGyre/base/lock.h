/* The ranked mutex.
 *
 * Ranks rise inward: registry 1, loop 2, table 3. Holding rank n, take only ranks above n.
 * No lock is held across a callout: gy_lock_none_held() aborts in debug builds if one is.
 *
 *   registry 1   which thread has which loop; which loop a timer or observer is in (registry.c)
 *   loop     2   everything in one loop: modes, items, waits (loop.c)
 *   table    3   small shared tables: interned names, memberships and callbacks of sources; the
 *                dates of timers that are busy; the fields of sockets
 *
 * Threads: any. A lock must not be taken in a signal handler. */
#ifndef GYRE_BASE_LOCK_H
#define GYRE_BASE_LOCK_H

#include <pthread.h>

enum gy_rank { GY_RANK_REGISTRY = 1, GY_RANK_LOOP = 2, GY_RANK_TABLE = 3 };

typedef struct gy_lock {
    pthread_mutex_t mutex;
    enum gy_rank rank;
} gy_lock;

#define GY_LOCK_INIT(r) {PTHREAD_MUTEX_INITIALIZER, (r)}

#ifdef GYRE_DEBUG
void gy_lock_rank_push(enum gy_rank rank);
void gy_lock_rank_pop(enum gy_rank rank);
void gy_lock_none_held(void);
#else
static inline void gy_lock_rank_push(enum gy_rank rank) { (void)rank; }
static inline void gy_lock_rank_pop(enum gy_rank rank) { (void)rank; }
static inline void gy_lock_none_held(void) {}
#endif

static inline void gy_lock_init(gy_lock *lock, enum gy_rank rank) {
    pthread_mutex_init(&lock->mutex, NULL);
    lock->rank = rank;
}

static inline void gy_lock_destroy(gy_lock *lock) { pthread_mutex_destroy(&lock->mutex); }

static inline void gy_lock_take(gy_lock *lock) {
    gy_lock_rank_push(lock->rank);
    pthread_mutex_lock(&lock->mutex);
}

static inline void gy_lock_give(gy_lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
    gy_lock_rank_pop(lock->rank);
}

/* For the fork handlers, which hold the lock of every loop at once: no rank is kept. */
static inline void gy_lock_take_unranked(gy_lock *lock) { pthread_mutex_lock(&lock->mutex); }
static inline void gy_lock_give_unranked(gy_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

#endif
