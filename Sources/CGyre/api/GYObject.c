/* What all objects share, by their types. Takes no lock; any thread. */
#include <gyre/GYObject.h>

#include "base/check.h"
#include "base/name.h"
#include "base/value.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

static bool is_live(GYTypeRef object, const char *call) {
    if (gy_object_is_live(object)) return true;
    gy_report(call, "not a live object", "R160");
    return false;
}

GYTypeRef GYRetain(GYTypeRef object) {
    return is_live(object, "GYRetain") ? gy_retain(object) : NULL;
}

void GYRelease(GYTypeRef object) {
    if (is_live(object, "GYRelease")) gy_release(object);
}

GYIndex GYGetRetainCount(GYTypeRef object) {
    if (!is_live(object, "GYGetRetainCount")) return 0;
    if (gy_object_flags_of(object) & GY_OBJECT_CONSTANT) return LONG_MAX;
    return (GYIndex)gy_object_references(object);
}

GYTypeID GYGetTypeID(GYTypeRef object) {
    return is_live(object, "GYGetTypeID") ? (GYTypeID)gy_object_kind(object) : 0;
}

GYBoolean GYEqual(GYTypeRef a, GYTypeRef b) {
    if (a == NULL || b == NULL) return a == b;
    return is_live(a, "GYEqual") && is_live(b, "GYEqual") && gy_value_equal(a, b);
}

GYHashCode GYHash(GYTypeRef object) {
    return is_live(object, "GYHash") ? gy_value_hash(object) : 0;
}

GYStringRef GYCopyDescription(GYTypeRef object) {
    return is_live(object, "GYCopyDescription") ? gy_value_copy_description(object) : NULL;
}

static void show_line(const char *bytes, size_t count) {
    flockfile(stderr); /* the line and its end in one piece */
    fwrite(bytes, 1, count, stderr);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void GYShow(GYTypeRef object) {
    int saved = errno;
    GYStringRef text = NULL;
    if (object != NULL) text = is_live(object, "GYShow") ? gy_value_copy_description(object) : NULL;
    if (text == NULL) {
        show_line("(null)", 6);
    } else {
        show_line(gy_string_bytes(text), gy_string_byte_count(text));
        gy_release(text);
    }
    errno = saved;
}
