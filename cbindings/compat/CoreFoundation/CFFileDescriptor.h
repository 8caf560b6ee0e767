/* CFFileDescriptor.h - file descriptors as sources of a loop, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFFILEDESCRIPTOR__
#define __COREFOUNDATION_CFFILEDESCRIPTOR__

#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFRunLoop.h>
#include <gyre/GYFileDescriptor.h>

typedef GYFileDescriptorRef CFFileDescriptorRef;
typedef GYFileDescriptorNativeDescriptor CFFileDescriptorNativeDescriptor;
typedef GYFileDescriptorCallBack CFFileDescriptorCallBack;
typedef GYFileDescriptorContext CFFileDescriptorContext;

enum {
    kCFFileDescriptorReadCallBack = kGYFileDescriptorReadCallBack,
    kCFFileDescriptorWriteCallBack = kGYFileDescriptorWriteCallBack,
};

#define CFFileDescriptorGetTypeID GYFileDescriptorGetTypeID
#define CFFileDescriptorCreate GYFileDescriptorCreate
#define CFFileDescriptorGetNativeDescriptor GYFileDescriptorGetNativeDescriptor
#define CFFileDescriptorGetContext GYFileDescriptorGetContext
#define CFFileDescriptorEnableCallBacks GYFileDescriptorEnableCallBacks
#define CFFileDescriptorDisableCallBacks GYFileDescriptorDisableCallBacks
#define CFFileDescriptorInvalidate GYFileDescriptorInvalidate
#define CFFileDescriptorIsValid GYFileDescriptorIsValid
#define CFFileDescriptorCreateRunLoopSource GYFileDescriptorCreateRunLoopSource

#endif
