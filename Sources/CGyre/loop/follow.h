/* Timers that go by another clock of the kernel's: boot time, or the wall clock.
 *
 * Owns: struct gy_follow, and a timer's target: its deadline by that clock. All that a loop waits
 * for is a deadline of the monotonic clock; that of such a timer is its target less how far the
 * other clock is ahead, and is computed anew when that has changed. Who looks: the loop before it
 * sleeps, which a timerfd ends when the wall clock is set, and before it fires. In a loop that goes
 * by a manual clock these timers are as any other.
 * Threads: any, under the loop's lock; of a free timer, the caller that changes it. */
#ifndef GYRE_LOOP_FOLLOW_H
#define GYRE_LOOP_FOLLOW_H

#include "loop/loop.h"

/* Makes what a loop needs for such timers; false with errno. */
bool gy_follow_prepare(GYRunLoopRef loop);
/* Has the offsets changed? Then all deadlines that hang on them. */
void gy_follow_look(GYRunLoopRef loop);
/* The loop has gone by a manual clock until now: its timers get their targets anew after this. */
void gy_follow_begin_anew(GYRunLoopRef loop);

/* `loop` is the timer's; NULL: it is free. */

/* The timer has come to go by another clock. */
void gy_follow_begin(GYRunLoopTimerRef timer, GYRunLoopRef loop, GYRunLoopTimerClockWasSet was_set);
/* Its deadline was given: the target is that moment by the other clock. */
void gy_follow_settle(GYRunLoopTimerRef timer, const struct GYRunLoop *loop);
/* Its deadline, if it may be old, from the target. */
void gy_follow_update(GYRunLoopTimerRef timer, GYRunLoopRef loop);

/* What it is to be told, which then counts as told; NULL: nothing. */
GYRunLoopTimerClockWasSet gy_follow_take_news(GYRunLoopTimerRef timer, int64_t *change_ns);

#endif
