/** GYClock.h - clocks that stand still until they are moved, for loops whose time is the program's:
 * a day of timers runs in no time, the same way each time.
 *
 *     GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
 *     GYRunLoopSetClock(GYRunLoopGetCurrent(), clock);
 *     GYRunLoopRunInMode(mode, 86400, false);
 *
 * A loop that goes by such a clock reads all of its times from it: those of timers, time-outs of
 * runs, delays of performed calls. On its thread GYMonotonicNow and GYAbsoluteTimeGetCurrent tell
 * that clock's time too. It runs through the same code as any other loop. */
#ifndef GYRE_GYCLOCK_H
#define GYRE_GYCLOCK_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

/** The type of manual clocks.
 *
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT GYTypeID GYManualClockGetTypeID(void);

/** Makes a clock that shows 0 and stands still (R312).
 *
 * - Units: `date` in seconds since 2001-01-01 00:00:00 UTC.
 * - Parameter date: the date that it shows at 0; it goes on from there as the clock is moved.
 * - Parameter advancesItself: whether the loop that goes by it moves it to the next deadline, of a
 *   timer or of its run, where it would sleep and nothing is ready (R313). One loop at a time may
 *   go by such a clock, any number by another.
 * - Ownership: the caller releases the result; a loop that goes by it keeps it.
 * - Threads: any.
 * - Errors: NaN: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYManualClockRef GY_NULLABLE GYManualClockCreate(GYAllocatorRef GY_NULLABLE allocator,
                                                           GYAbsoluteTime date,
                                                           GYBoolean advancesItself);

/** What a clock shows.
 *
 * - Units: nanoseconds, from 0 when it was made.
 * - Threads: any; takes no lock.
 * - Errors: not a manual clock: 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYManualClockGetNow(GYManualClockRef GY_NULLABLE clock);

/** The date that a clock shows.
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC.
 * - Threads: any; takes no lock.
 * - Errors: not a manual clock: 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYAbsoluteTime GYManualClockGetDate(GYManualClockRef GY_NULLABLE clock);

/** Whether the loop that goes by a clock moves it (R313).
 *
 * - Threads: any.
 * - Errors: not a manual clock: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYManualClockAdvancesItself(GYManualClockRef GY_NULLABLE clock);

/** Moves a clock forward. What has come due in the loops that go by it fires in their next pass, and
 * those that sleep make it (R312). A repeating timer fires once, however far the clock was moved
 * (R104, R122). Of several moves at once each counts.
 *
 * - Units: nanoseconds; the clock ends before INT64_MAX.
 * - Threads: any, also in callouts.
 * - Blocking: never, and nothing has fired when it returns.
 * - Errors: not a manual clock, or less than 0: reported, nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYManualClockAdvance(GYManualClockRef GY_NULLABLE clock, int64_t by_ns);

/** GYManualClockAdvance up to a moment; one that has passed changes nothing.
 *
 * - Units: nanoseconds of the clock.
 * - Threads: any, also in callouts.
 * - Errors: not a manual clock: reported.
 * - Since: 0.1.
 */
GY_EXPORT void GYManualClockAdvanceTo(GYManualClockRef GY_NULLABLE clock, int64_t to_ns);

/** GYManualClockAdvance up to a date of the clock; one that has passed changes nothing.
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC.
 * - Threads: any, also in callouts.
 * - Errors: not a manual clock, or NaN: reported, nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYManualClockAdvanceToDate(GYManualClockRef GY_NULLABLE clock, GYAbsoluteTime date);

/** Says which clock a loop goes by. Its timers keep their distance from now (R310).
 *
 * - Parameter clock: NULL for the monotonic clock, which every loop goes by at first.
 * - Result: whether it goes by that clock now.
 * - Ownership: the loop keeps the clock until it goes by another, or is destroyed.
 * - Threads: the loop's own, while it is not running.
 * - Errors: not a loop, not a manual clock: false, reported. On another thread: false, errno EPERM,
 *   reported. In a run or a timer's callout: false, errno EBUSY, reported. Another loop goes by that
 *   clock, which advances itself: the same. The loop has ended: false, errno ESRCH.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYRunLoopSetClock(GYRunLoopRef GY_NULLABLE rl,
                                      GYManualClockRef GY_NULLABLE clock);

/** The clock that a loop goes by.
 *
 * - Result: NULL for the monotonic clock.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not a loop: NULL, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYManualClockRef GY_NULLABLE GYRunLoopCopyClock(GYRunLoopRef GY_NULLABLE rl);

GY_END_DECLS

#endif
