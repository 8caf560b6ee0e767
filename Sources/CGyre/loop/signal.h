/* Signalled version 0 sources: from the mark that any thread leaves to the order in which a run
 * performs them.
 *
 * Owns: a loop's queue of signalled sources. The mark in the source is the truth; the queue only
 * spares a run to look at every source it holds. A signal marks, then links; in between, a second
 * signal of the same source must not be lost although it finds it queued. So links under way are
 * counted, and while there are any a run looks at all its sources.
 * Threads: gy_signal any, also signal handlers; the rest under the loop's lock. */
#ifndef GYRE_LOOP_SIGNAL_H
#define GYRE_LOOP_SIGNAL_H

#include "loop/loop.h"

void gy_signal(GYRunLoopSourceRef source);

/* The source has been added to `loop`, which becomes its home if it has none and is not just
 * leaving one. True if it is. */
bool gy_signal_adopt(GYRunLoopRef loop, GYRunLoopSourceRef source);
/* The source is in no mode of `loop` any more: true if that was its home, which it has not from now
 * on. The lock. */
bool gy_signal_part(GYRunLoopRef loop, GYRunLoopSourceRef source);
/* After that, without the lock: waits for signals under way, which never block, and lets the home
 * go. */
void gy_signal_finish_parting(GYRunLoopRef loop, GYRunLoopSourceRef source);

/* Own thread, no lock: whether step 4 has anything to look at. */
static inline bool gy_signal_is_pending(GYRunLoopRef loop, const gy_mode *mode) {
    /* The count of links under way before that of the queue: a link leaves the one after it has
     * entered the other. A signal that must be seen was followed by a wake-up, which the loop has
     * acquired; of any other it does not matter which pass sees it. */
    return atomic_load_explicit(&loop->signals_under_way, memory_order_acquire) != 0 ||
           atomic_load_explicit(&loop->signalled_count, memory_order_relaxed) != 0 ||
           gy_mode_has_foreign(mode);
}

/* What a source is performed by: order, then when it was signalled. */
typedef struct gy_signalled {
    GYRunLoopSourceRef source; /* retained */
    GYIndex order;
    uint64_t signal_order;
} gy_signalled;

/* Lists up to `room` of the mode's valid, signalled sources, the first ones of R74 and in that
 * order; the marks stay. The lock. */
uint32_t gy_signal_collect(GYRunLoopRef loop, gy_mode *mode, gy_signalled *out, uint32_t room);

/* Takes the mark away; true if it was there. The lock of `loop`, which holds the source. */
bool gy_signal_use_up(GYRunLoopRef loop, GYRunLoopSourceRef source);

/* In the child of a fork, for the own loop: signals under way were those of threads that are
 * gone. */
void gy_signal_reset_in_child(GYRunLoopRef loop);

/* No signal is queued any more: the loop is dead. The lock. */
void gy_signal_end(GYRunLoopRef loop);

#endif
