/** GYRunLoopPerform.h - work handed to a loop from any thread: now, in certain modes, after a
 * delay, waited for, taken back. */
#ifndef GYRE_GYRUNLOOPPERFORM_H
#define GYRE_GYRUNLOOPPERFORM_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

/** A piece of work. */
typedef void (*GYPerformFunction)(void *GY_NULLABLE info);

/** What a cancellation found (R171). */
typedef int32_t GYRunLoopPerformState;
enum {
    kGYRunLoopPerformPending = 0,   /**< not begun */
    kGYRunLoopPerformRunning = 1,   /**< its function is being called */
    kGYRunLoopPerformDone = 2,      /**< its function has returned */
    kGYRunLoopPerformCancelled = 3, /**< taken back before it began */
    kGYRunLoopPerformLoopEnded = 4, /**< the loop's thread ended first; it will not run */
};

/** Enqueues a call for a loop. Calls run first in, first out, each once, when a run of one of
 * their modes next runs blocks (R60 to R68). It wakes no loop (R62): from another thread follow it
 * with GYRunLoopWakeUp.
 *
 * - Parameter mode: a string, or an array of strings; copied. The common modes' name stands for
 *   whatever is common when the time comes (R61).
 * - Parameter function: called once on the loop's thread with `info`.
 * - Parameter release: called once with `info` when it is no longer needed, whether the call was
 *   made or the loop ended first; may be NULL.
 * - Result: whether the loop took the call. When false, nothing was taken and `release` is not
 * called.
 * - Ownership: `info` is the loop's from now until `release`.
 * - Threads: any; order is kept per calling thread. No loop's lock is waited for, and none of the
 *   library's where the names of the modes are interned handles.
 * - Callout: later, `function`, then `release`, with no lock held.
 * - Errors: no function, another kind of `mode`: false, reported. An ended loop: false, errno
 * ESRCH.
 *   No memory: false, errno ENOMEM.
 * - Since: 0.1.
 * - CF: the function form of CFRunLoopPerformBlock.
 */
GY_EXPORT bool GYRunLoopPerform(GYRunLoopRef GY_NULLABLE rl, GYTypeRef GY_NULLABLE mode,
                                GYPerformFunction GY_NULLABLE function, void *GY_NULLABLE info,
                                GYPerformFunction GY_NULLABLE release);

#ifdef __BLOCKS__
/** Enqueues a block for a loop, as GYRunLoopPerform does a function. The block is copied, and
 * released right after it ran (R68).
 *
 * - Ownership: borrows `block` and `mode`.
 * - Threads: any.
 * - Callout: later, the block.
 * - Errors: a NULL block or another kind of `mode` is ignored (R66).
 * - Since: 0.1.
 * - CF: CFRunLoopPerformBlock, same contract.
 */
GY_EXPORT void GYRunLoopPerformBlock(GYRunLoopRef GY_NULLABLE rl, GYTypeRef GY_NULLABLE mode,
                                     void (^GY_NULLABLE block)(void));
#endif

/** Enqueues a call that can be taken back, now or after a delay, and wakes the loop for it.
 *
 * - Units: `delay_ns` in nanoseconds. With a delay above zero the call is made by a timer in those
 *   modes; at zero or less it takes its place among the calls of GYRunLoopPerform.
 * - Parameter mode: a string, or an array of strings; copied.
 * - Parameter release: called once with `info` when it is no longer needed; may be NULL.
 * - Ownership: the caller releases the result, which may be done at once: the call is still made.
 * - Threads: any.
 * - Callout: later, `function`, then `release`.
 * - Errors: as GYRunLoopPerform, with NULL in place of false.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopPerformRef GY_NULLABLE GYRunLoopPerformCreate(
    GYRunLoopRef GY_NULLABLE rl, GYTypeRef GY_NULLABLE mode, int64_t delay_ns,
    GYPerformFunction GY_NULLABLE function, void *GY_NULLABLE info,
    GYPerformFunction GY_NULLABLE release);

/** The type of performs.
 *
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT GYTypeID GYRunLoopPerformGetTypeID(void);

/** Takes a call back if it has not begun, and tells what became of it.
 *
 * - Result: Cancelled when it was taken back, now or earlier; otherwise Running, Done or LoopEnded.
 * - Threads: any. After Cancelled the function is not called.
 * - Callout: `release`, when the call was taken back: before this returns, or, where the timer of a
 *   delayed call was about to make it on another thread, there.
 * - Errors: not a perform: LoopEnded, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopPerformState GYRunLoopPerformCancel(GYRunLoopPerformRef GY_NULLABLE perform);

/** GYRunLoopPerformCancel that also waits while the function is running (R171).
 *
 * - Result: Cancelled, Done or LoopEnded; on the thread that is running it, Running.
 * - Threads: any.
 * - Callout: as GYRunLoopPerformCancel.
 * - Blocking: while the function runs on another thread.
 * - Errors: as GYRunLoopPerformCancel.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopPerformState GYRunLoopPerformCancelAndWait(GYRunLoopPerformRef
                                                              GY_NULLABLE perform);

/** What has become of a call so far.
 *
 * - Threads: any; the answer may be old when it arrives.
 * - Errors: not a perform: LoopEnded, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopPerformState GYRunLoopPerformGetState(GYRunLoopPerformRef GY_NULLABLE perform);

/** Has a function called on a loop's thread and waits until it has returned. On that thread itself
 * the call is made at once (R187). It wakes the loop. A loop that does not run leaves the caller
 * waiting until it does, or ends: for ever, where it is that of a main thread that has never asked
 * for it (GYRunLoopGetMain).
 *
 * - Parameter mode: a string, or an array of strings; copied.
 * - Result: whether the function was called; false when the loop ended first.
 * - Threads: any. Two loops that wait for one another wait for ever, as with any lock.
 * - Callout: `function`.
 * - Blocking: until the function has returned or the loop's thread ends. Not a cancellation point.
 * - Errors: as GYRunLoopPerform.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopPerformAndWait(GYRunLoopRef GY_NULLABLE rl, GYTypeRef GY_NULLABLE mode,
                                       GYPerformFunction GY_NULLABLE function,
                                       void *GY_NULLABLE info);

GY_END_DECLS

#endif
