/* Sources: what they are made of, and the mark that a signal leaves.
 *
 * Owns: the layout, validity, the mark. Relies on: nothing above; no lock, no system call.
 * Threads: the mark is set from any thread and from signal handlers; the rest as told per field. */
#ifndef GYRE_ITEMS_SOURCE_H
#define GYRE_ITEMS_SOURCE_H

#include "base/list.h"
#include "base/object.h"

#include <gyre/GYRunLoopSource.h>

struct gy_mode;
struct gy_port;

enum gy_source_state {
    GY_SOURCE_SIGNALLED = 1, /* the mark: the truth about whether it is to be performed */
    GY_SOURCE_QUEUED = 2,    /* somebody is linking it, or has linked it, into its home's queue */
    GY_SOURCE_INVALID = 4,
    GY_SOURCE_FLAGS = 7,
    GY_SOURCE_ONE_SIGNAL = 8, /* above the flags: how many signals are under way */
};

/* In the top eight bits of a count: the process that counted. What other threads had in hand when
 * a fork left them behind does not count in the child (R7). Changed in the child alone, while it
 * has one thread. */
extern uint32_t gy_source_generation;
#define GY_SOURCE_ONE_GENERATION (UINT32_C(1) << 24)

/* A word as it is to be read and changed in this process: without a count of another's. */
static inline uint32_t gy_source_counted_here(uint32_t word, uint32_t flags) {
    const uint32_t generation = ~(GY_SOURCE_ONE_GENERATION - 1);
    if ((word & generation) == gy_source_generation) return word;
    return (word & flags) | gy_source_generation;
}

/* One mode that holds the source, or the common items of a loop. */
typedef struct gy_membership {
    GYRunLoopRef loop;    /* retained (R163) */
    struct gy_mode *mode; /* NULL: the common items */
    struct gy_port *port; /* versions 1 and 2: its registration there */
    bool is_foreign;      /* version 0: counted in the mode's foreign_count */
    uint64_t addition; /* the number of the one that it came by, while that may still be refused
                           * and the schedule callback is to come; then 0 */
} gy_membership;

/* What a kind that is built on sources hears of one, whose `info` is passed; no lock is held. */
typedef struct gy_source_kind {
    void (*invalidated)(void *info); /* once, after it has left its modes */
    void (*finalizing)(void *info);  /* the last reference is gone, the memory is still there */
} gy_source_kind;

struct GYRunLoopSource {
    gy_object head;
    _Atomic uint32_t state;
    _Atomic uint32_t performing; /* callouts in progress, on all threads; no flags */
    GYIndex order;
    const GYRunLoopSourceContext2
        *callbacks; /* shared (loop/callbacks.h); version 0's three callbacks
                                               * lie over version 2's, see source.c */
    void *info;
    const gy_source_kind *kind; /* NULL, or set before anybody but its maker knows the source */
    _Atomic uint32_t hash; /* as in the modes' sets; 0 until first asked for */
    /* The modes that hold it; the table lock (loop/membership.h). */
    uint32_t membership_count, more_room;
    _Atomic bool is_waited_for; /* by InvalidateAndWait: the end of a callout is announced */
    gy_membership membership; /* the first; valid while there is one */
    gy_membership *more_memberships;
    /* The loop whose queue it is signalled into, retained while the source is in one of its modes
     * and while signals are under way. Other loops that hold the source look at all their
     * sources. */
    _Atomic(GYRunLoopRef) home;
    union {
        struct { /* version 0 */
            GYRunLoopSourceRef
                next_signalled; /* in the home's incoming stack; valid while QUEUED */
            gy_node signalled; /* in the home's list; the home's lock */
            _Atomic uint64_t signal_order; /* when it was first signalled, among its loop's */
        };
        struct { /* versions 1 and 2 */
            /* The epoll events asked for, as they are now: `own_asked`, or a word of whoever the
             * source was made for; 0: not even hang-ups. See loop/want.h. */
            const _Atomic uint32_t *asked;
            _Atomic uint32_t own_asked;
            _Atomic uint32_t asked_changes; /* how often; ports compare it with what they saw */
            /* Where its owner names it without keeping it (loop/slot.h); or NULL. */
            GYRunLoopSourceRef *slot;
            bool is_level; /* a counter, too, is ready for as long as it can be read */
        };
    };
};

bool gy_source_version_is_known(const GYRunLoopSourceContext *context);
size_t gy_source_context_size(GYIndex version);

static inline bool gy_source_is_valid(const struct GYRunLoopSource *source) {
    /* Acquire: pairs with the release in gy_source_set_invalid. */
    return (atomic_load_explicit(&source->state, memory_order_acquire) & GY_SOURCE_INVALID) == 0;
}

static inline bool gy_source_is_signalled(const struct GYRunLoopSource *source) {
    uint32_t state = atomic_load_explicit(&source->state, memory_order_acquire);
    return (state & (GY_SOURCE_SIGNALLED | GY_SOURCE_INVALID)) == GY_SOURCE_SIGNALLED;
}

/* True for the call that made it invalid; the mark goes too. */
bool gy_source_set_invalid(GYRunLoopSourceRef source);

/* The lock of the loop that is about to call it: an invalidation that comes later finds the
 * call. */
static inline void gy_source_begin_call(GYRunLoopSourceRef source) {
    uint32_t word = atomic_load_explicit(&source->performing, memory_order_relaxed);
    /* Sequentially consistent: pairs with the wait of InvalidateAndWait (loop/callout.h). */
    while (!atomic_compare_exchange_weak_explicit(&source->performing, &word,
                                                  gy_source_counted_here(word, 0) + 1,
                                                  memory_order_seq_cst, memory_order_relaxed)) {
    }
}

static inline bool gy_source_is_performing(const struct GYRunLoopSource *source) {
    uint32_t word = atomic_load_explicit(&source->performing, memory_order_seq_cst);
    return gy_source_counted_here(word, 0) != gy_source_generation;
}

static inline bool gy_source_is_port(const struct GYRunLoopSource *source) {
    return source->callbacks->version != 0;
}
const GYRunLoopSourceContext *gy_source_context0(const struct GYRunLoopSource *source);

/* Everything that R82 compares but `info`, which may need a callback. */
bool gy_source_is_alike(const struct GYRunLoopSource *a, const struct GYRunLoopSource *b);

#endif
