#include "base/utf8.h"

static size_t length_from_lead(uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0; /* a continuation, or the lead of an overlong pair */
    if (lead < 0xE0) return 2;
    if (lead < 0xF0) return 3;
    return lead < 0xF5 ? 4 : 0;
}

size_t gy_utf8_read(const uint8_t *bytes, size_t count, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = length_from_lead(bytes[0]);
    if (length == 0 || length > count) return 0;
    uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < least[length] || value > 0x10FFFF || gy_is_surrogate(value)) return 0;
    *character = value;
    return length;
}

size_t gy_utf8_write(uint32_t character, uint8_t *out) {
    if (gy_is_surrogate(character) || character > 0x10FFFF) return 0;
    if (character < 0x80) {
        out[0] = (uint8_t)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    out[0] = (uint8_t)(0xF00u >> length | character); /* as many leading ones as bytes */
    return length;
}

uint32_t gy_utf8_next(const uint8_t **next, const uint8_t *end) {
    uint32_t character;
    size_t length = gy_utf8_read(*next, (size_t)(end - *next), &character);
    *next += length == 0 ? 1 : length;
    return length == 0 ? GY_UTF8_REPLACEMENT : character;
}

size_t gy_utf8_unit_count(const uint8_t *bytes, size_t count) {
    const uint8_t *end = bytes + count;
    size_t units = 0;
    while (bytes < end) units += gy_utf8_next(&bytes, end) > 0xFFFF ? 2 : 1;
    return units;
}

/* Gives the leads of U+E000 to U+FFFF their place behind those of the characters above. */
static int rank(uint8_t byte, bool fold_ascii) {
    if (fold_ascii && byte >= 'A' && byte <= 'Z') return byte + ('a' - 'A');
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte;
}

int gy_utf8_compare(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count,
                    bool fold_ascii) {
    for (size_t i = 0; i < a_count && i < b_count; i++) {
        int difference = rank(a[i], fold_ascii) - rank(b[i], fold_ascii);
        if (difference != 0) return difference;
    }
    return (a_count > b_count) - (a_count < b_count);
}

size_t gy_utf8_whole(const uint8_t *bytes, size_t count) {
    size_t lead = count; /* one past the last byte that is no continuation */
    while (lead > 0 && count - lead < 3 && (bytes[lead - 1] & 0xC0) == 0x80) lead--;
    if (lead == 0) return count;
    return length_from_lead(bytes[lead - 1]) > count - lead + 1 ? lead - 1 : count;
}
