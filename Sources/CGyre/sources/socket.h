/* Sockets as objects with callbacks, in CFSocket's shape (R290 to R294).
 *
 * Owns: the type, its fields, and what of them makes the events that are asked for.
 * Relies on: sources/watched.h; the system's sockets. Threads: any, no lock held.
 *
 * The fields that change are under one lock for all sockets, rank table: it is held for a few
 * instructions, and is there at a fork. Under it the word of the events follows them; the modes are
 * told of that after it. */
#ifndef GYRE_SOURCES_SOCKET_H
#define GYRE_SOURCES_SOCKET_H

#include "sources/watched.h"

#include <gyre/GYSocket.h>

/* What a socket of connections can be: one that is neither connected nor listens has hung up, for
 * the kernel, and is not watched. */
enum gy_socket_phase {
    GY_SOCKET_IDLE,
    GY_SOCKET_CONNECTING, /* in the background */
    GY_SOCKET_READY,
};

enum {
    GY_SOCKET_INPUT = 3, /* one of read, accept, data */
    GY_SOCKET_TYPES = 15,
};

struct GYSocket {
    gy_object head;
    gy_watched watched;
    bool is_stream;      /* constant, as what follows up to the context: it has connections */
    GYOptionFlags types; /* that it was made with */
    GYSocketCallBack callout;
    GYSocketContext context;
    /* The lock. */
    GYOptionFlags flags;
    GYOptionFlags enabled;
    enum gy_socket_phase phase;
    bool has_ended;    /* the end of the data was told */
    bool was_blocking; /* while CONNECTING: what it is to be again */
};

void gy_socket_lock(void);
void gy_socket_unlock(void);
/* The lock: has the events asked for follow the fields. gy_watched_tell comes after it. */
void gy_socket_follow(GYSocketRef s);

typedef struct gy_socket_plan {
    GYOptionFlags types;
    GYSocketCallBack callout;
    const GYSocketContext *context;
} gy_socket_plan;

/* The one that there is of the descriptor, retained, or a new one; a fresh descriptor has none. NULL
 * with errno; the descriptor stays open then. */
GYSocketRef gy_socket_create(int fd, bool is_fresh, const gy_socket_plan *plan);

/* 0 or a negative errno. */
int gy_socket_enable(GYSocketRef s, GYOptionFlags types);
void gy_socket_disable(GYSocketRef s, GYOptionFlags types);
void gy_socket_invalidate(GYSocketRef s);
/* NULL: invalid, or errno. */
GYRunLoopSourceRef gy_socket_copy_source(GYSocketRef s, GYIndex order);

#endif
