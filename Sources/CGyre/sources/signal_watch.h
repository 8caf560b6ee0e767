/* One watcher of a signal: a slot of the table, and a signalfd where it may be needed.
 *
 * The handler serves a signal that some thread does not block. One that all block stays pending,
 * and a signalfd reads it. What the other threads do cannot be known, so where the thread that
 * begins to watch blocks the signal there are both, in one set that a loop waits for. The kernel
 * gives each signal to one of the two.
 *
 * Owns: the descriptors. Threads: any, one at a time. */
#ifndef GYRE_SOURCES_SIGNAL_WATCH_H
#define GYRE_SOURCES_SIGNAL_WATCH_H

#include "sources/signal_table.h"

typedef struct gy_signal_watch {
    gy_signal_slot *slot;
    int signal_fd, set_fd; /* -1: the handler alone */
    int port;              /* readable while something is queued or pending */
} gy_signal_watch;

/* False with errno, and nothing has happened. */
bool gy_signal_watch_begin(gy_signal_watch *watch, int signal);
void gy_signal_watch_end(gy_signal_watch *watch);

/* The oldest that has come; false: none. */
bool gy_signal_watch_read(gy_signal_watch *watch, gy_signal_record *record);

#endif
