/* Timers entering and leaving modes.
 *
 * Owns: the type of timers. Each mode holds a reference to its timers, and the common items one
 * more. When they fire is the matter of loop/schedule.h.
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

/* The mode has just become common: the common timers join it. False with errno, and none has. */
bool gy_timer_join_common(GYRunLoopRef loop, GYStringRef mode);
/* Takes that back: those leave whose sequence in the mode is above `since`. */
void gy_timer_part_common(GYRunLoopRef loop, GYStringRef mode, uint64_t since);
/* Teardown: all timers are detached and stay valid (R4). */
void gy_timer_leave_all(GYRunLoopRef loop);

/* After the callout, no lock held: the next date, or the end of a one-shot timer (R102, R104). */
void gy_timer_finish_firing(GYRunLoopTimerRef timer);
/* Whether the calling thread is firing it. */
bool gy_timer_is_fired_here(GYRunLoopTimerRef timer);
/* R108, by the deadline: the earliest of a mode, loose ones included. */
int64_t gy_timer_first_deadline(GYRunLoopRef loop, GYStringRef mode, GYRunLoopTimerRef *first);

#endif
