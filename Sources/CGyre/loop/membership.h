/* Which modes of which loops hold a source. Each membership holds a reference to the source for its
 * mode, and one to the loop for the source (R163).
 *
 * Owns: the list in each source, and the lock over all of them, rank table: loops with locks of
 * their own may hold the same source. Threads: any; what concerns a loop, under that loop's lock
 * too. */
#ifndef GYRE_LOOP_MEMBERSHIP_H
#define GYRE_LOOP_MEMBERSHIP_H

#include "loop/loop.h"

/* Adds one with its references, which is not foreign; `mode` NULL stands for the common items.
 * False with errno where memory is out. */
bool gy_membership_add(GYRunLoopSourceRef source, gy_membership membership);
/* What was removed; its loop is NULL if there was nothing. The references are the caller's now. */
gy_membership gy_membership_take(GYRunLoopSourceRef source, GYRunLoopRef loop, const gy_mode *mode);
void gy_membership_free_all(GYRunLoopSourceRef source);

/* Whether there is one that has come by an addition which is not over. */
bool gy_membership_is_new(GYRunLoopSourceRef source, const gy_mode *mode, uint64_t addition);
void gy_membership_set_foreign(GYRunLoopSourceRef source, const gy_mode *mode);

/* Any loop that holds the source, retained; NULL: none. */
GYRunLoopRef gy_membership_any_loop(GYRunLoopSourceRef source);
/* Whether there is one in the loop: of a mode, put into *mode, or else of the common items. */
bool gy_membership_any_in(GYRunLoopSourceRef source, GYRunLoopRef loop, gy_mode **mode);
/* The next mode of an addition whose schedule callback has to be called, marked as called; NULL:
 * none. */
gy_mode *gy_membership_next_to_schedule(GYRunLoopSourceRef source, GYRunLoopRef loop,
                                        uint64_t addition);

/* A port of a source, in any loop or in one, that has not caught up with a change of what the source
 * asks for. The loop comes retained; the port is good for as long as the lock of its loop is
 * held. */
GYRunLoopRef gy_membership_loop_behind(GYRunLoopSourceRef source, uint32_t change);
struct gy_port *gy_membership_port_behind(GYRunLoopSourceRef source, GYRunLoopRef loop,
                                          uint32_t change);

/* The lock, for another small table of sources: slot.h. */
void gy_membership_lock(void);
void gy_membership_unlock(void);

void gy_membership_lock_for_fork(void);
void gy_membership_unlock_after_fork(void);

#endif
