/* CFSocket.h - sockets as sources of a loop, under CoreFoundation's names, but for its name
 * registry. */
#ifndef __COREFOUNDATION_CFSOCKET__
#define __COREFOUNDATION_CFSOCKET__

#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFRunLoop.h>
#include <gyre/GYSocket.h>
#include <sys/socket.h>

typedef GYSocketRef CFSocketRef;
typedef GYSocketNativeHandle CFSocketNativeHandle;
typedef GYSocketSignature CFSocketSignature;
typedef GYSocketCallBackType CFSocketCallBackType;
typedef GYSocketError CFSocketError;
typedef GYSocketCallBack CFSocketCallBack;
typedef GYSocketContext CFSocketContext;

enum {
    kCFSocketNoCallBack = kGYSocketNoCallBack,
    kCFSocketReadCallBack = kGYSocketReadCallBack,
    kCFSocketAcceptCallBack = kGYSocketAcceptCallBack,
    kCFSocketDataCallBack = kGYSocketDataCallBack,
    kCFSocketConnectCallBack = kGYSocketConnectCallBack,
    kCFSocketWriteCallBack = kGYSocketWriteCallBack,
};

enum {
    kCFSocketAutomaticallyReenableReadCallBack = kGYSocketAutomaticallyReenableReadCallBack,
    kCFSocketAutomaticallyReenableAcceptCallBack = kGYSocketAutomaticallyReenableAcceptCallBack,
    kCFSocketAutomaticallyReenableDataCallBack = kGYSocketAutomaticallyReenableDataCallBack,
    kCFSocketAutomaticallyReenableWriteCallBack = kGYSocketAutomaticallyReenableWriteCallBack,
    kCFSocketLeaveErrors = kGYSocketLeaveErrors,
    kCFSocketCloseOnInvalidate = kGYSocketCloseOnInvalidate,
};

enum {
    kCFSocketSuccess = kGYSocketSuccess,
    kCFSocketError = kGYSocketError,
    kCFSocketTimeout = kGYSocketTimeout,
};

#define CFSocketGetTypeID GYSocketGetTypeID
#define CFSocketCreate GYSocketCreate
#define CFSocketCreateWithNative GYSocketCreateWithNative
#define CFSocketCreateWithSocketSignature GYSocketCreateWithSocketSignature
#define CFSocketCreateConnectedToSocketSignature GYSocketCreateConnectedToSocketSignature
#define CFSocketSetAddress GYSocketSetAddress
#define CFSocketConnectToAddress GYSocketConnectToAddress
#define CFSocketInvalidate GYSocketInvalidate
#define CFSocketIsValid GYSocketIsValid
#define CFSocketCopyAddress GYSocketCopyAddress
#define CFSocketCopyPeerAddress GYSocketCopyPeerAddress
#define CFSocketGetContext GYSocketGetContext
#define CFSocketGetNative GYSocketGetNative
#define CFSocketCreateRunLoopSource GYSocketCreateRunLoopSource
#define CFSocketGetSocketFlags GYSocketGetSocketFlags
#define CFSocketSetSocketFlags GYSocketSetSocketFlags
#define CFSocketDisableCallBacks GYSocketDisableCallBacks
#define CFSocketEnableCallBacks GYSocketEnableCallBacks
#define CFSocketSendData GYSocketSendData

#endif
