/* The queues that a signal handler writes into: a pipe for each watcher of a signal.
 *
 * Owns: the slots. The pipe is the queue: the kernel bounds it, and its read end is what a loop
 * waits for. Relies on: nothing but libc.
 * Threads: writing, any, also in signal handlers, which may run at any point of any thread: they
 * take no lock, allocate nothing, and never wait. The rest as told.
 *
 * A slot may be given up while handlers on other threads write into it. Its word counts them; who
 * brings the count to zero after the slot was given up closes the pipe, be it a handler. So giving
 * up does not wait, and no handler writes to a number that means another file by now. Slots are
 * never freed: a handler may be about to look at any. (Tests/ModelTests/slot.pml.) */
#ifndef GYRE_SOURCES_SIGNAL_SLOT_H
#define GYRE_SOURCES_SIGNAL_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum { GY_SIGNALS = 65 };

/* One signal as it came. */
typedef struct gy_signal_record {
    int32_t signal, code, pid, status;
    uint32_t uid;
    uint32_t unused; /* no padding is written to the pipe */
    uint64_t value;
} gy_signal_record;

typedef struct gy_signal_slot gy_signal_slot;

/* One at a time: the lock of the table. NULL with errno. */
gy_signal_slot *gy_signal_slot_open(int signal);
void gy_signal_slot_give_up(gy_signal_slot *slot);
int gy_signal_slot_signal(const gy_signal_slot *slot);

/* The end of the pipe that is readable while something is queued. Valid until it is given up. */
int gy_signal_slot_fd(const gy_signal_slot *slot);
/* The oldest record; false: none. Not beside giving up. */
bool gy_signal_slot_read(gy_signal_slot *slot, gy_signal_record *record);
/* Queues a record, or counts it as lost; nothing where the slot is given up. */
void gy_signal_slot_write(gy_signal_slot *slot, const gy_signal_record *record);
/* How many did not fit into the pipe since it was last asked. */
uint64_t gy_signal_slot_take_lost(gy_signal_slot *slot);

/* Each slot of the signal gets the record. */
void gy_signal_tell(const gy_signal_record *record);

/* Writers of other threads are gone, and the slots that they would have closed are closed. */
void gy_signal_slots_reset_in_child(void);

#endif
