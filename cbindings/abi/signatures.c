/* The functions that the compatibility headers offer, with the types that a program written for
 * CoreFoundation expects of them: each is assigned to a pointer of that type. Valid as C and as
 * C++. */
#include <CoreFoundation/CoreFoundation.h>

#define FUNCTION(result, name, ...)                                                                \
    static __attribute__((unused)) result (*const use_##name)(__VA_ARGS__) = name

/* Loops */
FUNCTION(CFTypeID, CFRunLoopGetTypeID, void);
FUNCTION(CFRunLoopRef, CFRunLoopGetCurrent, void);
FUNCTION(CFRunLoopRef, CFRunLoopGetMain, void);
FUNCTION(CFRunLoopMode, CFRunLoopCopyCurrentMode, CFRunLoopRef);
FUNCTION(CFArrayRef, CFRunLoopCopyAllModes, CFRunLoopRef);
FUNCTION(void, CFRunLoopAddCommonMode, CFRunLoopRef, CFRunLoopMode);
FUNCTION(CFAbsoluteTime, CFRunLoopGetNextTimerFireDate, CFRunLoopRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopRun, void);
FUNCTION(CFRunLoopRunResult, CFRunLoopRunInMode, CFRunLoopMode, CFTimeInterval, Boolean);
FUNCTION(Boolean, CFRunLoopIsWaiting, CFRunLoopRef);
FUNCTION(void, CFRunLoopWakeUp, CFRunLoopRef);
FUNCTION(void, CFRunLoopStop, CFRunLoopRef);
FUNCTION(Boolean, CFRunLoopContainsSource, CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopAddSource, CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopRemoveSource, CFRunLoopRef, CFRunLoopSourceRef, CFRunLoopMode);
FUNCTION(Boolean, CFRunLoopContainsObserver, CFRunLoopRef, CFRunLoopObserverRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopAddObserver, CFRunLoopRef, CFRunLoopObserverRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopRemoveObserver, CFRunLoopRef, CFRunLoopObserverRef, CFRunLoopMode);
FUNCTION(Boolean, CFRunLoopContainsTimer, CFRunLoopRef, CFRunLoopTimerRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopAddTimer, CFRunLoopRef, CFRunLoopTimerRef, CFRunLoopMode);
FUNCTION(void, CFRunLoopRemoveTimer, CFRunLoopRef, CFRunLoopTimerRef, CFRunLoopMode);

/* Sources */
FUNCTION(CFTypeID, CFRunLoopSourceGetTypeID, void);
FUNCTION(CFRunLoopSourceRef, CFRunLoopSourceCreate, CFAllocatorRef, CFIndex,
         CFRunLoopSourceContext *);
FUNCTION(CFIndex, CFRunLoopSourceGetOrder, CFRunLoopSourceRef);
FUNCTION(void, CFRunLoopSourceInvalidate, CFRunLoopSourceRef);
FUNCTION(Boolean, CFRunLoopSourceIsValid, CFRunLoopSourceRef);
FUNCTION(void, CFRunLoopSourceGetContext, CFRunLoopSourceRef, CFRunLoopSourceContext *);
FUNCTION(void, CFRunLoopSourceSignal, CFRunLoopSourceRef);

/* Observers */
FUNCTION(CFTypeID, CFRunLoopObserverGetTypeID, void);
FUNCTION(CFRunLoopObserverRef, CFRunLoopObserverCreate, CFAllocatorRef, CFOptionFlags, Boolean,
         CFIndex, CFRunLoopObserverCallBack, CFRunLoopObserverContext *);
FUNCTION(CFOptionFlags, CFRunLoopObserverGetActivities, CFRunLoopObserverRef);
FUNCTION(Boolean, CFRunLoopObserverDoesRepeat, CFRunLoopObserverRef);
FUNCTION(CFIndex, CFRunLoopObserverGetOrder, CFRunLoopObserverRef);
FUNCTION(void, CFRunLoopObserverInvalidate, CFRunLoopObserverRef);
FUNCTION(Boolean, CFRunLoopObserverIsValid, CFRunLoopObserverRef);
FUNCTION(void, CFRunLoopObserverGetContext, CFRunLoopObserverRef, CFRunLoopObserverContext *);

/* Timers */
FUNCTION(CFTypeID, CFRunLoopTimerGetTypeID, void);
FUNCTION(CFRunLoopTimerRef, CFRunLoopTimerCreate, CFAllocatorRef, CFAbsoluteTime, CFTimeInterval,
         CFOptionFlags, CFIndex, CFRunLoopTimerCallBack, CFRunLoopTimerContext *);
FUNCTION(CFAbsoluteTime, CFRunLoopTimerGetNextFireDate, CFRunLoopTimerRef);
FUNCTION(void, CFRunLoopTimerSetNextFireDate, CFRunLoopTimerRef, CFAbsoluteTime);
FUNCTION(CFTimeInterval, CFRunLoopTimerGetInterval, CFRunLoopTimerRef);
FUNCTION(Boolean, CFRunLoopTimerDoesRepeat, CFRunLoopTimerRef);
FUNCTION(CFIndex, CFRunLoopTimerGetOrder, CFRunLoopTimerRef);
FUNCTION(void, CFRunLoopTimerInvalidate, CFRunLoopTimerRef);
FUNCTION(Boolean, CFRunLoopTimerIsValid, CFRunLoopTimerRef);
FUNCTION(void, CFRunLoopTimerGetContext, CFRunLoopTimerRef, CFRunLoopTimerContext *);
FUNCTION(CFTimeInterval, CFRunLoopTimerGetTolerance, CFRunLoopTimerRef);
FUNCTION(void, CFRunLoopTimerSetTolerance, CFRunLoopTimerRef, CFTimeInterval);

/* File descriptors */
FUNCTION(CFTypeID, CFFileDescriptorGetTypeID, void);
FUNCTION(CFFileDescriptorRef, CFFileDescriptorCreate, CFAllocatorRef,
         CFFileDescriptorNativeDescriptor, Boolean, CFFileDescriptorCallBack,
         const CFFileDescriptorContext *);
FUNCTION(CFFileDescriptorNativeDescriptor, CFFileDescriptorGetNativeDescriptor,
         CFFileDescriptorRef);
FUNCTION(void, CFFileDescriptorGetContext, CFFileDescriptorRef, CFFileDescriptorContext *);
FUNCTION(void, CFFileDescriptorEnableCallBacks, CFFileDescriptorRef, CFOptionFlags);
FUNCTION(void, CFFileDescriptorDisableCallBacks, CFFileDescriptorRef, CFOptionFlags);
FUNCTION(void, CFFileDescriptorInvalidate, CFFileDescriptorRef);
FUNCTION(Boolean, CFFileDescriptorIsValid, CFFileDescriptorRef);
FUNCTION(CFRunLoopSourceRef, CFFileDescriptorCreateRunLoopSource, CFAllocatorRef,
         CFFileDescriptorRef, CFIndex);

/* Sockets */
FUNCTION(CFTypeID, CFSocketGetTypeID, void);
FUNCTION(CFSocketRef, CFSocketCreate, CFAllocatorRef, SInt32, SInt32, SInt32, CFOptionFlags,
         CFSocketCallBack, const CFSocketContext *);
FUNCTION(CFSocketRef, CFSocketCreateWithNative, CFAllocatorRef, CFSocketNativeHandle, CFOptionFlags,
         CFSocketCallBack, const CFSocketContext *);
FUNCTION(CFSocketRef, CFSocketCreateWithSocketSignature, CFAllocatorRef, const CFSocketSignature *,
         CFOptionFlags, CFSocketCallBack, const CFSocketContext *);
FUNCTION(CFSocketRef, CFSocketCreateConnectedToSocketSignature, CFAllocatorRef,
         const CFSocketSignature *, CFOptionFlags, CFSocketCallBack, const CFSocketContext *,
         CFTimeInterval);
FUNCTION(CFSocketError, CFSocketSetAddress, CFSocketRef, CFDataRef);
FUNCTION(CFSocketError, CFSocketConnectToAddress, CFSocketRef, CFDataRef, CFTimeInterval);
FUNCTION(void, CFSocketInvalidate, CFSocketRef);
FUNCTION(Boolean, CFSocketIsValid, CFSocketRef);
FUNCTION(CFDataRef, CFSocketCopyAddress, CFSocketRef);
FUNCTION(CFDataRef, CFSocketCopyPeerAddress, CFSocketRef);
FUNCTION(void, CFSocketGetContext, CFSocketRef, CFSocketContext *);
FUNCTION(CFSocketNativeHandle, CFSocketGetNative, CFSocketRef);
FUNCTION(CFRunLoopSourceRef, CFSocketCreateRunLoopSource, CFAllocatorRef, CFSocketRef, CFIndex);
FUNCTION(CFOptionFlags, CFSocketGetSocketFlags, CFSocketRef);
FUNCTION(void, CFSocketSetSocketFlags, CFSocketRef, CFOptionFlags);
FUNCTION(void, CFSocketDisableCallBacks, CFSocketRef, CFOptionFlags);
FUNCTION(void, CFSocketEnableCallBacks, CFSocketRef, CFOptionFlags);
FUNCTION(CFSocketError, CFSocketSendData, CFSocketRef, CFDataRef, CFDataRef, CFTimeInterval);

/* Blocks */
#ifdef __BLOCKS__
FUNCTION(void, CFRunLoopPerformBlock, CFRunLoopRef, CFTypeRef, void (^)(void));
FUNCTION(CFRunLoopObserverRef, CFRunLoopObserverCreateWithHandler, CFAllocatorRef, CFOptionFlags,
         Boolean, CFIndex, void (^)(CFRunLoopObserverRef, CFRunLoopActivity));
FUNCTION(CFRunLoopTimerRef, CFRunLoopTimerCreateWithHandler, CFAllocatorRef, CFAbsoluteTime,
         CFTimeInterval, CFOptionFlags, CFIndex, void (^)(CFRunLoopTimerRef));
#endif

/* All objects */
FUNCTION(CFTypeRef, CFRetain, CFTypeRef);
FUNCTION(void, CFRelease, CFTypeRef);
FUNCTION(CFTypeRef, CFAutorelease, CFTypeRef);
FUNCTION(CFTypeID, CFGetTypeID, CFTypeRef);
FUNCTION(CFIndex, CFGetRetainCount, CFTypeRef);
FUNCTION(Boolean, CFEqual, CFTypeRef, CFTypeRef);
FUNCTION(CFHashCode, CFHash, CFTypeRef);
FUNCTION(CFStringRef, CFCopyDescription, CFTypeRef);
FUNCTION(void, CFShow, CFTypeRef);

/* Time */
FUNCTION(CFAbsoluteTime, CFAbsoluteTimeGetCurrent, void);
FUNCTION(CFTypeID, CFDateGetTypeID, void);
FUNCTION(CFDateRef, CFDateCreate, CFAllocatorRef, CFAbsoluteTime);
FUNCTION(CFAbsoluteTime, CFDateGetAbsoluteTime, CFDateRef);
FUNCTION(CFTimeInterval, CFDateGetTimeIntervalSinceDate, CFDateRef, CFDateRef);
FUNCTION(CFComparisonResult, CFDateCompare, CFDateRef, CFDateRef, void *);

/* Strings */
FUNCTION(CFTypeID, CFStringGetTypeID, void);
FUNCTION(CFStringRef, CFStringCreateWithCString, CFAllocatorRef, const char *, CFStringEncoding);
FUNCTION(CFStringRef, CFStringCreateWithBytes, CFAllocatorRef, const UInt8 *, CFIndex,
         CFStringEncoding, Boolean);
FUNCTION(CFStringRef, CFStringCreateCopy, CFAllocatorRef, CFStringRef);
FUNCTION(CFIndex, CFStringGetLength, CFStringRef);
FUNCTION(CFIndex, CFStringGetMaximumSizeForEncoding, CFIndex, CFStringEncoding);
FUNCTION(Boolean, CFStringGetCString, CFStringRef, char *, CFIndex, CFStringEncoding);
FUNCTION(const char *, CFStringGetCStringPtr, CFStringRef, CFStringEncoding);
FUNCTION(CFIndex, CFStringGetBytes, CFStringRef, CFRange, CFStringEncoding, UInt8, Boolean, UInt8 *,
         CFIndex, CFIndex *);
FUNCTION(CFComparisonResult, CFStringCompare, CFStringRef, CFStringRef, CFStringCompareFlags);
FUNCTION(Boolean, CFStringHasPrefix, CFStringRef, CFStringRef);
FUNCTION(Boolean, CFStringHasSuffix, CFStringRef, CFStringRef);

/* Arrays */
FUNCTION(CFTypeID, CFArrayGetTypeID, void);
FUNCTION(CFArrayRef, CFArrayCreate, CFAllocatorRef, const void **, CFIndex,
         const CFArrayCallBacks *);
FUNCTION(CFArrayRef, CFArrayCreateCopy, CFAllocatorRef, CFArrayRef);
FUNCTION(CFMutableArrayRef, CFArrayCreateMutable, CFAllocatorRef, CFIndex,
         const CFArrayCallBacks *);
FUNCTION(CFIndex, CFArrayGetCount, CFArrayRef);
FUNCTION(const void *, CFArrayGetValueAtIndex, CFArrayRef, CFIndex);
FUNCTION(Boolean, CFArrayContainsValue, CFArrayRef, CFRange, const void *);
FUNCTION(CFIndex, CFArrayGetFirstIndexOfValue, CFArrayRef, CFRange, const void *);
FUNCTION(void, CFArrayAppendValue, CFMutableArrayRef, const void *);
FUNCTION(void, CFArrayInsertValueAtIndex, CFMutableArrayRef, CFIndex, const void *);
FUNCTION(void, CFArraySetValueAtIndex, CFMutableArrayRef, CFIndex, const void *);
FUNCTION(void, CFArrayRemoveValueAtIndex, CFMutableArrayRef, CFIndex);
FUNCTION(void, CFArrayRemoveAllValues, CFMutableArrayRef);

/* Data */
FUNCTION(CFTypeID, CFDataGetTypeID, void);
FUNCTION(CFDataRef, CFDataCreate, CFAllocatorRef, const UInt8 *, CFIndex);
FUNCTION(CFDataRef, CFDataCreateCopy, CFAllocatorRef, CFDataRef);
FUNCTION(CFIndex, CFDataGetLength, CFDataRef);
FUNCTION(const UInt8 *, CFDataGetBytePtr, CFDataRef);
FUNCTION(void, CFDataGetBytes, CFDataRef, CFRange, UInt8 *);

/* Message ports */
FUNCTION(CFTypeID, CFMessagePortGetTypeID, void);
FUNCTION(CFMessagePortRef, CFMessagePortCreateLocal, CFAllocatorRef, CFStringRef,
         CFMessagePortCallBack, CFMessagePortContext *, Boolean *);
FUNCTION(CFMessagePortRef, CFMessagePortCreateRemote, CFAllocatorRef, CFStringRef);
FUNCTION(Boolean, CFMessagePortIsRemote, CFMessagePortRef);
FUNCTION(CFStringRef, CFMessagePortGetName, CFMessagePortRef);
FUNCTION(Boolean, CFMessagePortSetName, CFMessagePortRef, CFStringRef);
FUNCTION(void, CFMessagePortGetContext, CFMessagePortRef, CFMessagePortContext *);
FUNCTION(void, CFMessagePortInvalidate, CFMessagePortRef);
FUNCTION(Boolean, CFMessagePortIsValid, CFMessagePortRef);
FUNCTION(CFMessagePortInvalidationCallBack, CFMessagePortGetInvalidationCallBack, CFMessagePortRef);
FUNCTION(void, CFMessagePortSetInvalidationCallBack, CFMessagePortRef,
         CFMessagePortInvalidationCallBack);
FUNCTION(SInt32, CFMessagePortSendRequest, CFMessagePortRef, SInt32, CFDataRef, CFTimeInterval,
         CFTimeInterval, CFStringRef, CFDataRef *);
FUNCTION(CFRunLoopSourceRef, CFMessagePortCreateRunLoopSource, CFAllocatorRef, CFMessagePortRef,
         CFIndex);

/* Constants, and strings in the initialisers of static variables. */
static const CFStringRef use_constant_string __attribute__((unused)) = CFSTR("constant");

typedef CF_ENUM(CFIndex, NamedEnum) { kNamedEnumValue = 7 };
CF_ENUM(UInt32){kUnnamedEnumValue = 1};
typedef CF_OPTIONS(CFOptionFlags, NamedOptions) { kNamedOptionsFirst = 1, kNamedOptionsSecond = 2 };

struct __CFRunLoop;
struct __CFString;

void use_constants(CFTypeRef values[5]);
void use_constants(CFTypeRef values[5]) {
    NamedEnum value = kNamedEnumValue;
    NamedOptions options = kNamedOptionsFirst | kNamedOptionsSecond;
    struct __CFRunLoop *loop = CFRunLoopGetCurrent();
    const struct __CFString *mode = kCFRunLoopDefaultMode;
    CFRange range = CFRangeMake(value, (CFIndex)options + (CFIndex)kUnnamedEnumValue);
    CFAbsoluteTime epochs = kCFAbsoluteTimeIntervalSince1970 + kCFAbsoluteTimeIntervalSince1904;
    values[0] = loop;
    values[1] = mode;
    values[2] = kCFRunLoopCommonModes;
    values[3] = range.length > 0 && epochs > 0 ? kCFAllocatorDefault : kCFAllocatorMalloc;
    values[4] = CFArrayCreate(kCFAllocatorSystemDefault, values, 4, &kCFTypeArrayCallBacks);
}
