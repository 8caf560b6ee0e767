/* Every call into foreign code, each kind a function of its own that is never inlined: a backtrace
 * says which kind of callback is running.
 *
 * Owns: the marks around a call (which item is busy, what the run is calling) and the way to wait
 * for the end of one. Relies on: no lock held across any call here.
 * Threads: the calls that a run makes, the loop's own; the others any. */
#ifndef GYRE_LOOP_CALLOUT_H
#define GYRE_LOOP_CALLOUT_H

#include "loop/loop.h"

#include <gyre/GYFileDescriptor.h>
#include <gyre/GYSocket.h>

/* Calls made by the innermost run of the calling thread's loop. Somebody holds a reference to the
 * item around them. The caller has marked it as being called before it saw, for the last time, that
 * it is valid, and has read `info` then. It ends that itself for an observer or a timer; the call of
 * a source is over when these return. */
void gy_callout_observer(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                         GYRunLoopActivity activity, void *info);
void gy_callout_timer(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info);
void gy_callout_clock_was_set(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info,
                              GYRunLoopTimerClockWasSet was_set, int64_t change_ns);
void gy_callout_source(GYRunLoopRef loop, GYRunLoopSourceRef source);
void gy_callout_port(GYRunLoopRef loop, GYRunLoopSourceRef source, uint32_t events);
/* Takes the block over: calls it and releases it. */
void gy_callout_block(GYRunLoopRef loop, gy_block *block);
/* Drains it (R212). */
void gy_callout_main_queue(GYRunLoopRef loop);

/* Any thread's, in a run or not; `loop` is the thread's own. What is held for the time of the call
 * (R121) is told before it begins; NULL where an outer call holds it. */
void gy_callout_timer_by_hand(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info,
                              void **held_info);

/* Plain calls. */
const void *gy_callout_retain(const void *(*retain)(const void *), const void *info);
void gy_callout_release(void (*release)(const void *), const void *info);
GYStringRef gy_callout_copy_description(GYStringRef (*copy)(const void *), const void *info);
bool gy_callout_equal(GYBoolean (*equal)(const void *, const void *), const void *a, const void *b);
GYHashCode gy_callout_hash(GYHashCode (*hash)(const void *), const void *info);
int gy_callout_get_port(int (*get_port)(void *), void *info);
void gy_callout_schedule(GYRunLoopSourceRef source, GYRunLoopRef loop, GYStringRef mode);
void gy_callout_cancel(GYRunLoopSourceRef source, GYRunLoopRef loop, GYStringRef mode);
void gy_callout_file_descriptor(GYFileDescriptorCallBack callout, GYFileDescriptorRef f,
                                GYOptionFlags types, void *info);
void *gy_callout_file_descriptor_retain(void *(*retain)(void *), void *info);
void gy_callout_file_descriptor_release(void (*release)(void *), void *info);
GYStringRef gy_callout_file_descriptor_describe(GYStringRef (*copy)(void *), void *info);
void gy_callout_socket(GYSocketCallBack callout, GYSocketRef s, GYSocketCallBackType type,
                       GYDataRef address, const void *data, void *info);
void gy_callout_perform(GYPerformFunction function, void *info);

/* For calls whose frame is gone (activation.h), and for those that have returned. */
void gy_callout_source_returned(GYRunLoopSourceRef source);
void gy_callout_let_info_go(GYRunLoopTimerRef timer, void *held_info);

/* Tells whoever waits in gy_callout_wait that something it may be waiting for has changed. */
void gy_callout_announce(void);
/* Blocks until `is_over(item)`. What makes it true must then call gy_callout_announce if it finds
 * the item marked as waited for; both sides use sequentially consistent accesses, so one of them
 * sees the other. */
void gy_callout_wait(bool (*is_over)(const void *item), const void *item);
/* Whether the calling thread is itself inside a callout of the item. */
bool gy_callout_is_mine(const void *item);

/* For the fork handlers. */
void gy_callout_reset_in_child(void);

#endif
