/* Formats: parses printf's conversions, and hands numbers, one at a time, to printf itself. An
 * argument is read only once its conversion is known to exist. Takes no lock; any thread. */
#include <gyre/GYString.h>

#include "base/check.h"
#include "base/name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/value.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

#define RULE "GYString.h"

/* The length modifiers of C; `q` is `ll`. */
enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, MAX, SIZE, DIFFERENCE, LONG_DOUBLE };

typedef struct {
    char flags[6]; /* each of C's five at most once; terminated */
    int width;     /* negative: to the left */
    int precision; /* -1: none */
    enum length length;
    char kind; /* the conversion's letter; 0 where there is none that is known */
} conversion;

/* A va_list that can be passed on by address, whether or not it is an array. */
typedef struct {
    va_list list;
} argument_list;

/* Both walk the format, which a terminator follows. */
static void parse_flags(const char **next, conversion *c) {
    size_t count = 0;
    for (; **next != '\0' && strchr("-+ #0'", **next) != NULL; ++*next) {
        /* Grouping by ' is nothing in the C locale. */
        if (**next != '\'' && memchr(c->flags, **next, count) == NULL) c->flags[count++] = **next;
    }
    c->flags[count] = '\0';
}

/* Digits or `*`; `none` where there is neither. False where the number is too large. */
static bool parse_number(const char **next, argument_list *arguments, int none, int *number) {
    *number = none;
    if (**next == '*') {
        ++*next;
        *number = va_arg(arguments->list, int);
        return *number != INT_MIN; /* it has no counterpart to the right */
    }
    if (**next >= '0' && **next <= '9') *number = 0;
    for (; **next >= '0' && **next <= '9'; ++*next) {
        if (__builtin_mul_overflow(*number, 10, number)) return false;
        if (__builtin_add_overflow(*number, **next - '0', number)) return false;
    }
    return true;
}

static bool parse_precision(const char **next, argument_list *arguments, conversion *c) {
    c->precision = -1;
    if (**next != '.') return true;
    ++*next;
    if (!parse_number(next, arguments, 0, &c->precision)) return false;
    if (c->precision < 0) c->precision = -1;
    return true;
}

static enum length parse_length(const char **next) {
    static const struct {
        char text[3];
        enum length length;
    } lengths[] = {
        {"hh", CHAR}, {"h", SHORT}, {"ll", LONG_LONG}, {"l", LONG},        {"q", LONG_LONG},
        {"j", MAX},   {"z", SIZE},  {"t", DIFFERENCE}, {"L", LONG_DOUBLE},
    };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t count = strlen(lengths[i].text);
        if (strncmp(*next, lengths[i].text, count) != 0) continue;
        *next += count;
        return lengths[i].length;
    }
    return PLAIN;
}

/* Whether C (or CF, for `@CS`) has the letter with the length. */
static bool is_known(char kind, enum length length) {
    const char *kinds = "diouxX";
    if (length == PLAIN) kinds = "diouxXeEfFgGaA@cCsSp%";
    if (length == LONG) kinds = "diouxXeEfFgGaAcs";
    if (length == LONG_DOUBLE) kinds = "eEfFgGaA";
    return kind != '\0' && strchr(kinds, kind) != NULL;
}

/* What follows a percent sign. False where it is no conversion; *next is then anywhere in it. */
static bool parse_conversion(const char **next, argument_list *arguments, conversion *c) {
    parse_flags(next, c);
    if (!parse_number(next, arguments, 0, &c->width)) return false;
    if (!parse_precision(next, arguments, c)) return false;
    c->length = parse_length(next);
    c->kind = **next;
    if (!is_known(c->kind, c->length)) return false;
    ++*next;
    return true;
}

/* Rebuilds what printf is asked for, with width and precision as arguments. */
static void build_format(char out[16], const conversion *c, const char *length) {
    char *end = stpcpy(stpcpy(stpcpy(stpcpy(out, "%"), c->flags), "*.*"), length);
    end[0] = c->kind;
    end[1] = '\0';
}

static intmax_t signed_argument(enum length length, argument_list *arguments) {
    switch (length) {
    case CHAR: return (signed char)va_arg(arguments->list, int);
    case SHORT: return (short)va_arg(arguments->list, int);
    case LONG: return va_arg(arguments->list, long);
    case LONG_LONG: return va_arg(arguments->list, long long);
    case MAX: return va_arg(arguments->list, intmax_t);
    case SIZE: return va_arg(arguments->list, ssize_t);
    case DIFFERENCE: return va_arg(arguments->list, ptrdiff_t);
    default: return va_arg(arguments->list, int);
    }
}

static uintmax_t unsigned_argument(enum length length, argument_list *arguments) {
    switch (length) {
    case CHAR: return (unsigned char)va_arg(arguments->list, unsigned);
    case SHORT: return (unsigned short)va_arg(arguments->list, unsigned);
    case LONG: return va_arg(arguments->list, unsigned long);
    case LONG_LONG: return va_arg(arguments->list, unsigned long long);
    case MAX: return va_arg(arguments->list, uintmax_t);
    case SIZE: return va_arg(arguments->list, size_t);
    case DIFFERENCE: return (uintmax_t)va_arg(arguments->list, ptrdiff_t);
    default: return va_arg(arguments->list, unsigned);
    }
}

/* The formats are built here from letters that were checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void append_integer(gy_text *text, const conversion *c, argument_list *arguments) {
    char format[16];
    build_format(format, c, "j");
    if (c->kind == 'd' || c->kind == 'i') {
        gy_text_printf(text, format, c->width, c->precision, signed_argument(c->length, arguments));
    } else {
        gy_text_printf(text, format, c->width, c->precision,
                       unsigned_argument(c->length, arguments));
    }
}

static void append_real(gy_text *text, const conversion *c, argument_list *arguments) {
    char format[16];
    bool is_long = c->length == LONG_DOUBLE; /* `%a` shows which of the two it was given */
    build_format(format, c, is_long ? "L" : "");
    if (is_long) {
        gy_text_printf(text, format, c->width, c->precision, va_arg(arguments->list, long double));
    } else {
        gy_text_printf(text, format, c->width, c->precision, va_arg(arguments->list, double));
    }
}

#pragma GCC diagnostic pop

/* Bytes, filled up with spaces to the width. */
static void append_padded(gy_text *text, const conversion *c, const char *bytes, size_t count) {
    bool to_left = c->width < 0 || strchr(c->flags, '-') != NULL;
    size_t width = (size_t)(c->width < 0 ? -c->width : c->width);
    size_t fill = width > count ? width - count : 0;
    if (!to_left) gy_text_repeat(text, ' ', fill);
    gy_text_append_foreign(text, bytes, count);
    if (to_left) gy_text_repeat(text, ' ', fill);
}

static void append_c_string(gy_text *text, const conversion *c, const char *bytes) {
    if (bytes == NULL) bytes = "(null)";
    if (c->precision < 0) {
        append_padded(text, c, bytes, strlen(bytes));
        return;
    }
    size_t count = strnlen(bytes, (size_t)c->precision);
    append_padded(text, c, bytes, gy_utf8_whole((const uint8_t *)bytes, count));
}

static void append_pointer(gy_text *text, const conversion *c, const void *pointer) {
    gy_text shown = GY_TEXT_INIT;
    gy_text_printf(&shown, "0x%lx", (unsigned long)(uintptr_t)pointer);
    if (!shown.failed) append_padded(text, c, shown.bytes, shown.count);
    text->failed |= shown.failed;
    gy_text_clear(&shown);
}

/* Units of UTF-16 (size 2) or UTF-32 (size 4) up to a zero, or as many as the precision says. */
static size_t wide_count(const uint8_t *units, size_t size, int precision) {
    static const uint8_t zero[4];
    size_t count = 0;
    while ((precision < 0 || count < (size_t)precision) &&
           memcmp(units + count * size, zero, size) != 0) {
        count++;
    }
    return count;
}

/* One character of UTF-16 or UTF-32 in the machine's order, U+FFFD for what is none. */
static size_t wide_next(const uint8_t *units, size_t size, size_t count, uint32_t *character) {
    uint16_t pair[2] = {0, 0};
    *character = 0;
    if (size == 4) {
        memcpy(character, units, 4);
    } else {
        memcpy(pair, units, count > 1 ? 4 : 2);
        *character = pair[0];
    }
    if ((pair[0] & 0xFC00) == 0xD800 && (pair[1] & 0xFC00) == 0xDC00) {
        *character = 0x10000 + ((pair[0] & 0x3FFu) << 10) + (pair[1] & 0x3FFu);
        return 2;
    }
    if (gy_is_surrogate(*character) || *character > 0x10FFFF) *character = GY_UTF8_REPLACEMENT;
    return 1;
}

static void append_wide(gy_text *text, const conversion *c, const void *units, size_t size,
                        size_t count) {
    const uint8_t *next = units;
    gy_text shown = GY_TEXT_INIT;
    while (count > 0) {
        uint32_t character;
        size_t taken = wide_next(next, size, count, &character);
        gy_text_append_character(&shown, character);
        next += taken * size;
        count -= taken;
    }
    if (!shown.failed) append_padded(text, c, shown.bytes, shown.count);
    text->failed |= shown.failed;
    gy_text_clear(&shown);
}

/* `%s` has bytes, `%S` UTF-16 units, `%ls` characters. */
static void append_string(gy_text *text, const conversion *c, const void *units) {
    size_t size = c->kind == 'S' ? sizeof(uint16_t) : sizeof(wchar_t);
    bool is_wide = c->kind == 'S' || c->length == LONG;
    if (units != NULL && is_wide) {
        append_wide(text, c, units, size, wide_count(units, size, c->precision));
    } else {
        append_c_string(text, c, units);
    }
}

/* `%c` is a character of Latin 1, `%C` a UTF-16 unit, `%lc` any character. */
static void append_character(gy_text *text, const conversion *c, argument_list *arguments) {
    uint32_t value = va_arg(arguments->list, wint_t); /* as wide as int, which the others are */
    if (c->length != LONG) value &= c->kind == 'C' ? 0xFFFF : 0xFF;
    append_wide(text, c, &value, sizeof value, 1);
}

static void append_object(gy_text *text, const void *object, const char *call) {
    if (object == NULL) {
        gy_text_append(text, "(null)", 6);
        return;
    }
    if (!gy_object_is_live(object)) {
        gy_report(call, "an argument of %@ is not a live object", RULE);
        gy_text_append(text, "(not an object)", 15);
        return;
    }
    GYStringRef shown = gy_value_copy_description(object);
    if (shown == NULL) {
        text->failed = true;
    } else {
        gy_text_append_string(text, shown);
        gy_release(shown);
    }
}

static void append_argument(gy_text *text, const conversion *c, argument_list *arguments,
                            const char *call) {
    switch (c->kind) {
    case '%': gy_text_append(text, "%", 1); break;
    case '@': append_object(text, va_arg(arguments->list, const void *), call); break;
    case 'p': append_pointer(text, c, va_arg(arguments->list, const void *)); break;
    case 'c':
    case 'C': append_character(text, c, arguments); break;
    case 's':
    case 'S': append_string(text, c, va_arg(arguments->list, const void *)); break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': append_integer(text, c, arguments); break;
    default: append_real(text, c, arguments); break;
    }
}

/* Appends up to the next conversion, and that; gives what remains. After something that is no
 * conversion nobody knows what the arguments are: the rest goes out as it is. */
static const char *append_piece(gy_text *text, const char *format, const char *end,
                                argument_list *arguments, const char *call) {
    const char *percent = memchr(format, '%', (size_t)(end - format));
    if (percent == NULL) percent = end;
    gy_text_append_foreign(text, format, (size_t)(percent - format));
    if (percent == end) return end;
    conversion c;
    const char *next = percent + 1;
    if (parse_conversion(&next, arguments, &c)) {
        append_argument(text, &c, arguments, call);
        return next;
    }
    gy_report(call, "a conversion that does not exist", RULE);
    gy_text_append_foreign(text, percent, (size_t)(end - percent));
    return end;
}

static GYStringRef create(GYStringRef format, argument_list *arguments, const char *call) {
    if (!gy_object_is(format, GY_KIND_STRING)) {
        gy_report(call, "the format is not a string", RULE);
        return NULL;
    }
    gy_text text = GY_TEXT_INIT;
    const char *next = gy_string_bytes(format);
    const char *end = next + gy_string_byte_count(format);
    while (next < end) next = append_piece(&text, next, end, arguments, call);
    return gy_text_finish(&text);
}

GYStringRef GYStringCreateWithFormat(GYAllocatorRef allocator, GYTypeRef formatOptions,
                                     GYStringRef format, ...) {
    (void)allocator;
    (void)formatOptions;
    argument_list arguments;
    va_start(arguments.list, format);
    GYStringRef string = create(format, &arguments, "GYStringCreateWithFormat");
    va_end(arguments.list);
    return string;
}

GYStringRef GYStringCreateWithFormatAndArguments(GYAllocatorRef allocator, GYTypeRef formatOptions,
                                                 GYStringRef format, va_list arguments) {
    (void)allocator;
    (void)formatOptions;
    argument_list copy;
    va_copy(copy.list, arguments);
    GYStringRef string = create(format, &copy, "GYStringCreateWithFormatAndArguments");
    va_end(copy.list);
    return string;
}
