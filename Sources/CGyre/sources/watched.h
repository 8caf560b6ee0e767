/* A descriptor of which somebody asks events by way of a source: what file descriptors and sockets
 * are built on.
 *
 * Owns: the word with the events asked for, and the one source there is of it at a time.
 * Relies on: loop/want.h, which brings a change of the word to every mode; loop/slot.h.
 * Threads: any, no lock held. */
#ifndef GYRE_SOURCES_WATCHED_H
#define GYRE_SOURCES_WATCHED_H

#include "loop/loop.h"

typedef struct gy_watched {
    int fd;                    /* constant */
    _Atomic uint32_t asked;    /* epoll events, each bit by itself; 0: not even a hang-up */
    GYRunLoopSourceRef source; /* loop/slot.h's */
} gy_watched;

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

/* The source, made where there is none that is valid; retained. `context` is of version 2; its info
 * begins with an object, which has the descriptor in it. NULL with errno. */
GYRunLoopSourceRef gy_watched_copy_source(gy_watched *watched, GYIndex order,
                                          const GYRunLoopSourceContext2 *context);
/* For good: the source leaves its modes, and the kernel forgets the descriptor. */
void gy_watched_end(gy_watched *watched);

#endif
