#include "sources/file_watcher.h"

#include "items/source.h"
#include "sources/file_queue.h"
#include "sources/path_table.h"
#include "wait/sys.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>

#define MOVES (kGYFileMoved | kGYFileMovedOut | kGYFileMovedIn)
#define UNASKED (kGYFileUnmounted | kGYFileOverflowed)

/* Everything but the callout is used under the lock of `own`. */
typedef struct file_watcher {
    gy_own own; /* first */
    gy_file_queue queue;
    gy_path_table paths;
    GYFileWatcherCallBack callout;
} file_watcher;

/* ---- what inotify calls it ---- */

static const struct {
    uint32_t mask;
    GYFileEvents event;
} names[] = {
    {IN_CREATE, kGYFileCreated},        {IN_MODIFY, kGYFileModified},
    {IN_CLOSE_WRITE, kGYFileWritten},   {IN_ATTRIB, kGYFileAttributes},
    {IN_DELETE, kGYFileDeleted},        {IN_MOVED_FROM, kGYFileMovedOut},
    {IN_MOVED_TO, kGYFileMovedIn},      {IN_DELETE_SELF, kGYFileSelfDeleted},
    {IN_MOVE_SELF, kGYFileSelfMoved},   {IN_UNMOUNT, kGYFileUnmounted},
    {IN_Q_OVERFLOW, kGYFileOverflowed},
};

enum { NAMES = sizeof names / sizeof names[0] };

static uint32_t mask_of(GYFileEvents events) {
    uint32_t mask = 0;
    for (int i = 0; i < NAMES; i++) {
        if ((events & names[i].event & ~UNASKED) != 0) mask |= names[i].mask;
    }
    return mask;
}

static GYFileEvents event_of(uint32_t mask) {
    for (int i = 0; i < NAMES; i++) {
        if ((mask & names[i].mask) != 0) return names[i].event;
    }
    return 0;
}

static GYFileEvents asked_by(GYFileEvents events) {
    if ((events & MOVES) != 0) events |= MOVES;
    return (events & kGYFileAllEvents) | UNASKED;
}

/* ---- telling ---- */

/* One event on its way to the paths that it concerns. */
typedef struct telling {
    gy_file_record record;
    GYFileEvents event;
    gy_path *old; /* retained; or NULL */
    uint64_t told, last; /* numbers of paths: those that were there when it was taken */
} telling;

static gy_path *first_path(file_watcher *w, int watch, GYFileEvents events) {
    return gy_path_next(&w->paths, watch, (uint32_t)events, 0, UINT64_MAX);
}

/* Both halves of a move have come: whether both directories are still watched for moves. */
static void tell_move(file_watcher *w, telling *t) {
    gy_path *old = first_path(w, t->record.old_watch, MOVES);
    t->event = kGYFileMovedIn;
    if (old == NULL) return;
    if (first_path(w, t->record.watch, MOVES) == NULL) {
        t->event = kGYFileMovedOut;
        t->record.watch = t->record.old_watch;
        memcpy(t->record.name, t->record.old_name, sizeof t->record.name);
        return;
    }
    t->event = kGYFileMoved;
    t->old = old;
    old->references++;
}

/* The lock. False: none. */
static bool take_event(file_watcher *w, gy_file_turn *turn, telling *t) {
    while (gy_file_queue_take(&w->queue, turn, &t->record)) {
        uint32_t mask = t->record.mask;
        if ((mask & IN_IGNORED) != 0) gy_path_remove_watch(&w->paths, t->record.watch);
        t->event = event_of(mask);
        t->old = NULL;
        t->told = 0;
        t->last = w->paths.last_number;
        if ((mask & IN_MOVED_TO) != 0 && t->record.old_watch >= 0) tell_move(w, t);
        if (t->event != 0) return true;
    }
    return false;
}

/* The next path that the event is told of, retained. The lock. */
static gy_path *next_path(file_watcher *w, telling *t) {
    uint32_t event = (uint32_t)t->event;
    gy_path *path = gy_path_next(&w->paths, t->record.watch, event, t->told, t->last);
    if (path == NULL) return NULL;
    t->told = path->number;
    path->references++;
    return path;
}

static const char *or_null(const char *text) { return text[0] == '\0' ? NULL : text; }

static void call(file_watcher *w, const telling *t, const gy_path *path) {
    GYFileEvent event = {
        .event = t->event,
        .path = path == NULL ? NULL : path->text,
        .name = or_null(t->record.name),
        .oldPath = t->old == NULL ? NULL : t->old->text,
        .oldName = t->old == NULL ? NULL : or_null(t->record.old_name),
        .cookie = t->record.cookie,
        .isDirectory = (t->record.mask & IN_ISDIR) != 0,
    };
    if (w->callout != NULL) w->callout(w->own.source, &event, w->own.client.info);
}

static void let_go(file_watcher *w, gy_path *path) {
    gy_lock_take(&w->own.lock); /* also where it has ended: the paths go with its memory */
    gy_path_release(path);
    gy_lock_give(&w->own.lock);
}

/* Between two calls paths may be removed, and the source may end. */
static void tell(file_watcher *w, telling *t) {
    if (t->event == kGYFileOverflowed) call(w, t, NULL);
    while (t->event != kGYFileOverflowed && gy_own_enter(&w->own)) {
        gy_path *path = next_path(w, t);
        gy_own_leave(&w->own);
        if (path == NULL) break;
        call(w, t, path);
        let_go(w, path);
    }
    let_go(w, t->old);
}

static void perform(void *object) {
    file_watcher *w = object;
    gy_file_turn turn = {.reads = 2};
    while (gy_own_enter(&w->own)) {
        telling t;
        bool came = take_event(w, &turn, &t);
        gy_own_leave(&w->own);
        if (!came) return;
        tell(w, &t);
    }
}

/* ---- paths ---- */

/* Where no path has the watch any more. It may have gone by itself. */
static void end_watch(file_watcher *w, int watch) {
    if (first_path(w, watch, UINT32_MAX) != NULL) return;
    int saved = errno;
    inotify_rm_watch(w->queue.fd, watch);
    errno = saved;
}

/* The kernel is asked for more and never for less: another path may have the same watch. What only
 * that asks for is not told of this one. */
static int watch(file_watcher *w, const char *text, GYFileEvents events) {
    return inotify_add_watch(w->queue.fd, text, mask_of(events) | IN_MASK_ADD);
}

static bool add_new(file_watcher *w, const char *text, GYFileEvents events) {
    gy_path *path = gy_path_create(text);
    if (path == NULL) return false;
    path->events = (uint32_t)events;
    int number = watch(w, text, events);
    bool ok = number >= 0 && gy_path_insert(&w->paths, path, number);
    int saved = errno;
    if (number >= 0 && !ok) end_watch(w, number);
    gy_path_release(path);
    errno = saved;
    return ok;
}

/* The lock. */
static bool add(file_watcher *w, const char *text, GYFileEvents events) {
    gy_path *path = gy_path_find(&w->paths, text);
    if (path == NULL) return add_new(w, text, events);
    int number = watch(w, text, events);
    if (number < 0) return false;
    path->events = (uint32_t)events;
    int old = path->watch;
    if (number == old) return true;
    gy_path_move(&w->paths, path, number); /* the name leads to another file */
    end_watch(w, old);
    return true;
}

bool gy_file_watcher_add(GYRunLoopSourceRef source, const char *text, GYFileEvents events) {
    file_watcher *w = source->info;
    if (!gy_own_enter(&w->own)) {
        errno = EINVAL;
        return false;
    }
    bool ok = add(w, text, asked_by(events));
    gy_own_leave(&w->own);
    return ok;
}

bool gy_file_watcher_remove(GYRunLoopSourceRef source, const char *text) {
    file_watcher *w = source->info;
    if (!gy_own_enter(&w->own)) return false;
    gy_path *path = gy_path_find(&w->paths, text);
    if (path != NULL) {
        int number = path->watch;
        gy_path_remove(&w->paths, path);
        end_watch(w, number);
    }
    gy_own_leave(&w->own);
    return path != NULL;
}

/* ---- its life ---- */

static void end(gy_own *own) { gy_sys_close(own->port); }

static void destroy(gy_own *own) { gy_path_table_destroy(&((file_watcher *)(void *)own)->paths); }

static const gy_own_kind kind = {perform, end, destroy};

bool gy_file_watcher_is(GYRunLoopSourceRef source) { return gy_own_of(source, &kind) != NULL; }

GYRunLoopSourceRef gy_file_watcher_create(GYIndex order, GYFileWatcherCallBack callout,
                                          gy_client client) {
    file_watcher *w = gy_own_create(sizeof *w, &kind);
    if (w == NULL) return NULL;
    w->callout = callout;
    w->queue.fd = w->own.port = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->own.port >= 0) {
        GYRunLoopSourceRef source = gy_own_make_source(&w->own, order, client);
        if (source != NULL) return source;
        end(&w->own);
    }
    int saved = errno;
    gy_own_discard(&w->own);
    errno = saved;
    return NULL;
}
