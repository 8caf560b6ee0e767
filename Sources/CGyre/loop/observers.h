/* Observers entering and leaving modes, and one round of calls.
 *
 * Owns: the type of observers. Each mode holds a reference to its observers, and the common items
 * one more. Threads: any, but the round, which is the loop's own; none of these may be called with
 * a lock held. Mode names are interned. */
#ifndef GYRE_LOOP_OBSERVERS_H
#define GYRE_LOOP_OBSERVERS_H

#include "loop/tenants.h"

extern const gy_type gy_observer_type;

/* GY_ADD_FAILED leaves errno. */
enum gy_add_result gy_observer_add(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                                   GYStringRef mode);
void gy_observer_remove(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef mode);
bool gy_observer_contains(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef mode);
void gy_observer_invalidate(GYRunLoopObserverRef observer);

/* As for timers. */
bool gy_observer_join_common(GYRunLoopRef loop, GYStringRef mode);
void gy_observer_part_common(GYRunLoopRef loop, GYStringRef mode, uint64_t since);
/* Teardown: all observers are detached and stay valid (R4). */
void gy_observer_leave_all(GYRunLoopRef loop);

void gy_observer_call_all(GYRunLoopRef loop, GYRunLoopActivity activity);

/* One round: calls the observers of the innermost run's mode for one activity (R132 to R135). */
static inline void gy_observer_round(GYRunLoopRef loop, GYRunLoopActivity activity) {
    const gy_observer_list *list = &gy_loop_innermost(loop)->mode->observers;
    /* Acquire: pairs with the release of an insertion. An observer added by another thread at this
     * moment is called from this round or from the next. */
    GYOptionFlags wanted = atomic_load_explicit(&list->points, memory_order_acquire);
    if ((wanted & activity) != 0) gy_observer_call_all(loop, activity);
}

/* Own thread, no round under way: gives up what modes gave up during one. */
void gy_observer_release_late(GYRunLoopRef loop);
/* Ends the round of the innermost run; for one whose frame is gone. */
void gy_observer_end_round(GYRunLoopRef loop);
/* Until no call of it is in progress; at once inside one. */
void gy_observer_wait(GYRunLoopObserverRef observer);

#endif
