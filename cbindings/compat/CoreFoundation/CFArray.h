/* CFArray.h - arrays, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFARRAY__
#define __COREFOUNDATION_CFARRAY__

#include <CoreFoundation/CFBase.h>
#include <gyre/GYArray.h>

typedef GYArrayRef CFArrayRef;
typedef GYMutableArrayRef CFMutableArrayRef;
typedef GYArrayCallBacks CFArrayCallBacks;
typedef const void *(*CFArrayRetainCallBack)(CFAllocatorRef allocator, const void *value);
typedef void (*CFArrayReleaseCallBack)(CFAllocatorRef allocator, const void *value);
typedef CFStringRef (*CFArrayCopyDescriptionCallBack)(const void *value);
typedef Boolean (*CFArrayEqualCallBack)(const void *a, const void *b);

#define kCFTypeArrayCallBacks kGYTypeArrayCallBacks

#define CFArrayGetTypeID GYArrayGetTypeID
#define CFArrayCreate GYArrayCreate
#define CFArrayCreateCopy GYArrayCreateCopy
#define CFArrayCreateMutable GYArrayCreateMutable
#define CFArrayGetCount GYArrayGetCount
#define CFArrayGetValueAtIndex GYArrayGetValueAtIndex
#define CFArrayContainsValue GYArrayContainsValue
#define CFArrayGetFirstIndexOfValue GYArrayGetFirstIndexOfValue
#define CFArrayAppendValue GYArrayAppendValue
#define CFArrayInsertValueAtIndex GYArrayInsertValueAtIndex
#define CFArraySetValueAtIndex GYArraySetValueAtIndex
#define CFArrayRemoveValueAtIndex GYArrayRemoveValueAtIndex
#define CFArrayRemoveAllValues GYArrayRemoveAllValues

#endif
