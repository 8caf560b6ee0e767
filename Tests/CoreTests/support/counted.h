/** counted.h - an item of any kind that is called in the next pass, and whose context is counted.
 *
 *     counted item = {.kind = COUNTED_TIMER, .word = "timer", .act = leaves};
 *     counted_add(&item, mode);
 *     ...
 *     counted_finish(&item);
 *
 * `act` is what the next call does, once; the calls after it do nothing but count. */
#ifndef GYRE_TESTS_COUNTED_H
#define GYRE_TESTS_COUNTED_H

#include "support/loop.h"

#include <gyre/GYRunLoopPerform.h>

enum counted_kind {
    COUNTED_OBSERVER, /* of BeforeTimers */
    COUNTED_SOURCE,
    COUNTED_PORT,
    COUNTED_TIMER,
    COUNTED_WORK,    /* a call handed over without a delay */
    COUNTED_DELAYED, /* one with a delay, which has passed */
    COUNTED_KINDS,
};

typedef struct counted {
    enum counted_kind kind;
    const char *word;              /* traced by each call; NULL: nothing */
    void (*act)(struct counted *); /* NULL: nothing */
    bool once;                     /* of observers and timers */
    GYIndex order;
    const void *object; /* owned */
    int fd;             /* of a port: always readable */
    atomic_int retained, released, calls;
} counted;

/** Makes the item, signalled if that is what it takes, and adds it to the calling thread's loop. */
void counted_add(counted *self, GYRunLoopMode mode);
/** Once more signalled, if that is what it takes. */
void counted_rearm(counted *self);
/** How many references to the context there are. */
int counted_held(counted *self);
/** Gives the item up. What a dead loop held has been let go already. */
void counted_finish(counted *self);

#endif
