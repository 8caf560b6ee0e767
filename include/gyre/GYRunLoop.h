/** GYRunLoop.h - loops: finding one, running, stopping, waking, and the modes it runs in. */
#ifndef GYRE_GYRUNLOOP_H
#define GYRE_GYRUNLOOP_H

#include <gyre/GYArray.h>
#include <gyre/GYBase.h>
#include <gyre/GYString.h>

GY_BEGIN_DECLS

/** The name of a mode. Any string will do: equal characters are the same mode (R10). An interned
 * handle, as GYRunLoopModeNamed, the constants and Copy… give it, skips the look-up. */
typedef GYStringRef GYRunLoopMode;

/** Why a run ended. */
typedef int32_t GYRunLoopRunResult;
enum {
    kGYRunLoopRunFinished = 1,      /**< the mode held nothing to wait for */
    kGYRunLoopRunStopped = 2,       /**< GYRunLoopStop or GYRunLoopWindDown */
    kGYRunLoopRunTimedOut = 3,      /**< the time-out passed */
    kGYRunLoopRunHandledSource =
        4, /**< a source was performed and the caller asked to return then */
};

/** The mode that everything runs in unless it asks for another. */
GY_EXPORT const GYRunLoopMode GY_NONNULL kGYRunLoopDefaultMode;
/** Stands for the set of common modes in calls that add, remove or ask; it cannot be run. */
GY_EXPORT const GYRunLoopMode GY_NONNULL kGYRunLoopCommonModes;

/** The type of loops.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFRunLoopGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYRunLoopGetTypeID(void);

/** The calling thread's loop, made on first use (R1).
 *
 * - Ownership: the caller does not own the result; it must retain it to keep it past the thread.
 * - Threads: any.
 * - Errors: no memory: NULL with errno ENOMEM. In the very last destructor of an ending thread:
 *   NULL, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopGetCurrent; CF aborts where memory is out.
 */
GY_EXPORT GYRunLoopRef GY_NULLABLE GYRunLoopGetCurrent(void);

/** The calling thread's loop if there is one; none is made, and nothing is allocated.
 *
 * - Ownership: the caller does not own the result; it must retain it to keep it past the thread.
 * - Threads: any. The main thread's is there once any thread has asked for the main loop.
 * - Errors: none; NULL: nobody has asked for the thread's loop, or it has ended with the thread.
 * - Since: 0.1.
 * - CF: none.
 */
GY_EXPORT GYRunLoopRef GY_NULLABLE GYRunLoopGetCurrentIfMade(void);

/** The loop of the process's first thread (R2).
 *
 * Where libdispatch is in the process it serves the main queue, in its common modes (R210).
 *
 * What is given to it waits until that thread runs it. A main thread that never calls
 * GYRunLoopGetCurrent, nor runs, has no part in this: its loop stays alive when it leaves by
 * pthread_exit, and nothing that was given to the loop ever comes.
 *
 * - Ownership: the caller does not own the result.
 * - Threads: any, also before the main thread has asked for its loop.
 * - Errors: no memory: NULL with errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopGetMain; CF aborts where memory is out.
 */
GY_EXPORT GYRunLoopRef GY_NULLABLE GYRunLoopGetMain(void);

/** Whether a loop is the calling thread's own.
 *
 * - Threads: any.
 * - Errors: not a loop: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopIsCurrent(GYRunLoopRef GY_NULLABLE rl);

/** Whether the loop's thread is still there, so that work given to it can run (R5).
 *
 * - Threads: any; true may be old when it arrives, false is final.
 * - Errors: not a loop: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopIsAlive(GYRunLoopRef GY_NULLABLE rl);

/** The interned handle of a mode name. It spares every later call the look-up of the name.
 *
 * - Parameter name: UTF-8, NUL-terminated; borrowed.
 * - Ownership: the caller releases the result. A name lives while something uses it.
 * - Threads: any.
 * - Errors: NULL: reported, NULL is returned. No memory: NULL with errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopMode GY_NULLABLE GYRunLoopModeNamed(const char *GY_NULLABLE name);

/** The mode of the innermost run in progress, NULL when the loop is not running (R12).
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not a loop: NULL, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopCopyCurrentMode, same contract.
 */
GY_EXPORT GYRunLoopMode GY_NULLABLE GYRunLoopCopyCurrentMode(GYRunLoopRef GY_NULLABLE rl);

/** The names of the modes that exist in a loop, in no particular order (R11).
 *
 * - Ownership: the caller releases the result, which holds strings.
 * - Threads: any.
 * - Errors: not a loop: NULL, reported. No memory: NULL with errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopCopyAllModes; CF also lists the common modes' own name at times.
 */
GY_EXPORT GYArrayRef GY_NULLABLE GYRunLoopCopyAllModes(GYRunLoopRef GY_NULLABLE rl);

/** Makes a mode one of the common modes for good; all common items join it (R17).
 *
 * - Ownership: borrows `mode`.
 * - Threads: any.
 * - Callout: the equal and getPort callbacks of the sources that join, and when all have joined the
 *   schedule callbacks of those of version 0.
 * - Errors: not a loop or no string: reported, nothing happens. No memory or descriptors: nothing
 *   happens and errno tells why; errno is 0 after a call that went well.
 * - Since: 0.1.
 * - CF: CFRunLoopAddCommonMode, same contract.
 */
GY_EXPORT void GYRunLoopAddCommonMode(GYRunLoopRef GY_NULLABLE rl, GYRunLoopMode GY_NULLABLE mode);

/** The date of a mode's earliest timer, 0 where it has none (R108).
 *
 * - Units: seconds since 2001-01-01 00:00:00 UTC, as GYAbsoluteTime.
 * - Threads: any.
 * - Errors: not a loop or no string: 0, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopGetNextTimerFireDate, same contract.
 */
GY_EXPORT GYAbsoluteTime GYRunLoopGetNextTimerFireDate(GYRunLoopRef GY_NULLABLE rl,
                                                       GYRunLoopMode GY_NULLABLE mode);

/** The deadline of a mode's earliest timer, INT64_MAX where it has none.
 *
 * - Units: nanoseconds of CLOCK_MONOTONIC.
 * - Threads: any.
 * - Errors: not a loop or no string: INT64_MAX, reported.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYRunLoopGetNextTimerFireAt(GYRunLoopRef GY_NULLABLE rl,
                                              GYRunLoopMode GY_NULLABLE mode);

/** Runs the calling thread's loop in the default mode until it is stopped or empty (R42).
 *
 * - Threads: runs the calling thread's own loop.
 * - Callout: everything that the mode holds.
 * - Blocking: until GYRunLoopStop, GYRunLoopWindDown or emptiness.
 * - Since: 0.1.
 * - CF: CFRunLoopRun, same contract.
 */
GY_EXPORT void GYRunLoopRun(void);

/** Runs the calling thread's loop in one mode and tells why it ended (R30, R41).
 *
 * - Parameter mode: which mode; an unknown or empty one returns Finished at once (R15), and so do
 *   NULL and the common modes' name, reported once per process (R16).
 * - Parameter seconds: bound of the whole run; zero or less makes one pass that does not wait
 *   (R51); NaN and anything above 16 years mean no bound (R52).
 * - Parameter returnAfterSourceHandled: end after the first source performed.
 * - Threads: runs the calling thread's own loop. A run ends on the thread and the stack that it
 *   began on. While one is in progress the thread begins others on that stack alone: on a fiber's
 *   or a signal's own stack a nested run may be taken for one that follows after a jump, which ends
 *   the one around it.
 * - Callout: everything that the mode holds, with no lock held. A C++ exception or a longjmp may
 *   leave a callout and the runs around it. The thread's next run, begun on the same stack no deeper
 *   than the one that was left, clears these away.
 * - Blocking: up to `seconds`. The wait is a cancellation point.
 * - Errors: no memory for the run: Finished with errno ENOMEM. What the system refuses inside a run
 *   is done without (R89).
 * - Since: 0.1.
 * - CF: CFRunLoopRunInMode, same contract.
 */
GY_EXPORT GYRunLoopRunResult GYRunLoopRunInMode(GYRunLoopMode GY_NULLABLE mode,
                                                GYTimeInterval seconds,
                                                GYBoolean returnAfterSourceHandled);

/** GYRunLoopRunInMode with the time-out in nanoseconds.
 *
 * - Units: nanoseconds; INT64_MAX means no time-out, zero or less one pass that does not wait.
 * - Threads: runs the calling thread's own loop.
 * - Callout: everything that the mode holds.
 * - Blocking: up to `timeout_ns`.
 * - Errors: as GYRunLoopRunInMode.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopRunResult GYRunLoopRunInModeNanoseconds(GYRunLoopMode GY_NULLABLE mode,
                                                           int64_t timeout_ns,
                                                           GYBoolean returnAfterSourceHandled);

/** Whether a run of the calling thread's loop in a mode would have nothing to wait for, and would
 * return Finished at once (R13 to R16). The main loop's common modes never are (R14).
 *
 * - Parameter mode: an unknown one is empty, and so is what cannot be run: NULL, and the common
 *   modes' name.
 * - Threads: asks the calling thread's own loop; another thread may change the answer meanwhile.
 * - Blocking: never.
 * - Errors: NULL or no string: true, reported.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopIsModeEmpty(GYRunLoopMode GY_NULLABLE mode);

/** Whether a loop is asleep at this moment (R152).
 *
 * - Threads: any; takes no lock.
 * - Errors: not a loop: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopIsWaiting, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopIsWaiting(GYRunLoopRef GY_NULLABLE rl);

/** Makes a sleeping loop go on with its iteration (R150). Wake-ups before it gets going are one;
 * a loop that is awake needs none, one that is not running ignores it (R151).
 *
 * - Threads: any. Async-signal-safe: takes no lock, allocates nothing, keeps errno.
 * - Blocking: never.
 * - Errors: not a loop: reported on standard error.
 * - Since: 0.1.
 * - CF: CFRunLoopWakeUp, same contract; CF takes a lock.
 */
GY_EXPORT void GYRunLoopWakeUp(GYRunLoopRef GY_NULLABLE rl);

/** Ends the innermost run in progress and wakes it (R43). On a loop that is not running it is
 * dropped and does not stop the next run (R44).
 *
 * - Threads: any. Async-signal-safe: takes no lock, allocates nothing, keeps errno.
 * - Blocking: never; the run finishes its iteration first.
 * - Errors: not a loop: reported on standard error.
 * - Since: 0.1.
 * - CF: CFRunLoopStop, same contract; CF takes a lock.
 */
GY_EXPORT void GYRunLoopStop(GYRunLoopRef GY_NULLABLE rl);

/** Ends the runs of a loop for good: the one in progress, those around it and all that would begin
 * later (R49). For the end of a thread that has nothing to do but run its loop, whether or not it
 * has come to run it yet.
 *
 * A run in progress finishes its iteration, as after GYRunLoopStop, and the run around it then its
 * own; work that is handed over meanwhile may still be called there. A run that is called afterwards
 * gives Stopped at once and calls nothing. What is pending then stays so until the thread ends. It
 * cannot be taken back; once more changes nothing.
 *
 * - Threads: any. Async-signal-safe: takes no lock, allocates nothing, keeps errno.
 * - Blocking: never.
 * - Errors: not a loop: reported on standard error. An ended loop: nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYRunLoopWindDown(GYRunLoopRef GY_NULLABLE rl);

/** Whether GYRunLoopWindDown has ended the runs of a loop for good.
 *
 * - Threads: any; true is final.
 * - Errors: not a loop: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopIsWindingDown(GYRunLoopRef GY_NULLABLE rl);

/** Whether a source is in a mode (R82), or recorded as a common item (R19).
 *
 * - Threads: any.
 * - Callout: hash and equal callbacks of sources.
 * - Errors: NULL or no such object: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopContainsSource, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopContainsSource(GYRunLoopRef GY_NULLABLE rl,
                                            GYRunLoopSourceRef GY_NULLABLE source,
                                            GYRunLoopMode GY_NULLABLE mode);

/** Adds a source to a mode, or to all common modes (R18, R78, R82).
 *
 * - Ownership: the mode retains the source.
 * - Threads: any.
 * - Callout: hash, equal, getPort and schedule callbacks of sources.
 * - Errors: NULL, no such object: reported, nothing happens. An invalid source or an ended loop:
 *   ignored. No memory, no descriptors, a closed descriptor: nothing changes in any mode and errno
 *   tells why; errno is 0 after a call that went well (R89).
 * - Since: 0.1.
 * - CF: CFRunLoopAddSource, same contract.
 */
GY_EXPORT void GYRunLoopAddSource(GYRunLoopRef GY_NULLABLE rl,
                                  GYRunLoopSourceRef GY_NULLABLE source,
                                  GYRunLoopMode GY_NULLABLE mode);

/** Takes a source out of a mode, or out of all common modes (R20).
 *
 * - Ownership: the mode's reference is given up.
 * - Threads: any. Once it returns on the loop's own thread the source is not performed there (R81).
 * - Callout: hash, equal and cancel callbacks of sources; the context's release, where the mode's
 *   reference was the last.
 * - Errors: NULL, no such object: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopRemoveSource, same contract.
 */
GY_EXPORT void GYRunLoopRemoveSource(GYRunLoopRef GY_NULLABLE rl,
                                     GYRunLoopSourceRef GY_NULLABLE source,
                                     GYRunLoopMode GY_NULLABLE mode);

/** Whether an observer is in a mode, or recorded as a common item (R19).
 *
 * - Threads: any.
 * - Errors: NULL or no such object: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopContainsObserver, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopContainsObserver(GYRunLoopRef GY_NULLABLE rl,
                                              GYRunLoopObserverRef GY_NULLABLE observer,
                                              GYRunLoopMode GY_NULLABLE mode);

/** Adds an observer to a mode, or to all common modes (R132, R136).
 *
 * - Ownership: the mode retains the observer.
 * - Threads: any.
 * - Errors: NULL, no such object: reported. In another loop already: reported, ignored. Invalid,
 *   or an ended loop: ignored. No memory: nothing changes, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFRunLoopAddObserver, same contract.
 */
GY_EXPORT void GYRunLoopAddObserver(GYRunLoopRef GY_NULLABLE rl,
                                    GYRunLoopObserverRef GY_NULLABLE observer,
                                    GYRunLoopMode GY_NULLABLE mode);

/** Takes an observer out of a mode, or out of all common modes; it stays valid.
 *
 * - Ownership: the mode's reference is given up; while the loop calls observers, after the last of
 *   these calls, on its thread.
 * - Threads: any.
 * - Callout: the context's release, where that reference was the last.
 * - Errors: NULL, no such object: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopRemoveObserver, same contract.
 */
GY_EXPORT void GYRunLoopRemoveObserver(GYRunLoopRef GY_NULLABLE rl,
                                       GYRunLoopObserverRef GY_NULLABLE observer,
                                       GYRunLoopMode GY_NULLABLE mode);

/** Whether a timer is in a mode of this loop, or recorded as a common item (R19, R110).
 *
 * - Threads: any.
 * - Errors: NULL or no such object: false, reported.
 * - Since: 0.1.
 * - CF: CFRunLoopContainsTimer, same contract.
 */
GY_EXPORT GYBoolean GYRunLoopContainsTimer(GYRunLoopRef GY_NULLABLE rl,
                                           GYRunLoopTimerRef GY_NULLABLE timer,
                                           GYRunLoopMode GY_NULLABLE mode);

/** Adds a timer to a mode, or to all common modes (R110). A sleeping loop takes notice (R111).
 *
 * - Ownership: the mode retains the timer.
 * - Threads: any.
 * - Errors: NULL, no such object: reported. In another loop already: reported, ignored. Invalid,
 *   or an ended loop: ignored. No memory or descriptors: nothing changes in any mode and errno
 *   tells why; errno is 0 after a call that went well (R89).
 * - Since: 0.1.
 * - CF: CFRunLoopAddTimer, same contract.
 */
GY_EXPORT void GYRunLoopAddTimer(GYRunLoopRef GY_NULLABLE rl, GYRunLoopTimerRef GY_NULLABLE timer,
                                 GYRunLoopMode GY_NULLABLE mode);

/** Takes a timer out of a mode, or out of all common modes; it stays valid (R113).
 *
 * - Ownership: the mode's reference is given up.
 * - Threads: any.
 * - Callout: the context's release, where that reference was the last.
 * - Errors: NULL, no such object: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFRunLoopRemoveTimer, same contract.
 */
GY_EXPORT void GYRunLoopRemoveTimer(GYRunLoopRef GY_NULLABLE rl,
                                    GYRunLoopTimerRef GY_NULLABLE timer,
                                    GYRunLoopMode GY_NULLABLE mode);

GY_END_DECLS

#endif
