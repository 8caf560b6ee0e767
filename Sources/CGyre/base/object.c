#define _GNU_SOURCE /* explicit_bzero */
#include "base/object.h"

#include "base/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Filled by the first object of each kind: a lower layer does not name the types above it. */
static const gy_type *_Atomic types[GY_KIND_COUNT];

static const uint8_t *bytes_of(const void *object) { return object; }

void *gy_object_create(const gy_type *type, size_t size) {
    gy_object *object = calloc(1, size);
    if (object == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    /* Release: pairs with the acquire in gy_type_of; what the type points to is constant anyway. */
    atomic_store_explicit(&types[type->kind], type, memory_order_release);
    object->kind = (uint8_t)type->kind;
    object->magic[0] = 'G';
    object->magic[1] = 'Y';
    atomic_init(&object->references, 1);
    return object;
}

bool gy_object_is_live(const void *object) {
    if (object == NULL) return false;
    const uint8_t *b = bytes_of(object);
    return b[2] == 'G' && b[3] == 'Y' && b[0] > GY_KIND_NONE && b[0] < GY_KIND_COUNT;
}

enum gy_kind gy_object_kind(const void *object) { return (enum gy_kind)bytes_of(object)[0]; }

bool gy_object_is(const void *object, enum gy_kind kind) {
    return gy_object_is_live(object) && gy_object_kind(object) == kind;
}

unsigned gy_object_flags_of(const void *object) { return bytes_of(object)[1]; }

static bool is_counted(const void *object) {
    return object != NULL && (gy_object_flags_of(object) & GY_OBJECT_CONSTANT) == 0;
}

void *gy_retain(const void *object) {
    /* Relaxed: the caller has a reference already, which orders the object's memory for it. */
    if (is_counted(object)) {
        gy_object *o = (gy_object *)(uintptr_t)object;
        atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
    }
    return (void *)(uintptr_t)object;
}

bool gy_retain_if_live(const void *object) {
    if (!is_counted(object)) return object != NULL;
    gy_object *o = (gy_object *)(uintptr_t)object;
    uint32_t count = atomic_load_explicit(&o->references, memory_order_relaxed);
    while (count > 0) {
        /* Relaxed: the table that lists the object is locked, which orders its memory. */
        if (atomic_compare_exchange_weak_explicit(&o->references, &count, count + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void gy_release(const void *object) {
    if (!is_counted(object)) return;
    gy_object *o = (gy_object *)(uintptr_t)object;
    /* Release on every drop, acquire on the last: all uses of the object happen before its end. */
    if (atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) != 1) return;
    const gy_type *type = gy_type_of((enum gy_kind)o->kind);
    if (type->finalize == NULL) {
        gy_object_free(o);
    } else {
        type->finalize(o);
    }
}

void gy_object_free(void *object) {
    /* A stale reference is told apart by its missing magic; a plain store before free() is
     * dropped. */
    explicit_bzero(object, sizeof(gy_object));
    free(object);
}

uint32_t gy_object_references(const void *object) {
    if (!is_counted(object)) return UINT32_MAX;
    const gy_object *o = object;
    return atomic_load_explicit(&o->references, memory_order_relaxed);
}

const gy_type *gy_type_of(enum gy_kind kind) {
    /* Acquire: pairs with the release in gy_object_create. */
    return atomic_load_explicit(&types[kind], memory_order_acquire);
}
