/** GYRunLoopObserver.h - observers: callbacks at the fixed points of an iteration (R31). */
#ifndef GYRE_GYRUNLOOPOBSERVER_H
#define GYRE_GYRUNLOOPOBSERVER_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

/** The points at which observers are called; values combine in a mask. */
typedef GYOptionFlags GYRunLoopActivity;
enum {
    kGYRunLoopEntry = 1UL << 0,         /**< once, when a run begins */
    kGYRunLoopBeforeTimers = 1UL << 1,  /**< step 1 of an iteration */
    kGYRunLoopBeforeSources = 1UL << 2, /**< step 2 */
    kGYRunLoopBeforeWaiting = 1UL << 5, /**< step 7, only where the iteration may sleep */
    kGYRunLoopAfterWaiting = 1UL << 6,  /**< step 9, likewise */
    kGYRunLoopExit = 1UL << 7,          /**< once, when a run ends */
    kGYRunLoopAllActivities = 0x0FFFFFFFUL,
};

typedef void (*GYRunLoopObserverCallBack)(GYRunLoopObserverRef GY_NULLABLE observer,
                                          GYRunLoopActivity activity, void *GY_NULLABLE info);

/** What an observer's callback gets, and how it is counted. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYRunLoopObserverContext;

/** The type of observers.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYRunLoopObserverGetTypeID(void);

/** Makes an observer.
 *
 * - Parameter activities: a mask of the activities to be called at; other bits have no effect.
 * - Parameter repeats: false: called once, then invalidated (R133).
 * - Parameter order: lower is called first; equal ones in the order of adding (R132).
 * - Parameter callout: may be NULL.
 * - Parameter context: copied; may be NULL.
 * - Ownership: the caller releases the result. `info` is retained by the context's retain callback
 *   and released when the observer is invalidated, or destroyed without having been (R161).
 * - Threads: any.
 * - Callout: retain.
 * - Errors: no memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverCreate, same contract.
 */
GY_EXPORT GYRunLoopObserverRef GY_NULLABLE GYRunLoopObserverCreate(
    GYAllocatorRef GY_NULLABLE allocator, GYOptionFlags activities, GYBoolean repeats,
    GYIndex order, GYRunLoopObserverCallBack GY_NULLABLE callout,
    GYRunLoopObserverContext *GY_NULLABLE context);

#ifdef __BLOCKS__
/** GYRunLoopObserverCreate with a block in place of function and context. The block is copied, and
 * released when the observer is invalidated.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: a NULL block: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverCreateWithHandler, same contract.
 */
GY_EXPORT GYRunLoopObserverRef GY_NULLABLE GYRunLoopObserverCreateWithHandler(
    GYAllocatorRef GY_NULLABLE allocator, GYOptionFlags activities, GYBoolean repeats,
    GYIndex order,
    void (^GY_NULLABLE block)(GYRunLoopObserverRef GY_NULLABLE observer,
                              GYRunLoopActivity activity));
#endif

/** The activities that an observer was made with; of a drain hook, its points.
 *
 * - Threads: any.
 * - Errors: not an observer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverGetActivities, same contract.
 */
GY_EXPORT GYOptionFlags GYRunLoopObserverGetActivities(GYRunLoopObserverRef GY_NULLABLE observer);

/** Whether an observer is called more than once.
 *
 * - Threads: any.
 * - Errors: not an observer: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverDoesRepeat, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopObserverDoesRepeat(GYRunLoopObserverRef GY_NULLABLE observer);

/** The order that an observer was made with.
 *
 * - Threads: any.
 * - Errors: not an observer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverGetOrder, same contract.
 */
GY_EXPORT GYIndex GYRunLoopObserverGetOrder(GYRunLoopObserverRef GY_NULLABLE observer);

/** Ends an observer for good: it leaves all modes and its context is released (R137).
 *
 * - Ownership: the modes' references are given up, the caller's stays.
 * - Threads: any; allowed in its own callout.
 * - Callout: the context's release, before this returns; where the callout is in progress on another
 *   thread, there, after it.
 * - Errors: not an observer: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverInvalidate, same contract.
 */
GY_EXPORT void GYRunLoopObserverInvalidate(GYRunLoopObserverRef GY_NULLABLE observer);

/** GYRunLoopObserverInvalidate that also waits until a callout in progress has returned (R171).
 *
 * - Threads: any; on the loop's own thread it does not wait.
 * - Callout: as GYRunLoopObserverInvalidate. A release that is left to another thread is waited for.
 * - Blocking: while the observer's callout runs on another thread.
 * - Errors: as GYRunLoopObserverInvalidate.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopObserverInvalidateAndWait(GYRunLoopObserverRef GY_NULLABLE observer);

/** Whether an observer has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not an observer: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverIsValid, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopObserverIsValid(GYRunLoopObserverRef GY_NULLABLE observer);

/** Fills the caller's context, whose `version` must be 0; `info` is NULL after invalidation (R162).
 *
 * - Ownership: what the context points to is borrowed.
 * - Threads: any.
 * - Errors: not an observer, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFRunLoopObserverGetContext, same contract.
 */
GY_EXPORT void GYRunLoopObserverGetContext(GYRunLoopObserverRef GY_NULLABLE observer,
                                           GYRunLoopObserverContext *GY_NULLABLE context);

GY_END_DECLS

#endif
