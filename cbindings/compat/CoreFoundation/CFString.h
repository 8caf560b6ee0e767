/* CFString.h - immutable strings, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFSTRING__
#define __COREFOUNDATION_CFSTRING__

#include <CoreFoundation/CFBase.h>
#include <gyre/GYString.h>
#include <stdarg.h>

#define CFSTR GYSTR

typedef GYStringEncoding CFStringEncoding;
typedef GYStringEncoding CFStringBuiltInEncodings;

enum {
    kCFStringEncodingMacRoman = kGYStringEncodingMacRoman,
    kCFStringEncodingUnicode = kGYStringEncodingUTF16,
    kCFStringEncodingUTF16 = kGYStringEncodingUTF16,
    kCFStringEncodingISOLatin1 = kGYStringEncodingISOLatin1,
    kCFStringEncodingASCII = kGYStringEncodingASCII,
    kCFStringEncodingUTF8 = kGYStringEncodingUTF8,
    kCFStringEncodingUTF32 = kGYStringEncodingUTF32,
    kCFStringEncodingUTF16BE = kGYStringEncodingUTF16BE,
    kCFStringEncodingUTF16LE = kGYStringEncodingUTF16LE,
    kCFStringEncodingUTF32BE = kGYStringEncodingUTF32BE,
    kCFStringEncodingUTF32LE = kGYStringEncodingUTF32LE,
};

typedef GYStringCompareFlags CFStringCompareFlags;

enum { kCFCompareCaseInsensitive = kGYCompareCaseInsensitive };

#define CFStringGetTypeID GYStringGetTypeID
#define CFStringCreateWithCString GYStringCreateWithCString
#define CFStringCreateWithBytes GYStringCreateWithBytes
#define CFStringCreateCopy GYStringCreateCopy
#define CFStringCreateWithFormat GYStringCreateWithFormat
#define CFStringCreateWithFormatAndArguments GYStringCreateWithFormatAndArguments
#define CFStringGetLength GYStringGetLength
#define CFStringGetMaximumSizeForEncoding GYStringGetMaximumSizeForEncoding
#define CFStringGetCString GYStringGetCString
#define CFStringGetCStringPtr GYStringGetCStringPtr
#define CFStringGetBytes GYStringGetBytes
#define CFStringCompare GYStringCompare
#define CFStringHasPrefix GYStringHasPrefix
#define CFStringHasSuffix GYStringHasSuffix

#define CFShow GYShow

#endif
