/* Strings through their public calls. */
#include "support/test.h"

#include <errno.h>
#include <gyre/gyre.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

static GYStringRef at_file_scope = GYSTR("file scope");
static const struct {
    int number;
    GYStringRef name;
} table[] = {{1, GYSTR("41 begins with digits")}, {2, GYSTR("")}};

/* The characters; valid until the next call. */
static const char *text_of(GYStringRef s) {
    static char buffer[512];
    if (s == NULL) return NULL;
    if (!GYStringGetCString(s, buffer, sizeof buffer, kGYStringEncodingUTF8)) return "(too long)";
    return buffer;
}

static GYStringRef utf8(const char *text) {
    return GYStringCreateWithCString(kGYAllocatorDefault, text, kGYStringEncodingUTF8);
}

static GYStringRef from_bytes(const void *bytes, GYIndex count, GYStringEncoding encoding,
                              bool external) {
    return GYStringCreateWithBytes(NULL, bytes, count, encoding, external);
}

static void expect_bytes(GYStringRef s, GYStringEncoding encoding, const void *bytes,
                         GYIndex count) {
    uint8_t buffer[64];
    GYIndex used = -1;
    GYRange all = {0, GYStringGetLength(s)};
    EXPECT_INT(GYStringGetBytes(s, all, encoding, 0, false, buffer, sizeof buffer, &used),
               all.length);
    if (EXPECT_INT(used, count)) EXPECT(memcmp(buffer, bytes, (size_t)count) == 0);
}

TEST(a_constant_reads_as_its_characters) {
    EXPECT_STR(text_of(GYSTR("inside a function")), "inside a function");
    EXPECT_STR(text_of(at_file_scope), "file scope");
    EXPECT_STR(text_of(table[0].name), "41 begins with digits");
    EXPECT_STR(text_of(table[1].name), "");
    EXPECT_INT(GYStringGetLength(GYSTR("a\xc3\xa9\xf0\x9f\x98\x80z")), 5);
}

TEST(a_constant_works_at_every_alignment) {
    char raw[64];
    for (size_t offset = 0; offset < 8; offset++) {
        memcpy(raw + offset, (const void *)GYSTR("aligned"), 16);
        GYStringRef s = (GYStringRef)(const void *)(raw + offset);
        EXPECT_STR(text_of(s), "aligned");
        EXPECT(GYEqual(s, GYSTR("aligned")));
        EXPECT(GYRetain(s) == s);
        GYRelease(s);
    }
}

TEST(a_constant_is_never_destroyed) {
    GYStringRef s = GYSTR("constant");
    for (int i = 0; i < 3; i++) GYRelease(s);
    EXPECT_STR(text_of(s), "constant");
    EXPECT_INT(GYGetRetainCount(s), LONG_MAX);
}

TEST(a_constant_that_is_no_utf8_reads_as_replacement_characters) {
    GYStringRef s = GYSTR("a\xe9z");
    EXPECT_INT(GYStringGetLength(s), 3);
    EXPECT_STR(text_of(s), "a\xef\xbf\xbdz");
}

TEST(constants_and_made_strings_with_equal_characters_are_equal) {
    GYStringRef made = utf8("same");
    EXPECT(GYEqual(made, GYSTR("same")));
    EXPECT(GYEqual(GYSTR("same"), made));
    EXPECT_INT(GYHash(made), GYHash(GYSTR("same")));
    EXPECT(!GYEqual(made, GYSTR("other")));
    EXPECT_INT(GYStringGetTypeID(), GYGetTypeID(GYSTR("x")));
    GYRelease(made);
}

TEST(a_copy_of_a_string_is_the_string) {
    GYStringRef made = utf8("copied");
    GYStringRef copy = GYStringCreateCopy(NULL, made);
    EXPECT(copy == made);
    EXPECT_INT(GYGetRetainCount(made), 2);
    GYRelease(copy);
    GYRelease(made);
}

TEST(bytes_that_an_encoding_does_not_have_give_no_string) {
    const char *bad[] = {"\xff",         "\xc0\x80",
                         "\xed\xa0\x80", "\xf4\x90\x80\x80",
                         "\xe2\x82",     "\xf8\x88\x80\x80\x80",
                         "\x80",         "a\xc3",
                         "\xe0\x80\x80", "\xc3("};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) EXPECT(utf8(bad[i]) == NULL);
    EXPECT(GYStringCreateWithCString(NULL, "\xe9", kGYStringEncodingASCII) == NULL);
    EXPECT(from_bytes("a\0b", 3, kGYStringEncodingUTF16LE, false) == NULL);
    EXPECT(from_bytes("\0\xd8", 2, kGYStringEncodingUTF16LE, false) == NULL);
    EXPECT(from_bytes("\0\xd8z\0", 4, kGYStringEncodingUTF16LE, false) == NULL);
    EXPECT(from_bytes("\0\xdc", 2, kGYStringEncodingUTF16LE, false) == NULL);
    EXPECT(from_bytes("\0\xd8\0\0", 4, kGYStringEncodingUTF32LE, false) == NULL);
    EXPECT(from_bytes("\0\0\x11\0", 4, kGYStringEncodingUTF32LE, false) == NULL);
    EXPECT(from_bytes("a\0\0\0b", 5, kGYStringEncodingUTF32LE, false) == NULL);
}

TEST(the_limits_of_utf8_are_characters) {
    const char *good[] = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
                          "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
                          "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        GYStringRef s = utf8(good[i]);
        EXPECT_STR(text_of(s), good[i]);
        EXPECT_INT(GYStringGetLength(s), good[i][0] == '\xf0' || good[i][0] == '\xf4' ? 2 : 1);
        GYRelease(s);
    }
}

TEST(every_encoding_reads_and_writes_the_same_string) {
    static const struct {
        GYStringEncoding encoding;
        const char *bytes;
        GYIndex count;
    } forms[] = {
        {kGYStringEncodingUTF8, "a\xc3\xa9\xf0\x9f\x98\x80", 7},
        {kGYStringEncodingUTF16, "a\0\xe9\0\x3d\xd8\0\xde", 8},
        {kGYStringEncodingUTF16LE, "a\0\xe9\0\x3d\xd8\0\xde", 8},
        {kGYStringEncodingUTF16BE, "\0a\0\xe9\xd8\x3d\xde\0", 8},
        {kGYStringEncodingUTF32, "a\0\0\0\xe9\0\0\0\0\xf6\x01\0", 12},
        {kGYStringEncodingUTF32LE, "a\0\0\0\xe9\0\0\0\0\xf6\x01\0", 12},
        {kGYStringEncodingUTF32BE, "\0\0\0a\0\0\0\xe9\0\x01\xf6\0", 12},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        GYStringRef s = from_bytes(forms[i].bytes, forms[i].count, forms[i].encoding, false);
        EXPECT_STR(text_of(s), "a\xc3\xa9\xf0\x9f\x98\x80");
        expect_bytes(s, forms[i].encoding, forms[i].bytes, forms[i].count);
        GYRelease(s);
    }
}

TEST(eight_bit_encodings_map_their_upper_half) {
    GYStringRef latin = from_bytes("caf\xe9", 4, kGYStringEncodingISOLatin1, false);
    EXPECT_STR(text_of(latin), "caf\xc3\xa9");
    expect_bytes(latin, kGYStringEncodingISOLatin1, "caf\xe9", 4);
    expect_bytes(latin, kGYStringEncodingMacRoman, "caf\x8e", 4);
    GYRelease(latin);
    for (int byte = 0; byte < 256; byte++) {
        uint8_t b = (uint8_t)byte;
        GYStringRef s = from_bytes(&b, 1, kGYStringEncodingMacRoman, false);
        expect_bytes(s, kGYStringEncodingMacRoman, &b, 1);
        GYRelease(s);
    }
}

TEST(a_byte_order_mark_tells_the_order_of_external_text) {
    static const struct {
        const char *bytes;
        GYIndex count;
        GYStringEncoding encoding;
        bool external;
        const char *expected;
    } texts[] = {
        {"\xff\xfe"
         "a\0",
         4, kGYStringEncodingUTF16, true, "a"},
        {"\xfe\xff\0a", 4, kGYStringEncodingUTF16, true, "a"},
        {"\0a", 2, kGYStringEncodingUTF16, true, "a"},
        {"\xff\xfe"
         "a\0",
         4, kGYStringEncodingUTF16, false,
         "\xef\xbb\xbf"
         "a"},
        {"\xff\xfe"
         "a\0",
         4, kGYStringEncodingUTF16LE, true,
         "\xef\xbb\xbf"
         "a"},
        {"\xff\xfe\0\0a\0\0\0", 8, kGYStringEncodingUTF32, true, "a"},
        {"\0\0\xfe\xff\0\0\0a", 8, kGYStringEncodingUTF32, true, "a"},
        {"\0\0\0a", 4, kGYStringEncodingUTF32, true, "a"},
        {"\xef\xbb\xbf"
         "a",
         4, kGYStringEncodingUTF8, true, "a"},
        {"\xef\xbb\xbf"
         "a",
         4, kGYStringEncodingUTF8, false, "a"},
        {"", 0, kGYStringEncodingUTF16, true, ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        GYStringRef s =
            from_bytes(texts[i].bytes, texts[i].count, texts[i].encoding, texts[i].external);
        EXPECT_STR(text_of(s), texts[i].expected);
        GYRelease(s);
    }
}

TEST(external_text_goes_out_with_a_byte_order_mark_where_the_order_is_open) {
    static const struct {
        GYStringEncoding encoding;
        const char *bytes;
        GYIndex count;
    } forms[] = {
        {kGYStringEncodingUTF8, "a", 1},
        {kGYStringEncodingUTF16,
         "\xff\xfe"
         "a\0",
         4},
        {kGYStringEncodingUTF16BE, "\0a", 2},
        {kGYStringEncodingUTF32, "\xff\xfe\0\0a\0\0\0", 8},
        {kGYStringEncodingUTF32LE, "a\0\0\0", 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        uint8_t buffer[8];
        GYIndex used = -1;
        EXPECT_INT(GYStringGetBytes(GYSTR("a"), (GYRange){0, 1}, forms[i].encoding, 0, true, buffer,
                                    8, &used),
                   1);
        if (EXPECT_INT(used, forms[i].count)) {
            EXPECT(memcmp(buffer, forms[i].bytes, (size_t)used) == 0);
        }
    }
}

TEST(an_embedded_nul_is_a_character) {
    GYStringRef s = from_bytes("a\0b", 3, kGYStringEncodingUTF8, false);
    char buffer[4] = "xxx";
    EXPECT_INT(GYStringGetLength(s), 3);
    EXPECT(GYStringGetCString(s, buffer, 4, kGYStringEncodingUTF8));
    EXPECT(memcmp(buffer, "a\0b", 4) == 0);
    EXPECT(!GYEqual(s, GYSTR("a")));
    GYRelease(s);
}

TEST(a_c_string_is_written_whole_or_not_at_all) {
    GYStringRef s = GYSTR("a\xc3\xa9z");
    char buffer[8];
    memset(buffer, 'x', sizeof buffer);
    EXPECT(GYStringGetCString(s, buffer, 5, kGYStringEncodingUTF8));
    EXPECT_STR(buffer, "a\xc3\xa9z");
    EXPECT_INT(buffer[5], 'x');
    EXPECT(!GYStringGetCString(s, buffer, 4, kGYStringEncodingUTF8));
    EXPECT_STR(buffer, "");
    EXPECT(!GYStringGetCString(s, buffer, 8, kGYStringEncodingASCII));
    EXPECT_STR(buffer, "");
    EXPECT(GYStringGetCString(s, buffer, 4, kGYStringEncodingISOLatin1));
    EXPECT_STR(buffer, "a\xe9z");
    EXPECT(!GYStringGetCString(GYSTR(""), buffer, 0, kGYStringEncodingUTF8));
    EXPECT(GYStringGetCString(GYSTR(""), buffer, 1, kGYStringEncodingUTF8));
}

TEST(characters_are_there_without_a_copy_where_the_encoding_agrees) {
    GYStringRef s = GYSTR("caf\xc3\xa9");
    EXPECT_STR(GYStringGetCStringPtr(s, kGYStringEncodingUTF8), "caf\xc3\xa9");
    EXPECT_STR(GYStringGetCStringPtr(s, kGYStringEncodingASCII), NULL);
    EXPECT_STR(GYStringGetCStringPtr(s, kGYStringEncodingISOLatin1), NULL);
    EXPECT_STR(GYStringGetCStringPtr(GYSTR("cafe"), kGYStringEncodingASCII), "cafe");
    EXPECT_STR(GYStringGetCStringPtr(GYSTR("cafe"), kGYStringEncodingMacRoman), "cafe");
    EXPECT_STR(GYStringGetCStringPtr(GYSTR("cafe"), kGYStringEncodingUTF16), NULL);
}

TEST(the_maximum_size_has_room_for_any_string_of_the_length) {
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(10, kGYStringEncodingUTF8), 30);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(10, kGYStringEncodingASCII), 10);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(10, kGYStringEncodingUTF16), 20);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(10, kGYStringEncodingUTF32LE), 40);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(LONG_MAX, kGYStringEncodingUTF8), kGYNotFound);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(LONG_MAX, kGYStringEncodingASCII), LONG_MAX);
}

/* `GetBytes` of "aé😀z" as "units/bytes: hex". */
static const char *part(GYIndex location, GYIndex length, GYStringEncoding encoding, uint8_t loss,
                        GYIndex room) {
    static char shown[128];
    uint8_t buffer[32];
    GYIndex used = -1;
    GYIndex units =
        GYStringGetBytes(GYSTR("a\xc3\xa9\xf0\x9f\x98\x80z"), (GYRange){location, length}, encoding,
                         loss, false, buffer, room, &used);
    int n = snprintf(shown, sizeof shown, "%ld/%ld:", units, used);
    for (GYIndex i = 0; i < used; i++) {
        n += snprintf(shown + n, sizeof shown - (size_t)n, " %02x", buffer[i]);
    }
    return shown;
}

TEST(a_range_of_bytes_counts_utf16_units) {
    EXPECT_STR(part(0, 5, kGYStringEncodingUTF8, 0, 32), "5/8: 61 c3 a9 f0 9f 98 80 7a");
    EXPECT_STR(part(1, 1, kGYStringEncodingUTF8, 0, 32), "1/2: c3 a9");
    EXPECT_STR(part(2, 2, kGYStringEncodingUTF8, 0, 32), "2/4: f0 9f 98 80");
    EXPECT_STR(part(4, 1, kGYStringEncodingUTF8, 0, 32), "1/1: 7a");
    EXPECT_STR(part(5, 0, kGYStringEncodingUTF8, 0, 32), "0/0:");
}

TEST(half_a_surrogate_pair_exists_in_utf16_only) {
    EXPECT_STR(part(0, 3, kGYStringEncodingUTF16LE, 0, 32), "3/6: 61 00 e9 00 3d d8");
    EXPECT_STR(part(3, 2, kGYStringEncodingUTF16LE, 0, 32), "2/4: 00 de 7a 00");
    EXPECT_STR(part(0, 3, kGYStringEncodingUTF8, 0, 32), "2/3: 61 c3 a9");
    EXPECT_STR(part(3, 2, kGYStringEncodingUTF8, 0, 32), "0/0:");
    EXPECT_STR(part(3, 2, kGYStringEncodingUTF8, '?', 32), "2/2: 3f 7a");
    EXPECT_STR(part(3, 2, kGYStringEncodingUTF32LE, '?', 32), "2/8: 3f 00 00 00 7a 00 00 00");
    EXPECT_STR(part(3, 2, kGYStringEncodingUTF32BE, '?', 32), "2/8: 00 00 00 3f 00 00 00 7a");
}

TEST(a_loss_byte_stands_for_each_unit_that_the_encoding_lacks) {
    EXPECT_STR(part(0, 5, kGYStringEncodingASCII, 0, 32), "1/1: 61");
    EXPECT_STR(part(0, 5, kGYStringEncodingASCII, '?', 32), "5/5: 61 3f 3f 3f 7a");
    EXPECT_STR(part(0, 5, kGYStringEncodingISOLatin1, '?', 32), "5/5: 61 e9 3f 3f 7a");
    EXPECT_STR(part(0, 5, kGYStringEncodingISOLatin1, 0, 32), "2/2: 61 e9");
}

TEST(bytes_end_with_the_last_whole_character_that_has_room) {
    EXPECT_STR(part(0, 5, kGYStringEncodingUTF8, 0, 4), "2/3: 61 c3 a9");
    EXPECT_STR(part(0, 5, kGYStringEncodingUTF16LE, 0, 6), "2/4: 61 00 e9 00");
    EXPECT_STR(part(0, 5, kGYStringEncodingASCII, '?', 3), "2/2: 61 3f");
    EXPECT_STR(part(0, 5, kGYStringEncodingUTF8, 0, 0), "0/0:");
    EXPECT_STR(part(0, 5, kGYStringEncodingUTF8, 0, -1), "0/0:");
}

TEST(without_a_buffer_bytes_are_counted_only) {
    GYIndex used = -1;
    EXPECT_INT(GYStringGetBytes(GYSTR("a\xc3\xa9"), (GYRange){0, 2}, kGYStringEncodingUTF8, 0,
                                false, NULL, 0, &used),
               2);
    EXPECT_INT(used, 3);
    EXPECT_INT(GYStringGetBytes(GYSTR("ab"), (GYRange){0, 2}, kGYStringEncodingUTF8, 0, false, NULL,
                                0, NULL),
               2);
}

TEST(comparison_goes_by_utf16_units) {
    EXPECT_INT(GYStringCompare(GYSTR("a"), GYSTR("b"), 0), kGYCompareLessThan);
    EXPECT_INT(GYStringCompare(GYSTR("a"), GYSTR("B"), 0), kGYCompareGreaterThan);
    EXPECT_INT(GYStringCompare(GYSTR("ab"), GYSTR("a"), 0), kGYCompareGreaterThan);
    EXPECT_INT(GYStringCompare(GYSTR("ab"), GYSTR("ab"), 0), kGYCompareEqualTo);
    EXPECT_INT(GYStringCompare(GYSTR(""), GYSTR("a"), 0), kGYCompareLessThan);
    /* U+FF5E and U+E000 are above the surrogates that U+10000 is made of, U+D7FF is below. */
    EXPECT_INT(GYStringCompare(GYSTR("\xef\xbd\x9e"), GYSTR("\xf0\x90\x80\x80"), 0), 1);
    EXPECT_INT(GYStringCompare(GYSTR("\xee\x80\x80"), GYSTR("\xf4\x8f\xbf\xbf"), 0), 1);
    EXPECT_INT(GYStringCompare(GYSTR("\xed\x9f\xbf"), GYSTR("\xf0\x90\x80\x80"), 0), -1);
}

TEST(comparison_without_case_folds_the_ascii_letters) {
    GYStringCompareFlags fold = kGYCompareCaseInsensitive;
    EXPECT_INT(GYStringCompare(GYSTR("HeLLo"), GYSTR("hEllO"), fold), 0);
    EXPECT_INT(GYStringCompare(GYSTR("_"), GYSTR("A"), fold), -1);
    EXPECT_INT(GYStringCompare(GYSTR("[z"), GYSTR("{Z"), fold), -1);
    EXPECT_INT(GYStringCompare(GYSTR("\xc3\x89"), GYSTR("\xc3\xa9"), fold), -1);
}

TEST(prefix_and_suffix_are_parts_that_are_not_empty) {
    GYStringRef s = GYSTR("gyre.mode");
    EXPECT(GYStringHasPrefix(s, GYSTR("gyre.")));
    EXPECT(GYStringHasPrefix(s, s));
    EXPECT(!GYStringHasPrefix(s, GYSTR("mode")));
    EXPECT(!GYStringHasPrefix(s, GYSTR("gyre.mode.long")));
    EXPECT(!GYStringHasPrefix(s, GYSTR("")));
    EXPECT(GYStringHasSuffix(s, GYSTR(".mode")));
    EXPECT(GYStringHasSuffix(s, s));
    EXPECT(!GYStringHasSuffix(s, GYSTR("gyre")));
    EXPECT(!GYStringHasSuffix(s, GYSTR("a.gyre.mode")));
    EXPECT(!GYStringHasSuffix(s, GYSTR("")));
}

/* Formats. */

#define EXPECT_FORMAT(expected, ...)                                                               \
    do {                                                                                           \
        GYStringRef formatted_ = GYStringCreateWithFormat(NULL, NULL, __VA_ARGS__);                \
        EXPECT_STR(text_of(formatted_), expected);                                                 \
        GYRelease(formatted_);                                                                     \
    } while (0)

TEST(a_format_writes_integers_of_every_length) {
    EXPECT_FORMAT("-1 2 4294967295 ff FF 17", GYSTR("%d %i %u %x %X %o"), -1, 2, UINT_MAX, 255, 255,
                  15);
    EXPECT_FORMAT("44 -1 -2 9223372036854775807", GYSTR("%hhd %hd %ld %lld"), 300, 65535, -2L,
                  LLONG_MAX);
    EXPECT_FORMAT("200 65535 18446744073709551615", GYSTR("%hhu %hu %lu"), 200, 65535, ULONG_MAX);
    EXPECT_FORMAT("1 2 3 4 5", GYSTR("%jd %zd %zu %td %qd"), (intmax_t)1, (ssize_t)2, (size_t)3,
                  (ptrdiff_t)4, 5LL);
}

TEST(a_format_honours_flags_width_and_precision) {
    EXPECT_FORMAT("[    1|2    |00003|+4| 5]", GYSTR("[%5d|%-5d|%05d|%+d|% d]"), 1, 2, 3, 4, 5);
    EXPECT_FORMAT("[0xff 010 007]", GYSTR("[%#x %#o %.3d]"), 255, 8, 7);
    EXPECT_FORMAT("[   1|2   |3   ]", GYSTR("[%*d|%-*d|%*d]"), 4, 1, 4, 2, -4, 3);
    EXPECT_FORMAT("[1.2|1.500000]", GYSTR("[%.*f|%.*f]"), 1, 1.25, -1, 1.5);
    EXPECT_FORMAT("1000000", GYSTR("%'d"), 1000000);
    EXPECT_FORMAT("  +1", GYSTR("%+++4d"), 1);
}

TEST(a_format_writes_real_numbers) {
    EXPECT_FORMAT("1.500000 1e+09 3.00e+00 0x1p+0", GYSTR("%f %g %.2e %a"), 1.5, 1e9, 3.0, 1.0);
    EXPECT_FORMAT("1.5 2.5 inf", GYSTR("%Lg %lg %f"), 1.5L, 2.5, 1.0 / 0.0);
}

TEST(a_format_writes_numbers_as_in_the_c_locale) {
    const char *locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < 4; i++) {
        if (setlocale(LC_ALL, locales[i]) != NULL) break;
    }
    EXPECT_FORMAT("1.5 1000", GYSTR("%g %'d"), 1.5, 1000);
}

TEST(a_format_writes_characters_and_strings) {
    EXPECT_FORMAT("h\xc3\xa9 100%", GYSTR("%s 100%%"), "h\xc3\xa9");
    EXPECT_FORMAT("[   ab|ab   |a]", GYSTR("[%5s|%-5s|%.1s]"), "ab", "ab", "ab");
    EXPECT_FORMAT("[(null)|(nu]", GYSTR("[%s|%.3s]"), (char *)NULL, (char *)NULL);
    EXPECT_FORMAT("a\xc3\xa9\xe2\x82\xac", GYSTR("%c%c%C"), 'a', 0xe9, 0x20ac);
    EXPECT_FORMAT("\xe2\x82\xac \xf0\x9f\x98\x80", GYSTR("%ls %lc"), L"\x20ac", (wint_t)0x1f600);
    static const uint16_t utf16[] = {'u', 0xd83d, 0xde00, 0xd83d, 0};
    EXPECT_FORMAT("u\xf0\x9f\x98\x80\xef\xbf\xbd", GYSTR("%S"), utf16);
    EXPECT_FORMAT("u (null)", GYSTR("%.1S %ls"), utf16, (wchar_t *)NULL);
    EXPECT_FORMAT("[    u]", GYSTR("[%5.1S]"), utf16);
}

TEST(a_precision_bounds_what_is_read_and_cuts_no_character) {
    const char not_terminated[3] = {'a', 'b', 'c'};
    EXPECT_FORMAT("abc", GYSTR("%.3s"), not_terminated);
    EXPECT_FORMAT("[a|a\xc3\xa9|]", GYSTR("[%.2s|%.3s|%.0s]"), "a\xc3\xa9", "a\xc3\xa9", "a");
    EXPECT_FORMAT("[\xef\xbf\xbd]", GYSTR("[%s]"), "\xe9");
}

TEST(a_format_writes_pointers) {
    EXPECT_FORMAT("0x10 0x0 [  0xab]", GYSTR("%p %p [%6p]"), (void *)16, NULL, (void *)0xab);
}

TEST(a_format_writes_objects_by_their_description) {
    GYStringRef made = utf8("made");
    EXPECT_FORMAT("constant made (null)", GYSTR("%@ %@ %@"), GYSTR("constant"), made, NULL);
    EXPECT_FORMAT("kCFRunLoopDefaultMode", GYSTR("%@"), kGYRunLoopDefaultMode);
    GYRelease(made);
    GYDataRef data = GYDataCreate(NULL, (const uint8_t *)"ab", 2);
    GYStringRef described = GYCopyDescription(data);
    GYStringRef formatted = GYStringCreateWithFormat(NULL, NULL, GYSTR("%@"), data);
    EXPECT(GYEqual(described, formatted));
    GYRelease(formatted);
    GYRelease(described);
    GYRelease(data);
}

TEST(what_is_no_object_is_reported_and_not_followed) {
    test_capture_log();
    static const char nothing[16] = "not an object";
    EXPECT_FORMAT("[(not an object)]", GYSTR("[%@]"), nothing);
    EXPECT_STR(test_log(), "gyre: GYStringCreateWithFormat: an argument of %@ is not a live object"
                           " (GYString.h)");
}

TEST(after_an_unknown_conversion_the_format_is_copied) {
    static const char *const bad[] = {"%n",   "%1$d %s", "%y%s", "50% yes %s",    "%",
                                      "%hhs", "%Ld",     "%l",   "%99999999999d", "%.99999999999f",
                                      "%-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_capture_log();
        GYStringRef format = utf8(bad[i]);
        EXPECT_FORMAT(bad[i], format, 0);
        EXPECT_STR(test_log(), "gyre: GYStringCreateWithFormat: a conversion that does not exist"
                               " (GYString.h)");
        GYRelease(format);
    }
    EXPECT_FORMAT("7 %n %d", GYSTR("%d %n %d"), 7);
}

static GYStringRef with_arguments(GYStringRef format, ...) {
    va_list arguments;
    va_start(arguments, format);
    GYStringRef first = GYStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    GYStringRef second = GYStringCreateWithFormatAndArguments(NULL, NULL, format, arguments);
    va_end(arguments);
    EXPECT(GYEqual(first, second));
    GYRelease(second);
    return first;
}

TEST(a_list_of_arguments_is_left_where_it_was) {
    GYStringRef s = with_arguments(GYSTR("%d %s %.1f %@"), 1, "two", 3.0, GYSTR("four"));
    EXPECT_STR(text_of(s), "1 two 3.0 four");
    GYRelease(s);
}

TEST(a_long_format_grows) {
    GYStringRef s = GYStringCreateWithFormat(NULL, NULL, GYSTR("%100000d|%-100000s|"), 1, "x");
    EXPECT_INT(GYStringGetLength(s), 200002);
    GYRelease(s);
}

/* Misuse. */

TEST(misuse_of_strings_is_reported_and_harmless) {
    char buffer[4];
    GYIndex used = 7;
    test_capture_log();
    EXPECT(utf8(NULL) == NULL);
    EXPECT(GYStringCreateWithCString(NULL, "a", kGYStringEncodingUTF16) == NULL);
    EXPECT(GYStringCreateWithCString(NULL, "a", 0xbad) == NULL);
    EXPECT(from_bytes(NULL, 1, kGYStringEncodingUTF8, false) == NULL);
    EXPECT(from_bytes("a", -1, kGYStringEncodingUTF8, false) == NULL);
    EXPECT(GYStringCreateCopy(NULL, NULL) == NULL);
    EXPECT(GYStringCreateWithFormat(NULL, NULL, NULL) == NULL);
    EXPECT_INT(GYStringGetLength(NULL), 0);
    EXPECT_INT(GYStringGetMaximumSizeForEncoding(-1, kGYStringEncodingUTF8), kGYNotFound);
    EXPECT(!GYStringGetCString(GYSTR("a"), NULL, 4, kGYStringEncodingUTF8));
    EXPECT(!GYStringGetCString(NULL, buffer, 4, kGYStringEncodingUTF8));
    EXPECT_STR(buffer, "");
    EXPECT_STR(GYStringGetCStringPtr(NULL, kGYStringEncodingUTF8), NULL);
    EXPECT_INT(GYStringGetBytes(GYSTR("a"), (GYRange){0, 2}, kGYStringEncodingUTF8, 0, false,
                                (uint8_t *)buffer, 4, &used),
               0);
    EXPECT_INT(used, 0);
    EXPECT_INT(GYStringCompare(NULL, GYSTR("a"), 0), kGYCompareLessThan);
    EXPECT_INT(GYStringCompare(GYSTR("a"), GYSTR("a"), 64), kGYCompareEqualTo);
    EXPECT(!GYStringHasPrefix(NULL, GYSTR("a")));
    EXPECT(!GYStringHasSuffix(GYSTR("a"), NULL));
    EXPECT_STR(test_log(),
               "gyre: GYStringCreateWithCString: no characters (GYString.h)\n"
               "gyre: GYStringCreateWithCString: not an encoding for C strings (GYString.h)\n"
               "gyre: GYStringCreateWithCString: an unknown encoding (GYString.h)\n"
               "gyre: GYStringCreateWithBytes: no bytes, or a negative number of them"
               " (GYString.h)\n"
               "gyre: GYStringCreateWithBytes: no bytes, or a negative number of them"
               " (GYString.h)\n"
               "gyre: GYStringCreateCopy: not a string (GYString.h)\n"
               "gyre: GYStringCreateWithFormat: the format is not a string (GYString.h)\n"
               "gyre: GYStringGetLength: not a string (GYString.h)\n"
               "gyre: GYStringGetMaximumSizeForEncoding: a negative length (GYString.h)\n"
               "gyre: GYStringGetCString: no buffer (GYString.h)\n"
               "gyre: GYStringGetCString: not a string (GYString.h)\n"
               "gyre: GYStringGetCStringPtr: not a string (GYString.h)\n"
               "gyre: GYStringGetBytes: a range outside of the string (GYString.h)\n"
               "gyre: GYStringCompare: not a string (GYString.h)\n"
               "gyre: GYStringCompare: an unknown option (GYString.h)\n"
               "gyre: GYStringHasPrefix: not a string (GYString.h)\n"
               "gyre: GYStringHasSuffix: not a string (GYString.h)");
}

TEST(ranges_that_overflow_are_outside) {
    const GYRange bad[] = {{-1, 1}, {0, -1}, {LONG_MAX, LONG_MAX}, {1, LONG_MAX}, {LONG_MIN, 0},
                           {3, 0},  {1, 2}};
    test_capture_log();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT_INT(
            GYStringGetBytes(GYSTR("ab"), bad[i], kGYStringEncodingUTF8, 0, false, NULL, 0, NULL),
            0);
        EXPECT_STR(test_log(),
                   "gyre: GYStringGetBytes: a range outside of the string (GYString.h)");
    }
}

TEST_MAIN()
