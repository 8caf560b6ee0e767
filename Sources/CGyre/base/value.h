/* Equality, hash and description of any object, by its type.
 *
 * Owns nothing. Relies on: the type table; the type of strings, whose constants may be there before
 * any string was made. Threads: any. The functions of some types call out (contexts): no lock of
 * the library may be held. */
#ifndef GYRE_BASE_VALUE_H
#define GYRE_BASE_VALUE_H

#include "base/object.h"

/* NULL where no object of the kind has been made, so that the object cannot be one. */
const gy_type *gy_value_type(const void *object);

/* Take live objects. */
bool gy_value_equal(const void *a, const void *b);
GYHashCode gy_value_hash(const void *object);
/* `<Type 0x…>` for a type that has no description; NULL with errno where memory is out. */
GYStringRef gy_value_copy_description(const void *object);

#endif
