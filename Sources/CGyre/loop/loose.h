/* Loose timers: in a mode and in no heap, because they are firing, or due and about to be.
 *
 * Owns: the list of what one step has taken as due, and what is fired by hand. They live on the heap
 * and hang from the activation and from the loop, so that a nested run and the teardown can get at
 * what is left of them.
 * Threads: any, under the loop's lock. */
#ifndef GYRE_LOOP_LOOSE_H
#define GYRE_LOOP_LOOSE_H

#include "loop/loop.h"

typedef struct gy_firing {
    int64_t now_ns;
    GYRunLoopTimerRef current; /* the one that is firing, retained; NULL before the first */
    bool is_called;            /* own thread: the current one's call has been begun */
    GYRunLoopTimerClockWasSet was_set; /* what is called; NULL: its callout, for it is due */
    int64_t change_ns;                 /* of the wall clock; of the former */
    uint32_t count, next, room;
    gy_heap_entry entries[]; /* retained from `next` on, by ascending deadline */
} gy_firing;

/* A timer that is fired by hand (hand.h). */
typedef struct gy_hand {
    GYRunLoopTimerRef timer; /* retained */
    void *held_info;         /* retained around its callout (R121); or NULL */
    const void *frame;       /* an address in the stack frame of the call */
    bool is_called;          /* or about to be: a one-shot timer ends with that */
    struct gy_hand *outer;
} gy_hand;

/* Any loose timer of the loop. */
GYRunLoopTimerRef gy_loose_any(GYRunLoopRef loop);
/* Whichever is earlier: `timer`, which may be NULL, or a loose timer of the mode. */
GYRunLoopTimerRef gy_loose_earlier(GYRunLoopRef loop, const gy_mode *mode, GYRunLoopTimerRef timer);
/* Calls a function for each loose timer of the loop; for one in several lists more than once. */
void gy_loose_visit(GYRunLoopRef loop, void (*visit)(GYRunLoopRef loop, GYRunLoopTimerRef timer));
/* Whether a timer is in some mode of the loop. Only then may its slots be looked at. */
bool gy_loose_is_in_loop(GYRunLoopRef loop, GYRunLoopTimerRef timer);

#endif
