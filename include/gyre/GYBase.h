/** GYBase.h - linkage, nullability and the basic types that every other header uses. */
#ifndef GYRE_GYBASE_H
#define GYRE_GYBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define GY_BEGIN_DECLS extern "C" {
#define GY_END_DECLS }
#else
#define GY_BEGIN_DECLS
#define GY_END_DECLS
#endif

/** Marks what the shared library exports; nothing else is visible outside it. */
#define GY_EXPORT extern __attribute__((visibility("default")))

#ifdef __clang__
#define GY_NULLABLE _Nullable
#define GY_NONNULL _Nonnull
#else
#define GY_NULLABLE
#define GY_NONNULL
#endif

/** The version of these headers; GYVersion() tells that of the library in the process. */
#define GYRE_VERSION_MAJOR 0
#define GYRE_VERSION_MINOR 1
#define GYRE_VERSION_PATCH 0
#define GYRE_VERSION "0.1.0"

GY_BEGIN_DECLS

typedef long GYIndex;
typedef unsigned long GYTypeID;
typedef unsigned long GYHashCode;
typedef unsigned long GYOptionFlags;
/** A truth value as wide as CoreFoundation's: 0 is false, 1 is true. */
typedef unsigned char GYBoolean;

/** Seconds since 2001-01-01 00:00:00 UTC, by the wall clock. */
typedef double GYAbsoluteTime;
/** A length of time in seconds. */
typedef double GYTimeInterval;

typedef struct {
    GYIndex location;
    GYIndex length;
} GYRange;

typedef GYIndex GYComparisonResult;
enum { kGYCompareLessThan = -1, kGYCompareEqualTo = 0, kGYCompareGreaterThan = 1 };

enum { kGYNotFound = -1 };

/** Any object of the library: a loop, a source, a string, ... */
typedef const void *GYTypeRef;
typedef const struct GYString *GYStringRef;
typedef const struct GYArray *GYArrayRef;
typedef struct GYArray *GYMutableArrayRef;
typedef const struct GYData *GYDataRef;
typedef const struct GYDate *GYDateRef;
typedef struct GYRunLoop *GYRunLoopRef;
typedef struct GYRunLoopSource *GYRunLoopSourceRef;
typedef struct GYRunLoopTimer *GYRunLoopTimerRef;
typedef struct GYRunLoopObserver *GYRunLoopObserverRef;
typedef struct GYFileDescriptor *GYFileDescriptorRef;
typedef struct GYSocket *GYSocketRef;
typedef struct GYRunLoopPerformRequest *GYRunLoopPerformRef;
typedef struct GYManualClock *GYManualClockRef;
typedef struct GYRunLoopEmbedding *GYRunLoopEmbeddingRef;

/** Where memory comes from. There is one allocator, malloc; the argument is kept for CF's shape. */
typedef const struct GYAllocator *GYAllocatorRef;
#define kGYAllocatorDefault ((GYAllocatorRef)0)

/** The version of the library in the process, as "major.minor.patch".
 *
 * - Ownership: a constant; do not free it.
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT const char *GY_NONNULL GYVersion(void);

/** Receives one line, without a newline, about a call that broke the contract. */
typedef void (*GYLogHandler)(const char *GY_NONNULL line, void *GY_NULLABLE info);

/** Replaces the function that gets the library's reports of misuse.
 *
 * The default writes the line to standard error. A report names the call and the rule that it
 * broke; in normal operation none is made. With GYRE_STRICT=1 in the environment the process
 * aborts after the line. WakeUp, SourceSignal, Stop and WindDown may run in signal handlers: their
 * reports go to standard error by write(2) and never through the handler.
 *
 * - Parameter handler: the new function; NULL brings the default back.
 * - Parameter info: passed to every call of `handler`; it must outlive the last one.
 * - Threads: any; a report under way on another thread may still use the old handler.
 * - Callout: `handler`, later, on the reporting thread, with no lock of the library held.
 * - Since: 0.1.
 */
GY_EXPORT void GYSetLogHandler(GYLogHandler GY_NULLABLE handler, void *GY_NULLABLE info);

/** Reports a call that broke the contract, as the library reports its own: for layers on top of it.
 *
 * The line is `gyre: CALL: WHAT (RULE)`; one of more than 255 bytes is cut off. It goes where
 * GYSetLogHandler says, and with GYRE_STRICT=1 in the environment the process aborts after it.
 * `errno` is kept.
 *
 * - Parameter call: the call, as its caller knows it.
 * - Parameter what: what was wrong.
 * - Parameter rule: the rule that was broken.
 * - Ownership: borrows all three.
 * - Threads: any; not in a signal handler.
 * - Callout: the log handler, with no lock of the library held.
 * - Errors: NULL: nothing is reported.
 * - Since: 0.1.
 */
GY_EXPORT void GYReport(const char *GY_NULLABLE call, const char *GY_NULLABLE what,
                        const char *GY_NULLABLE rule);

GY_END_DECLS

#endif
