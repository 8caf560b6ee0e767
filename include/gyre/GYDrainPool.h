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

/** Makes a drain hook: an observer of drain points.
 *
 * It is one in everything but when it is called: at the drain points of the modes that it is added
 * to, once the run's pool is drained. What it defers goes into the new pool (R204). It is added by
 * GYRunLoopAddObserver, to any modes of one loop, and ended by GYRunLoopObserverInvalidate; its
 * activities are its points.
 *
 * - Parameter points: a mask of kGYDrain… points.
 * - Parameter order: lower is called first; equal ones in the order of adding.
 * - Parameter callout: called with the point that has been reached.
 * - Parameter release: called once with `info`, unless that is NULL, when the hook is invalidated,
 *   or destroyed without having been; may be NULL.
 * - Ownership: the caller releases the result. `info` is the hook's from now until `release`.
 * - Threads: any.
 * - Errors: no callout, no point or an unknown one: NULL, reported. No memory: NULL, errno ENOMEM.
 *   In both cases nothing was taken.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopObserverRef GY_NULLABLE GYDrainHookCreate(
    GYOptionFlags points, GYIndex order, GYRunLoopObserverCallBack GY_NULLABLE callout,
    void *GY_NULLABLE info, void (*GY_NULLABLE release)(const void *GY_NULLABLE info));

/** GYDrainHookCreate and GYRunLoopAddObserver in one, for a hook that the modes alone keep.
 *
 * - Parameter mode: a mode, or the common modes' name.
 * - Result: the hook, to be removed, added to further modes or invalidated.
 * - Ownership: the modes that it is in own the result; it is borrowed until the hook leaves them or
 *   is invalidated. To use it beyond that, retain it on the loop's thread, or use
 *   GYDrainHookCreate.
 * - Threads: any.
 * - Errors: as GYDrainHookCreate; no loop or no mode: NULL, reported. An ended loop: NULL, errno
 *   ESRCH. In all cases nothing was taken, and `release` is not called.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopObserverRef GY_NULLABLE GYRunLoopAddDrainHook(
    GYRunLoopRef GY_NULLABLE rl, GYRunLoopMode GY_NULLABLE mode, GYOptionFlags points,
    GYIndex order, GYRunLoopObserverCallBack GY_NULLABLE callout, void *GY_NULLABLE info,
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info));

/** Which drain points a mode has, for pool and hooks alike. Exit is one with each of them. */
typedef int32_t GYDrainPolicy;
enum {
    kGYDrainPolicyEveryIteration = 0, /**< one in each iteration, waiting or not (R203) */
    kGYDrainPolicyBeforeWaiting = 1,  /**< one in each iteration that may sleep */
    kGYDrainPolicyOnExit = 2,         /**< none in iterations */
};

/** Sets the policy of a mode, which is made if there is none; runs in progress follow it from their
 * next drain point on.
 *
 * - Result: whether it is set.
 * - Threads: any.
 * - Errors: no loop, no mode, the common modes' name, an unknown policy: false, errno EINVAL,
 *   reported. An ended loop: false, errno ESRCH. No memory: false, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopSetDrainPolicy(GYRunLoopRef GY_NULLABLE rl, GYRunLoopMode GY_NULLABLE mode,
                                       GYDrainPolicy policy);

/** The policy of a mode, kGYDrainPolicyEveryIteration unless it was set.
 *
 * - Threads: any.
 * - Errors: no loop, no mode, the common modes' name: kGYDrainPolicyEveryIteration, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYDrainPolicy GYRunLoopGetDrainPolicy(GYRunLoopRef GY_NULLABLE rl,
                                                GYRunLoopMode GY_NULLABLE mode);

GY_END_DECLS

#endif
