/** drain.h - brief ways to fill and to watch the drain pools of the calling thread. */
#ifndef GYRE_TESTS_DRAIN_H
#define GYRE_TESTS_DRAIN_H

#include "support/loop.h"

#include <gyre/GYDrainPool.h>

/** Defers the tracing of a word. */
static inline void drain_defer(const char *word) { EXPECT(GYDefer(loop_traces, (void *)word)); }

/** Of sources: the same for `info`. */
static inline void drain_defers(void *word) { drain_defer(word); }

/** Of observers: the same. */
static inline void drain_observer_defers(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                         void *word) {
    (void)observer;
    (void)activity;
    drain_defer(word);
}

/** Of observers: traces `info`, a word. */
static inline void drain_observer_traces(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                         void *word) {
    (void)observer;
    (void)activity;
    test_trace("%s", (const char *)word);
}

/** A source of a mode of the calling thread's loop, signalled once. */
static inline GYRunLoopSourceRef drain_source(GYRunLoopMode mode, void (*perform)(void *),
                                              void *info) {
    GYRunLoopSourceRef source = loop_in(mode, loop_source0(0, perform, info));
    GYRunLoopSourceSignal(source);
    return source;
}

/** An observer in a mode of the calling thread's loop, whose calls do `callout`. */
static inline GYRunLoopObserverRef drain_observer(GYRunLoopMode mode, GYOptionFlags activities,
                                                  GYIndex order, GYRunLoopObserverCallBack callout,
                                                  const char *word) {
    return loop_in(mode, loop_observer(activities, true, order, callout, (void *)word));
}

#endif
