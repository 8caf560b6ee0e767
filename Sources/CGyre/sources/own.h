/* What kinds of sources that have descriptors of their own have in common: the source they are, the
 * client's context, and an end that comes once.
 *
 * Owns: the list of them, for the child of a fork, where they are invalid (R7). Relies on: a port
 * source. The part that is in front of each kind's struct is owned by its source.
 * Threads: any; a callback of the kind as told. */
#ifndef GYRE_SOURCES_OWN_H
#define GYRE_SOURCES_OWN_H

#include "base/list.h"
#include "base/lock.h"

#include <gyre/GYRunLoopSource.h>

typedef struct gy_own gy_own;

typedef struct gy_own_kind {
    void (*perform)(void *own); /* it is ready; the thread of a loop, no lock */
    /* It is invalid: gives back what the system has given. Once, any thread, no lock; what takes the
     * lock after it finds that it has ended. */
    void (*end)(gy_own *own);
    void (*destroy)(gy_own *own); /* NULL, or frees what the struct points to; after `end` */
} gy_own_kind;

/* The client's; what is copied has been retained already. */
typedef struct gy_client {
    void *info;
    void (*release)(const void *info);
    GYStringRef (*copy_description)(const void *info);
} gy_client;

struct gy_own {
    const gy_own_kind *kind;
    int port; /* what a loop waits for; constant */
    gy_client client;
    GYRunLoopSourceRef source; /* it owns this one */
    gy_node all;
    gy_lock lock; /* what the system gave may be used while it is held and has_ended is not set */
    bool has_ended; /* the lock */
};

/* Zeroed memory of a kind, its port still to be set; NULL with errno. */
void *gy_own_create(size_t size, const gy_own_kind *kind);
/* Before there is a source: gives the memory back, and nothing else. */
void gy_own_discard(gy_own *own);

/* The source, which owns `own` from now on; NULL with errno, and nothing has happened. */
GYRunLoopSourceRef gy_own_make_source(gy_own *own, GYIndex order, gy_client client);

/* What a source that gy_own_make_source made is; NULL: it is of another kind. */
gy_own *gy_own_of(GYRunLoopSourceRef source, const gy_own_kind *kind);

/* Takes the lock unless it has ended. */
bool gy_own_enter(gy_own *own);
void gy_own_leave(gy_own *own);

#endif
