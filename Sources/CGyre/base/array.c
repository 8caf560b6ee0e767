#include "base/array.h"

#include "base/check.h"
#include "base/text.h"
#include "base/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const void *retain_object(GYAllocatorRef allocator, const void *value) {
    (void)allocator;
    if (gy_object_is_live(value)) return gy_retain(value);
    gy_report("kGYTypeArrayCallBacks", "a value is not a live object", "GYArray.h");
    return NULL;
}

static void release_object(GYAllocatorRef allocator, const void *value) {
    (void)allocator;
    gy_release(value);
}

static GYStringRef copy_object_description(const void *value) {
    return gy_object_is_live(value) ? gy_value_copy_description(value) : NULL;
}

static GYBoolean equal_objects(const void *a, const void *b) {
    if (a == b) return true;
    return gy_object_is_live(a) && gy_object_is_live(b) && gy_value_equal(a, b);
}

const GYArrayCallBacks kGYTypeArrayCallBacks = {
    .version = 0,
    .retain = retain_object,
    .release = release_object,
    .copyDescription = copy_object_description,
    .equal = equal_objects,
};

static const void *retain_value(const struct GYArray *array, const void *value) {
    if (array->callbacks.retain == NULL) return value;
    return array->callbacks.retain(kGYAllocatorDefault, value);
}

static void release_value(const struct GYArray *array, const void *value) {
    if (array->callbacks.release != NULL) array->callbacks.release(kGYAllocatorDefault, value);
}

static bool values_equal(const struct GYArray *array, const void *a, const void *b) {
    return a == b || (array->callbacks.equal != NULL && array->callbacks.equal(a, b));
}

static bool reserve(struct GYArray *array, size_t count) {
    if (count <= array->capacity) return true;
    size_t capacity = array->capacity < 4 ? 4 : array->capacity;
    while (capacity < count && capacity <= SIZE_MAX / 2 / sizeof *array->values) capacity *= 2;
    const void **grown = NULL;
    if (capacity >= count) grown = realloc(array->values, capacity * sizeof *grown);
    if (grown == NULL) {
        errno = ENOMEM;
        return false;
    }
    array->values = grown;
    array->capacity = capacity;
    return true;
}

struct GYArray *gy_array_create(const GYArrayCallBacks *callbacks, bool is_mutable,
                                size_t capacity) {
    struct GYArray *array = gy_object_create(&gy_array_type, sizeof *array);
    if (array == NULL) return NULL;
    if (callbacks != NULL) array->callbacks = *callbacks;
    array->is_mutable = is_mutable;
    if (capacity > 0 && !reserve(array, capacity)) {
        gy_release(array);
        errno = ENOMEM;
        return NULL;
    }
    return array;
}

bool gy_array_insert(struct GYArray *array, size_t index, const void *value) {
    const void *retained = retain_value(array, value);
    if (index > array->count) index = array->count; /* the callback took values out */
    if (!reserve(array, array->count + 1)) {
        release_value(array, retained);
        errno = ENOMEM;
        return false;
    }
    const void **place = array->values + index;
    memmove(place + 1, place, (array->count - index) * sizeof *place);
    *place = retained;
    array->count++;
    return true;
}

void gy_array_replace(struct GYArray *array, size_t index, const void *value) {
    const void *old = retain_value(array, value);
    if (index < array->count) { /* it may not be, if the callback took values out */
        const void *retained = old;
        old = array->values[index];
        array->values[index] = retained;
    }
    release_value(array, old);
}

void gy_array_remove(struct GYArray *array, size_t index) {
    const void **place = array->values + index;
    const void *value = *place;
    array->count--;
    memmove(place, place + 1, (array->count - index) * sizeof *place);
    release_value(array, value);
}

void gy_array_remove_all(struct GYArray *array) {
    const void **values = array->values;
    size_t count = array->count;
    array->values = NULL;
    array->count = array->capacity = 0;
    for (size_t i = 0; i < count; i++) release_value(array, values[i]);
    free(values);
}

size_t gy_array_find(const struct GYArray *array, size_t first, size_t end, const void *value) {
    for (size_t i = first; i < end && i < array->count; i++) {
        if (values_equal(array, array->values[i], value)) return i;
    }
    return end;
}

struct GYArray *gy_array_create_empty(void) {
    return gy_array_create(&kGYTypeArrayCallBacks, false, 0);
}

bool gy_array_append(struct GYArray *array, const void *object) {
    return gy_array_insert(array, array->count, object);
}

static void finalize(void *object) {
    gy_array_remove_all(object);
    gy_object_free(object);
}

static bool equal(const void *a, const void *b) {
    const struct GYArray *x = a, *y = b;
    if (x->count != y->count) return false;
    bool same_rule = x->callbacks.equal == y->callbacks.equal;
    for (size_t i = 0; i < x->count && i < y->count; i++) {
        if (x->values[i] == y->values[i]) continue;
        if (!same_rule || !values_equal(x, x->values[i], y->values[i])) return false;
    }
    return true;
}

/* Equal arrays have equal counts, and the callbacks know no hash. */
static GYHashCode hash(const void *object) { return ((const struct GYArray *)object)->count; }

static void describe_value(gy_text *text, const struct GYArray *array, const void *value) {
    GYStringRef shown = NULL;
    errno = 0;
    if (array->callbacks.copyDescription != NULL) shown = array->callbacks.copyDescription(value);
    if (gy_object_is(shown, GY_KIND_STRING)) {
        gy_text_append_string(text, shown);
        gy_release(shown);
    } else if (errno == ENOMEM) {
        text->failed = true;
    } else {
        gy_text_printf(text, "<0x%lx>", (unsigned long)(uintptr_t)value);
    }
}

static GYStringRef copy_description(const void *object) {
    const struct GYArray *array = object;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYArray 0x%lx>{count = %zu, values = (",
                   (unsigned long)(uintptr_t)object, array->count);
    for (size_t i = 0; i < array->count; i++) {
        if (i > 0) gy_text_append(&text, ", ", 2);
        describe_value(&text, array, array->values[i]);
    }
    gy_text_append(&text, ")}", 2);
    return gy_text_finish(&text);
}

const gy_type gy_array_type = {
    .kind = GY_KIND_ARRAY,
    .name = "GYArray",
    .finalize = finalize,
    .equal = equal,
    .hash = hash,
    .copy_description = copy_description,
};
