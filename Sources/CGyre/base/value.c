#include "base/value.h"

#include "base/name.h"
#include "base/text.h"

const gy_type *gy_value_type(const void *object) {
    enum gy_kind kind = gy_object_kind(object);
    return kind == GY_KIND_STRING ? &gy_string_type : gy_type_of(kind);
}

bool gy_value_equal(const void *a, const void *b) {
    if (a == b) return true;
    if (gy_object_kind(a) != gy_object_kind(b)) return false;
    const gy_type *type = gy_value_type(a);
    return type != NULL && type->equal != NULL && type->equal(a, b);
}

GYHashCode gy_value_hash(const void *object) {
    const gy_type *type = gy_value_type(object);
    if (type != NULL && type->hash != NULL) return type->hash(object);
    return (GYHashCode)((uintptr_t)object >> 4); /* the low bits are the same for all of malloc's */
}

GYStringRef gy_value_copy_description(const void *object) {
    const gy_type *type = gy_value_type(object);
    if (type != NULL && type->copy_description != NULL) return type->copy_description(object);
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<%s 0x%lx>", type == NULL ? "object" : type->name,
                   (unsigned long)(uintptr_t)object);
    return gy_text_finish(&text);
}
