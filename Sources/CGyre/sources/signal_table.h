/* The process's signal handlers: one for each signal that is watched, installed once, chained to
 * what was there, and given back when nobody watches any more.
 *
 * Owns: the handlers. They write what came into the slots of the signal. Relies on:
 * sources/signal_slot. No mask is changed.
 * Threads: any. */
#ifndef GYRE_SOURCES_SIGNAL_TABLE_H
#define GYRE_SOURCES_SIGNAL_TABLE_H

#include "sources/signal_slot.h"

/* Whether a signal can be watched: not 0, SIGKILL, SIGSTOP, those of libc's own, those that a fault
 * of the program's makes. */
bool gy_signal_is_watchable(int signal);

/* NULL with errno; EBUSY: the handler has been replaced too often while it was in use. */
gy_signal_slot *gy_signal_listen(int signal);
void gy_signal_unlisten(gy_signal_slot *slot);

void gy_signal_lock_for_fork(void);
void gy_signal_unlock_after_fork(void);

#endif
