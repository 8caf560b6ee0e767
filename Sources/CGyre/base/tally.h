/* A count that one lock protects and others read without it: changed by plain steps, for the lock
 * keeps writers apart; read relaxed, as if a moment earlier. */
#ifndef GYRE_BASE_TALLY_H
#define GYRE_BASE_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint32_t gy_tally;

/* The lock is held. */
static inline void gy_tally_add(gy_tally *tally, int change) {
    uint32_t value = atomic_load_explicit(tally, memory_order_relaxed);
    atomic_store_explicit(tally, value + (uint32_t)change, memory_order_relaxed);
}

static inline uint32_t gy_tally_now(const gy_tally *tally) {
    return atomic_load_explicit(tally, memory_order_relaxed);
}

#endif
