#include "base/name.h"

#include "base/lock.h"

#include <errno.h>
#include <gyre/GYRunLoop.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET_COUNT 256

static gy_lock table_lock = GY_LOCK_INIT(GY_RANK_TABLE);
/* Interned names by hash. A name whose count has reached zero stays listed until it has taken
 * itself out; look-ups pass over it. */
static struct GYString *table[BUCKET_COUNT];

/* FNV-1a, 32 bits. */
static uint32_t hash_bytes(const char *bytes, size_t count) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash;
}

const char *gy_string_bytes(GYStringRef string) {
    if (gy_object_flags_of(string) & GY_OBJECT_LITERAL) {
        return (const char *)string + sizeof(gy_object);
    }
    return string->bytes;
}

size_t gy_string_byte_count(GYStringRef string) {
    if (gy_object_flags_of(string) & GY_OBJECT_LITERAL) return strlen(gy_string_bytes(string));
    return string->byte_count;
}

uint32_t gy_string_hash(GYStringRef string) {
    if (gy_object_flags_of(string) & GY_OBJECT_CONSTANT) { /* nobody had a chance to store it */
        return hash_bytes(gy_string_bytes(string), gy_string_byte_count(string));
    }
    return string->hash;
}

static bool has_bytes(GYStringRef string, const char *bytes, size_t count) {
    return gy_string_byte_count(string) == count &&
           memcmp(gy_string_bytes(string), bytes, count) == 0;
}

bool gy_string_equal(GYStringRef a, GYStringRef b) {
    return a == b || has_bytes(a, gy_string_bytes(b), gy_string_byte_count(b));
}

GYStringRef gy_string_create(const char *bytes, size_t byte_count) {
    if (byte_count >= UINT32_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    struct GYString *s = gy_object_create(&gy_string_type, sizeof *s + byte_count + 1);
    if (s == NULL) return NULL;
    char *copy = (char *)(s + 1);
    memcpy(copy, bytes, byte_count);
    s->bytes = copy;
    s->byte_count = (uint32_t)byte_count;
    s->hash = hash_bytes(bytes, byte_count);
    return s;
}

static void take_out_of_table(struct GYString *s) {
    gy_lock_take(&table_lock);
    struct GYString **link = &table[s->hash % BUCKET_COUNT];
    while (*link != s) link = &(*link)->next_in_table;
    *link = s->next_in_table;
    gy_lock_give(&table_lock);
}

static void finalize(void *object) {
    struct GYString *s = object;
    if ((s->head.flags & GY_OBJECT_INTERNED) != 0) take_out_of_table(s);
    gy_object_free(s);
}

static bool type_equal(const void *a, const void *b) { return gy_string_equal(a, b); }
static GYHashCode type_hash(const void *s) { return gy_string_hash(s); }
static GYStringRef type_copy_description(const void *s) { return gy_retain(s); }

const gy_type gy_string_type = {
    .kind = GY_KIND_STRING,
    .name = "GYString",
    .finalize = finalize,
    .equal = type_equal,
    .hash = type_hash,
    .copy_description = type_copy_description,
};

#define CONSTANT_NAME(text)                                                                        \
    {                                                                                              \
        .head = {GY_KIND_STRING, GY_OBJECT_CONSTANT | GY_OBJECT_INTERNED, {'G', 'Y'}, 1},          \
        .byte_count = sizeof(text) - 1,                                                            \
        .bytes = (text),                                                                           \
    }

static const struct GYString default_mode = CONSTANT_NAME("kCFRunLoopDefaultMode");
static const struct GYString common_modes = CONSTANT_NAME("kCFRunLoopCommonModes");
const GYRunLoopMode kGYRunLoopDefaultMode = &default_mode;
const GYRunLoopMode kGYRunLoopCommonModes = &common_modes;

static GYStringRef find_constant(const char *bytes, size_t count) {
    if (has_bytes(&default_mode, bytes, count)) return &default_mode;
    if (has_bytes(&common_modes, bytes, count)) return &common_modes;
    return NULL;
}

static struct GYString *find_locked(const char *bytes, size_t count, uint32_t hash) {
    for (struct GYString *s = table[hash % BUCKET_COUNT]; s != NULL; s = s->next_in_table) {
        if (s->hash == hash && has_bytes(s, bytes, count) && gy_retain_if_live(s)) return s;
    }
    return NULL;
}

static GYStringRef insert_locked(const char *bytes, size_t count, uint32_t hash) {
    struct GYString *s = (struct GYString *)(uintptr_t)gy_string_create(bytes, count);
    if (s == NULL) return NULL;
    s->head.flags |= GY_OBJECT_INTERNED;
    s->next_in_table = table[hash % BUCKET_COUNT];
    table[hash % BUCKET_COUNT] = s;
    return s;
}

GYStringRef gy_name_intern_bytes(const char *bytes, size_t byte_count) {
    GYStringRef constant = find_constant(bytes, byte_count);
    if (constant != NULL) return constant;
    uint32_t hash = hash_bytes(bytes, byte_count);
    gy_lock_take(&table_lock);
    GYStringRef found = find_locked(bytes, byte_count, hash);
    if (found == NULL) found = insert_locked(bytes, byte_count, hash);
    gy_lock_give(&table_lock);
    return found;
}

GYStringRef gy_name_intern(GYStringRef string) {
    if (gy_object_flags_of(string) & GY_OBJECT_INTERNED) return gy_retain(string);
    return gy_name_intern_bytes(gy_string_bytes(string), gy_string_byte_count(string));
}

void gy_name_table_lock_for_fork(void) { gy_lock_take_unranked(&table_lock); }
void gy_name_table_unlock_after_fork(void) { gy_lock_give_unranked(&table_lock); }
