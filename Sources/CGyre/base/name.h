/* Strings as the core needs them, and interned names.
 *
 * Owns: the layout of strings, the table of interned names. A name is interned once per spelling;
 * the table does not own it, so it goes with its last user. Threads: any; the table has its own
 * lock, rank table. */
#ifndef GYRE_BASE_NAME_H
#define GYRE_BASE_NAME_H

#include "base/object.h"

/* A string that is not a literal (GY_OBJECT_LITERAL): UTF-8, length, a terminator after it. */
struct GYString {
    gy_object head;
    uint32_t byte_count;
    uint32_t hash; /* valid unless constant */
    struct GYString *next_in_table; /* valid while interned and not constant; the table's lock */
    const char *bytes;
};

extern const gy_type gy_string_type;

/* For any live string, literals included. NUL-terminated. */
const char *gy_string_bytes(GYStringRef string);
size_t gy_string_byte_count(GYStringRef string);
uint32_t gy_string_hash(GYStringRef string);
bool gy_string_equal(GYStringRef a, GYStringRef b);

/* A string with a copy of the bytes; NULL with errno where memory is out. */
GYStringRef gy_string_create(const char *bytes, size_t byte_count);

/* The interned string with these characters, retained; NULL with errno where memory is out. */
GYStringRef gy_name_intern(GYStringRef string);
GYStringRef gy_name_intern_bytes(const char *bytes, size_t byte_count);

/* For the fork handlers: the table's lock is held across a fork. */
void gy_name_table_lock_for_fork(void);
void gy_name_table_unlock_after_fork(void);

#endif
