/* CFMessagePort.h - messages to ports by name, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFMESSAGEPORT__
#define __COREFOUNDATION_CFMESSAGEPORT__

#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFRunLoop.h>
#include <CoreFoundation/CFString.h>
#include <gyre/GYMessagePort.h>

typedef GYMessagePortRef CFMessagePortRef;
typedef GYMessagePortContext CFMessagePortContext;
typedef GYMessagePortCallBack CFMessagePortCallBack;
typedef GYMessagePortInvalidationCallBack CFMessagePortInvalidationCallBack;

enum {
    kCFMessagePortSuccess = kGYMessagePortSuccess,
    kCFMessagePortSendTimeout = kGYMessagePortSendTimeout,
    kCFMessagePortReceiveTimeout = kGYMessagePortReceiveTimeout,
    kCFMessagePortIsInvalid = kGYMessagePortIsInvalid,
    kCFMessagePortTransportError = kGYMessagePortTransportError,
    kCFMessagePortBecameInvalidError = kGYMessagePortBecameInvalidError,
};

#define CFMessagePortGetTypeID GYMessagePortGetTypeID
#define CFMessagePortCreateLocal GYMessagePortCreateLocal
#define CFMessagePortCreateRemote GYMessagePortCreateRemote
#define CFMessagePortIsRemote GYMessagePortIsRemote
#define CFMessagePortGetName GYMessagePortGetName
#define CFMessagePortSetName GYMessagePortSetName
#define CFMessagePortGetContext GYMessagePortGetContext
#define CFMessagePortInvalidate GYMessagePortInvalidate
#define CFMessagePortIsValid GYMessagePortIsValid
#define CFMessagePortGetInvalidationCallBack GYMessagePortGetInvalidationCallBack
#define CFMessagePortSetInvalidationCallBack GYMessagePortSetInvalidationCallBack
#define CFMessagePortSendRequest GYMessagePortSendRequest
#define CFMessagePortCreateRunLoopSource GYMessagePortCreateRunLoopSource

#endif
