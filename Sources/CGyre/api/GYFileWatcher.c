/* Files that are watched as the public sees them. Any thread. */
#include <gyre/GYFileWatcher.h>

#include "api/arguments.h"
#include "api/client.h"
#include "base/check.h"
#include "sources/file_watcher.h"

#include <errno.h>

GYRunLoopSourceRef GYFileWatcherCreateRunLoopSource(GYAllocatorRef allocator, GYIndex order,
                                                    GYFileWatcherCallBack callout,
                                                    const GYCallBackContext *context) {
    (void)allocator;
    gy_client client;
    if (!gy_client_copy(context, "GYFileWatcherCreateRunLoopSource", &client)) return NULL;
    return gy_client_made(gy_file_watcher_create(order, callout, client), &client);
}

static bool refuse(const char *call, const char *what) {
    gy_report(call, what, "R250");
    errno = EINVAL;
    return false;
}

static bool are_right(GYRunLoopSourceRef source, const char *path, const char *call) {
    if (!gy_argument_is(source, GY_KIND_SOURCE, call)) {
        errno = EINVAL;
        return false;
    }
    if (!gy_file_watcher_is(source)) return refuse(call, "the source watches no files");
    return path != NULL || refuse(call, "the path is NULL");
}

GYBoolean GYFileWatcherAddPath(GYRunLoopSourceRef source, const char *path, GYFileEvents events) {
    static const char call[] = "GYFileWatcherAddPath";
    if (!are_right(source, path, call)) return false;
    const GYFileEvents unasked = kGYFileUnmounted | kGYFileOverflowed;
    if ((events & kGYFileAllEvents & ~unasked) == 0) return refuse(call, "no events are asked for");
    return gy_file_watcher_add(source, path, events);
}

GYBoolean GYFileWatcherRemovePath(GYRunLoopSourceRef source, const char *path) {
    if (!are_right(source, path, "GYFileWatcherRemovePath")) return false;
    return gy_file_watcher_remove(source, path);
}
