/** GYTime.h - the wall clock, the monotonic clock, and dates as objects.
 *
 * Dates are wall-clock times; the library waits by the monotonic clock and turns a date into a
 * moment of that when it is given (R120). On the thread of a loop that goes by a manual clock both
 * are that clock's (GYClock.h). */
#ifndef GYRE_GYTIME_H
#define GYRE_GYTIME_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

/** Seconds from 1970-01-01 to 2001-01-01, both 00:00:00 UTC: what to add to a GYAbsoluteTime to
 * get Unix time. */
GY_EXPORT const GYTimeInterval kGYAbsoluteTimeIntervalSince1970;
/** Seconds from 1904-01-01 to 2001-01-01, both 00:00:00 UTC. */
GY_EXPORT const GYTimeInterval kGYAbsoluteTimeIntervalSince1904;

/** The date of this moment.
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC, as GYAbsoluteTime.
 * - Threads: any; where the calling thread's loop goes by a manual clock, the date of that (R311).
 * - Since: 0.1.
 * - CF: CFAbsoluteTimeGetCurrent, same contract.
 */
GY_EXPORT GYAbsoluteTime GYAbsoluteTimeGetCurrent(void);

/** This moment by the clock that deadlines are given in: it never steps, and stands still while
 * the machine is suspended.
 *
 * - Units: nanoseconds of CLOCK_MONOTONIC.
 * - Threads: any; where the calling thread's loop goes by a manual clock, what that shows (R311).
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYMonotonicNow(void);

/** The type of dates.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFDateGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYDateGetTypeID(void);

/** Makes a date object.
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC, as GYAbsoluteTime.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: NaN: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFDateCreate; CF takes NaN.
 */
GY_EXPORT GYDateRef GY_NULLABLE GYDateCreate(GYAllocatorRef GY_NULLABLE allocator,
                                             GYAbsoluteTime at);

/** The time of a date.
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC, as GYAbsoluteTime.
 * - Threads: any.
 * - Errors: not a date: 0, reported.
 * - Since: 0.1.
 * - CF: CFDateGetAbsoluteTime, same contract.
 */
GY_EXPORT GYAbsoluteTime GYDateGetAbsoluteTime(GYDateRef GY_NULLABLE date);

/** The time from another date to a date; negative where the other one is later.
 *
 * - Units: seconds.
 * - Threads: any.
 * - Errors: not a date: 0, reported.
 * - Since: 0.1.
 * - CF: CFDateGetTimeIntervalSinceDate, same contract.
 */
GY_EXPORT GYTimeInterval GYDateGetTimeIntervalSinceDate(GYDateRef GY_NULLABLE date,
                                                        GYDateRef GY_NULLABLE other);

/** Whether a date is earlier than another (less), the same, or later (greater).
 *
 * - Parameter context: not used; the shape is that of a comparator.
 * - Threads: any.
 * - Errors: not a date: equal, reported.
 * - Since: 0.1.
 * - CF: CFDateCompare, same contract.
 */
GY_EXPORT GYComparisonResult GYDateCompare(GYDateRef GY_NULLABLE date, GYDateRef GY_NULLABLE other,
                                           void *GY_NULLABLE context);

GY_END_DECLS

#endif
