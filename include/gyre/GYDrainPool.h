/** GYDrainPool.h - drain pools: calls put off to the end of a stretch of work, on the thread that
 * puts them off. A running loop has a pool of its own and drains it once in each iteration. */
#ifndef GYRE_GYDRAINPOOL_H
#define GYRE_GYDRAINPOOL_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopObserver.h>
#include <gyre/GYRunLoopPerform.h>

GY_BEGIN_DECLS

/** The drain points of a run: what drain hooks are called at. No observer is; the activities of
 * observers end below them. */
enum {
    kGYDrainBeforeWaiting = 1UL << 28, /**< of an iteration that may sleep, after step 7 */
    kGYDrainBeforePolling = 1UL << 29, /**< of one that polls, in the place of step 7 */
    kGYDrainExit = 1UL << 30,          /**< of a run, after its Exit observers */
    kGYDrainEveryIteration = kGYDrainBeforeWaiting | kGYDrainBeforePolling,
    kGYDrainAllPoints = kGYDrainEveryIteration | kGYDrainExit,
};

/** A pool that was pushed; 0 is none. No token is ever used for a second pool. */
typedef uint64_t GYDrainPoolToken;

/** Pushes a pool on the calling thread's stack: what is deferred from now on goes into it.
 *
 * A loop pushes one for each run, before the first Entry observer, and pops it after the last Exit
 * observer (R201); in between it drains it at the drain points of the mode. Pools that a program
 * pushes nest in that one. A pool that a callback leaves unpopped ends with the drain of the one
 * around it; one that is left at the end of its thread is drained then. The main thread's are not
 * drained at exit(), which runs no destructors of thread-specific data.
 *
 * - Result: the token to pop it by.
 * - Threads: the pool is the calling thread's. A loop's thread pushes on the stack that it runs on.
 * - Callout: where a run was left by a jump or an exception, what its pool still held.
 * - Errors: no memory: 0, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYDrainPoolToken GYDrainPoolPush(void);

/** Drains a pool and all that were pushed after it, and ends them.
 *
 * Draining calls what was deferred, newest first. What is deferred meanwhile goes into the pool
 * that drains, which ends when it is empty.
 *
 * - Threads: the one that pushed it.
 * - Callout: what was deferred, with no lock held. It may do anything; if it leaves by a jump, it
 *   counts as called, and the pool is still there with the rest.
 * - Errors: a pool that is not on the calling thread's stack, be it popped already, another
 *   thread's or 0, or that was pushed before the innermost run in progress began (R202): reported,
 *   nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYDrainPoolPop(GYDrainPoolToken pool);

/** Puts off a call until the innermost pool of the calling thread drains.
 *
 * - Parameter function: called once, on this thread, with `info`.
 * - Result: whether the pool took the call.
 * - Ownership: `info` is the function's to release; no copy is made.
 * - Threads: the pool is the calling thread's.
 * - Callout: later, `function`.
 * - Errors: no pool (R205) or no function: false, errno EINVAL, reported. No memory: false, errno
 *   ENOMEM. In both cases it is not called.
 * - Since: 0.1.
 */
GY_EXPORT bool GYDefer(GYPerformFunction GY_NULLABLE function, void *GY_NULLABLE info);

/** Gives up a reference when the innermost pool of the calling thread drains: a result that its
 * receiver need not release.
 *
 * - Result: `object`.
 * - Ownership: consumes one reference of the caller's, later; until then the object is borrowed.
 * - Threads: the pool is the calling thread's.
 * - Callout: later, as GYRelease.
 * - Errors: NULL or no object of the library: NULL, reported. No pool (R205): reported, `object`
 *   is returned and leaks. No memory: NULL, errno ENOMEM, and the reference stays the caller's.
 * - Since: 0.1.
 * - CF: CFAutorelease; a CF without pools aborts.
 */
GY_EXPORT GYTypeRef GY_NULLABLE GYAutorelease(GYTypeRef GY_NULLABLE object);

GY_END_DECLS

#endif
