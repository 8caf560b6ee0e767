/* Signals as sources: one callout for each that comes.
 *
 * Owns: a watcher and a queue for each source. Threads: any; the callout, a loop's. */
#ifndef GYRE_SOURCES_SIGNAL_SOURCE_H
#define GYRE_SOURCES_SIGNAL_SOURCE_H

#include "sources/own.h"

#include <gyre/GYSignal.h>

/* NULL with errno. The signal is one that can be watched. */
GYRunLoopSourceRef gy_signal_source_create(int signal, GYIndex order, GYSignalCallBack callout,
                                           gy_client client);

#endif
