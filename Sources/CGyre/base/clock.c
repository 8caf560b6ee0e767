#include "base/clock.h"

#include <stdatomic.h>
#include <time.h>

/* 1970 to 2001. */
#define EPOCH_SECONDS INT64_C(978307200)
/* Date minus monotonic time, in ns. INT64_MIN until first asked for. */
static _Atomic int64_t shared_offset_ns = INT64_MIN;

static int64_t read_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * GY_NS_PER_SECOND + t.tv_nsec;
}

int64_t gy_clock_now_ns(void) { return read_ns(CLOCK_MONOTONIC); }

/* The offset as measured now. The two clocks cannot be read at once; a thread switched out between
 * the readings would see a step that never was, so the closest of a few pairs counts. */
static int64_t measure_offset_ns(void) {
    int64_t best = 0, best_gap = INT64_MAX;
    for (int i = 0; i < 4; i++) {
        int64_t before = read_ns(CLOCK_MONOTONIC);
        int64_t wall = read_ns(CLOCK_REALTIME);
        int64_t gap = read_ns(CLOCK_MONOTONIC) - before;
        if (gap < best_gap) {
            best_gap = gap;
            best = wall - EPOCH_SECONDS * GY_NS_PER_SECOND - (before + gap / 2);
        }
        if (best_gap < 2000) break;
    }
    return best;
}

/* A difference below a step is two readings apart; above it the clock was set. */
static bool is_step(int64_t known, int64_t measured) {
    if (known == INT64_MIN) return true;
    return measured - known >= GY_CLOCK_STEP_NS || known - measured >= GY_CLOCK_STEP_NS;
}

/* Relaxed throughout: the offset is one word, and whoever converts with a value up to a step old
 * is as right as whoever read the clocks a moment earlier. */
int64_t gy_clock_wall_offset_ns(void) {
    int64_t known = atomic_load_explicit(&shared_offset_ns, memory_order_relaxed);
    int64_t wall = read_ns(CLOCK_REALTIME) - EPOCH_SECONDS * GY_NS_PER_SECOND;
    int64_t quick = wall - read_ns(CLOCK_MONOTONIC);
    if (!is_step(known, quick)) return known;
    int64_t measured = measure_offset_ns();
    if (!is_step(known, measured)) return known;
    if (atomic_compare_exchange_strong_explicit(&shared_offset_ns, &known, measured,
                                                memory_order_relaxed, memory_order_relaxed)) {
        return measured;
    }
    return known; /* another thread measured at the same time: one value for all */
}

/* The monotonic clock is read last: the difference is never above the true one. */
static int64_t boot_ahead_ns(void) {
    int64_t boot_ns = read_ns(CLOCK_BOOTTIME);
    return boot_ns - read_ns(CLOCK_MONOTONIC);
}

static int64_t measure_boot_offset_ns(void) {
    int64_t best = boot_ahead_ns();
    for (int i = 0; i < 3; i++) {
        int64_t ahead = boot_ahead_ns();
        if (ahead > best) best = ahead;
    }
    return best;
}

/* Relaxed, as above. */
int64_t gy_clock_boot_offset_ns(void) {
    static _Atomic int64_t shared = INT64_MIN;
    int64_t known = atomic_load_explicit(&shared, memory_order_relaxed);
    if (!is_step(known, boot_ahead_ns())) return known;
    int64_t measured = measure_boot_offset_ns();
    if (!is_step(known, measured)) return known;
    if (atomic_compare_exchange_strong_explicit(&shared, &known, measured, memory_order_relaxed,
                                                memory_order_relaxed)) {
        return measured;
    }
    return known;
}

/* Whole seconds and the rest apart: a double of the whole count of nanoseconds would lose digits
 * that a double of seconds keeps. Each step rounds to nearest, so a later moment is never an
 * earlier date. */
static GYAbsoluteTime seconds_of_ns(int64_t ns) {
    return (double)(ns / GY_NS_PER_SECOND) + (double)(ns % GY_NS_PER_SECOND) / 1e9;
}

/* Rounded up, so that what the result stands for is not before `seconds`. */
static int64_t ns_of_seconds(double seconds) {
    if (seconds >= 9.2e9) return INT64_MAX;
    if (seconds <= -9.2e9) return -INT64_MAX;
    int64_t whole = (int64_t)seconds;
    double rest_ns = (seconds - (double)whole) * 1e9;
    int64_t rest = (int64_t)rest_ns;
    if ((double)rest < rest_ns) rest++;
    return whole * GY_NS_PER_SECOND + rest;
}

GYAbsoluteTime gy_clock_date(int64_t monotonic_ns) {
    return seconds_of_ns(gy_ns_add(monotonic_ns, gy_clock_wall_offset_ns()));
}

int64_t gy_clock_deadline_ns(GYAbsoluteTime date) {
    return gy_ns_add(ns_of_seconds(date), -gy_clock_wall_offset_ns());
}

int64_t gy_seconds_to_ns(GYTimeInterval seconds) { return ns_of_seconds(seconds); }

GYTimeInterval gy_ns_to_seconds(int64_t ns) { return seconds_of_ns(ns); }
