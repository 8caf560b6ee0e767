/* UTF-8, read and written strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
 *
 * Owns and relies on nothing. Threads: any. */
#ifndef GYRE_BASE_UTF8_H
#define GYRE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GY_UTF8_REPLACEMENT 0xFFFDu

static inline bool gy_is_surrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

/* The length of the character that begins `bytes`; 0 where none does. `count` is above 0. */
size_t gy_utf8_read(const uint8_t *bytes, size_t count, uint32_t *character);
/* The length written, up to 4; 0 for what is no character. */
size_t gy_utf8_write(uint32_t character, uint8_t *out);

/* Reads on, giving U+FFFD for each byte that begins no character. *next is below end. */
uint32_t gy_utf8_next(const uint8_t **next, const uint8_t *end);

/* How many UTF-16 units the bytes read as. */
size_t gy_utf8_unit_count(const uint8_t *bytes, size_t count);

/* Below, at or above 0, in the order of the UTF-16 units: characters above U+FFFF, which begin with
 * a surrogate there, come before U+E000. */
int gy_utf8_compare(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count,
                    bool fold_ascii);

/* The greatest length up to `count` that does not cut a character. */
size_t gy_utf8_whole(const uint8_t *bytes, size_t count);

#endif
