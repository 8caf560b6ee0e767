/* The clocks: monotonic nanoseconds, and the one mapping between them and dates.
 *
 * Owns: the offset between wall clock and monotonic clock. Threads: any.
 *
 * Dates and deadlines are converted with one shared offset, not with two fresh clock readings:
 * equal dates give equal deadlines, and a clock reading at or after a deadline gives a date at or
 * after the one asked for, to the last bit. The offset follows the wall clock when that is set. */
#ifndef GYRE_BASE_CLOCK_H
#define GYRE_BASE_CLOCK_H

#include <gyre/GYBase.h>

#define GY_NS_PER_SECOND INT64_C(1000000000)
/* No deadline at all. */
#define GY_NEVER INT64_MAX

int64_t gy_clock_now_ns(void);

/* How far other clocks are ahead of the monotonic one, in ns: the wall clock, which counts from
 * 2001, and the clock that goes on while the machine is suspended. They change when the wall clock
 * is set, or the machine was suspended, by more than a reading can be wrong; else not at all. */
int64_t gy_clock_wall_offset_ns(void);
/* Never more than it is: what waits for a moment by it is not early. */
int64_t gy_clock_boot_offset_ns(void);
/* A change of an offset below this is none. */
#define GY_CLOCK_STEP_NS INT64_C(100000)

/* The date of a moment of the monotonic clock. */
GYAbsoluteTime gy_clock_date(int64_t monotonic_ns);
/* The first nanosecond of the monotonic clock at which `date` is reached. Dates are clamped to what
 * int64_t can hold; NaN is the caller's to refuse. */
int64_t gy_clock_deadline_ns(GYAbsoluteTime date);

/* Rounds up, so that a positive length never becomes 0; clamps to ±INT64_MAX. */
int64_t gy_seconds_to_ns(GYTimeInterval seconds);
GYTimeInterval gy_ns_to_seconds(int64_t ns);

/* Saturating at GY_NEVER and INT64_MIN. */
static inline int64_t gy_ns_add(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? GY_NEVER : INT64_MIN;
}

#endif
