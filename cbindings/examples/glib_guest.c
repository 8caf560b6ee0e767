/* glib_guest.c - the other way round: a GMainContext inside a run loop, so that what waits for GLib's
 * sources is the run loop.
 *
 * Before the loop waits an observer asks the context for its descriptors and its time-out. The
 * descriptors go into an epoll set, which a source of the loop watches, the time-out into a timer of
 * the loop; when one of the two comes the context has its turn. */
#include <glib-unix.h>
#include <glib.h>
#include <gyre/gyre.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { ROOM = 32 };

typedef struct {
    GMainContext *context;
    GYRunLoopRef loop;
    GYRunLoopObserverRef observer;
    GYRunLoopSourceRef ready, watcher; /* version 0: at once; version 1: when the set is readable */
    GYRunLoopTimerRef timer;
    int epoll, priority;
    bool is_prepared;
    GPollFD fds[ROOM], watched[ROOM]; /* as asked for last, and as they are in the set */
    int count, watched_count;
} glib_guest;

/* ---- what the context waits for ---- */

static void change_set(const glib_guest *g, int operation, const GPollFD *fds, int count) {
    for (int i = 0; i < count; i++) {
        struct epoll_event event = {.data.fd = fds[i].fd};
        /* A descriptor may be asked for more than once. The bits of poll and epoll are the same. */
        for (int k = 0; k < count; k++) {
            if (fds[k].fd == fds[i].fd) event.events |= (uint32_t)fds[k].events;
        }
        epoll_ctl(g->epoll, operation, fds[i].fd, &event); /* one that is there already: nothing */
    }
}

static bool is_watched(const glib_guest *g) {
    if (g->count != g->watched_count) return false;
    for (int i = 0; i < g->count; i++) {
        if (g->fds[i].fd != g->watched[i].fd || g->fds[i].events != g->watched[i].events)
            return false;
    }
    return true;
}

static void watch(glib_guest *g) {
    if (is_watched(g)) return;
    change_set(g, EPOLL_CTL_DEL, g->watched, g->watched_count);
    change_set(g, EPOLL_CTL_ADD, g->fds, g->count);
    memcpy(g->watched, g->fds, sizeof g->fds);
    g->watched_count = g->count;
}

/* True if it has something to do already. */
static bool prepare(glib_guest *g, int *timeout_ms) {
    bool is_ready = g_main_context_prepare(g->context, &g->priority);
    g->count = g_main_context_query(g->context, g->priority, timeout_ms, g->fds, ROOM);
    if (g->count > ROOM) abort(); /* an example has room for so many */
    g->is_prepared = true;
    return is_ready || *timeout_ms == 0;
}

/* ---- its turn ---- */

static void take_turn(glib_guest *g) {
    int timeout_ms;
    if (!g->is_prepared) prepare(g, &timeout_ms);
    g->is_prepared = false;
    g_poll(g->fds, (guint)g->count, 0);
    if (g_main_context_check(g->context, g->priority, g->fds, g->count)) {
        g_main_context_dispatch(g->context);
    }
}

static void source_performs(void *info) { take_turn(info); }

static void timer_fires(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    take_turn(info);
}

static void before_waiting(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    glib_guest *g = info;
    int timeout_ms;
    if (prepare(g, &timeout_ms)) {
        GYRunLoopSourceSignal(g->ready);
        GYRunLoopWakeUp(g->loop);
    }
    watch(g);
    GYAbsoluteTime date = timeout_ms < 0 ? INFINITY : GYAbsoluteTimeGetCurrent() + timeout_ms / 1e3;
    GYRunLoopTimerSetNextFireDate(g->timer, date);
}

/* ---- beginning and end ---- */

static int epoll_of(void *info) { return ((glib_guest *)info)->epoll; }

static void begin(glib_guest *g, GYRunLoopMode mode) {
    g->loop = GYRunLoopGetCurrent();
    g->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!g_main_context_acquire(g->context)) abort();
    GYRunLoopSourceContext of_ready = {.info = g, .perform = source_performs};
    g->ready = GYRunLoopSourceCreate(NULL, 0, &of_ready);
    GYRunLoopSourceContext1 of_watcher = {
        .version = 1, .info = g, .getPort = epoll_of, .perform = source_performs};
    g->watcher = GYRunLoopSourceCreate(NULL, 0, (GYRunLoopSourceContext *)&of_watcher);
    GYRunLoopTimerContext of_timer = {.info = g};
    g->timer = GYRunLoopTimerCreate(NULL, INFINITY, INFINITY, 0, 0, timer_fires, &of_timer);
    GYRunLoopObserverContext of_observer = {.info = g};
    g->observer = GYRunLoopObserverCreate(NULL, kGYRunLoopBeforeWaiting, true, 0, before_waiting,
                                          &of_observer);
    GYRunLoopAddSource(g->loop, g->ready, mode);
    GYRunLoopAddSource(g->loop, g->watcher, mode);
    GYRunLoopAddTimer(g->loop, g->timer, mode);
    GYRunLoopAddObserver(g->loop, g->observer, mode);
}

static void end(glib_guest *g) {
    GYRunLoopSourceInvalidate(g->ready);
    GYRunLoopSourceInvalidate(g->watcher);
    GYRunLoopTimerInvalidate(g->timer);
    GYRunLoopObserverInvalidate(g->observer);
    const void *items[] = {g->ready, g->watcher, g->timer, g->observer};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) GYRelease(items[i]);
    g_main_context_release(g->context);
    close(g->epoll);
}

/* ---- what the two have to do ---- */

static int pipe_ends[2];
static GThread *thread;

static gboolean works(gpointer info) {
    (void)info;
    printf("glib: work from another thread\n");
    GYRunLoopStop(GYRunLoopGetCurrent());
    return G_SOURCE_REMOVE;
}

static gpointer hand_over(gpointer context) {
    g_main_context_invoke(context, works, NULL);
    return NULL;
}

static gboolean glibs_timer_fires(gpointer info) {
    (void)info;
    printf("glib: its timer fires\n");
    thread = g_thread_new("worker", hand_over, NULL);
    return G_SOURCE_REMOVE;
}

static gboolean pipe_is_readable(int descriptor, GIOCondition condition, gpointer info) {
    (void)condition;
    (void)info;
    char text[16];
    ssize_t length = read(descriptor, text, sizeof text);
    if (length > 0) printf("glib: the pipe says %.*s\n", (int)length, text);
    g_timeout_add(5, glibs_timer_fires, NULL);
    return G_SOURCE_REMOVE;
}

static void loops_timer_fires(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    printf("loop: its timer fires\n");
    if (write(pipe_ends[1], "hello", 5) != 5) abort();
}

static gboolean is_idle(gpointer info) {
    (void)info;
    printf("glib: it is idle\n");
    return G_SOURCE_REMOVE;
}

int main(void) {
    glib_guest g = {.context = g_main_context_default()};
    begin(&g, kGYRunLoopDefaultMode);
    if (pipe(pipe_ends) != 0) return 1;
    g_unix_fd_add(pipe_ends[0], G_IO_IN, pipe_is_readable, NULL);
    g_idle_add(is_idle, NULL);
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(NULL, GYAbsoluteTimeGetCurrent() + 0.02, 0, 0, 0,
                                                   loops_timer_fires, NULL);
    GYRunLoopAddTimer(g.loop, timer, kGYRunLoopDefaultMode);
    GYRunLoopRun();
    printf("loop: stopped\n");
    g_thread_join(thread);
    GYRelease(timer);
    end(&g);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return 0;
}
