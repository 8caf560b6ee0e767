/** GYRunLoopSource.h - sources: what a program signals (version 0) and what a descriptor tells
 * (versions 1 and 2). */
#ifndef GYRE_GYRUNLOOPSOURCE_H
#define GYRE_GYRUNLOOPSOURCE_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

/** A version 0 source: performed after GYRunLoopSourceSignal. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
    GYBoolean (*GY_NULLABLE equal)(const void *GY_NULLABLE info1, const void *GY_NULLABLE info2);
    GYHashCode (*GY_NULLABLE hash)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE schedule)(void *GY_NULLABLE info, GYRunLoopRef GY_NULLABLE rl,
                                 GYRunLoopMode GY_NULLABLE mode);
    void (*GY_NULLABLE cancel)(void *GY_NULLABLE info, GYRunLoopRef GY_NULLABLE rl,
                               GYRunLoopMode GY_NULLABLE mode);
    void (*GY_NULLABLE perform)(void *GY_NULLABLE info);
} GYRunLoopSourceContext;

/** A version 1 source: performed when its descriptor has input. The loop reads nothing from it. */
typedef struct {
    GYIndex version; /**< 1 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
    GYBoolean (*GY_NULLABLE equal)(const void *GY_NULLABLE info1, const void *GY_NULLABLE info2);
    GYHashCode (*GY_NULLABLE hash)(const void *GY_NULLABLE info);
    /** The descriptor; asked when the source enters or leaves a mode, always the same answer (R96).
     * Negative: the source counts for emptiness and never fires (R90). */
    int (*GY_NULLABLE getPort)(void *GY_NULLABLE info);
    void (*GY_NULLABLE perform)(void *GY_NULLABLE info);
} GYRunLoopSourceContext1;

/** A version 2 source: version 1 with the events wanted and a callback that is told which came. */
typedef struct {
    GYIndex version; /**< 2 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
    GYBoolean (*GY_NULLABLE equal)(const void *GY_NULLABLE info1, const void *GY_NULLABLE info2);
    GYHashCode (*GY_NULLABLE hash)(const void *GY_NULLABLE info);
    int (*GY_NULLABLE getPort)(void *GY_NULLABLE info);
    void (*GY_NULLABLE perform)(void *GY_NULLABLE info); /**< called where performEvents is NULL */
    uint32_t events; /**< of EPOLLIN, EPOLLOUT, EPOLLPRI, EPOLLRDHUP; hang-ups and errors always
                          come; GYRunLoopSourceSetEvents changes them */
    void (*GY_NULLABLE performEvents)(void *GY_NULLABLE info, uint32_t events);
} GYRunLoopSourceContext2;

/** What the callback of a source that Gyre makes from something else is given - a signal, a child, a
 * path - and how long that is kept. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYCallBackContext;

/** The type of sources.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYRunLoopSourceGetTypeID(void);

/** Makes a source from a context, which is copied.
 *
 * - Parameter order: among version 0 sources, lower is performed first (R71).
 * - Parameter context: of version 0, 1 or 2; the latter two by a cast.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the source is destroyed (R83), by whoever gives up the last reference:
 *   a loop, perhaps, on its own thread.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: no context or an unknown version: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceCreate; CF crashes for a NULL context.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYRunLoopSourceCreate(
    GYAllocatorRef GY_NULLABLE allocator, GYIndex order,
    GYRunLoopSourceContext *GY_NULLABLE context);

/** The order that a source was made with.
 *
 * - Threads: any.
 * - Errors: not a source: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceGetOrder, same contract.
 */
GY_EXPORT GYIndex GYRunLoopSourceGetOrder(GYRunLoopSourceRef GY_NULLABLE source);

/** Ends a source for good: it leaves every mode of every loop (R80).
 *
 * - Ownership: the modes' references are given up, the caller's stays.
 * - Threads: any. A callout in progress on a loop's thread goes on.
 * - Callout: cancel, for each mode it leaves.
 * - Errors: not a source: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceInvalidate, same contract.
 */
GY_EXPORT void GYRunLoopSourceInvalidate(GYRunLoopSourceRef GY_NULLABLE source);

/** GYRunLoopSourceInvalidate that also waits until a callout in progress has returned (R171).
 *
 * - Threads: any; on the thread whose callout it is, it does not wait.
 * - Callout: cancel.
 * - Blocking: while the source's perform callback runs on another thread.
 * - Errors: as GYRunLoopSourceInvalidate.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopSourceInvalidateAndWait(GYRunLoopSourceRef GY_NULLABLE source);

/** Whether a source has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not a source: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceIsValid, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopSourceIsValid(GYRunLoopSourceRef GY_NULLABLE source);

/** Fills the caller's context, whose `version` must be that of the source (R162).
 *
 * - Ownership: what the context points to is borrowed.
 * - Threads: any.
 * - Errors: not a source, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceGetContext, same contract.
 */
GY_EXPORT void GYRunLoopSourceGetContext(GYRunLoopSourceRef GY_NULLABLE source,
                                         GYRunLoopSourceContext *GY_NULLABLE context);

/** Changes the events that a source of version 2 waits for, in every mode that holds it.
 *
 * It takes effect at once: what has come and is not waited for any more is not performed, and a
 * loop that sleeps learns of what is. Where the system waits for that already no system call is
 * made, and none to wait for less. What was not waited for before is told anew, the end of the file
 * and a hang-up too (R220).
 *
 * - Parameter events: of EPOLLIN, EPOLLOUT, EPOLLPRI, EPOLLRDHUP; others are left out.
 * - Result: whether the system waits for them wherever the source is now. GYRunLoopSourceGetContext
 *   tells the events as they were set last.
 * - Threads: any.
 * - Blocking: never.
 * - Errors: not a source, or another version: false, reported. The system refuses (a descriptor that
 *   was closed, no memory): false with errno; the events are set, and the next call tries again.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYRunLoopSourceSetEvents(GYRunLoopSourceRef GY_NULLABLE source,
                                             uint32_t events);

/** Marks a source to be performed by the next pass of a run that holds it. It wakes no loop (R85).
 * Signals coalesce (R73); one given during the perform asks for one more.
 *
 * - Threads: any. Async-signal-safe: takes no lock, allocates nothing, keeps errno.
 * - Blocking: never.
 * - Errors: not a source: reported on standard error. Invalid: ignored.
 * - Since: 0.1.
 * - CF: CFRunLoopSourceSignal, same contract; CF takes a lock.
 */
GY_EXPORT void GYRunLoopSourceSignal(GYRunLoopSourceRef GY_NULLABLE source);

GY_END_DECLS

#endif
