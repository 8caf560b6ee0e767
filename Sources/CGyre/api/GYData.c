/* Owns the layout of data, which never changes once made: no lock, any thread. */
#include <gyre/GYData.h>

#include "base/check.h"
#include "base/object.h"
#include "base/range.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

#define RULE "GYData.h"
/* A description shows no more bytes than this. */
#define SHOWN_MAX 32

struct GYData {
    gy_object head;
    size_t length;
    _Alignas(max_align_t) uint8_t bytes[];
};

static bool equal(const void *a, const void *b) {
    const struct GYData *x = a, *y = b;
    return x->length == y->length && memcmp(x->bytes, y->bytes, x->length) == 0;
}

/* The first bytes tell most data apart. */
static GYHashCode hash(const void *object) {
    const struct GYData *data = object;
    GYHashCode value = data->length;
    for (size_t i = 0; i < data->length && i < 64; i++) value = value * 31 + data->bytes[i];
    return value;
}

static GYStringRef copy_description(const void *object) {
    const struct GYData *data = object;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYData 0x%lx>{length = %zu, bytes = ", (unsigned long)(uintptr_t)object,
                   data->length);
    for (size_t i = 0; i < data->length && i < SHOWN_MAX; i++) {
        gy_text_printf(&text, "%02x", data->bytes[i]);
    }
    if (data->length > SHOWN_MAX) gy_text_append(&text, "...", 3);
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

static const gy_type data_type = {
    .kind = GY_KIND_DATA,
    .name = "GYData",
    .equal = equal,
    .hash = hash,
    .copy_description = copy_description,
};

static bool is_data(GYDataRef data, const char *call) {
    if (gy_object_is(data, GY_KIND_DATA)) return true;
    gy_report(call, "not data", RULE);
    return false;
}

GYTypeID GYDataGetTypeID(void) { return GY_KIND_DATA; }

GYDataRef GYDataCreate(GYAllocatorRef allocator, const uint8_t *bytes, GYIndex length) {
    (void)allocator;
    if (length < 0 || (bytes == NULL && length > 0)) {
        gy_report("GYDataCreate", "no bytes, or a negative number of them", RULE);
        return NULL;
    }
    GYIndex size; /* signed: no object is larger */
    if (__builtin_add_overflow(length, (GYIndex)sizeof(struct GYData), &size)) {
        errno = ENOMEM;
        return NULL;
    }
    struct GYData *data = gy_object_create(&data_type, (size_t)size);
    if (data == NULL) return NULL;
    data->length = (size_t)length;
    if (length > 0) memcpy(data->bytes, bytes, (size_t)length);
    return data;
}

GYDataRef GYDataCreateCopy(GYAllocatorRef allocator, GYDataRef data) {
    (void)allocator;
    return is_data(data, "GYDataCreateCopy") ? gy_retain(data) : NULL;
}

GYIndex GYDataGetLength(GYDataRef data) {
    return is_data(data, "GYDataGetLength") ? (GYIndex)data->length : 0;
}

const uint8_t *GYDataGetBytePtr(GYDataRef data) {
    return is_data(data, "GYDataGetBytePtr") ? data->bytes : NULL;
}

void GYDataGetBytes(GYDataRef data, GYRange range, uint8_t *buffer) {
    if (!is_data(data, "GYDataGetBytes")) return;
    if (!gy_range_is_within(range, data->length)) {
        gy_report("GYDataGetBytes", "a range outside of the data", RULE);
    } else if (buffer != NULL) {
        memcpy(buffer, data->bytes + range.location, (size_t)range.length);
    } else if (range.length > 0) {
        gy_report("GYDataGetBytes", "no buffer", RULE);
    }
}
