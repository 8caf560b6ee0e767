/** GYProcess.h - the end of a child, or of any process, as a source. */
#ifndef GYRE_GYPROCESS_H
#define GYRE_GYPROCESS_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoopSource.h>

GY_BEGIN_DECLS

/** How a process ended. */
typedef enum {
    kGYProcessExited = 1,   /**< it returned or called exit */
    kGYProcessSignalled = 2, /**< a signal ended it */
    kGYProcessEnded = 3, /**< it is over, and no more is known: it is no child of this process, or
                               somebody else has taken its status */
} GYProcessOutcome;

/** The end of a process. */
typedef struct {
    int32_t pid;
    GYProcessOutcome outcome;
    int code; /**< the exit code, or the number of the signal; 0 where nothing is known */
    GYBoolean dumpedCore; /**< a signal ended it, and there is an image of its memory */
} GYProcessEnd;

/** What a process source is to do beside telling. */
enum {
    /** The status of the child is left for the program's own wait: until then it is a zombie. */
    kGYProcessLeaveStatus = 1UL << 0,
};

/** Called once, by a loop that holds the source, when the process has ended. `info` is that of the
 * context. */
typedef void (*GYProcessCallBack)(GYRunLoopSourceRef GY_NULLABLE source,
                                  const GYProcessEnd *GY_NULLABLE end, void *GY_NULLABLE info);

/** Makes a source that is performed once, when a process ends.
 *
 * It takes the status of a child, which so is no zombie any more, unless it is to leave it; it waits
 * for no other child. Of a process that is no child only the end is told. In the callout
 * the source is invalid already; to invalidate it before leaves the process, and its status, alone.
 * A child that has ended and has not been waited for is told too.
 *
 * The source holds a descriptor of the process (pidfd), so that it never takes another process that
 * gets the same number for this one. Where the kernel has none or refuses it, SIGCHLD is watched
 * instead (GYSignal.h), for children alone (R244).
 *
 * - Parameter pid: of a process, not of one of its threads.
 * - Parameter options: kGYProcessLeaveStatus, or 0; other bits have no effect.
 * - Parameter order: as of any source; of no use here.
 * - Parameter context: copied; NULL: no info.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the source is destroyed.
 * - Threads: any.
 * - Callout: retain. The callout itself comes once, from a loop that holds the source.
 * - Errors: a pid of zero or less: NULL, errno EINVAL, reported. An unknown version of the context:
 *   NULL, reported. No such process, or a child whose status has been taken: NULL, errno ESRCH. No
 *   memory or descriptors: NULL, errno. No child, and no pidfd: NULL, errno ENOSYS. In the child of
 *   a fork the source is invalid (R7).
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYProcessCreateRunLoopSource(
    GYAllocatorRef GY_NULLABLE allocator, int32_t pid, GYOptionFlags options, GYIndex order,
    GYProcessCallBack GY_NULLABLE callout, const GYCallBackContext *GY_NULLABLE context);

GY_END_DECLS

#endif
