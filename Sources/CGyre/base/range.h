/* Whether a range lies within so many things. Owns and relies on nothing. Threads: any. */
#ifndef GYRE_BASE_RANGE_H
#define GYRE_BASE_RANGE_H

#include <gyre/GYBase.h>

static inline bool gy_range_is_within(GYRange range, size_t count) {
    return range.location >= 0 && range.length >= 0 && (size_t)range.location <= count &&
           (size_t)range.length <= count - (size_t)range.location;
}

#endif
