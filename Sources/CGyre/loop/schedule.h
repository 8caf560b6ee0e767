/* When a timer fires next: dates that are set and dates that are computed, and its waiting for them.
 *
 * Owns: the rule that a timer waits in the heap of every mode that holds it unless it is loose
 * there: being called, or due and about to be.
 * Threads: any, unless told otherwise. */
#ifndef GYRE_LOOP_SCHEDULE_H
#define GYRE_LOOP_SCHEDULE_H

#include "loop/moment.h"

/* R105, R106; no lock held. */
void gy_schedule_set(GYRunLoopTimerRef timer, const gy_moment *moment);
/* Which clock it goes by: GY_ITEM_BOOT, GY_ITEM_WALL or 0. False, with errno, and nothing has
 * changed; no lock held. */
bool gy_schedule_set_clock(GYRunLoopTimerRef timer, uint32_t clock,
                           GYRunLoopTimerClockWasSet was_set);
void gy_schedule_set_tolerance(GYRunLoopTimerRef timer, int64_t tolerance_ns);

/* It waits in a mode that it has entered; the loop's lock. */
void gy_schedule_start(gy_mode *mode, GYRunLoopTimerRef timer);
/* It waits in none; the loop's lock. */
void gy_schedule_stop(GYRunLoopTimerRef timer);
/* The lock: a timer that was taken as due and not fired waits again in that mode. */
void gy_schedule_put_back(gy_mode *mode, GYRunLoopTimerRef timer);

/* The loop's own thread, its lock held: the timer is busy from now on, and waits in none. */
void gy_schedule_begin_call(GYRunLoopTimerRef timer);
/* After the callout, no lock held: the next date is computed (R104), or stays where the callout is
 * not to come now or came by hand. */
void gy_schedule_end_call(GYRunLoopTimerRef timer, bool keeps_date);

void gy_schedule_lock_for_fork(void);
void gy_schedule_unlock_after_fork(void);

#endif
