/** GYFileWatcher.h - what happens to files and directories, as a source. */
#ifndef GYRE_GYFILEWATCHER_H
#define GYRE_GYFILEWATCHER_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoopSource.h>

GY_BEGIN_DECLS

/** What can happen to a path that is watched. Of a directory, the first eight tell of its entries
 * too, of those directly in it. */
typedef GYOptionFlags GYFileEvents;
enum {
    kGYFileCreated = 1UL << 0,    /**< an entry has come into being */
    kGYFileModified = 1UL << 1,   /**< something was written, or the length was changed */
    kGYFileWritten = 1UL << 2,    /**< a file that was open for writing has been closed */
    kGYFileAttributes = 1UL << 3, /**< mode, owner, times, number of links */
    kGYFileDeleted = 1UL << 4,    /**< an entry is gone */
    kGYFileMoved = 1UL << 5,      /**< an entry has another name, or is in another directory */
    kGYFileMovedOut = 1UL << 6,   /**< an entry has gone to where nothing is watched */
    kGYFileMovedIn = 1UL << 7,    /**< an entry has come from where nothing is watched */
    kGYFileSelfDeleted = 1UL << 8, /**< what the path led to is gone; it is not watched any more */
    kGYFileSelfMoved = 1UL << 9, /**< it has another name, and is still watched */
    kGYFileUnmounted = 1UL << 10, /**< its file system is gone; it is not watched any more. Comes
                                      unasked */
    kGYFileOverflowed =
        1UL << 11, /**< events were lost: look anew. Comes unasked, without a path */
    kGYFileAllEvents = 0xFFFUL,
};

/** One event. The texts are valid until the callout returns. */
typedef struct {
    GYFileEvents event; /**< one bit */
    const char *GY_NULLABLE path; /**< as it was added; NULL: an overflow */
    const char *GY_NULLABLE name; /**< the entry, where the path is a directory's; or NULL */
    const char *GY_NULLABLE oldPath; /**< kGYFileMoved: where it was, as that path was added */
    const char *GY_NULLABLE oldName; /**< kGYFileMoved: its name there */
    uint32_t cookie; /**< of all moves: both halves of one have the same; else 0 */
    GYBoolean isDirectory; /**< it happened to a directory */
} GYFileEvent;

/** Called for an event, by a loop that holds the source. `info` is that of the context. */
typedef void (*GYFileWatcherCallBack)(GYRunLoopSourceRef GY_NULLABLE source,
                                      const GYFileEvent *GY_NULLABLE event, void *GY_NULLABLE info);

/** Makes a source that watches paths, none to begin with.
 *
 * The kernel queues what happens, from the moment at which a path is added, also while the source is
 * in no mode. Equal events one behind the other are one. Where the queue of the kernel is full,
 * kGYFileOverflowed takes the place of what is lost (R254).
 *
 * - Parameter order: as of any source; of no use here.
 * - Parameter context: copied; NULL: no info.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the source is destroyed.
 * - Threads: any.
 * - Callout: retain. The callout itself is called for each event, in their order, by a loop that
 *   holds the source; a turn reads at most two times 4 kilobytes of them.
 * - Blocking: for a millisecond in a turn where an entry has left what is watched, for it may come
 *   in again (R253).
 * - Errors: an unknown version of the context: NULL, reported. No memory or descriptors, or more
 *   watchers than the system allows: NULL, errno. In the child of a fork the source is invalid (R7).
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYFileWatcherCreateRunLoopSource(
    GYAllocatorRef GY_NULLABLE allocator, GYIndex order, GYFileWatcherCallBack GY_NULLABLE callout,
    const GYCallBackContext *GY_NULLABLE context);

/** Watches a path as well: a file, or a directory with the entries directly in it.
 *
 * It is the file that is watched, not the name: it goes on when that is moved, and another file that
 * gets the name is not watched. Symbolic links are followed. A path that is watched already is asked
 * for the new events from now on, and where the name leads to another file by now, that is watched.
 * Two paths that lead to one file are told each.
 *
 * - Parameter source: of GYFileWatcherCreateRunLoopSource.
 * - Parameter path: borrowed; events give it back as it is.
 * - Parameter events: those to be told. Each of the three kinds of moves asks for all three.
 * - Result: true if it is watched now.
 * - Threads: any, the callout too.
 * - Blocking: while the file system looks for the path.
 * - Errors: another source, no path, no events: false, errno EINVAL, reported. An invalid source:
 *   false, errno EINVAL. What the system refuses, such as ENOENT, EACCES, and ENOSPC for more
 *   watches than it allows: false, errno, and all else goes on as it was.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYFileWatcherAddPath(GYRunLoopSourceRef GY_NULLABLE source,
                                         const char *GY_NULLABLE path, GYFileEvents events);

/** Watches a path no more. What is queued of it is not told.
 *
 * - Parameter path: as it was added.
 * - Result: true if it was watched.
 * - Threads: any, the callout too. On another thread than the loop's an event may be about to be
 *   told.
 * - Errors: another source, no path: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYFileWatcherRemovePath(GYRunLoopSourceRef GY_NULLABLE source,
                                            const char *GY_NULLABLE path);

GY_END_DECLS

#endif
