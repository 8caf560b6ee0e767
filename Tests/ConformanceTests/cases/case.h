/* case.h - what most cases use: names for what they print, short ways to make items, a thread. */
#ifndef CONFORMANCE_CASE_H
#define CONFORMANCE_CASE_H

#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline const char *yes_no(int value) { return value ? "yes" : "no"; }

static inline const char *result_name(SInt32 result) {
    switch (result) {
    case kCFRunLoopRunFinished: return "Finished";
    case kCFRunLoopRunStopped: return "Stopped";
    case kCFRunLoopRunTimedOut: return "TimedOut";
    case kCFRunLoopRunHandledSource: return "HandledSource";
    default: return "?";
    }
}

static inline const char *activity_name(CFRunLoopActivity activity) {
    switch (activity) {
    case kCFRunLoopEntry: return "Entry";
    case kCFRunLoopBeforeTimers: return "BeforeTimers";
    case kCFRunLoopBeforeSources: return "BeforeSources";
    case kCFRunLoopBeforeWaiting: return "BeforeWaiting";
    case kCFRunLoopAfterWaiting: return "AfterWaiting";
    case kCFRunLoopExit: return "Exit";
    default: return "?";
    }
}

/* The characters of a string; each text is valid until four more have been asked for. */
static inline const char *text_of(CFStringRef string) {
    static char texts[4][128];
    static int next;
    if (string == NULL) return "(null)";
    char *text = texts[next++ % 4];
    if (!CFStringGetCString(string, text, sizeof texts[0], kCFStringEncodingUTF8)) return "(bad)";
    return text;
}

static inline CFRunLoopSourceRef make_source(CFIndex order, void (*perform)(void *), void *info) {
    CFRunLoopSourceContext context;
    memset(&context, 0, sizeof context);
    context.info = info;
    context.perform = perform;
    return CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context);
}

/* A timer that fires first `delay` seconds from now. */
static inline CFRunLoopTimerRef make_timer(double delay, double interval,
                                           CFRunLoopTimerCallBack callback, void *info) {
    CFRunLoopTimerContext context;
    memset(&context, 0, sizeof context);
    context.info = info;
    return CFRunLoopTimerCreate(kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + delay, interval,
                                0, 0, callback, &context);
}

static inline CFRunLoopObserverRef make_observer(CFOptionFlags activities, Boolean repeats,
                                                 CFIndex order, CFRunLoopObserverCallBack callback,
                                                 void *info) {
    CFRunLoopObserverContext context;
    memset(&context, 0, sizeof context);
    context.info = info;
    return CFRunLoopObserverCreate(kCFAllocatorDefault, activities, repeats, order, callback,
                                   &context);
}

/* Runs a function on a thread of its own, whose loop is new, and waits for its end. */
static inline void run_on_thread(void *(*body)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0) {
        printf("no thread\n");
        exit(1);
    }
    pthread_join(thread, NULL);
}

static inline void pause_ms(int milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0) continue;
}

#endif
