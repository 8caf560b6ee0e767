/* The encodings of strings: how characters are read from bytes and written as bytes.
 *
 * Owns: the table of encodings. Relies on: utf8.h, text.h. Threads: any. */
#ifndef GYRE_BASE_ENCODING_H
#define GYRE_BASE_ENCODING_H

#include "base/text.h"

/* The longest a character gets, whatever the encoding. */
#define GY_ENCODING_MAX_BYTES 4

typedef struct gy_encoding {
    uint32_t id;               /* GYStringEncoding */
    uint8_t unit_size;         /* bytes; 1 where a NUL byte can end a text */
    uint8_t max_bytes_per_unit; /* what one UTF-16 unit takes at most */
    /* The length of the character that begins the bytes (at least one); 0 where none does. */
    size_t (*read)(const uint8_t *bytes, size_t count, uint32_t *character);
    /* The length written; 0 for a character, or half of a pair, that the encoding does not have. */
    size_t (*write)(uint32_t character, uint8_t *out);
} gy_encoding;

/* NULL where it is not known. */
const gy_encoding *gy_encoding_find(uint32_t id);

/* Steps over the byte order mark that text begins with and gives the encoding of what follows. */
const gy_encoding *gy_encoding_resolve(const gy_encoding *encoding, bool external,
                                       const uint8_t **bytes, size_t *count);
/* Whether text in the encoding that goes out begins with a byte order mark. */
bool gy_encoding_wants_mark(const gy_encoding *encoding);

/* Appends bytes to a text; false where they are not of the encoding. */
bool gy_encoding_decode(const gy_encoding *encoding, const uint8_t *bytes, size_t count,
                        gy_text *text);

/* Where encoded bytes go. */
typedef struct gy_encoding_sink {
    const gy_encoding *encoding;
    uint8_t loss; /* stands for each unit that the encoding does not have; 0: stop */
    uint8_t *out; /* NULL: count only */
    size_t capacity; /* of `out` */
    size_t used;
} gy_encoding_sink;

/* Writes one character; false, and nothing is written, where it has no form or no room. */
bool gy_encoding_put(gy_encoding_sink *sink, uint32_t character);

/* Writes the characters of UTF-8 bytes from one UTF-16 unit on, up to a number of units, as far as
 * the sink takes them. Gives the number of units written. */
size_t gy_encoding_encode(gy_encoding_sink *sink, const char *bytes, size_t count,
                          size_t first_unit, size_t unit_count);

#endif
