/* The end of a process as a source that is performed once.
 *
 * Owns: a pidfd for each source, or a watcher of SIGCHLD where there are none.
 * Threads: any; the callout, a loop's. */
#ifndef GYRE_SOURCES_PROCESS_SOURCE_H
#define GYRE_SOURCES_PROCESS_SOURCE_H

#include "sources/own.h"

#include <gyre/GYProcess.h>

/* NULL with errno. The pid is above zero. */
GYRunLoopSourceRef gy_process_source_create(int32_t pid, GYOptionFlags options, GYIndex order,
                                            GYProcessCallBack callout, gy_client client);

#endif
