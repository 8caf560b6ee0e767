/* The public face of base/array.c: checks arguments, changes nothing by itself. */
#include <gyre/GYArray.h>

#include "base/array.h"
#include "base/check.h"
#include "base/range.h"

#include <errno.h>

#define RULE "GYArray.h"
/* Beyond this a hint is not worth believing. */
#define CAPACITY_HINT_MAX 1024

static bool is_array(GYArrayRef array, const char *call) {
    if (gy_object_is(array, GY_KIND_ARRAY)) return true;
    gy_report(call, "not an array", RULE);
    return false;
}

static bool is_mutable(GYArrayRef array, const char *call) {
    if (!is_array(array, call)) return false;
    if (array->is_mutable) return true;
    gy_report(call, "not a mutable array", RULE);
    return false;
}

static bool is_below(GYIndex index, size_t limit, const char *call) {
    if (index >= 0 && (size_t)index < limit) return true;
    gy_report(call, "no such index", RULE);
    return false;
}

static bool is_within(GYRange range, size_t count, const char *call) {
    if (gy_range_is_within(range, count)) return true;
    gy_report(call, "a range outside of the array", RULE);
    return false;
}

GYTypeID GYArrayGetTypeID(void) { return GY_KIND_ARRAY; }

static GYArrayRef create(const void **values, size_t count, const GYArrayCallBacks *callbacks) {
    struct GYArray *array = gy_array_create(callbacks, false, count);
    for (size_t i = 0; array != NULL && i < count; i++) {
        if (gy_array_insert(array, i, values[i])) continue;
        gy_release(array);
        errno = ENOMEM;
        return NULL;
    }
    return array;
}

GYArrayRef GYArrayCreate(GYAllocatorRef allocator, const void **values, GYIndex numValues,
                         const GYArrayCallBacks *callBacks) {
    (void)allocator;
    if (numValues == 0 || (values != NULL && numValues > 0)) {
        return create(values, (size_t)numValues, callBacks);
    }
    gy_report("GYArrayCreate", "no values, or a negative number of them", RULE);
    return NULL;
}

GYMutableArrayRef GYArrayCreateMutable(GYAllocatorRef allocator, GYIndex capacity,
                                       const GYArrayCallBacks *callBacks) {
    (void)allocator;
    if (capacity < 0) {
        gy_report("GYArrayCreateMutable", "a negative capacity", RULE);
        return NULL;
    }
    size_t hint = capacity < CAPACITY_HINT_MAX ? (size_t)capacity : CAPACITY_HINT_MAX;
    return gy_array_create(callBacks, true, hint);
}

GYArrayRef GYArrayCreateCopy(GYAllocatorRef allocator, GYArrayRef array) {
    (void)allocator;
    if (!is_array(array, "GYArrayCreateCopy")) return NULL;
    if (!array->is_mutable) return gy_retain(array);
    return create(array->values, array->count, &array->callbacks);
}

GYIndex GYArrayGetCount(GYArrayRef array) {
    return is_array(array, "GYArrayGetCount") ? (GYIndex)array->count : 0;
}

const void *GYArrayGetValueAtIndex(GYArrayRef array, GYIndex index) {
    if (!is_array(array, "GYArrayGetValueAtIndex")) return NULL;
    if (!is_below(index, array->count, "GYArrayGetValueAtIndex")) return NULL;
    return array->values[index];
}

static GYIndex find(GYArrayRef array, GYRange range, const void *value, const char *call) {
    if (!is_array(array, call) || !is_within(range, array->count, call)) return kGYNotFound;
    size_t first = (size_t)range.location, end = first + (size_t)range.length;
    size_t index = gy_array_find(array, first, end, value);
    return index == end ? kGYNotFound : (GYIndex)index;
}

GYBoolean GYArrayContainsValue(GYArrayRef array, GYRange range, const void *value) {
    return find(array, range, value, "GYArrayContainsValue") != kGYNotFound;
}

GYIndex GYArrayGetFirstIndexOfValue(GYArrayRef array, GYRange range, const void *value) {
    return find(array, range, value, "GYArrayGetFirstIndexOfValue");
}

static void insert(GYMutableArrayRef array, size_t index, const void *value) {
    if (gy_array_insert(array, index, value)) errno = 0;
}

void GYArrayAppendValue(GYMutableArrayRef array, const void *value) {
    if (is_mutable(array, "GYArrayAppendValue")) insert(array, array->count, value);
}

void GYArrayInsertValueAtIndex(GYMutableArrayRef array, GYIndex index, const void *value) {
    if (!is_mutable(array, "GYArrayInsertValueAtIndex")) return;
    if (!is_below(index, array->count + 1, "GYArrayInsertValueAtIndex")) return;
    insert(array, (size_t)index, value);
}

void GYArraySetValueAtIndex(GYMutableArrayRef array, GYIndex index, const void *value) {
    if (!is_mutable(array, "GYArraySetValueAtIndex")) return;
    if (!is_below(index, array->count + 1, "GYArraySetValueAtIndex")) return;
    if ((size_t)index == array->count) {
        insert(array, (size_t)index, value);
        return;
    }
    gy_array_replace(array, (size_t)index, value);
    errno = 0;
}

void GYArrayRemoveValueAtIndex(GYMutableArrayRef array, GYIndex index) {
    if (!is_mutable(array, "GYArrayRemoveValueAtIndex")) return;
    if (!is_below(index, array->count, "GYArrayRemoveValueAtIndex")) return;
    gy_array_remove(array, (size_t)index);
}

void GYArrayRemoveAllValues(GYMutableArrayRef array) {
    if (is_mutable(array, "GYArrayRemoveAllValues")) gy_array_remove_all(array);
}
