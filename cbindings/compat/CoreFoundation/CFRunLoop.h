/* CFRunLoop.h - the run loop, its sources, observers and timers, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFRUNLOOP__
#define __COREFOUNDATION_CFRUNLOOP__

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFString.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopObserver.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYRunLoopSource.h>
#include <gyre/GYRunLoopTimer.h>

/* Loops */

typedef GYRunLoopRef CFRunLoopRef;
typedef GYRunLoopMode CFRunLoopMode;
typedef GYRunLoopRunResult CFRunLoopRunResult;

enum {
    kCFRunLoopRunFinished = kGYRunLoopRunFinished,
    kCFRunLoopRunStopped = kGYRunLoopRunStopped,
    kCFRunLoopRunTimedOut = kGYRunLoopRunTimedOut,
    kCFRunLoopRunHandledSource = kGYRunLoopRunHandledSource,
};

#define kCFRunLoopDefaultMode kGYRunLoopDefaultMode
#define kCFRunLoopCommonModes kGYRunLoopCommonModes

#define CFRunLoopGetTypeID GYRunLoopGetTypeID
#define CFRunLoopGetCurrent GYRunLoopGetCurrent
#define CFRunLoopGetMain GYRunLoopGetMain
#define CFRunLoopCopyCurrentMode GYRunLoopCopyCurrentMode
#define CFRunLoopCopyAllModes GYRunLoopCopyAllModes
#define CFRunLoopAddCommonMode GYRunLoopAddCommonMode
#define CFRunLoopGetNextTimerFireDate GYRunLoopGetNextTimerFireDate
#define CFRunLoopRun GYRunLoopRun
#define CFRunLoopRunInMode GYRunLoopRunInMode
#define CFRunLoopIsWaiting GYRunLoopIsWaiting
#define CFRunLoopWakeUp GYRunLoopWakeUp
#define CFRunLoopStop GYRunLoopStop
#define CFRunLoopContainsSource GYRunLoopContainsSource
#define CFRunLoopAddSource GYRunLoopAddSource
#define CFRunLoopRemoveSource GYRunLoopRemoveSource
#define CFRunLoopContainsObserver GYRunLoopContainsObserver
#define CFRunLoopAddObserver GYRunLoopAddObserver
#define CFRunLoopRemoveObserver GYRunLoopRemoveObserver
#define CFRunLoopContainsTimer GYRunLoopContainsTimer
#define CFRunLoopAddTimer GYRunLoopAddTimer
#define CFRunLoopRemoveTimer GYRunLoopRemoveTimer

/* Sources */

typedef GYRunLoopSourceRef CFRunLoopSourceRef;
typedef GYRunLoopSourceContext CFRunLoopSourceContext;
/* The port is a descriptor; the loop reads nothing from it. */
typedef GYRunLoopSourceContext1 CFRunLoopSourceContext1;

#define CFRunLoopSourceGetTypeID GYRunLoopSourceGetTypeID
#define CFRunLoopSourceCreate GYRunLoopSourceCreate
#define CFRunLoopSourceGetOrder GYRunLoopSourceGetOrder
#define CFRunLoopSourceInvalidate GYRunLoopSourceInvalidate
#define CFRunLoopSourceIsValid GYRunLoopSourceIsValid
#define CFRunLoopSourceGetContext GYRunLoopSourceGetContext
#define CFRunLoopSourceSignal GYRunLoopSourceSignal

/* Observers */

typedef GYRunLoopObserverRef CFRunLoopObserverRef;
typedef GYRunLoopObserverContext CFRunLoopObserverContext;
typedef GYRunLoopObserverCallBack CFRunLoopObserverCallBack;
typedef GYRunLoopActivity CFRunLoopActivity;

enum {
    kCFRunLoopEntry = kGYRunLoopEntry,
    kCFRunLoopBeforeTimers = kGYRunLoopBeforeTimers,
    kCFRunLoopBeforeSources = kGYRunLoopBeforeSources,
    kCFRunLoopBeforeWaiting = kGYRunLoopBeforeWaiting,
    kCFRunLoopAfterWaiting = kGYRunLoopAfterWaiting,
    kCFRunLoopExit = kGYRunLoopExit,
    kCFRunLoopAllActivities = kGYRunLoopAllActivities,
};

#define CFRunLoopObserverGetTypeID GYRunLoopObserverGetTypeID
#define CFRunLoopObserverCreate GYRunLoopObserverCreate
#define CFRunLoopObserverGetActivities GYRunLoopObserverGetActivities
#define CFRunLoopObserverDoesRepeat GYRunLoopObserverDoesRepeat
#define CFRunLoopObserverGetOrder GYRunLoopObserverGetOrder
#define CFRunLoopObserverInvalidate GYRunLoopObserverInvalidate
#define CFRunLoopObserverIsValid GYRunLoopObserverIsValid
#define CFRunLoopObserverGetContext GYRunLoopObserverGetContext

/* Timers */

typedef GYRunLoopTimerRef CFRunLoopTimerRef;
typedef GYRunLoopTimerContext CFRunLoopTimerContext;
typedef GYRunLoopTimerCallBack CFRunLoopTimerCallBack;

#define CFRunLoopTimerGetTypeID GYRunLoopTimerGetTypeID
#define CFRunLoopTimerCreate GYRunLoopTimerCreate
#define CFRunLoopTimerGetNextFireDate GYRunLoopTimerGetNextFireDate
#define CFRunLoopTimerSetNextFireDate GYRunLoopTimerSetNextFireDate
#define CFRunLoopTimerGetInterval GYRunLoopTimerGetInterval
#define CFRunLoopTimerDoesRepeat GYRunLoopTimerDoesRepeat
#define CFRunLoopTimerGetOrder GYRunLoopTimerGetOrder
#define CFRunLoopTimerInvalidate GYRunLoopTimerInvalidate
#define CFRunLoopTimerIsValid GYRunLoopTimerIsValid
#define CFRunLoopTimerGetContext GYRunLoopTimerGetContext
#define CFRunLoopTimerGetTolerance GYRunLoopTimerGetTolerance
#define CFRunLoopTimerSetTolerance GYRunLoopTimerSetTolerance

/* Blocks, for compilers that have them */

#ifdef __BLOCKS__
#define CFRunLoopPerformBlock GYRunLoopPerformBlock
#define CFRunLoopObserverCreateWithHandler GYRunLoopObserverCreateWithHandler
#define CFRunLoopTimerCreateWithHandler GYRunLoopTimerCreateWithHandler
#endif

#endif
