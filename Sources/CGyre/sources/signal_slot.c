#define _GNU_SOURCE /* pipe2 */
#include "sources/signal_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A slot's word: both bits while it is listened to, TAKEN alone while it is being given up; below
 * them the writers in it. Zero: free. */
#define ACTIVE UINT32_C(0x80000000)
#define TAKEN UINT32_C(0x40000000)

struct gy_signal_slot {
    _Atomic(gy_signal_slot *) next; /* NULL until there is another, then constant */
    _Atomic uint32_t word;
    int signal;  /* constant */
    int ends[2]; /* valid unless free */
    _Atomic uint64_t lost;
};

/* Those of each signal, in the order in which they were made. */
static _Atomic(gy_signal_slot *) slots[GY_SIGNALS];

static bool enter_slot(gy_signal_slot *slot) {
    uint32_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    do {
        if ((word & ACTIVE) == 0) return false;
        /* Acquire: pairs with the release in gy_signal_slot_open; the ends are there. */
    } while (!atomic_compare_exchange_weak_explicit(&slot->word, &word, word + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

/* Nobody is in it, and nobody enters any more. Also in the handler: both calls are safe there. The
 * read end goes last, for a write without one would raise SIGPIPE. */
static void close_slot(gy_signal_slot *slot) {
    syscall(SYS_close, slot->ends[1]);
    syscall(SYS_close, slot->ends[0]);
    /* Release: pairs with the acquire in take_slot; the numbers are no longer needed. */
    atomic_store_explicit(&slot->word, 0, memory_order_release);
}

static void leave_slot(gy_signal_slot *slot) {
    /* Acquire and release: pairs with the end of the other writers, and with gy_signal_slot_give_up;
     * exactly one of all sees TAKEN alone. */
    if (atomic_fetch_sub_explicit(&slot->word, 1, memory_order_acq_rel) == (TAKEN | 1)) {
        close_slot(slot);
    }
}

void gy_signal_slot_write(gy_signal_slot *slot, const gy_signal_record *record) {
    if (!enter_slot(slot)) return;
    /* The raw call: write() is a cancellation point. A pipe takes all of it or nothing. */
    if (syscall(SYS_write, slot->ends[1], record, sizeof *record) < 0) {
        /* Relaxed: a count, read by gy_signal_slot_take_lost. */
        atomic_fetch_add_explicit(&slot->lost, 1, memory_order_relaxed);
    }
    leave_slot(slot);
}

/* Acquire: pairs with the release in take_slot; the slot is whole. */
static gy_signal_slot *look(_Atomic(gy_signal_slot *) *place) {
    return atomic_load_explicit(place, memory_order_acquire);
}

void gy_signal_tell(const gy_signal_record *record) {
    gy_signal_slot *slot = look(&slots[record->signal]);
    for (; slot != NULL; slot = look(&slot->next)) gy_signal_slot_write(slot, record);
}

/* A free slot of the signal, or a new one, which is linked in for good. The table's lock. */
static gy_signal_slot *take_slot(int signal) {
    _Atomic(gy_signal_slot *) *place = &slots[signal];
    for (gy_signal_slot *s; (s = look(place)) != NULL; place = &s->next) {
        /* Acquire: pairs with the release in close_slot. */
        if (atomic_load_explicit(&s->word, memory_order_acquire) == 0) return s;
    }
    gy_signal_slot *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->signal = signal;
    atomic_store_explicit(place, made, memory_order_release);
    return made;
}

/* The lock. NULL with errno. */
gy_signal_slot *gy_signal_slot_open(int signal) {
    gy_signal_slot *slot = take_slot(signal);
    if (slot == NULL) return NULL;
    if (pipe2(slot->ends, O_CLOEXEC | O_NONBLOCK) != 0) return NULL;
    atomic_store_explicit(&slot->lost, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->word, ACTIVE | TAKEN, memory_order_release); /* enter_slot */
    return slot;
}

void gy_signal_slot_give_up(gy_signal_slot *slot) {
    uint32_t old = atomic_fetch_and_explicit(&slot->word, ~ACTIVE, memory_order_acq_rel);
    if (old == (ACTIVE | TAKEN)) close_slot(slot);
}

int gy_signal_slot_signal(const gy_signal_slot *slot) { return slot->signal; }
int gy_signal_slot_fd(const gy_signal_slot *slot) { return slot->ends[0]; }

bool gy_signal_slot_read(gy_signal_slot *slot, gy_signal_record *record) {
    int saved = errno;
    long n;
    do {
        n = syscall(SYS_read, slot->ends[0], record, sizeof *record);
    } while (n < 0 && errno == EINTR);
    errno = saved;
    return n == (long)sizeof *record;
}

uint64_t gy_signal_slot_take_lost(gy_signal_slot *slot) {
    return atomic_exchange_explicit(&slot->lost, 0, memory_order_relaxed);
}

void gy_signal_slots_reset_in_child(void) {
    for (int signal = 1; signal < GY_SIGNALS; signal++) {
        for (gy_signal_slot *s = look(&slots[signal]); s != NULL; s = look(&s->next)) {
            uint32_t word = atomic_load_explicit(&s->word, memory_order_relaxed);
            atomic_store_explicit(&s->word, word & (ACTIVE | TAKEN), memory_order_relaxed);
            if ((word & ACTIVE) == 0 && (word & TAKEN) != 0) close_slot(s);
        }
    }
}
