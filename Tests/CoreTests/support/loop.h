/** loop.h - brief ways to make what a loop holds, and threads that run one.
 *
 * The makers return an object that the caller owns and that is in no mode yet:
 *
 *     GYRunLoopTimerRef timer = loop_in(mode, loop_timer(0.01, 0, loop_timer_stops, NULL));
 *     GYRunLoopRunInMode(mode, 10, false);
 *     loop_drop(timer); */
#ifndef GYRE_TESTS_LOOP_H
#define GYRE_TESTS_LOOP_H

#include "support/test.h"

#include <gyre/GYArray.h>
#include <gyre/GYObject.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopObserver.h>
#include <gyre/GYRunLoopSource.h>
#include <gyre/GYRunLoopTimer.h>

/** A case whose body runs on a thread of its own: the main loop's common modes are never empty, and
 * its descriptors stay open, so most cases about loops want another one. */
#define LOOP_TEST(sentence)                                                                        \
    static void on_thread_##sentence(void *unused);                                                \
    TEST(sentence) { test_thread(on_thread_##sentence, NULL); }                                    \
    static void on_thread_##sentence(void *unused __attribute__((unused)))

/* Makers. */

GYRunLoopSourceRef loop_source0(GYIndex order, void (*perform)(void *), void *info);
/** A version 1 source: performed when the descriptor has input. */
GYRunLoopSourceRef loop_port(int descriptor, void (*perform)(void *), void *info);
/** The first firing comes `delay_s` from now; an interval of 0 makes a one-shot timer. */
GYRunLoopTimerRef loop_timer(double delay_s, double interval_s, GYRunLoopTimerCallBack callout,
                             void *info);
GYRunLoopObserverRef loop_observer(GYOptionFlags activities, bool repeats, GYIndex order,
                                   GYRunLoopObserverCallBack callout, void *info);
/** Traces `entry timers sources wait wake exit`, those of them that are asked for. */
GYRunLoopObserverRef loop_trace_observer(GYOptionFlags activities);

/** Adds a source, timer or observer to a mode of the calling thread's loop; gives it back. */
void *loop_in(GYRunLoopMode mode, const void *item);
/** Invalidates an item and gives up the reference. */
void loop_drop(const void *item);

/* Running. */

/** Runs the default mode of the calling thread's loop for at most so many seconds. */
GYRunLoopRunResult loop_run(double seconds);
/** Runs until the loop would go to sleep, which it does in form, and stops it. A short time-out
 * might have passed before the second iteration. */
GYRunLoopRunResult loop_run_until_idle(GYRunLoopMode mode);
/** One pass that does not wait. */
GYRunLoopRunResult loop_poll(GYRunLoopMode mode);
/** Adds a source that is never signalled, so that a mode of the calling thread's loop is not empty.
 * It lives until loop_drop. */
GYRunLoopSourceRef loop_keep(GYRunLoopMode mode);
/** Waits until a loop is asleep. */
void loop_wait_asleep(GYRunLoopRef rl);

/* Ready-made callbacks. */

/** Of sources: traces `info`, a word. */
void loop_traces(void *word);
/** Of timers: traces `info`, a word. */
void loop_timer_traces(GYRunLoopTimerRef timer, void *word);
/** Of sources: traces `info`, a word, unless that is NULL, and stops the calling thread's loop. */
void loop_stops(void *word);
/** Of timers: the same. */
void loop_timer_stops(GYRunLoopTimerRef timer, void *word);
/** Of sources: adds 1 to the atomic_int that `info` points to. */
void loop_counts(void *count);
/** Of timers: the same. */
void loop_timer_counts(GYRunLoopTimerRef timer, void *count);

/* Names. */

/** The name of a mode, which is released; valid until the next call. "(null)" for NULL. */
const char *loop_mode_text(GYRunLoopMode mode);
/** The calling thread's current mode, as text. */
const char *loop_current_mode_text(void);
/** The modes that exist in a loop, sorted, joined by spaces; valid until the next call. */
const char *loop_all_modes_text(GYRunLoopRef rl);

/** A thread that runs its loop in one mode until loop_worker_end. */
typedef struct {
    GYRunLoopRef rl; /* retained: it may be used after the end */
    GYRunLoopMode mode;
    pthread_t thread;
    test_event ready, left;
    atomic_bool ends;
} loop_worker;

/** Returns once the worker has gone to sleep in its mode for the first time. */
void loop_worker_start(loop_worker *worker, GYRunLoopMode mode);
/** Ends the thread; the loop is dead from then on and still retained. */
void loop_worker_end(loop_worker *worker);
/** loop_worker_end, and gives up the loop. */
void loop_worker_drop(loop_worker *worker);

#endif
