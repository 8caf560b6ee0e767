#include "base/lock.h"

#include "base/check.h"

#ifdef GYRE_DEBUG
/* How many locks of each rank this thread holds. */
static __thread unsigned held[GY_RANK_TABLE + 1];

void gy_lock_rank_push(enum gy_rank rank) {
    for (int r = (int)rank; r <= GY_RANK_TABLE; r++) gy_assert(held[r] == 0);
    held[rank]++;
}

void gy_lock_rank_pop(enum gy_rank rank) {
    gy_assert(held[rank] == 1);
    held[rank]--;
}

void gy_lock_none_held(void) {
    for (int r = 0; r <= GY_RANK_TABLE; r++) gy_assert(held[r] == 0);
}
#endif
