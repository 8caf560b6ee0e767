/* Timers entering and leaving modes, being set, and being fired.
 *
 * Owns: the type of timers, and the rule that a timer waits in the heap of every mode that holds it
 * unless it is loose there: firing, or due and about to be. Each mode holds a reference to its
 * timers, and the common items one more.
 * Threads: any, unless told otherwise; none of these may be called with a lock held. Mode names are
 * interned. */
#ifndef GYRE_LOOP_TIMERS_H
#define GYRE_LOOP_TIMERS_H

#include "loop/tenants.h"

extern const gy_type gy_timer_type;

/* GY_ADD_FAILED leaves errno (R89). */
enum gy_add_result gy_timer_add(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef mode);
void gy_timer_remove(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef mode);
bool gy_timer_contains(GYRunLoopRef loop, GYRunLoopTimerRef timer, GYStringRef mode);
void gy_timer_invalidate(GYRunLoopTimerRef timer);
/* Until no callout of it is in progress; at once inside one. */
void gy_timer_wait(GYRunLoopTimerRef timer);

/* R105, R106. */
void gy_timer_set_next(GYRunLoopTimerRef timer, int64_t deadline_ns, GYAbsoluteTime date);
void gy_timer_set_tolerance(GYRunLoopTimerRef timer, int64_t tolerance_ns);

void gy_timer_lock_for_fork(void);
void gy_timer_unlock_after_fork(void);

/* The mode has just become common: the common timers join it. False with errno, and none has. */
bool gy_timer_join_common(GYRunLoopRef loop, GYStringRef mode);
/* Takes that back: those leave whose sequence in the mode is above `since`. */
void gy_timer_part_common(GYRunLoopRef loop, GYStringRef mode, uint64_t since);
/* Teardown: all timers are detached and stay valid (R4). */
void gy_timer_leave_all(GYRunLoopRef loop);

/* The loop's own thread, its lock held: marks a timer as firing, takes it out of all heaps. */
void gy_timer_begin_firing(GYRunLoopTimerRef timer);
/* Takes it out of all heaps; the lock of its loop. */
void gy_timer_stop_everywhere(GYRunLoopTimerRef timer);
/* After the callout, no lock held: the next date, or the end of a one-shot timer (R102, R104). */
void gy_timer_finish_firing(GYRunLoopTimerRef timer);
/* The end of being busy alone: the next date is computed, or stays where the callout is not to come
 * now or came by hand. */
void gy_timer_become_idle(GYRunLoopTimerRef timer, bool keeps_date);
/* Whether the calling thread is firing it. */
bool gy_timer_is_fired_here(GYRunLoopTimerRef timer);
/* The lock: a timer that was taken as due and not fired waits again in that mode. */
void gy_timer_put_back(gy_mode *mode, GYRunLoopTimerRef timer);

/* R108, by the deadline: the earliest of a mode, loose ones included. */
int64_t gy_timer_first_deadline(GYRunLoopRef loop, GYStringRef mode, GYRunLoopTimerRef *first);

#endif
