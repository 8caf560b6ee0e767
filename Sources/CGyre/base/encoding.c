#include "base/encoding.h"

#include "base/mac_roman.h"
#include "base/utf8.h"

#include <gyre/GYString.h>
#include <string.h>

#define BYTE_ORDER_MARK 0xFEFFu

static size_t write_byte(uint32_t character, uint32_t limit, uint8_t *out) {
    if (character >= limit) return 0;
    out[0] = (uint8_t)character;
    return 1;
}

static size_t read_ascii(const uint8_t *bytes, size_t count, uint32_t *character) {
    (void)count;
    *character = bytes[0];
    return bytes[0] < 0x80 ? 1 : 0;
}

static size_t write_ascii(uint32_t character, uint8_t *out) {
    return write_byte(character, 0x80, out);
}

static size_t read_latin1(const uint8_t *bytes, size_t count, uint32_t *character) {
    (void)count;
    *character = bytes[0];
    return 1;
}

static size_t write_latin1(uint32_t character, uint8_t *out) {
    return write_byte(character, 0x100, out);
}

static size_t read_mac_roman(const uint8_t *bytes, size_t count, uint32_t *character) {
    (void)count;
    *character = gy_mac_roman_character(bytes[0]);
    return 1;
}

static size_t write_mac_roman(uint32_t character, uint8_t *out) {
    return gy_mac_roman_byte(character, out) ? 1 : 0;
}

static uint32_t load(const uint8_t *bytes, size_t size, bool big) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++) value = value << 8 | bytes[big ? i : size - 1 - i];
    return value;
}

static size_t store(uint32_t value, size_t size, bool big, uint8_t *out) {
    for (size_t i = 0; i < size; i++) {
        out[big ? size - 1 - i : i] = (uint8_t)value;
        value >>= 8;
    }
    return size;
}

static size_t read_utf16(const uint8_t *bytes, size_t count, bool big, uint32_t *character) {
    if (count < 2) return 0;
    uint32_t first = load(bytes, 2, big);
    *character = first;
    if (!gy_is_surrogate(first)) return 2;
    if (first >= 0xDC00 || count < 4) return 0;
    uint32_t second = load(bytes + 2, 2, big);
    if (second < 0xDC00 || second > 0xDFFF) return 0;
    *character = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    return 4;
}

static size_t write_utf16(uint32_t character, bool big, uint8_t *out) {
    if (character < 0x10000) return store(character, 2, big, out); /* halves of pairs as well */
    character -= 0x10000;
    store(0xD800 + (character >> 10), 2, big, out);
    return 2 + store(0xDC00 + (character & 0x3FF), 2, big, out + 2);
}

static size_t read_utf32(const uint8_t *bytes, size_t count, bool big, uint32_t *character) {
    if (count < 4) return 0;
    *character = load(bytes, 4, big);
    return gy_is_surrogate(*character) || *character > 0x10FFFF ? 0 : 4;
}

static size_t write_utf32(uint32_t character, bool big, uint8_t *out) {
    return gy_is_surrogate(character) ? 0 : store(character, 4, big, out);
}

static size_t read_utf16le(const uint8_t *bytes, size_t count, uint32_t *character) {
    return read_utf16(bytes, count, false, character);
}

static size_t read_utf16be(const uint8_t *bytes, size_t count, uint32_t *character) {
    return read_utf16(bytes, count, true, character);
}

static size_t read_utf32le(const uint8_t *bytes, size_t count, uint32_t *character) {
    return read_utf32(bytes, count, false, character);
}

static size_t read_utf32be(const uint8_t *bytes, size_t count, uint32_t *character) {
    return read_utf32(bytes, count, true, character);
}

static size_t write_utf16le(uint32_t c, uint8_t *out) { return write_utf16(c, false, out); }
static size_t write_utf16be(uint32_t c, uint8_t *out) { return write_utf16(c, true, out); }
static size_t write_utf32le(uint32_t c, uint8_t *out) { return write_utf32(c, false, out); }
static size_t write_utf32be(uint32_t c, uint8_t *out) { return write_utf32(c, true, out); }

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "UTF-16 and UTF-32 in the machine's byte order are listed as little-endian");

enum { UTF8, ASCII, LATIN1, MAC_ROMAN, UTF16, UTF16LE, UTF16BE, UTF32, UTF32LE, UTF32BE, COUNT };

static const gy_encoding encodings[COUNT] = {
    [UTF8] = {kGYStringEncodingUTF8, 1, 3, gy_utf8_read, gy_utf8_write},
    [ASCII] = {kGYStringEncodingASCII, 1, 1, read_ascii, write_ascii},
    [LATIN1] = {kGYStringEncodingISOLatin1, 1, 1, read_latin1, write_latin1},
    [MAC_ROMAN] = {kGYStringEncodingMacRoman, 1, 1, read_mac_roman, write_mac_roman},
    [UTF16] = {kGYStringEncodingUTF16, 2, 2, read_utf16le, write_utf16le},
    [UTF16LE] = {kGYStringEncodingUTF16LE, 2, 2, read_utf16le, write_utf16le},
    [UTF16BE] = {kGYStringEncodingUTF16BE, 2, 2, read_utf16be, write_utf16be},
    [UTF32] = {kGYStringEncodingUTF32, 4, 4, read_utf32le, write_utf32le},
    [UTF32LE] = {kGYStringEncodingUTF32LE, 4, 4, read_utf32le, write_utf32le},
    [UTF32BE] = {kGYStringEncodingUTF32BE, 4, 4, read_utf32be, write_utf32be},
};

const gy_encoding *gy_encoding_find(uint32_t id) {
    for (size_t i = 0; i < COUNT; i++) {
        if (encodings[i].id == id) return &encodings[i];
    }
    return NULL;
}

bool gy_encoding_wants_mark(const gy_encoding *encoding) {
    return encoding->id == kGYStringEncodingUTF16 || encoding->id == kGYStringEncodingUTF32;
}

static bool skip_mark(const gy_encoding *encoding, const uint8_t **bytes, size_t *count) {
    uint32_t character;
    size_t length = *count == 0 ? 0 : encoding->read(*bytes, *count, &character);
    if (length == 0 || character != BYTE_ORDER_MARK) return false;
    *bytes += length;
    *count -= length;
    return true;
}

const gy_encoding *gy_encoding_resolve(const gy_encoding *encoding, bool external,
                                       const uint8_t **bytes, size_t *count) {
    if (encoding->id == kGYStringEncodingUTF8) skip_mark(encoding, bytes, count);
    if (!external || !gy_encoding_wants_mark(encoding)) return encoding;
    bool wide = encoding->unit_size == 4;
    const gy_encoding *little = &encodings[wide ? UTF32LE : UTF16LE];
    if (skip_mark(little, bytes, count)) return little;
    const gy_encoding *big = &encodings[wide ? UTF32BE : UTF16BE];
    skip_mark(big, bytes, count);
    return big;
}

bool gy_encoding_decode(const gy_encoding *encoding, const uint8_t *bytes, size_t count,
                        gy_text *text) {
    while (count > 0) {
        uint32_t character;
        size_t length = encoding->read(bytes, count, &character);
        if (length == 0) return false;
        gy_text_append_character(text, character);
        bytes += length;
        count -= length;
    }
    return true;
}

/* What stands for a character that the encoding does not have. */
static size_t write_loss(const gy_encoding_sink *sink, uint32_t character, uint8_t *out) {
    size_t length = 0, times = character > 0xFFFF ? 2 : 1;
    if (sink->loss == 0) return 0;
    while (times-- > 0) {
        if (sink->encoding->unit_size == 1) {
            out[length++] = sink->loss; /* a byte, as the caller says, whatever it means */
        } else {
            length += sink->encoding->write(sink->loss, out + length);
        }
    }
    return length;
}

bool gy_encoding_put(gy_encoding_sink *sink, uint32_t character) {
    uint8_t form[2 * GY_ENCODING_MAX_BYTES];
    size_t length = sink->encoding->write(character, form);
    if (length == 0) length = write_loss(sink, character, form);
    if (length == 0) return false;
    if (sink->out != NULL) {
        if (length > sink->capacity - sink->used) return false;
        memcpy(sink->out + sink->used, form, length);
    }
    sink->used += length;
    return true;
}

/* Walks UTF-8 by UTF-16 units. */
typedef struct {
    const uint8_t *next;
    const uint8_t *end;
    uint32_t low; /* the second half of a pair whose first was taken alone; else 0 */
} unit_walk;

/* The next character, or half of it where only one unit of a pair is asked for. */
static uint32_t walk_on(unit_walk *walk, size_t unit_limit, size_t *units) {
    *units = 1;
    if (walk->low != 0) {
        uint32_t low = walk->low;
        walk->low = 0;
        return low;
    }
    uint32_t character = gy_utf8_next(&walk->next, walk->end);
    if (character <= 0xFFFF) return character;
    if (unit_limit == 1) {
        walk->low = 0xDC00 + (character & 0x3FF);
        return 0xD800 + ((character - 0x10000) >> 10);
    }
    *units = 2;
    return character;
}

size_t gy_encoding_encode(gy_encoding_sink *sink, const char *bytes, size_t count,
                          size_t first_unit, size_t unit_count) {
    unit_walk walk = {(const uint8_t *)bytes, (const uint8_t *)bytes + count, 0};
    size_t units, done = 0;
    while (first_unit > 0) {
        walk_on(&walk, first_unit, &units);
        first_unit -= units;
    }
    while (done < unit_count) {
        uint32_t character = walk_on(&walk, unit_count - done, &units);
        if (!gy_encoding_put(sink, character)) break;
        done += units;
    }
    return done;
}
