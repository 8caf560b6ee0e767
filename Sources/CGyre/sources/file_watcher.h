/* Files and directories that are watched, as a source.
 *
 * Owns: an inotify descriptor for each source, and its paths. Threads: any; the callout, a loop's. */
#ifndef GYRE_SOURCES_FILE_WATCHER_H
#define GYRE_SOURCES_FILE_WATCHER_H

#include "sources/own.h"

#include <gyre/GYFileWatcher.h>

/* NULL with errno. */
GYRunLoopSourceRef gy_file_watcher_create(GYIndex order, GYFileWatcherCallBack callout,
                                          gy_client client);

bool gy_file_watcher_is(GYRunLoopSourceRef source);

/* Both: of a source that is one. False with errno. */
bool gy_file_watcher_add(GYRunLoopSourceRef source, const char *text, GYFileEvents events);
bool gy_file_watcher_remove(GYRunLoopSourceRef source, const char *text);

#endif
