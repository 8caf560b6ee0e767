/** GYRunLoopTimer.h - timers. Waiting is monotonic: setting the clock moves none (R120) but those
 * that are to follow it (R315).
 *
 * Where a loop goes by a manual clock (GYClock.h) the dates and moments here are of the clock of the
 * calling thread's loop (R311), whichever clock is named. */
#ifndef GYRE_GYRUNLOOPTIMER_H
#define GYRE_GYRUNLOOPTIMER_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

typedef void (*GYRunLoopTimerCallBack)(GYRunLoopTimerRef GY_NULLABLE timer, void *GY_NULLABLE info);

/** What a timer's callback gets, and how it is counted. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYRunLoopTimerContext;

/** What becomes of the firings that a repeating timer has missed: its callout took longer than the
 * interval, its loop was busy or in other modes, or the process did not run (R122). */
typedef int32_t GYRunLoopTimerOverrunPolicy;
enum {
    kGYTimerSkip = 0,    /**< dropped; the grid is kept (R104). What a timer is made with. */
    kGYTimerFromEnd = 1, /**< there is no grid: one interval lies between the end of a callout and
                              the next firing */
    kGYTimerCatchUp = 2, /**< made up for, up to a limit; the grid is kept */
};

/** Which clock a timer goes by (R315). */
typedef int32_t GYRunLoopTimerClock;
enum {
    kGYTimerMonotonic = 0, /**< CLOCK_MONOTONIC: stands still while the machine is suspended. What a
                                timer is made with. */
    kGYTimerBoot = 1, /**< CLOCK_BOOTTIME: goes on meanwhile */
    kGYTimerWall = 2, /**< CLOCK_REALTIME: the date, which can be set */
};

/** Tells a timer that goes by the wall clock that this was set (R317).
 *
 * - Units: `change_ns` in nanoseconds: how far the clock went forward; below zero it went back.
 */
typedef void (*GYRunLoopTimerClockWasSet)(GYRunLoopTimerRef GY_NULLABLE timer, int64_t change_ns,
                                          void *GY_NULLABLE info);

/** The type of timers.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYRunLoopTimerGetTypeID(void);

/** Makes a timer. It does nothing until it is added to a mode (R100).
 *
 * - Units: `fireDate` in seconds since 2001-01-01 00:00:00 UTC, `interval` in seconds.
 * - Parameter fireDate: the first firing; one in the past is due at once (R117).
 * - Parameter interval: zero or less makes a one-shot timer (R101); infinity repeats, but never.
 * - Parameter flags: ignored.
 * - Parameter order: kept, and not used (R103).
 * - Parameter callout: may be NULL.
 * - Parameter context: copied; may be NULL.
 * - Ownership: the caller releases the result. `info` is retained by the context's retain callback
 *   and released when the timer is invalidated, or destroyed without having been (R161).
 * - Threads: any.
 * - Callout: retain.
 * - Errors: a NaN date or interval: NULL, reported (R118). No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerCreate; CF aborts for a NaN interval and traps for a tiny one.
 */
GY_EXPORT GYRunLoopTimerRef GY_NULLABLE GYRunLoopTimerCreate(
    GYAllocatorRef GY_NULLABLE allocator, GYAbsoluteTime fireDate, GYTimeInterval interval,
    GYOptionFlags flags, GYIndex order, GYRunLoopTimerCallBack GY_NULLABLE callout,
    GYRunLoopTimerContext *GY_NULLABLE context);

/** GYRunLoopTimerCreate by the monotonic clock.
 *
 * - Units: `fire_at_ns` in nanoseconds of CLOCK_MONOTONIC, `interval_ns` in nanoseconds; an
 * interval
 *   of zero or less makes a one-shot timer.
 * - Ownership: as GYRunLoopTimerCreate.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: no memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopTimerRef GY_NULLABLE GYRunLoopTimerCreateAt(
    int64_t fire_at_ns, int64_t interval_ns, GYIndex order,
    GYRunLoopTimerCallBack GY_NULLABLE callout, GYRunLoopTimerContext *GY_NULLABLE context);

/** GYRunLoopTimerCreateAt with a length of time: nothing is lost between reading a clock and making
 * the timer.
 *
 * - Units: nanoseconds, from now by the clock of the calling thread's loop; less than zero means
 *   now. `interval_ns` as GYRunLoopTimerCreateAt.
 * - Ownership: as GYRunLoopTimerCreate.
 * - Threads: any. Added to a loop that goes by another clock, the timer keeps the distance (R311).
 * - Callout: retain.
 * - Errors: no memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopTimerRef GY_NULLABLE GYRunLoopTimerCreateAfter(
    int64_t delay_ns, int64_t interval_ns, GYIndex order,
    GYRunLoopTimerCallBack GY_NULLABLE callout, GYRunLoopTimerContext *GY_NULLABLE context);

#ifdef __BLOCKS__
/** GYRunLoopTimerCreate with a block in place of function and context. The block is copied, and
 * released when the timer is invalidated.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: as GYRunLoopTimerCreate; a NULL block: NULL, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerCreateWithHandler, same contract.
 */
GY_EXPORT GYRunLoopTimerRef GY_NULLABLE GYRunLoopTimerCreateWithHandler(
    GYAllocatorRef GY_NULLABLE allocator, GYAbsoluteTime fireDate, GYTimeInterval interval,
    GYOptionFlags flags, GYIndex order,
    void (^GY_NULLABLE block)(GYRunLoopTimerRef GY_NULLABLE timer));
#endif

/** The date of a timer's next firing: as given or set, or computed; 0 when invalid (R107).
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC.
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetNextFireDate, same contract.
 */
GY_EXPORT GYAbsoluteTime GYRunLoopTimerGetNextFireDate(GYRunLoopTimerRef GY_NULLABLE timer);

/** The deadline of a timer's next firing; INT64_MAX when invalid.
 *
 * - Units: nanoseconds of CLOCK_MONOTONIC.
 * - Threads: any.
 * - Errors: not a timer: INT64_MAX, reported.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYRunLoopTimerGetNextFireAt(GYRunLoopTimerRef GY_NULLABLE timer);

/** Moves a timer's next firing; a sleeping loop takes notice (R105). Set from inside its own
 * callout, the date replaces the computed one; a one-shot timer is not revived (R106).
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC; a date in the past means now, infinity the last
 *   date that there is (R116).
 * - Threads: any.
 * - Errors: not a timer or NaN: reported, nothing happens. Invalid: ignored. Where the kernel timer
 *   that its loop needs for this cannot be made, the loop waits with a time-out instead.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerSetNextFireDate, same contract.
 */
GY_EXPORT void GYRunLoopTimerSetNextFireDate(GYRunLoopTimerRef GY_NULLABLE timer,
                                             GYAbsoluteTime fireDate);

/** GYRunLoopTimerSetNextFireDate by the monotonic clock.
 *
 * - Units: nanoseconds of CLOCK_MONOTONIC; INT64_MAX puts the timer off until it is set anew.
 * - Threads: any.
 * - Errors: not a timer: reported. Invalid: ignored.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopTimerSetNextFireAt(GYRunLoopTimerRef GY_NULLABLE timer, int64_t fire_at_ns);

/** Calls a timer's callout at once, on the calling thread, due or not, in a mode or not (R191).
 *
 * A repeating timer's schedule is not touched. A one-shot timer is invalidated afterwards. The call
 * is a firing in every other way: nested runs do not fire the timer (R112), a date set inside is the
 * next one (R106), and GYRunLoopTimerInvalidateAndWait waits for its end. In the timer's own callout
 * it is called once more, inside that.
 *
 * - Result: whether it has been called.
 * - Threads: that of the loop which the timer is in; any where it is in none.
 * - Callout: the timer's, and the context's retain and release around it (R121).
 * - Errors: not a timer: false, reported. Invalid: false. In the loop of another thread, or being
 *   called on one: false, reported. The thread's loop has ended: false, errno ESRCH. No memory:
 *   false, errno ENOMEM. Nothing happens in any of these cases.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYRunLoopTimerFire(GYRunLoopTimerRef GY_NULLABLE timer);

/** The interval a timer was made with, to the last bit; 0 for a one-shot timer (R101).
 *
 * - Units: seconds; of one that was given in nanoseconds the nearest double.
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetInterval, same contract.
 */
GY_EXPORT GYTimeInterval GYRunLoopTimerGetInterval(GYRunLoopTimerRef GY_NULLABLE timer);

/** The interval as the loop uses it, 0 for a one-shot timer.
 *
 * - Units: nanoseconds, as given; of an interval that was given in seconds the nearest number of
 *   them, at least 1 (R115).
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYRunLoopTimerGetIntervalNanoseconds(GYRunLoopTimerRef GY_NULLABLE timer);

/** Whether a timer repeats.
 *
 * - Threads: any.
 * - Errors: not a timer: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerDoesRepeat, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopTimerDoesRepeat(GYRunLoopTimerRef GY_NULLABLE timer);

/** The order that a timer was made with.
 *
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetOrder, same contract.
 */
GY_EXPORT GYIndex GYRunLoopTimerGetOrder(GYRunLoopTimerRef GY_NULLABLE timer);

/** Ends a timer for good: it leaves all modes and its context is released (R113, R161).
 *
 * - Ownership: the modes' references are given up, the caller's stays.
 * - Threads: any; allowed in its own callout, which goes on.
 * - Callout: the context's release, before this returns; where the callout is in progress on another
 *   thread and does not hold `info` (R121), there, after it.
 * - Errors: not a timer: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerInvalidate, same contract.
 */
GY_EXPORT void GYRunLoopTimerInvalidate(GYRunLoopTimerRef GY_NULLABLE timer);

/** GYRunLoopTimerInvalidate that also waits until a callout in progress has returned (R171).
 *
 * - Threads: any; on the loop's own thread it does not wait.
 * - Callout: as GYRunLoopTimerInvalidate. A release that is left to another thread is waited for.
 * - Blocking: while the timer's callout runs on another thread.
 * - Errors: as GYRunLoopTimerInvalidate.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopTimerInvalidateAndWait(GYRunLoopTimerRef GY_NULLABLE timer);

/** Whether a timer has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not a timer: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerIsValid, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopTimerIsValid(GYRunLoopTimerRef GY_NULLABLE timer);

/** Fills the caller's context, whose `version` must be 0; `info` is NULL after invalidation (R162).
 *
 * - Ownership: what the context points to is borrowed.
 * - Threads: any.
 * - Errors: not a timer, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetContext, same contract.
 */
GY_EXPORT void GYRunLoopTimerGetContext(GYRunLoopTimerRef GY_NULLABLE timer,
                                        GYRunLoopTimerContext *GY_NULLABLE context);

/** By how much a timer may be late to save a wake-up (R109).
 *
 * - Units: seconds.
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerGetTolerance; on Linux CF reads as 0.
 */
GY_EXPORT GYTimeInterval GYRunLoopTimerGetTolerance(GYRunLoopTimerRef GY_NULLABLE timer);

/** Lets a timer be late by up to `tolerance` if that saves a wake-up; it is never early and never
 * drifts (R109).
 *
 * - Units: seconds; a negative value or NaN counts as 0, and a repeating timer's is limited to half
 * its
 *   interval.
 * - Threads: any.
 * - Errors: not a timer: reported.
 * - Since: 0.1.
 * - CF: CFRunLoopTimerSetTolerance; on Linux CF ignores it.
 */
GY_EXPORT void GYRunLoopTimerSetTolerance(GYRunLoopTimerRef GY_NULLABLE timer,
                                          GYTimeInterval tolerance);

/** GYRunLoopTimerGetTolerance in nanoseconds.
 *
 * - Units: nanoseconds.
 * - Threads: any.
 * - Errors: not a timer: 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYRunLoopTimerGetToleranceNanoseconds(GYRunLoopTimerRef GY_NULLABLE timer);

/** GYRunLoopTimerSetTolerance in nanoseconds.
 *
 * - Units: nanoseconds.
 * - Threads: any.
 * - Errors: not a timer: reported.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopTimerSetToleranceNanoseconds(GYRunLoopTimerRef GY_NULLABLE timer,
                                                     int64_t tolerance_ns);

/** Says what becomes of firings that a repeating timer has missed when its callout returns (R122).
 *
 * - Parameter policy: kGYTimerSkip, kGYTimerFromEnd or kGYTimerCatchUp. It counts from the next time
 *   that a next firing is computed, which is when a callout returns; a date set in the callout takes
 *   its place (R106). A one-shot timer keeps it and has no use for it.
 * - Parameter limit: of kGYTimerCatchUp: how many of the firings that are missed by then are made
 *   up for, the latest ones; those before are dropped. Each has an iteration of its own, in which
 *   whatever else is due or ready has its turn too (R33). Below zero counts as 0, which is
 *   kGYTimerSkip's behaviour. Of the other policies it is ignored.
 * - Result: whether the policy is in force.
 * - Threads: any.
 * - Errors: not a timer, or no such policy: false, reported. No memory: false, errno ENOMEM, and
 *   the policy is the one from before.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYRunLoopTimerSetOverrunPolicy(GYRunLoopTimerRef GY_NULLABLE timer,
                                                   GYRunLoopTimerOverrunPolicy policy,
                                                   GYIndex limit);

/** What becomes of firings that a repeating timer has missed.
 *
 * - Parameter limit: filled with the limit of kGYTimerCatchUp, 0 for another policy; may be NULL.
 * - Threads: any.
 * - Errors: not a timer: kGYTimerSkip and 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopTimerOverrunPolicy GYRunLoopTimerGetOverrunPolicy(GYRunLoopTimerRef
                                                                     GY_NULLABLE timer,
                                                                     GYIndex *GY_NULLABLE limit);

/** Says which clock a timer goes by. The date of its next firing is what it was, and from now on is
 * met by that clock.
 *
 * By boot time a timer that comes due while the machine is suspended fires when it goes on; by the
 * monotonic clock it is late by as long. By the wall clock the timer follows when that is set, in
 * both directions: it fires when the clock shows its date. Neither wakes a machine that is
 * suspended. What timers by the monotonic clock cost does not change.
 *
 * - Parameter wasSet: of kGYTimerWall: called on the loop's thread after the clock was set, in the
 *   next pass in a mode that holds the timer, due or not; the next firing is not touched, but may be
 *   by the call. May be NULL, and is not used for the other clocks.
 * - Result: whether the timer goes by that clock now.
 * - Threads: any; a sleeping loop takes notice.
 * - Callout: later, `wasSet`, as a firing in all other ways: retain and release around it (R121),
 *   nested runs do not fire the timer meanwhile (R112), and GYRunLoopTimerInvalidateAndWait waits
 *   for its end.
 * - Errors: not a timer, or no such clock: false, reported. Invalid: false. No memory: false, errno
 *   ENOMEM. Its loop needs one more descriptor for its first timer by another clock than the
 *   monotonic one; refused: false with errno, and nothing has changed. GYRunLoopAddTimer may fail
 *   for the same reason.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYRunLoopTimerSetClock(GYRunLoopTimerRef GY_NULLABLE timer,
                                           GYRunLoopTimerClock clock,
                                           GYRunLoopTimerClockWasSet GY_NULLABLE wasSet);

/** Which clock a timer goes by.
 *
 * - Threads: any.
 * - Errors: not a timer: kGYTimerMonotonic, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopTimerClock GYRunLoopTimerGetClock(GYRunLoopTimerRef GY_NULLABLE timer);

GY_END_DECLS

#endif
