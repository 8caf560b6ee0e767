/* What every object begins with, and the table of types.
 *
 * Owns: the header layout, reference counting, the type table. Relies on: nothing but libc.
 * Threads: any. A header is eight bytes read as bytes, so that a constant string can live in a
 * string literal, which has no alignment (see GYSTR in gyre/GYString.h). */
#ifndef GYRE_BASE_OBJECT_H
#define GYRE_BASE_OBJECT_H

#include <gyre/GYBase.h>
#include <stdatomic.h>

/* The numbers are ABI: GYSTR literals carry GY_KIND_STRING. */
enum gy_kind {
    GY_KIND_NONE = 0,
    GY_KIND_STRING = 1,
    GY_KIND_ARRAY = 2,
    GY_KIND_DATA = 3,
    GY_KIND_DATE = 4,
    GY_KIND_RUN_LOOP = 5,
    GY_KIND_SOURCE = 6,
    GY_KIND_TIMER = 7,
    GY_KIND_OBSERVER = 8,
    GY_KIND_PERFORM = 9,
    GY_KIND_FILE_DESCRIPTOR = 10,
    GY_KIND_PORT = 11,
    GY_KIND_SOCKET = 12,
    GY_KIND_MESSAGE_PORT = 13,
    GY_KIND_EMBEDDING = 14,
    GY_KIND_MANUAL_CLOCK = 15,
    GY_KIND_PORT_MESSAGE = 16,
    GY_KIND_COUNT = 24,
};

enum gy_object_flags {
    GY_OBJECT_CONSTANT = 1, /* never counted, never destroyed */
    GY_OBJECT_LITERAL = 2,  /* a string whose characters follow the header; implies CONSTANT */
    GY_OBJECT_INTERNED = 4, /* a string that is the only one with its characters */
};

typedef struct gy_object {
    uint8_t kind;
    uint8_t flags;
    uint8_t magic[2]; /* 'G', 'Y' while the object lives */
    _Atomic uint32_t references;
} gy_object;

/* The behaviour of a kind. A missing member means identity, or nothing to do. */
typedef struct gy_type {
    enum gy_kind kind;
    const char *name;
    void (*finalize)(void *object); /* the last reference is gone; it calls gy_object_free */
    bool (*equal)(const void *a, const void *b);
    GYHashCode (*hash)(const void *object);
    GYStringRef (*copy_description)(const void *object);
} gy_type;

/* Zeroed memory with a header and one reference; NULL with errno where memory is out. */
void *gy_object_create(const gy_type *type, size_t size);

/* Of finalisers: gives back the memory. A client's callback is called after it, for a callback may
 * never return. */
void gy_object_free(void *object);

/* True for a live object of the library, whatever its kind; false for NULL. */
bool gy_object_is_live(const void *object);
enum gy_kind gy_object_kind(const void *object);
bool gy_object_is(const void *object, enum gy_kind kind);
unsigned gy_object_flags_of(const void *object);

/* These take any live object, and NULL, which they ignore. */
void *gy_retain(const void *object);
void gy_release(const void *object);
/* Retains unless the last reference has gone: for tables that do not own what they list. */
bool gy_retain_if_live(const void *object);
uint32_t gy_object_references(const void *object);

/* NULL where no object of the kind has been made yet. */
const gy_type *gy_type_of(enum gy_kind kind);

#endif
