/* Strings: checks arguments; the layout is base/name.h, the bytes are base/encoding.c. A constant
 * may have any alignment: headers and characters are read as bytes. Takes no lock; any thread. */
#include <gyre/GYString.h>

#include "base/check.h"
#include "base/encoding.h"
#include "base/name.h"
#include "base/range.h"
#include "base/text.h"
#include "base/utf8.h"

#include <stddef.h>
#include <string.h>

/* What GYSTR writes out in its literal. */
_Static_assert(sizeof(gy_object) == 8 && offsetof(gy_object, kind) == 0 &&
                   offsetof(gy_object, flags) == 1 && offsetof(gy_object, magic) == 2 &&
                   offsetof(gy_object, references) == 4 && GY_KIND_STRING == 1 &&
                   (GY_OBJECT_CONSTANT | GY_OBJECT_LITERAL) == 3,
               "the header in GYSTR is the header of objects");

#define RULE "GYString.h"

static bool is_string(GYStringRef string, const char *call) {
    if (gy_object_is(string, GY_KIND_STRING)) return true;
    gy_report(call, "not a string", RULE);
    return false;
}

/* NULL, reported, where it is not known. */
static const gy_encoding *find_encoding(GYStringEncoding id, const char *call) {
    const gy_encoding *encoding = gy_encoding_find(id);
    if (encoding == NULL) gy_report(call, "an unknown encoding", RULE);
    return encoding;
}

/* NULL, reported, also where a character is more than bytes that end with a NUL. */
static const gy_encoding *find_byte_encoding(GYStringEncoding id, const char *call) {
    const gy_encoding *encoding = find_encoding(id, call);
    if (encoding == NULL || encoding->unit_size == 1) return encoding;
    gy_report(call, "not an encoding for C strings", RULE);
    return NULL;
}

static const uint8_t *bytes_of(GYStringRef string) {
    return (const uint8_t *)gy_string_bytes(string);
}

GYTypeID GYStringGetTypeID(void) { return GY_KIND_STRING; }

static GYStringRef create(const uint8_t *bytes, size_t count, const gy_encoding *encoding,
                          bool external) {
    gy_text text = GY_TEXT_INIT;
    encoding = gy_encoding_resolve(encoding, external, &bytes, &count);
    if (gy_encoding_decode(encoding, bytes, count, &text)) return gy_text_finish(&text);
    gy_text_clear(&text);
    return NULL;
}

GYStringRef GYStringCreateWithCString(GYAllocatorRef allocator, const char *cString,
                                      GYStringEncoding encoding) {
    (void)allocator;
    const gy_encoding *found = find_byte_encoding(encoding, "GYStringCreateWithCString");
    if (found == NULL) return NULL;
    if (cString != NULL) return create((const uint8_t *)cString, strlen(cString), found, false);
    gy_report("GYStringCreateWithCString", "no characters", RULE);
    return NULL;
}

GYStringRef GYStringCreateWithBytes(GYAllocatorRef allocator, const uint8_t *bytes,
                                    GYIndex numBytes, GYStringEncoding encoding,
                                    GYBoolean isExternalRepresentation) {
    (void)allocator;
    const gy_encoding *found = find_encoding(encoding, "GYStringCreateWithBytes");
    if (found == NULL) return NULL;
    if (numBytes == 0 || (bytes != NULL && numBytes > 0)) {
        return create(bytes, (size_t)numBytes, found, isExternalRepresentation);
    }
    gy_report("GYStringCreateWithBytes", "no bytes, or a negative number of them", RULE);
    return NULL;
}

GYStringRef GYStringCreateCopy(GYAllocatorRef allocator, GYStringRef string) {
    (void)allocator;
    return is_string(string, "GYStringCreateCopy") ? gy_retain(string) : NULL;
}

static size_t unit_count(GYStringRef string) {
    return gy_utf8_unit_count(bytes_of(string), gy_string_byte_count(string));
}

GYIndex GYStringGetLength(GYStringRef string) {
    return is_string(string, "GYStringGetLength") ? (GYIndex)unit_count(string) : 0;
}

GYIndex GYStringGetMaximumSizeForEncoding(GYIndex length, GYStringEncoding encoding) {
    const gy_encoding *found = find_encoding(encoding, "GYStringGetMaximumSizeForEncoding");
    if (found == NULL) return kGYNotFound;
    if (length < 0) {
        gy_report("GYStringGetMaximumSizeForEncoding", "a negative length", RULE);
        return kGYNotFound;
    }
    GYIndex size;
    return __builtin_mul_overflow(length, found->max_bytes_per_unit, &size) ? kGYNotFound : size;
}

/* Whether everything was written. */
static bool encode_all(GYStringRef string, gy_encoding_sink *sink) {
    size_t units = unit_count(string), count = gy_string_byte_count(string);
    return gy_encoding_encode(sink, gy_string_bytes(string), count, 0, units) == units;
}

GYBoolean GYStringGetCString(GYStringRef string, char *buffer, GYIndex bufferSize,
                             GYStringEncoding encoding) {
    if (buffer == NULL) {
        gy_report("GYStringGetCString", "no buffer", RULE);
        return false;
    }
    if (bufferSize <= 0) return false;
    buffer[0] = '\0';
    const gy_encoding *found = find_byte_encoding(encoding, "GYStringGetCString");
    if (found == NULL || !is_string(string, "GYStringGetCString")) return false;
    gy_encoding_sink sink = {
        .encoding = found, .out = (uint8_t *)buffer, .capacity = (size_t)bufferSize - 1};
    bool whole = encode_all(string, &sink);
    buffer[whole ? sink.used : 0] = '\0';
    return whole;
}

static bool is_ascii(GYStringRef string) {
    const uint8_t *bytes = bytes_of(string);
    for (size_t i = gy_string_byte_count(string); i > 0; i--) {
        if (bytes[i - 1] >= 0x80) return false;
    }
    return true;
}

const char *GYStringGetCStringPtr(GYStringRef string, GYStringEncoding encoding) {
    if (!is_string(string, "GYStringGetCStringPtr")) return NULL;
    const gy_encoding *found = gy_encoding_find(encoding);
    if (found == NULL || found->unit_size > 1) return NULL;
    if (encoding != kGYStringEncodingUTF8 && !is_ascii(string)) return NULL;
    return gy_string_bytes(string);
}

/* Whether the byte order mark, where one is due, had room. */
static bool put_mark(gy_encoding_sink *sink, bool external) {
    if (!external || !gy_encoding_wants_mark(sink->encoding)) return true;
    return gy_encoding_put(sink, 0xFEFF);
}

GYIndex GYStringGetBytes(GYStringRef string, GYRange range, GYStringEncoding encoding,
                         uint8_t lossByte, GYBoolean isExternalRepresentation, uint8_t *buffer,
                         GYIndex maxBufLen, GYIndex *usedBufLen) {
    if (usedBufLen != NULL) *usedBufLen = 0;
    const gy_encoding *found = find_encoding(encoding, "GYStringGetBytes");
    if (found == NULL || !is_string(string, "GYStringGetBytes")) return 0;
    if (!gy_range_is_within(range, unit_count(string))) {
        gy_report("GYStringGetBytes", "a range outside of the string", RULE);
        return 0;
    }
    gy_encoding_sink sink = {.encoding = found,
                             .loss = lossByte,
                             .out = buffer,
                             .capacity = maxBufLen > 0 ? (size_t)maxBufLen : 0};
    size_t done = 0;
    if (put_mark(&sink, isExternalRepresentation)) {
        done = gy_encoding_encode(&sink, gy_string_bytes(string), gy_string_byte_count(string),
                                  (size_t)range.location, (size_t)range.length);
    }
    if (usedBufLen != NULL) *usedBufLen = (GYIndex)sink.used;
    return (GYIndex)done;
}

GYComparisonResult GYStringCompare(GYStringRef string, GYStringRef other,
                                   GYStringCompareFlags options) {
    bool is_first = is_string(string, "GYStringCompare");
    bool is_second = is_string(other, "GYStringCompare");
    if (options & ~(GYStringCompareFlags)kGYCompareCaseInsensitive) {
        gy_report("GYStringCompare", "an unknown option", RULE);
    }
    if (!is_first || !is_second) return (GYComparisonResult)(is_first - is_second);
    int difference =
        gy_utf8_compare(bytes_of(string), gy_string_byte_count(string), bytes_of(other),
                        gy_string_byte_count(other), options & kGYCompareCaseInsensitive);
    return (difference > 0) - (difference < 0);
}

/* Where a part would have to begin to end the string; SIZE_MAX where it is empty or too long. */
static size_t end_offset(GYStringRef string, GYStringRef part) {
    size_t count = gy_string_byte_count(string), part_count = gy_string_byte_count(part);
    return part_count == 0 || part_count > count ? SIZE_MAX : count - part_count;
}

static bool has_part_at(GYStringRef string, GYStringRef part, size_t offset) {
    return memcmp(bytes_of(string) + offset, bytes_of(part), gy_string_byte_count(part)) == 0;
}

GYBoolean GYStringHasPrefix(GYStringRef string, GYStringRef prefix) {
    if (!is_string(string, "GYStringHasPrefix") || !is_string(prefix, "GYStringHasPrefix")) {
        return false;
    }
    return end_offset(string, prefix) != SIZE_MAX && has_part_at(string, prefix, 0);
}

GYBoolean GYStringHasSuffix(GYStringRef string, GYStringRef suffix) {
    if (!is_string(string, "GYStringHasSuffix") || !is_string(suffix, "GYStringHasSuffix")) {
        return false;
    }
    size_t offset = end_offset(string, suffix);
    return offset != SIZE_MAX && has_part_at(string, suffix, offset);
}
