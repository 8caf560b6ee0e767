/** GYString.h - immutable Unicode strings: constants, making, reading, comparing, formatting. */
#ifndef GYRE_GYSTRING_H
#define GYRE_GYSTRING_H

#include <gyre/GYBase.h>
#include <stdarg.h>

GY_BEGIN_DECLS

/** A constant string from a string literal in UTF-8, as CFSTR makes it: in functions, in
 * initialisers at file scope in C and in static initialisers in C++.
 *
 * The result is never counted and never destroyed. Two of them with equal characters may be at two
 * addresses: compare with GYEqual. The first NUL ends the string; bytes that are no UTF-8 read as
 * U+FFFD. The literal begins with the eight bytes of an object's header: string, constant and
 * literal, the library's mark, a count. They are ABI.
 */
#define GYSTR(lit)                                                                                 \
    ((GYStringRef)(const void *)("\x01\x03"                                                        \
                                 "GY"                                                              \
                                 "\xff\xff\xff\xff"                                                \
                                 "" lit ""))

/** How characters are written as bytes. The numbers are CoreFoundation's. */
typedef uint32_t GYStringEncoding;
enum {
    kGYStringEncodingMacRoman = 0,
    kGYStringEncodingUTF16 = 0x0100, /**< in the machine's byte order */
    kGYStringEncodingISOLatin1 = 0x0201,
    kGYStringEncodingASCII = 0x0600,
    kGYStringEncodingUTF8 = 0x08000100,
    kGYStringEncodingUTF32 = 0x0c000100, /**< in the machine's byte order */
    kGYStringEncodingUTF16BE = 0x10000100,
    kGYStringEncodingUTF16LE = 0x14000100,
    kGYStringEncodingUTF32BE = 0x18000100,
    kGYStringEncodingUTF32LE = 0x1c000100,
};

/** How strings are compared; values combine in a mask. */
typedef GYOptionFlags GYStringCompareFlags;
enum {
    kGYCompareCaseInsensitive = 1, /**< A to Z equal a to z; other letters differ by case */
};

/** The type of strings.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFStringGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYStringGetTypeID(void);

/** Makes a string from NUL-terminated bytes.
 *
 * - Parameter cString: copied.
 * - Parameter encoding: one whose characters are bytes: UTF-8, ASCII, Latin 1 or Mac Roman. A byte
 *   order mark at the beginning of UTF-8 is left out.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: bytes that the encoding does not have: NULL. NULL or another encoding: NULL, reported.
 *   No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFStringCreateWithCString; CF takes bytes above 0x7f as ASCII too.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYStringCreateWithCString(GYAllocatorRef GY_NULLABLE allocator,
                                                            const char *GY_NULLABLE cString,
                                                            GYStringEncoding encoding);

/** Makes a string from a number of bytes, which may hold NULs.
 *
 * - Parameter bytes: copied; may be NULL where `numBytes` is 0.
 * - Parameter isExternalRepresentation: whether UTF-16 and UTF-32 tell their byte order by a mark
 *   at their beginning, and are big-endian without one.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: bytes that the encoding does not have, half a character, half a surrogate pair: NULL.
 *   No bytes, a negative number or an unknown encoding: NULL, reported. No memory: NULL, ENOMEM.
 * - Since: 0.1.
 * - CF: CFStringCreateWithBytes; CF takes halves of surrogate pairs, and ignores half a character.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYStringCreateWithBytes(GYAllocatorRef GY_NULLABLE allocator,
                                                          const uint8_t *GY_NULLABLE bytes,
                                                          GYIndex numBytes,
                                                          GYStringEncoding encoding,
                                                          GYBoolean isExternalRepresentation);

/** A string with the same characters: the same one, since strings do not change.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not a string: NULL, reported.
 * - Since: 0.1.
 * - CF: CFStringCreateCopy, same contract.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYStringCreateCopy(GYAllocatorRef GY_NULLABLE allocator,
                                                     GYStringRef GY_NULLABLE string);

/** Makes a string as printf does.
 *
 * Flags, widths, precisions and length modifiers are C's; numbers are written as in the C locale.
 * Besides C's conversions there are `%@`, the description of an object, `%C`, a UTF-16 unit, and
 * `%S`, UTF-16 units up to a zero. `%s` takes UTF-8; its width and precision count bytes, and a
 * precision never cuts a character. NULL shows as "(null)".
 *
 * - Parameter formatOptions: NULL.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: the copyDescription callbacks of objects shown by `%@`.
 * - Errors: a conversion that does not exist, `%n` or an argument position (`%1$d`): reported, and
 *   the format is copied as it is from there on. `%@` without an object: reported, shown as
 *   "(not an object)". Not a string as `format`: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFStringCreateWithFormat; CF has argument positions, and skips what it does not know.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYStringCreateWithFormat(GYAllocatorRef GY_NULLABLE allocator,
                                                           GYTypeRef GY_NULLABLE formatOptions,
                                                           GYStringRef GY_NULLABLE format, ...);

/** GYStringCreateWithFormat with the arguments in a list.
 *
 * - Parameter arguments: left where it was; the caller ends it.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: as GYStringCreateWithFormat.
 * - Errors: as GYStringCreateWithFormat.
 * - Since: 0.1.
 * - CF: CFStringCreateWithFormatAndArguments; differs as GYStringCreateWithFormat does.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYStringCreateWithFormatAndArguments(
    GYAllocatorRef GY_NULLABLE allocator, GYTypeRef GY_NULLABLE formatOptions,
    GYStringRef GY_NULLABLE format, va_list arguments);

/** The number of UTF-16 units in a string: characters above U+FFFF count as two.
 *
 * - Threads: any.
 * - Errors: not a string: 0, reported.
 * - Since: 0.1.
 * - CF: CFStringGetLength, same contract.
 */
GY_EXPORT GYIndex GYStringGetLength(GYStringRef GY_NULLABLE string);

/** How many bytes a number of UTF-16 units take at most, without terminator and byte order mark.
 *
 * - Threads: any.
 * - Errors: more than GYIndex holds: kGYNotFound. A negative length or an unknown encoding:
 *   kGYNotFound, reported.
 * - Since: 0.1.
 * - CF: CFStringGetMaximumSizeForEncoding, same contract.
 */
GY_EXPORT GYIndex GYStringGetMaximumSizeForEncoding(GYIndex length, GYStringEncoding encoding);

/** Writes a string and a terminating NUL.
 *
 * - Parameter buffer: begins with a NUL where the result is false and `bufferSize` is above 0.
 * - Parameter bufferSize: bytes, the terminator included.
 * - Parameter encoding: one whose characters are bytes: UTF-8, ASCII, Latin 1 or Mac Roman.
 * - Result: whether the whole string could be written in the encoding and had room.
 * - Threads: any.
 * - Errors: no buffer, not a string, or another encoding: false, reported.
 * - Since: 0.1.
 * - CF: CFStringGetCString, same contract.
 */
GY_EXPORT GYBoolean GYStringGetCString(GYStringRef GY_NULLABLE string, char *GY_NULLABLE buffer,
                                       GYIndex bufferSize, GYStringEncoding encoding);

/** The characters of a string as a C string, where it can be had without a copy: always in UTF-8;
 * in ASCII, Latin 1 and Mac Roman while there are only ASCII characters; else NULL.
 *
 * - Ownership: valid as long as the string.
 * - Threads: any.
 * - Errors: not a string: NULL, reported.
 * - Since: 0.1.
 * - CF: CFStringGetCStringPtr; CF gives UTF-8 for ASCII characters only.
 */
GY_EXPORT const char *GY_NULLABLE GYStringGetCStringPtr(GYStringRef GY_NULLABLE string,
                                                        GYStringEncoding encoding);

/** Writes a part of a string in an encoding, whole characters only, as many as have room.
 *
 * - Parameter range: in UTF-16 units. Half a surrogate pair is a character that only UTF-16 has.
 * - Parameter lossByte: stands for each UTF-16 unit that the encoding does not have; 0: end there.
 * - Parameter isExternalRepresentation: begin UTF-16 and UTF-32 with a byte order mark.
 * - Parameter buffer: NULL: nothing is written, `maxBufLen` does not count, the rest is the same.
 * - Parameter usedBufLen: set to the bytes written; may be NULL.
 * - Result: how many UTF-16 units were converted.
 * - Threads: any.
 * - Errors: not a string, a range outside of it or an unknown encoding: 0, reported.
 * - Since: 0.1.
 * - CF: CFStringGetBytes; CF may end UTF-16 with half a surrogate pair where room ends.
 */
GY_EXPORT GYIndex GYStringGetBytes(GYStringRef GY_NULLABLE string, GYRange range,
                                   GYStringEncoding encoding, uint8_t lossByte,
                                   GYBoolean isExternalRepresentation, uint8_t *GY_NULLABLE buffer,
                                   GYIndex maxBufLen, GYIndex *GY_NULLABLE usedBufLen);

/** Compares two strings by their UTF-16 units.
 *
 * - Threads: any.
 * - Errors: not a string: reported; it comes before every string and equals others of its sort. An
 *   option that does not exist: reported, ignored.
 * - Since: 0.1.
 * - CF: CFStringCompare; CF has more options, and folds the case of all letters.
 */
GY_EXPORT GYComparisonResult GYStringCompare(GYStringRef GY_NULLABLE string,
                                             GYStringRef GY_NULLABLE other,
                                             GYStringCompareFlags options);

/** Whether a string begins with another, which is not empty.
 *
 * - Threads: any.
 * - Errors: not a string: false, reported.
 * - Since: 0.1.
 * - CF: CFStringHasPrefix, same contract.
 */
GY_EXPORT GYBoolean GYStringHasPrefix(GYStringRef GY_NULLABLE string,
                                      GYStringRef GY_NULLABLE prefix);

/** Whether a string ends with another, which is not empty.
 *
 * - Threads: any.
 * - Errors: not a string: false, reported.
 * - Since: 0.1.
 * - CF: CFStringHasSuffix, same contract.
 */
GY_EXPORT GYBoolean GYStringHasSuffix(GYStringRef GY_NULLABLE string,
                                      GYStringRef GY_NULLABLE suffix);

GY_END_DECLS

#endif
