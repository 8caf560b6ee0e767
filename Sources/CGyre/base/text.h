/* A text that grows: for descriptions and formats.
 *
 * Owns: the buffer of each text. Relies on: strings (name.h). Threads: a text belongs to one.
 *
 * An append that finds no memory marks the text as failed, and later ones do nothing: only who
 * finishes it needs to ask. All appended bytes must be UTF-8, but for gy_text_append_foreign. */
#ifndef GYRE_BASE_TEXT_H
#define GYRE_BASE_TEXT_H

#include <gyre/GYBase.h>

typedef struct gy_text {
    char *bytes; /* not terminated; NULL while nothing was appended */
    size_t count;
    size_t capacity;
    bool failed;
} gy_text;

#define GY_TEXT_INIT {NULL, 0, 0, false}

void gy_text_append(gy_text *text, const char *bytes, size_t count);
void gy_text_append_string(gy_text *text, GYStringRef string);
void gy_text_append_character(gy_text *text, uint32_t character);
/* Bytes from outside: what is no UTF-8 becomes U+FFFD. */
void gy_text_append_foreign(gy_text *text, const char *bytes, size_t count);
void gy_text_repeat(gy_text *text, char byte, size_t count);

/* As printf, in the C locale. */
void gy_text_printf(gy_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forgets what was appended, and a failure with it. */
void gy_text_clear(gy_text *text);
/* The string made of the text, which is cleared; NULL with errno where memory was out. */
GYStringRef gy_text_finish(gy_text *text);

#endif
