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
