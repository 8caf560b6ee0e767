#include "wait/wake.h"

#include "wait/sys.h"

#include <errno.h>
#include <sched.h>

#define PHASE_MASK 7u
#define ONE_WRITER 8u

static enum gy_wake_phase phase_of(uint32_t state) {
    return (enum gy_wake_phase)(state & PHASE_MASK);
}

static uint32_t with_phase(uint32_t state, enum gy_wake_phase phase) {
    return (state & ~PHASE_MASK) | (uint32_t)phase;
}

void gy_wake_init(gy_wake *wake) {
    atomic_init(&wake->state, GY_WAKE_CLOSED);
    atomic_init(&wake->fd, -1);
}

bool gy_wake_prepare(gy_wake *wake) {
    if (atomic_load_explicit(&wake->fd, memory_order_relaxed) >= 0) return true;
    int fd = gy_sys_eventfd_create();
    if (fd < 0) return false;
    atomic_store_explicit(&wake->fd, fd, memory_order_relaxed); /* before the loop falls asleep */
    return true;
}

/* Replaces the phase whatever it is, and returns the old one. Acquire: pairs with the release of
 * gy_wake_up, so that what was written before the wake-up is seen after it (R172). */
static enum gy_wake_phase change_phase(gy_wake *wake, enum gy_wake_phase phase) {
    uint32_t state = atomic_load_explicit(&wake->state, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&wake->state, &state, with_phase(state, phase),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
    }
    return phase_of(state);
}

void gy_wake_end(gy_wake *wake) {
    change_phase(wake, GY_WAKE_DEAD);
    /* A writer is between two system calls of its own, never blocked: this ends. Acquire pairs with
     * the release in ring. */
    while (atomic_load_explicit(&wake->state, memory_order_acquire) >= ONE_WRITER) sched_yield();
    gy_sys_close(atomic_exchange_explicit(&wake->fd, -1, memory_order_relaxed));
}

void gy_wake_reset_in_child(gy_wake *wake) {
    uint32_t state = atomic_load_explicit(&wake->state, memory_order_relaxed);
    atomic_store_explicit(&wake->state, phase_of(state), memory_order_relaxed);
    gy_sys_close(atomic_exchange_explicit(&wake->fd, -1, memory_order_relaxed));
}

void gy_wake_kill(gy_wake *wake) { change_phase(wake, GY_WAKE_DEAD); }

void gy_wake_hold(gy_wake *wake) {
    atomic_fetch_add_explicit(&wake->state, ONE_WRITER, memory_order_relaxed);
}

void gy_wake_let_go(gy_wake *wake) {
    /* Release: gy_wake_end goes on only after what the holder did. */
    atomic_fetch_sub_explicit(&wake->state, ONE_WRITER, memory_order_release);
}

/* The caller is counted as a writer. */
static void ring(gy_wake *wake) {
    /* Relaxed: the caller has acquired the phase ASLEEP, which the loop entered with the eventfd
     * made. */
    int fd = atomic_load_explicit(&wake->fd, memory_order_relaxed);
    if (fd >= 0) gy_sys_eventfd_ring(fd);
    gy_wake_let_go(wake);
}

static enum gy_wake_phase woken(enum gy_wake_phase phase) {
    switch (phase) {
    case GY_WAKE_OPEN: return GY_WAKE_OPEN_WOKEN;
    case GY_WAKE_ASLEEP: return GY_WAKE_ASLEEP_WOKEN;
    case GY_WAKE_OUTER: return GY_WAKE_OUTER_WOKEN;
    default: return phase;
    }
}

static void wake(gy_wake *w, bool innermost_only) {
    uint32_t state = atomic_load_explicit(&w->state, memory_order_relaxed);
    for (;;) {
        enum gy_wake_phase phase = phase_of(state);
        bool is_kept_out = innermost_only && phase == GY_WAKE_OUTER;
        uint32_t next = is_kept_out ? state : with_phase(state, woken(phase));
        if (phase == GY_WAKE_ASLEEP) next += ONE_WRITER;
        /* Release, also where nothing changes: the loop's next change of phase acquires what the
         * caller wrote before, whether this wake-up was the first or one of many (R172). Acquire:
         * for ring. It is the last touch of the loop unless the writer is counted. */
        if (atomic_compare_exchange_weak_explicit(&w->state, &state, next, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            if (phase == GY_WAKE_ASLEEP) ring(w);
            return;
        }
    }
}

void gy_wake_up(gy_wake *w) { wake(w, false); }

void gy_wake_innermost(gy_wake *w) { wake(w, true); }

void gy_wake_nudge(gy_wake *wake) {
    uint32_t state = atomic_load_explicit(&wake->state, memory_order_relaxed);
    while (phase_of(state) == GY_WAKE_ASLEEP) {
        /* Acquire: for ring. What the loop is to look at is behind its lock. */
        if (atomic_compare_exchange_weak_explicit(&wake->state, &state, state + ONE_WRITER,
                                                  memory_order_acquire, memory_order_relaxed)) {
            ring(wake);
            return;
        }
    }
}

/* Moves from one phase to another if that is the phase; acquire as in change_phase. */
static bool move_phase(gy_wake *wake, enum gy_wake_phase from, enum gy_wake_phase to) {
    uint32_t state = atomic_load_explicit(&wake->state, memory_order_relaxed);
    while (phase_of(state) == from) {
        if (atomic_compare_exchange_weak_explicit(&wake->state, &state, with_phase(state, to),
                                                  memory_order_acq_rel, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void gy_wake_open(gy_wake *wake) {
    if (!move_phase(wake, GY_WAKE_CLOSED, GY_WAKE_OPEN) &&
        !move_phase(wake, GY_WAKE_OUTER, GY_WAKE_OPEN)) {
        move_phase(wake, GY_WAKE_OUTER_WOKEN, GY_WAKE_OPEN_WOKEN);
    }
}

bool gy_wake_open_anew(gy_wake *wake) {
    return change_phase(wake, GY_WAKE_OPEN) == GY_WAKE_OUTER_WOKEN;
}

bool gy_wake_fall_asleep(gy_wake *wake) { return move_phase(wake, GY_WAKE_OPEN, GY_WAKE_ASLEEP); }

/* One that comes meanwhile is found by the second. */
void gy_wake_rouse(gy_wake *wake) {
    if (!move_phase(wake, GY_WAKE_ASLEEP, GY_WAKE_OPEN)) {
        move_phase(wake, GY_WAKE_ASLEEP_WOKEN, GY_WAKE_OPEN_WOKEN);
    }
}

/* Acquire: pairs with the release half of change_phase; who sees the loop asleep sees what it did
 * before. */
static enum gy_wake_phase phase_now(const gy_wake *wake) {
    return phase_of(atomic_load_explicit(&wake->state, memory_order_acquire));
}

enum gy_wake_phase gy_wake_window(const gy_wake *wake) {
    switch (phase_now(wake)) {
    case GY_WAKE_OPEN:
    case GY_WAKE_OPEN_WOKEN: return GY_WAKE_OPEN;
    case GY_WAKE_OUTER:
    case GY_WAKE_OUTER_WOKEN: return GY_WAKE_OUTER;
    default: return GY_WAKE_CLOSED;
    }
}

void gy_wake_take(gy_wake *wake, enum gy_wake_phase around) {
    change_phase(wake, around == GY_WAKE_CLOSED ? GY_WAKE_CLOSED : GY_WAKE_OUTER);
}

void gy_wake_restore(gy_wake *wake, enum gy_wake_phase around, bool is_owed) {
    enum gy_wake_phase now = change_phase(wake, around);
    bool is_remembered = is_owed || now == GY_WAKE_OPEN_WOKEN || now == GY_WAKE_OUTER_WOKEN;
    /* A wake-up between the two changes has done the same. */
    if (is_remembered) move_phase(wake, around, woken(around));
}

bool gy_wake_is_asleep(const gy_wake *wake) {
    enum gy_wake_phase phase = phase_now(wake);
    return phase == GY_WAKE_ASLEEP || phase == GY_WAKE_ASLEEP_WOKEN;
}

bool gy_wake_has_come(const gy_wake *wake) { return phase_now(wake) == GY_WAKE_ASLEEP_WOKEN; }
