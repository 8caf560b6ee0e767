/* Arrays of values, counted and compared by callbacks.
 *
 * Owns: the layout of arrays, kGYTypeArrayCallBacks. Relies on: objects, descriptions. Threads: one
 * at a time, any number while nobody changes the array. Callbacks are foreign code: no lock of the
 * library may be held, but for arrays of objects whose last reference is not the array's.
 *
 * While a callback runs the array is whole: values are retained before they are put in and released
 * after they were taken out. */
#ifndef GYRE_BASE_ARRAY_H
#define GYRE_BASE_ARRAY_H

#include "base/object.h"

#include <gyre/GYArray.h>

struct GYArray {
    gy_object head;
    bool is_mutable; /* by the public calls; the core fills arrays that callers must not change */
    GYArrayCallBacks callbacks;
    size_t count;
    size_t capacity;
    const void **values; /* NULL while the capacity is 0 */
};

extern const gy_type gy_array_type;

/* An empty array; `callbacks` may be NULL. NULL with errno where memory is out. */
struct GYArray *gy_array_create(const GYArrayCallBacks *callbacks, bool is_mutable,
                                size_t capacity);
/* False with errno where memory is out; nothing has changed then. `index` is up to the count. */
bool gy_array_insert(struct GYArray *array, size_t index, const void *value);
/* `index` is below the count. */
void gy_array_replace(struct GYArray *array, size_t index, const void *value);
void gy_array_remove(struct GYArray *array, size_t index);
void gy_array_remove_all(struct GYArray *array);
/* The first index of a value from `first` on, below `end`; `end` where there is none. */
size_t gy_array_find(const struct GYArray *array, size_t first, size_t end, const void *value);

/* For the core: an array of objects, immutable to callers, filled by gy_array_append, which retains
 * the object; false with errno where memory is out. */
struct GYArray *gy_array_create_empty(void);
bool gy_array_append(struct GYArray *array, const void *object);

#endif
