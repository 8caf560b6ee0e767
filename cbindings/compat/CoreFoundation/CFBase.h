/* CFBase.h - the types and functions that all objects share, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFBASE__
#define __COREFOUNDATION_CFBASE__

#include <CoreFoundation/CFAvailability.h>
#include <gyre/GYBase.h>
#include <gyre/GYDrainPool.h>
#include <gyre/GYObject.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CF_EXTERN_C_BEGIN GY_BEGIN_DECLS
#define CF_EXTERN_C_END GY_END_DECLS
#define CF_EXPORT extern
#define CF_INLINE static inline

/* Ownership, bridging and nullability: documentation only. */
#define CF_RETURNS_RETAINED
#define CF_RETURNS_NOT_RETAINED
#define CF_RELEASES_ARGUMENT
#define CF_CONSUMED
#define CF_AUTOMATED_REFCOUNT_UNAVAILABLE
#define CF_IMPLICIT_BRIDGING_ENABLED
#define CF_IMPLICIT_BRIDGING_DISABLED
#define CF_BRIDGED_TYPE(type)
#define CF_BRIDGED_MUTABLE_TYPE(type)
#define CF_RELATED_TYPE(type, class_method, instance_method)
#define CF_ASSUME_NONNULL_BEGIN
#define CF_ASSUME_NONNULL_END
#define CF_NOESCAPE
#define CF_NO_TAIL_CALL
#define CF_FORMAT_FUNCTION(format, first)
#define CF_FORMAT_ARGUMENT(format)
#define CF_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#define CF_FALLTHROUGH __attribute__((fallthrough))

#ifndef __clang__
#define _Nullable
#define _Nonnull
#define _Null_unspecified
#endif

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

typedef GYBoolean Boolean;
typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef unsigned long long UInt64;
typedef long long SInt64;
typedef float Float32;
typedef double Float64;
typedef uint8_t Byte;
typedef int8_t SignedByte;
typedef SInt16 OSErr;
typedef SInt32 OSStatus;
typedef UInt32 FourCharCode;
typedef FourCharCode OSType;
typedef UInt8 UTF8Char;
typedef UInt16 UTF16Char;
typedef UInt32 UTF32Char;
typedef UInt16 UniChar;
typedef unsigned long UniCharCount;

/* The struct behind each type, for programs that declare the type themselves. */
#define __CFAllocator GYAllocator
#define __CFArray GYArray
#define __CFData GYData
#define __CFDate GYDate
#define __CFFileDescriptor GYFileDescriptor
#define __CFMessagePort GYMessagePort
#define __CFRunLoop GYRunLoop
#define __CFRunLoopObserver GYRunLoopObserver
#define __CFRunLoopSource GYRunLoopSource
#define __CFRunLoopTimer GYRunLoopTimer
#define __CFSocket GYSocket
#define __CFString GYString

typedef GYIndex CFIndex;
typedef GYTypeID CFTypeID;
typedef GYHashCode CFHashCode;
typedef GYOptionFlags CFOptionFlags;
typedef GYTypeRef CFTypeRef;
typedef GYTypeRef CFPropertyListRef;
typedef GYStringRef CFStringRef;
typedef GYAllocatorRef CFAllocatorRef;
typedef GYRange CFRange;
typedef GYComparisonResult CFComparisonResult;
typedef CFComparisonResult (*CFComparatorFunction)(const void *a, const void *b, void *context);

enum {
    kCFCompareLessThan = kGYCompareLessThan,
    kCFCompareEqualTo = kGYCompareEqualTo,
    kCFCompareGreaterThan = kGYCompareGreaterThan,
};

enum { kCFNotFound = kGYNotFound };

CF_INLINE CFRange CFRangeMake(CFIndex location, CFIndex length) {
    CFRange range = {location, length};
    return range;
}

/* There is one allocator, malloc. */
#define kCFAllocatorDefault kGYAllocatorDefault
#define kCFAllocatorSystemDefault kGYAllocatorDefault
#define kCFAllocatorMalloc kGYAllocatorDefault
#define kCFAllocatorMallocZone kGYAllocatorDefault

#define CFRetain GYRetain
#define CFRelease GYRelease
#define CFAutorelease GYAutorelease
#define CFGetRetainCount GYGetRetainCount
#define CFGetTypeID GYGetTypeID
#define CFEqual GYEqual
#define CFHash GYHash
#define CFCopyDescription GYCopyDescription

#endif
