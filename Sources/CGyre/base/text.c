#include "base/text.h"

#include "base/name.h"
#include "base/utf8.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `count` more bytes, at least one; NULL where there is none. */
static char *reserve(gy_text *text, size_t count) {
    if (text->failed) return NULL;
    if (count <= text->capacity - text->count) return text->bytes + text->count;
    size_t needed, capacity = text->capacity < 64 ? 64 : text->capacity;
    char *grown = NULL;
    if (!__builtin_add_overflow(text->count, count, &needed) && needed <= SIZE_MAX / 2) {
        while (capacity < needed) capacity *= 2;
        grown = realloc(text->bytes, capacity);
    }
    if (grown == NULL) {
        text->failed = true;
        return NULL;
    }
    text->bytes = grown;
    text->capacity = capacity;
    return grown + text->count;
}

void gy_text_append(gy_text *text, const char *bytes, size_t count) {
    char *end = count == 0 ? NULL : reserve(text, count);
    if (end == NULL) return;
    memcpy(end, bytes, count);
    text->count += count;
}

void gy_text_append_string(gy_text *text, GYStringRef string) {
    gy_text_append_foreign(text, gy_string_bytes(string), gy_string_byte_count(string));
}

void gy_text_append_character(gy_text *text, uint32_t character) {
    uint8_t bytes[4];
    size_t count = gy_utf8_write(character, bytes);
    gy_text_append(text, (const char *)bytes, count);
}

void gy_text_append_foreign(gy_text *text, const char *bytes, size_t count) {
    const uint8_t *next = (const uint8_t *)bytes, *end = next + count;
    while (next < end) gy_text_append_character(text, gy_utf8_next(&next, end));
}

void gy_text_repeat(gy_text *text, char byte, size_t count) {
    char *end = count == 0 ? NULL : reserve(text, count);
    if (end == NULL) return;
    memset(end, byte, count);
    text->count += count;
}

/* vsnprintf into the room there is; the count of bytes that there are, or -1. */
static int print(gy_text *text, const char *format, va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    int count = vsnprintf(text->bytes == NULL ? NULL : text->bytes + text->count,
                          text->capacity - text->count, format, copy);
    va_end(copy);
    return count;
}

void gy_text_printf(gy_text *text, const char *format, ...) {
    if (text->failed) return;
    /* The C locale is static in every libc: asking for it allocates nothing. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(c_locale);
    va_list arguments;
    va_start(arguments, format);
    int count = print(text, format, arguments);
    /* One more byte than is kept: vsnprintf insists on its terminator. */
    if (count >= 0 && reserve(text, (size_t)count + 1) != NULL) {
        count = print(text, format, arguments);
    }
    va_end(arguments);
    uselocale(before);
    if (c_locale != (locale_t)0) freelocale(c_locale);
    if (count < 0) text->failed = true;
    if (!text->failed) text->count += (size_t)count;
}

void gy_text_clear(gy_text *text) {
    free(text->bytes);
    *text = (gy_text)GY_TEXT_INIT;
}

GYStringRef gy_text_finish(gy_text *text) {
    GYStringRef string = NULL;
    if (text->failed) {
        errno = ENOMEM;
    } else {
        string = gy_string_create(text->bytes == NULL ? "" : text->bytes, text->count);
    }
    int saved = errno;
    gy_text_clear(text);
    errno = saved;
    return string;
}
