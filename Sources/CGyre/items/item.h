/* What timers and observers share: validity, the loop they are in, and the info of their context.
 *
 * Owns: the layout and the flags. No lock, no system call. Threads: as told per field. */
#ifndef GYRE_ITEMS_ITEM_H
#define GYRE_ITEMS_ITEM_H

#include "base/object.h"

enum gy_item_flags {
    GY_ITEM_INVALID = 1,
    /* A timer's: */
    GY_ITEM_BUSY = 2,       /* in its callout, or about to be: set under its loop's lock */
    GY_ITEM_COMMON = 4,     /* a common item of its loop; its loop's lock */
    GY_ITEM_WAITED_FOR = 8, /* the end of the callout is announced */
    GY_ITEM_HELD = 16,      /* while busy: info is retained around the callout (R121) */
    GY_ITEM_OWED = 32,      /* while busy: another thread has invalidated it, and the loop is to
                             * release info when the callout is over */
    GY_ITEM_DATE_SET = 64,  /* a timer: moved from inside its callout; that date stands (R106) */
    GY_ITEM_ENDS_WITH_LOOP = 128, /* the timer of a delayed perform: invalidated at teardown */
    GY_ITEM_BOOT = 256,     /* a timer: it goes by boot time, see loop/follow.h */
    GY_ITEM_WALL = 512,     /* or by the wall clock; changed as the deadline is */
    GY_ITEM_CLOCK_SET = 1024, /* and is to be told that it was set; its loop's lock */
};

typedef struct gy_item {
    gy_object head;
    _Atomic uint32_t flags;
    uint32_t mode_count;        /* its loop's lock */
    _Atomic(GYRunLoopRef) loop; /* NULL: free; see loop/current.h for how it is read */
    _Atomic(void *) info;       /* NULL after invalidation */
} gy_item;

static inline uint32_t gy_item_flags_now(const gy_item *item) {
    /* Acquire: pairs with the release half of the changes below. */
    return atomic_load_explicit(&item->flags, memory_order_acquire);
}
static inline bool gy_item_is(const gy_item *item, uint32_t flag) {
    return (gy_item_flags_now(item) & flag) != 0;
}
static inline bool gy_item_is_valid(const gy_item *item) {
    return !gy_item_is(item, GY_ITEM_INVALID);
}
/* Both return the flags before the change. Sequentially consistent: BUSY and WAITED_FOR are written
 * and read crosswise by the loop and by a waiter (loop/callout.h). */
static inline uint32_t gy_item_set(gy_item *item, uint32_t flags) {
    return atomic_fetch_or_explicit(&item->flags, flags, memory_order_seq_cst);
}
static inline uint32_t gy_item_clear(gy_item *item, uint32_t flags) {
    return atomic_fetch_and_explicit(&item->flags, ~flags, memory_order_seq_cst);
}
static inline GYRunLoopRef gy_item_loop(const gy_item *item) {
    return atomic_load_explicit(&item->loop, memory_order_seq_cst);
}

/* In no mode and no common item any more: free for another loop. Its loop's lock. */
static inline void gy_item_let_go_if_free(gy_item *item) {
    if (item->mode_count > 0 || gy_item_is(item, GY_ITEM_COMMON)) return;
    atomic_store_explicit(&item->loop, NULL, memory_order_seq_cst);
}

/* Makes a loop the item's, under that loop's lock; false if it is in another. What a free one has
 * left over is of a loop that a fork has killed. The flags are written after the loop, by an exchange
 * that pairs with those of loop/schedule.c: whoever changes a free item and then writes its flags sees
 * the loop, or what follows here sees the change. */
static inline bool gy_item_claim(gy_item *item, GYRunLoopRef loop) {
    GYRunLoopRef owner = NULL;
    if (!atomic_compare_exchange_strong_explicit(&item->loop, &owner, loop, memory_order_seq_cst,
                                                 memory_order_seq_cst)) {
        return owner == loop;
    }
    item->mode_count = 0;
    gy_item_clear(item, GY_ITEM_COMMON);
    return true;
}

#endif
