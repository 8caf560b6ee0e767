/* Descriptors as sources: which ports are ready, whose turn it is, and when one falls silent.
 *
 * Owns: the registration of a version 1 or 2 source in one mode, and the mode's list of ready ports
 * (R33, R91 to R99). Relies on: wait/poller for the kernel's side.
 * Threads: everything under the loop's lock; the turns are taken by the loop's own thread. */
#ifndef GYRE_LOOP_PORT_H
#define GYRE_LOOP_PORT_H

#include "loop/loop.h"

enum { GY_PORT_TURNS = 0x7fffffff };
#define GY_PORT_REMOVED 0x80000000u

typedef struct gy_port {
    gy_node member; /* of its watch, or of the mode's files */
    gy_node ready;  /* in the mode's list while its turn is to come */
    GYRunLoopSourceRef source;
    gy_mode *mode;
    gy_watch *watch;  /* NULL: a negative port, a file, or one whose registration is gone */
    int fd;           /* constant; -1: a negative port */
    uint32_t asked;   /* by the source, when this port last looked */
    uint32_t told;    /* what of it has ended, and has been told: asked for no more (R97) */
    uint32_t wanted;  /* epoll events: what is asked for and can still come; 0: nothing */
    uint32_t anew;    /* what its callout has asked for that was not asked for before */
    uint32_t came;    /* valid while in the list */
    _Atomic uint32_t seen_change; /* of the source; written under the lock */
    bool is_counter;  /* an eventfd or timerfd whose input is an edge (R91) */
    bool is_file;     /* epoll refuses it: always ready (R89) */
    bool is_counted;  /* a file of which something is wanted */
    bool is_silent;   /* its hang-up has been told (R97) */
    bool is_told_inside; /* a file reported to a run nested in its callout (R98) */
    bool owns_source; /* removed in the middle of a turn: the source stays until that is over */
    uint64_t last_turn; /* when; who has waited longest goes first (R33) */
    _Atomic uint32_t
        uses; /* turns in progress, and whether it is removed; zero turns then free it */
} gy_port;

/* Registers a source's descriptor in a mode; `fd` below zero: a port that never fires. NULL with
 * errno, and nothing has changed. */
gy_port *gy_port_create(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source, int fd);
void gy_port_remove(GYRunLoopRef loop, gy_port *port);

/* The lock. Makes what the source asks for now what the port wants. More is registered at once;
 * less when the kernel next reports what nobody wants, so what is asked for again before costs no
 * call. 0 or a negative errno; a call that finds it not registered tries again. */
int gy_port_want(GYRunLoopRef loop, gy_port *port);
/* The part of a client's events that it may ask for, with the errors that come unasked. */
uint32_t gy_port_events(uint32_t events);

static inline uint32_t gy_port_change_of(const struct GYRunLoopSource *source) {
    /* Acquire: pairs with the release in gy_want_changed. */
    return atomic_load_explicit(&source->asked_changes, memory_order_acquire);
}
static inline bool gy_port_is_behind(const gy_port *port, uint32_t change) {
    /* Relaxed: whoever acts on it has the lock, or asks again with it. */
    return (int32_t)(change - atomic_load_explicit(&port->seen_change, memory_order_relaxed)) > 0;
}

/* After a registration that did not come about: the set made for it goes, if it is nobody's else
 * and the loop cannot be waiting in it. */
void gy_port_give_set_back(GYRunLoopRef loop, gy_mode *mode);

/* Readiness of an earlier run, or from before a nested one, is not to be trusted: forgotten, and
 * asked for anew. Edge-triggered ports keep theirs (R99). */
void gy_port_forget_ready(gy_mode *mode);
/* All of it, in the child of a fork: what was fetched is the parent's (R7). */
void gy_port_forget_all(gy_mode *mode);
/* Sorts what a wait has brought into the list; files get a turn each. True if a port has just been
 * made edge-triggered, so that its report is still to come: ask the kernel again. */
bool gy_port_take_in(GYRunLoopRef loop, gy_mode *mode, const struct epoll_event *events, int count);

/* Takes the turn of the first ready port: returns it with the events that came. It and its source
 * stay until gy_port_end_turn. NULL: none. */
gy_port *gy_port_begin_turn(GYRunLoopRef loop, gy_mode *mode, uint32_t *events);
/* After the callout, without the lock. `took_bytes` is what R97 asks after a hang-up. */
void gy_port_end_turn(GYRunLoopRef loop, gy_port *port, uint32_t events, bool took_bytes);

#endif
