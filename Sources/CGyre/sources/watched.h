/* A descriptor of which somebody asks events by way of a source: what file descriptors and sockets
 * are built on.
 *
 * Owns: the word with the events asked for, the one source there is of it at a time, its end, and
 * when the client's info goes: once it has ended and no callback has it any more.
 * Relies on: loop/want.h, which brings a change of the word to every mode; loop/slot.h.
 * Threads: any, no lock held. */
#ifndef GYRE_SOURCES_WATCHED_H
#define GYRE_SOURCES_WATCHED_H

#include "loop/loop.h"

enum gy_watched_state {
    GY_WATCHED_INVALID = 1,
    GY_WATCHED_HAS_INFO = 2, /* to be released by whoever clears it */
    GY_WATCHED_ONE_CALL = 4, /* above the flags: callbacks in progress, on all threads */
};

typedef struct gy_watched {
    int fd;                                  /* constant */
    _Atomic uint32_t asked;                  /* epoll events; 0: not even a hang-up */
    GYRunLoopSourceRef source;               /* loop/slot.h's */
    _Atomic uint32_t state;                  /* gy_watched_state */
    void (*let_go)(struct gy_watched *self); /* constant: releases the client's info */
} gy_watched;

void gy_watched_init(gy_watched *watched, int fd, void (*let_go)(gy_watched *self));

static inline bool gy_watched_is_valid(const gy_watched *watched) {
    /* Acquire: pairs with the change in gy_watched_end. */
    uint32_t state = atomic_load_explicit(&watched->state, memory_order_acquire);
    return (state & GY_WATCHED_INVALID) == 0;
}

/* Asks for more events, or for fewer. 0 or a negative errno: the system refuses to watch for them
 * in some mode, and is asked again with the next change. */
int gy_watched_ask(gy_watched *watched, uint32_t more);
int gy_watched_drop(gy_watched *watched, uint32_t less);
/* Those of `events` that were asked for, and are so no more: one caller gets each. */
uint32_t gy_watched_take(gy_watched *watched, uint32_t events);

static inline uint32_t gy_watched_asked(const gy_watched *watched) {
    /* Acquire: pairs with the changes, which release. */
    return atomic_load_explicit(&watched->asked, memory_order_acquire);
}

/* After a change of the word by its owner. */
int gy_watched_tell(gy_watched *watched);

/* The source, made where there is none that is valid; retained. `context` is of version 2; its info
 * is the object that has the descriptor in it, which it keeps. NULL: it has ended, or errno. */
GYRunLoopSourceRef gy_watched_copy_source(gy_watched *watched, GYIndex order,
                                          const GYRunLoopSourceContext2 *context);

/* Around a callback. False: it has ended, and nothing is to be called; to be ended all the same. */
bool gy_watched_begin_call(gy_watched *watched);
void gy_watched_end_call(gy_watched *watched);

/* For good: the source leaves its modes, the kernel forgets the descriptor, and then it is closed
 * if that is asked for. The caller holds the object. False: that has been done before. */
bool gy_watched_end(gy_watched *watched, bool closes);
/* In the object's finaliser: true if it is for the caller to release the info. */
bool gy_watched_destroy(gy_watched *watched, bool closes);

#endif
