/* What a compiled client relies on: sizes and offsets of public structs, values of enumerators.
 * Where GY has a counterpart in CoreFoundation the numbers are CoreFoundation's. */
#include <CoreFoundation/CoreFoundation.h>
#include <gyre/gyre.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define AT(type, member, offset)                                                                   \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define VALUE(name, value) _Static_assert((name) == (value), #name)
/* The same number under both names. */
#define BOTH(name, value)                                                                          \
    VALUE(kGY##name, value);                                                                       \
    VALUE(kCF##name, value)

/* Basic types, on 64-bit Linux. */
SIZE(GYIndex, 8);
SIZE(GYTypeID, 8);
SIZE(GYHashCode, 8);
SIZE(GYOptionFlags, 8);
SIZE(GYBoolean, 1);
SIZE(GYAbsoluteTime, 8);
SIZE(GYTimeInterval, 8);
SIZE(GYComparisonResult, 8);
SIZE(GYRunLoopRunResult, 4);
SIZE(GYRunLoopActivity, 8);
SIZE(GYRunLoopPerformState, 4);
SIZE(GYRunLoopTimerOverrunPolicy, 4);
SIZE(GYFileDescriptorNativeDescriptor, 4);
SIZE(GYSocketCallBackType, 8);
SIZE(GYSocketError, 8);
SIZE(GYSocketNativeHandle, 4);
SIZE(GYRunLoopTimerClock, 4);
SIZE(GYStringEncoding, 4);
SIZE(GYStringCompareFlags, 8);
SIZE(UInt8, 1);
SIZE(UInt16, 2);
SIZE(UInt32, 4);
SIZE(UInt64, 8);
SIZE(UniChar, 2);

SIZE(GYRange, 16);
AT(GYRange, location, 0);
AT(GYRange, length, 8);

/* Contexts. */
SIZE(GYRunLoopSourceContext, 80);
AT(GYRunLoopSourceContext, version, 0);
AT(GYRunLoopSourceContext, info, 8);
AT(GYRunLoopSourceContext, retain, 16);
AT(GYRunLoopSourceContext, release, 24);
AT(GYRunLoopSourceContext, copyDescription, 32);
AT(GYRunLoopSourceContext, equal, 40);
AT(GYRunLoopSourceContext, hash, 48);
AT(GYRunLoopSourceContext, schedule, 56);
AT(GYRunLoopSourceContext, cancel, 64);
AT(GYRunLoopSourceContext, perform, 72);

SIZE(GYPortContext, 40);
SIZE(GYMessagePortContext, 40);
AT(GYMessagePortContext, version, 0);
AT(GYMessagePortContext, info, 8);
AT(GYMessagePortContext, retain, 16);
AT(GYMessagePortContext, release, 24);
AT(GYMessagePortContext, copyDescription, 32);

SIZE(GYRunLoopSourceContext1, 72);
AT(GYRunLoopSourceContext1, version, 0);
AT(GYRunLoopSourceContext1, info, 8);
AT(GYRunLoopSourceContext1, retain, 16);
AT(GYRunLoopSourceContext1, release, 24);
AT(GYRunLoopSourceContext1, copyDescription, 32);
AT(GYRunLoopSourceContext1, equal, 40);
AT(GYRunLoopSourceContext1, hash, 48);
AT(GYRunLoopSourceContext1, getPort, 56);
AT(GYRunLoopSourceContext1, perform, 64);

SIZE(GYRunLoopSourceContext2, 88);
AT(GYRunLoopSourceContext2, getPort, 56);
AT(GYRunLoopSourceContext2, perform, 64);
AT(GYRunLoopSourceContext2, events, 72);
AT(GYRunLoopSourceContext2, performEvents, 80);

SIZE(GYCallBackContext, 40);
AT(GYCallBackContext, version, 0);
AT(GYCallBackContext, info, 8);
AT(GYCallBackContext, retain, 16);
AT(GYCallBackContext, release, 24);
AT(GYCallBackContext, copyDescription, 32);

SIZE(GYSignalInfo, 40);
AT(GYSignalInfo, signal, 0);
AT(GYSignalInfo, code, 4);
AT(GYSignalInfo, pid, 8);
AT(GYSignalInfo, uid, 12);
AT(GYSignalInfo, status, 16);
AT(GYSignalInfo, value, 24);
AT(GYSignalInfo, lost, 32);

SIZE(GYProcessEnd, 16);
AT(GYProcessEnd, pid, 0);
AT(GYProcessEnd, outcome, 4);
AT(GYProcessEnd, code, 8);
AT(GYProcessEnd, dumpedCore, 12);
VALUE(kGYProcessExited, 1);
VALUE(kGYProcessSignalled, 2);
VALUE(kGYProcessEnded, 3);
VALUE(kGYProcessLeaveStatus, 1);

SIZE(GYFileEvents, 8);
SIZE(GYFileEvent, 48);
AT(GYFileEvent, event, 0);
AT(GYFileEvent, path, 8);
AT(GYFileEvent, name, 16);
AT(GYFileEvent, oldPath, 24);
AT(GYFileEvent, oldName, 32);
AT(GYFileEvent, cookie, 40);
AT(GYFileEvent, isDirectory, 44);
VALUE(kGYFileCreated, 1);
VALUE(kGYFileModified, 2);
VALUE(kGYFileWritten, 4);
VALUE(kGYFileAttributes, 8);
VALUE(kGYFileDeleted, 16);
VALUE(kGYFileMoved, 32);
VALUE(kGYFileMovedOut, 64);
VALUE(kGYFileMovedIn, 128);
VALUE(kGYFileSelfDeleted, 256);
VALUE(kGYFileSelfMoved, 512);
VALUE(kGYFileUnmounted, 1024);
VALUE(kGYFileOverflowed, 2048);
VALUE(kGYFileAllEvents, 0xFFF);

SIZE(GYRunLoopTimerContext, 40);
AT(GYRunLoopTimerContext, version, 0);
AT(GYRunLoopTimerContext, info, 8);
AT(GYRunLoopTimerContext, retain, 16);
AT(GYRunLoopTimerContext, release, 24);
AT(GYRunLoopTimerContext, copyDescription, 32);

SIZE(GYRunLoopObserverContext, 40);
AT(GYRunLoopObserverContext, version, 0);
AT(GYRunLoopObserverContext, info, 8);
AT(GYRunLoopObserverContext, retain, 16);
AT(GYRunLoopObserverContext, release, 24);
AT(GYRunLoopObserverContext, copyDescription, 32);

SIZE(GYFileDescriptorContext, 40);
AT(GYFileDescriptorContext, version, 0);
AT(GYFileDescriptorContext, info, 8);
AT(GYFileDescriptorContext, retain, 16);
AT(GYFileDescriptorContext, release, 24);
AT(GYFileDescriptorContext, copyDescription, 32);

SIZE(GYSocketContext, 40);
AT(GYSocketContext, version, 0);
AT(GYSocketContext, info, 8);
AT(GYSocketContext, retain, 16);
AT(GYSocketContext, release, 24);
AT(GYSocketContext, copyDescription, 32);

SIZE(GYSocketSignature, 24);
AT(GYSocketSignature, protocolFamily, 0);
AT(GYSocketSignature, socketType, 4);
AT(GYSocketSignature, protocol, 8);
AT(GYSocketSignature, address, 16);

SIZE(GYArrayCallBacks, 40);
AT(GYArrayCallBacks, version, 0);
AT(GYArrayCallBacks, retain, 8);
AT(GYArrayCallBacks, release, 16);
AT(GYArrayCallBacks, copyDescription, 24);
AT(GYArrayCallBacks, equal, 32);

/* Enumerators. */
BOTH(CompareLessThan, -1);
BOTH(CompareEqualTo, 0);
BOTH(CompareGreaterThan, 1);
BOTH(NotFound, -1);

BOTH(RunLoopRunFinished, 1);
BOTH(RunLoopRunStopped, 2);
BOTH(RunLoopRunTimedOut, 3);
BOTH(RunLoopRunHandledSource, 4);

BOTH(RunLoopEntry, 1);
BOTH(RunLoopBeforeTimers, 2);
BOTH(RunLoopBeforeSources, 4);
BOTH(RunLoopBeforeWaiting, 32);
BOTH(RunLoopAfterWaiting, 64);
BOTH(RunLoopExit, 128);
BOTH(RunLoopAllActivities, 0x0FFFFFFF);

BOTH(StringEncodingMacRoman, 0);
BOTH(StringEncodingUTF16, 0x0100);
BOTH(StringEncodingISOLatin1, 0x0201);
BOTH(StringEncodingASCII, 0x0600);
BOTH(StringEncodingUTF8, 0x08000100);
BOTH(StringEncodingUTF32, 0x0c000100);
BOTH(StringEncodingUTF16BE, 0x10000100);
BOTH(StringEncodingUTF16LE, 0x14000100);
BOTH(StringEncodingUTF32BE, 0x18000100);
BOTH(StringEncodingUTF32LE, 0x1c000100);
BOTH(CompareCaseInsensitive, 1);

BOTH(FileDescriptorReadCallBack, 1);
BOTH(FileDescriptorWriteCallBack, 2);
BOTH(MessagePortSuccess, 0);
BOTH(MessagePortSendTimeout, -1);
BOTH(MessagePortReceiveTimeout, -2);
BOTH(MessagePortIsInvalid, -3);
BOTH(MessagePortTransportError, -4);
BOTH(MessagePortBecameInvalidError, -5);
VALUE(kGYFileDescriptorHangUpCallBack, 4);
VALUE(kGYFileDescriptorErrorCallBack, 8);

BOTH(SocketNoCallBack, 0);
BOTH(SocketReadCallBack, 1);
BOTH(SocketAcceptCallBack, 2);
BOTH(SocketDataCallBack, 3);
BOTH(SocketConnectCallBack, 4);
BOTH(SocketWriteCallBack, 8);
BOTH(SocketAutomaticallyReenableReadCallBack, 1);
BOTH(SocketAutomaticallyReenableAcceptCallBack, 2);
BOTH(SocketAutomaticallyReenableDataCallBack, 3);
BOTH(SocketAutomaticallyReenableWriteCallBack, 8);
BOTH(SocketLeaveErrors, 64);
BOTH(SocketCloseOnInvalidate, 128);
BOTH(SocketSuccess, 0);
BOTH(SocketError, -1);
BOTH(SocketTimeout, -2);

VALUE(kGYRunLoopPerformPending, 0);
VALUE(kGYRunLoopPerformRunning, 1);
VALUE(kGYRunLoopPerformDone, 2);
VALUE(kGYRunLoopPerformCancelled, 3);
VALUE(kGYRunLoopPerformLoopEnded, 4);
VALUE(kGYRunLoopEmbeddingGoesOn, 0);

VALUE(kGYDrainBeforeWaiting, 0x10000000);
VALUE(kGYDrainBeforePolling, 0x20000000);
VALUE(kGYDrainExit, 0x40000000);
VALUE(kGYDrainPolicyEveryIteration, 0);
VALUE(kGYDrainPolicyBeforeWaiting, 1);
VALUE(kGYDrainPolicyOnExit, 2);
VALUE(kGYTimerMonotonic, 0);
VALUE(kGYTimerBoot, 1);
VALUE(kGYTimerWall, 2);
VALUE(kGYTimerSkip, 0);
VALUE(kGYTimerFromEnd, 1);
VALUE(kGYTimerCatchUp, 2);
