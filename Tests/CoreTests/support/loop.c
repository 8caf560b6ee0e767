#define _GNU_SOURCE 1
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

GYRunLoopSourceRef loop_source0(GYIndex order, void (*perform)(void *), void *info) {
    GYRunLoopSourceContext context = {.info = info, .perform = perform};
    return GYRunLoopSourceCreate(kGYAllocatorDefault, order, &context);
}

typedef struct {
    int descriptor;
    void (*perform)(void *);
    void *info;
} port;

static int get_port(void *info) { return ((port *)info)->descriptor; }

static void perform_port(void *info) { ((port *)info)->perform(((port *)info)->info); }

static void release_port(const void *info) { free((void *)info); }

GYRunLoopSourceRef loop_port(int descriptor, void (*perform)(void *), void *info) {
    port *made = malloc(sizeof *made);
    if (made == NULL) abort();
    *made = (port){descriptor, perform, info};
    GYRunLoopSourceContext1 context = {.version = 1, .info = made, .release = release_port};
    context.getPort = get_port;
    context.perform = perform_port;
    return GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
}

GYRunLoopTimerRef loop_timer(double delay_s, double interval_s, GYRunLoopTimerCallBack callout,
                             void *info) {
    GYRunLoopTimerContext context = {.info = info};
    GYAbsoluteTime date = GYAbsoluteTimeGetCurrent() + delay_s;
    return GYRunLoopTimerCreate(kGYAllocatorDefault, date, interval_s, 0, 0, callout, &context);
}

GYRunLoopObserverRef loop_observer(GYOptionFlags activities, bool repeats, GYIndex order,
                                   GYRunLoopObserverCallBack callout, void *info) {
    GYRunLoopObserverContext context = {.info = info};
    return GYRunLoopObserverCreate(kGYAllocatorDefault, activities, repeats, order, callout,
                                   &context);
}

static void trace_activity(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)info;
    switch (activity) {
    case kGYRunLoopEntry: test_trace("entry"); break;
    case kGYRunLoopBeforeTimers: test_trace("timers"); break;
    case kGYRunLoopBeforeSources: test_trace("sources"); break;
    case kGYRunLoopBeforeWaiting: test_trace("wait"); break;
    case kGYRunLoopAfterWaiting: test_trace("wake"); break;
    case kGYRunLoopExit: test_trace("exit"); break;
    default: test_trace("activity-%lu", activity);
    }
}

GYRunLoopObserverRef loop_trace_observer(GYOptionFlags activities) {
    return loop_observer(activities, true, 0, trace_activity, NULL);
}

void *loop_in(GYRunLoopMode mode, const void *item) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYTypeID type = GYGetTypeID(item);
    if (type == GYRunLoopSourceGetTypeID()) {
        GYRunLoopAddSource(rl, (GYRunLoopSourceRef)item, mode);
    } else if (type == GYRunLoopTimerGetTypeID()) {
        GYRunLoopAddTimer(rl, (GYRunLoopTimerRef)item, mode);
    } else {
        GYRunLoopAddObserver(rl, (GYRunLoopObserverRef)item, mode);
    }
    return (void *)item;
}

void loop_drop(const void *item) {
    GYTypeID type = GYGetTypeID(item);
    if (type == GYRunLoopSourceGetTypeID()) {
        GYRunLoopSourceInvalidate((GYRunLoopSourceRef)item);
    } else if (type == GYRunLoopTimerGetTypeID()) {
        GYRunLoopTimerInvalidate((GYRunLoopTimerRef)item);
    } else {
        GYRunLoopObserverInvalidate((GYRunLoopObserverRef)item);
    }
    GYRelease(item);
}

GYRunLoopRunResult loop_run(double seconds) {
    return GYRunLoopRunInMode(kGYRunLoopDefaultMode, seconds, false);
}

static void stop_at_activity(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *info) {
    (void)observer;
    (void)activity;
    loop_stops(info);
}

GYRunLoopRunResult loop_run_until_idle(GYRunLoopMode mode) {
    GYRunLoopObserverRef stopper =
        loop_observer(kGYRunLoopBeforeWaiting, false, LONG_MAX, stop_at_activity, NULL);
    loop_in(mode, stopper);
    GYRunLoopRunResult result = GYRunLoopRunInMode(mode, 1e20, false);
    loop_drop(stopper);
    return result;
}

GYRunLoopRunResult loop_poll(GYRunLoopMode mode) { return GYRunLoopRunInMode(mode, 0, false); }

GYRunLoopSourceRef loop_keep(GYRunLoopMode mode) {
    return loop_in(mode, loop_source0(0, NULL, NULL));
}

void loop_wait_asleep(GYRunLoopRef rl) { TEST_WAIT_UNTIL(GYRunLoopIsWaiting(rl)); }

void loop_traces(void *word) { test_trace("%s", (const char *)word); }

void loop_timer_traces(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    loop_traces(word);
}

void loop_stops(void *word) {
    if (word != NULL) loop_traces(word);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

void loop_timer_stops(GYRunLoopTimerRef timer, void *word) {
    (void)timer;
    loop_stops(word);
}

void loop_counts(void *count) { atomic_fetch_add((atomic_int *)count, 1); }

void loop_timer_counts(GYRunLoopTimerRef timer, void *count) {
    (void)timer;
    loop_counts(count);
}

static void copy_text(char *text, size_t size, GYRunLoopMode mode) {
    if (mode == NULL || !GYStringGetCString(mode, text, (GYIndex)size, kGYStringEncodingUTF8)) {
        snprintf(text, size, "(null)");
    }
}

const char *loop_mode_text(GYRunLoopMode mode) {
    static _Thread_local char text[256];
    copy_text(text, sizeof text, mode);
    if (mode != NULL) GYRelease(mode);
    return text;
}

const char *loop_current_mode_text(void) {
    return loop_mode_text(GYRunLoopCopyCurrentMode(GYRunLoopGetCurrent()));
}

static int compare_texts(const void *a, const void *b) { return strcmp(a, b); }

const char *loop_all_modes_text(GYRunLoopRef rl) {
    static _Thread_local char joined[4096];
    static _Thread_local char names[64][64];
    joined[0] = '\0';
    GYArrayRef modes = GYRunLoopCopyAllModes(rl);
    if (modes == NULL) return "(null)";
    GYIndex count = GYArrayGetCount(modes);
    REQUIRE(count <= 64);
    for (GYIndex i = 0; i < count; i++) {
        copy_text(names[i], sizeof names[i], GYArrayGetValueAtIndex(modes, i));
    }
    GYRelease(modes);
    qsort(names, (size_t)count, sizeof names[0], compare_texts);
    for (GYIndex i = 0; i < count; i++) {
        if (i > 0) strcat(joined, " ");
        strcat(joined, names[i]);
    }
    return joined;
}

/* A stop that comes before the run is dropped, so the thread's end is decided by the flag, and the
 * stop is repeated until the thread has seen it. */
static void work(void *given) {
    loop_worker *worker = given;
    worker->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRunLoopSourceRef keep = loop_keep(worker->mode);
    test_event_signal(&worker->ready);
    while (!atomic_load(&worker->ends)) GYRunLoopRunInMode(worker->mode, 3600, false);
    loop_drop(keep);
    test_event_signal(&worker->left);
}

void loop_worker_start(loop_worker *worker, GYRunLoopMode mode) {
    worker->mode = mode;
    test_event_init(&worker->ready);
    test_event_init(&worker->left);
    atomic_init(&worker->ends, false);
    worker->thread = test_thread_start(work, worker);
    test_event_wait(&worker->ready);
    loop_wait_asleep(worker->rl);
}

void loop_worker_end(loop_worker *worker) {
    atomic_store(&worker->ends, true);
    while (!test_event_has_happened(&worker->left)) {
        GYRunLoopStop(worker->rl);
        test_pause();
    }
    test_thread_join(worker->thread);
}

void loop_worker_drop(loop_worker *worker) {
    loop_worker_end(worker);
    GYRelease(worker->rl);
}
