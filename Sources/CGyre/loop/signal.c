#include "loop/signal.h"

#include <sched.h>
#include <string.h>

/* Stands in the stack of a loop that is dead: its sources keep their marks and nothing else. */
static struct GYRunLoopSource ended;

/* Stands for the home of a source that is leaving one: it has none, and gets none before it is out
 * of the old one's queue. */
static char parting_object;
#define PARTING ((GYRunLoopRef)(void *)&parting_object)

static bool push(GYRunLoopRef home, GYRunLoopSourceRef source) {
    GYRunLoopSourceRef top = atomic_load_explicit(&home->signalled_incoming, memory_order_relaxed);
    /* Relaxed: ordered before the push by its release, and so before a wake-up that follows. */
    atomic_fetch_add_explicit(&home->signalled_count, 1, memory_order_relaxed);
    do {
        if (top == &ended) {
            atomic_fetch_sub_explicit(&home->signalled_count, 1, memory_order_relaxed);
            return false;
        }
        source->next_signalled = top;
        /* Release: pairs with the acquire in take_in, which reads the link. */
    } while (!atomic_compare_exchange_weak_explicit(&home->signalled_incoming, &top, source,
                                                    memory_order_release, memory_order_relaxed));
    return true;
}

/* Links a marked source into its home's queue. The caller may be a thread that is switched out in
 * the middle, or code that a signal handler interrupts to signal the same source: the count tells
 * the loop that the queue may not be all there is. */
static void link_to_home(GYRunLoopSourceRef source, GYRunLoopRef home) {
    /* Both changes release; pair with the acquire in gy_signal_collect, which reads the count
     * before the queue: it sees the count raised, or the source linked. */
    atomic_fetch_add_explicit(&home->signals_under_way, 1, memory_order_acq_rel);
    uint32_t old = atomic_fetch_or_explicit(&source->state, GY_SOURCE_QUEUED, memory_order_acq_rel);
    if ((old & GY_SOURCE_QUEUED) == 0 && !push(home, source)) {
        atomic_fetch_and_explicit(&source->state, ~(uint32_t)GY_SOURCE_QUEUED,
                                  memory_order_release);
    }
    atomic_fetch_sub_explicit(&home->signals_under_way, 1, memory_order_acq_rel);
}

/* Counts a signal as under way and leaves the mark; false where the source is invalid. Sequentially
 * consistent, as the accesses in adopt and part: either the signal sees the home, or the adoption
 * sees the mark; either it sees that the home is gone, or the parting sees it under way. The
 * release half is what the perform acquires (R172). */
static bool mark(GYRunLoopSourceRef source) {
    uint32_t state = atomic_load_explicit(&source->state, memory_order_relaxed), marked;
    do {
        if ((state & GY_SOURCE_INVALID) != 0) return false;
        marked = gy_source_counted_here(state, GY_SOURCE_FLAGS) + GY_SOURCE_ONE_SIGNAL;
    } while (!atomic_compare_exchange_weak_explicit(&source->state, &state,
                                                    marked | GY_SOURCE_SIGNALLED,
                                                    memory_order_seq_cst, memory_order_relaxed));
    return true;
}

void gy_signal(GYRunLoopSourceRef source) {
    if (!mark(source)) return;
    GYRunLoopRef home = atomic_load_explicit(&source->home, memory_order_seq_cst);
    if (home != NULL && home != PARTING) link_to_home(source, home);
    /* Release: pairs with the wait in gy_signal_finish_parting, which lets the home go after it. */
    atomic_fetch_sub_explicit(&source->state, GY_SOURCE_ONE_SIGNAL, memory_order_release);
}

bool gy_signal_adopt(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    GYRunLoopRef home = NULL;
    gy_retain(loop);
    if (atomic_compare_exchange_strong_explicit(&source->home, &home, loop, memory_order_seq_cst,
                                                memory_order_seq_cst)) {
        home = loop;
    } else {
        gy_release(loop); /* it has a home: not the last reference */
    }
    uint32_t state = atomic_load_explicit(&source->state, memory_order_seq_cst);
    if (home == loop && (state & GY_SOURCE_SIGNALLED) != 0) link_to_home(source, loop);
    return home == loop;
}

/* Appends a stack of sources to the queue, oldest first: the order of the signals. The lock. */
static void append_reversed(GYRunLoopRef loop, GYRunLoopSourceRef newest) {
    gy_node *before = loop->signalled.previous;
    for (GYRunLoopSourceRef s = newest; s != NULL; s = s->next_signalled) {
        s->signalled.previous = before;
        s->signalled.next = before->next;
        before->next->previous = &s->signalled;
        before->next = &s->signalled;
    }
    for (gy_node *n = before->next; n != &loop->signalled; n = n->next) {
        GYRunLoopSourceRef s = gy_node_owner(n, struct GYRunLoopSource, signalled);
        atomic_store_explicit(&s->signal_order, ++loop->sequence, memory_order_relaxed);
    }
}

static void take_in(GYRunLoopRef loop) {
    GYRunLoopSourceRef top = atomic_load_explicit(&loop->signalled_incoming, memory_order_relaxed);
    if (top == NULL || top == &ended) return;
    append_reversed(
        loop, atomic_exchange_explicit(&loop->signalled_incoming, NULL, memory_order_acquire));
}

/* Takes a source out of the queue. A signal after the second line links it again; what one before
 * it left behind is in the state returned. */
static uint32_t unlink_source(GYRunLoopRef loop, GYRunLoopSourceRef source, uint32_t flags) {
    gy_list_remove(&source->signalled);
    atomic_fetch_sub_explicit(&loop->signalled_count, 1, memory_order_relaxed);
    return atomic_fetch_and_explicit(&source->state, ~(flags | GY_SOURCE_QUEUED),
                                     memory_order_seq_cst);
}

static bool is_linked_here(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    return atomic_load_explicit(&source->home, memory_order_relaxed) == loop &&
           gy_node_is_linked(&source->signalled);
}

bool gy_signal_use_up(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    uint32_t old;
    if (is_linked_here(loop, source)) {
        old = unlink_source(loop, source, GY_SOURCE_SIGNALLED);
    } else {
        /* Acquire: what was written before the signal is seen by the perform (R172). */
        old = atomic_fetch_and_explicit(&source->state, ~(uint32_t)GY_SOURCE_SIGNALLED,
                                        memory_order_acq_rel);
    }
    return (old & GY_SOURCE_SIGNALLED) != 0;
}

/* The lock, for the time being. A link that a fork has cut short goes too. */
static void take_out(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    gy_loop_lock(loop);
    take_in(loop);
    if (gy_node_is_linked(&source->signalled)) unlink_source(loop, source, 0);
    atomic_fetch_and_explicit(&source->state, ~(uint32_t)GY_SOURCE_QUEUED, memory_order_relaxed);
    gy_loop_unlock(loop);
}

bool gy_signal_part(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    GYRunLoopRef home = loop;
    return atomic_compare_exchange_strong_explicit(&source->home, &home, PARTING,
                                                   memory_order_seq_cst, memory_order_seq_cst);
}

static bool is_being_signalled(const struct GYRunLoopSource *source) {
    /* Sequentially consistent: a signal that has seen the home is seen under way (mark). */
    uint32_t state = atomic_load_explicit(&source->state, memory_order_seq_cst);
    state = gy_source_counted_here(state, GY_SOURCE_FLAGS);
    return (state & ~(uint32_t)GY_SOURCE_FLAGS) != gy_source_generation;
}

void gy_signal_finish_parting(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    while (is_being_signalled(source)) sched_yield();
    take_out(loop, source);
    atomic_store_explicit(&source->home, NULL, memory_order_seq_cst);
    gy_release(loop);
}

/* A link that was never finished is made anew. */
static void relink(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    bool is_home = atomic_load_explicit(&source->home, memory_order_relaxed) == loop;
    if (!is_home || is_linked_here(loop, source)) return;
    uint32_t state = atomic_fetch_and_explicit(&source->state, ~(uint32_t)GY_SOURCE_QUEUED,
                                               memory_order_relaxed);
    if ((state & GY_SOURCE_SIGNALLED) != 0) link_to_home(source, loop);
}

static uint32_t length_of(const gy_node *list) {
    uint32_t length = 0;
    for (const gy_node *n = list->next; n != list; n = n->next) length++;
    return length;
}

void gy_signal_reset_in_child(GYRunLoopRef loop) {
    take_in(loop);
    atomic_store_explicit(&loop->signals_under_way, 0, memory_order_relaxed);
    atomic_store_explicit(&loop->signalled_count, length_of(&loop->signalled),
                          memory_order_relaxed);
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        uint32_t i = 0;
        for (GYRunLoopSourceRef s; (s = gy_set_next(&m->sources, &i)) != NULL;) {
            if (!gy_source_is_port(s)) relink(loop, s);
        }
    }
}

static bool is_before(const gy_signalled *a, const gy_signalled *b) {
    if (a->order != b->order) return a->order < b->order;
    return a->signal_order < b->signal_order;
}

/* Keeps the first `room` in order. */
static uint32_t insert_in_order(gy_signalled *out, uint32_t count, uint32_t room,
                                gy_signalled entry) {
    uint32_t i = count;
    while (i > 0 && is_before(&entry, &out[i - 1])) i--;
    if (i == room) return count;
    if (count == room) gy_release(out[--count].source);
    memmove(&out[i + 1], &out[i], (count - i) * sizeof *out);
    gy_retain(entry.source);
    out[i] = entry;
    return count + 1;
}

static gy_signalled entry_of(GYRunLoopSourceRef source) {
    return (gy_signalled){source, source->order,
                          atomic_load_explicit(&source->signal_order, memory_order_relaxed)};
}

/* The slow way: the mark of every source in the mode. */
static uint32_t collect_all(GYRunLoopRef loop, gy_mode *mode, gy_signalled *out, uint32_t room) {
    uint32_t count = 0, cursor = 0;
    for (GYRunLoopSourceRef s; (s = gy_set_next(&mode->sources, &cursor)) != NULL;) {
        if (!gy_source_is_signalled(s)) continue;
        if (!is_linked_here(loop, s)) {
            atomic_store_explicit(&s->signal_order, ++loop->sequence, memory_order_relaxed);
        }
        count = insert_in_order(out, count, room, entry_of(s));
    }
    return count;
}

static bool is_held_by(GYRunLoopSourceRef source, const gy_mode *mode) {
    uint32_t hash = atomic_load_explicit(&source->hash, memory_order_relaxed);
    return gy_set_contains(&mode->sources, source, hash);
}

static uint32_t collect_queued(GYRunLoopRef loop, gy_mode *mode, gy_signalled *out, uint32_t room) {
    uint32_t count = 0;
    for (gy_node *n = loop->signalled.next, *next; n != &loop->signalled; n = next) {
        next = n->next;
        GYRunLoopSourceRef s = gy_node_owner(n, struct GYRunLoopSource, signalled);
        if (!gy_source_is_signalled(s)) { /* used up by another loop, or invalid */
            if (unlink_source(loop, s, 0) & GY_SOURCE_SIGNALLED) link_to_home(s, loop);
        } else if (is_held_by(s, mode)) {
            count = insert_in_order(out, count, room, entry_of(s));
        }
    }
    return count;
}

uint32_t gy_signal_collect(GYRunLoopRef loop, gy_mode *mode, gy_signalled *out, uint32_t room) {
    bool look = atomic_load_explicit(&loop->signals_under_way, memory_order_acquire) != 0;
    take_in(loop);
    if (look || gy_mode_has_foreign(mode)) return collect_all(loop, mode, out, room);
    return collect_queued(loop, mode, out, room);
}

void gy_signal_end(GYRunLoopRef loop) {
    GYRunLoopSourceRef top =
        atomic_exchange_explicit(&loop->signalled_incoming, &ended, memory_order_acquire);
    if (top != &ended) append_reversed(loop, top);
    while (!gy_list_is_empty(&loop->signalled)) {
        unlink_source(loop, gy_node_owner(loop->signalled.next, struct GYRunLoopSource, signalled),
                      0);
    }
}
