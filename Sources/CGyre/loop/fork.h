/* What becomes of a loop in the child of a fork (R7). Called by the fork handler (registry.c), with
 * one thread in the process and no lock held; every lock was held across the fork, so nothing is
 * half-done. No callback is called. Owns nothing. */
#ifndef GYRE_LOOP_FORK_H
#define GYRE_LOOP_FORK_H

#include "loop/loop.h"

/* Counts of what threads had in hand are worth nothing from now on, but for the calls that the own
 * loop, if there is one, is in the middle of. */
void gy_fork_begin_generation(GYRunLoopRef own);
/* The parent's epoll sets, eventfd and timerfd are closed here and made anew when next needed;
 * events fetched before the fork are the parent's. */
void gy_fork_disinherit(GYRunLoopRef loop);
/* The loop of a thread that is not there: dead, its items free, its calls over, its work not to be
 * done. */
void gy_fork_kill(GYRunLoopRef loop);

#endif
