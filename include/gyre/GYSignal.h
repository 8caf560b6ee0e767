/** GYSignal.h - signals as sources. */
#ifndef GYRE_GYSIGNAL_H
#define GYRE_GYSIGNAL_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoopSource.h>

GY_BEGIN_DECLS

/** One signal that has come. A member that its sender did not give is 0. */
typedef struct {
    int signal;
    int code;       /**< how it was sent: SI_USER, SI_QUEUE, CLD_EXITED and so on, as si_code */
    int32_t pid;    /**< of the sender, or of the child that SIGCHLD tells of */
    uint32_t uid;   /**< of the sender */
    int status;     /**< of SIGCHLD: what si_status is */
    uint64_t value; /**< what sigqueue, a timer or a queue gave along: the bits of si_value */
    uint64_t lost;  /**< how many before this one found the queue full and are not told (R233) */
} GYSignalInfo;

/** Called for a signal, by a loop that holds its source. `info` is that of the context. */
typedef void (*GYSignalCallBack)(GYRunLoopSourceRef GY_NULLABLE source,
                                 const GYSignalInfo *GY_NULLABLE signal, void *GY_NULLABLE info);

/** Makes a source that is performed for each signal of one number that the process gets.
 *
 * The process has one handler for a number, however many sources there are for it, in whichever
 * loops and modes; each source hears of each signal. A handler that was installed before is called
 * as well, at once, on the thread that the kernel has picked; a signal that was ignored, or would
 * have ended the process, does nothing but perform the sources. When the last source of a number
 * is invalidated or destroyed the earlier handler is put back, unless ours has been replaced
 * meanwhile (R231).
 *
 * No thread's mask is changed. A signal that the calling thread blocks is also taken where all
 * threads block it (R232).
 *
 * What has not been told yet waits in a pipe of the source's own, where 2,048 signals have room in
 * the usual 64 kilobytes; what does not fit is counted in `lost` of the next one. The kernel itself
 * tells a standard signal that is pending already once (R233).
 *
 * - Parameter signal: any but 0, SIGKILL, SIGSTOP, those that faults of the program raise (SIGSEGV,
 *   SIGBUS, SIGFPE, SIGILL) and those that the C library keeps for itself.
 * - Parameter order: as of any source; of no use here.
 * - Parameter context: copied; NULL: no info.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the source is destroyed.
 * - Threads: any.
 * - Callout: retain. The callout itself is called once in a turn, by a loop that holds the source,
 *   one signal at a time, oldest first.
 * - Errors: a signal that cannot be watched: NULL, errno EINVAL, reported. An unknown version of the
 *   context: NULL, reported. No memory or descriptors: NULL, errno. A handler that others have
 *   installed themselves over eight times: NULL, errno EBUSY. In the child of a fork the source is
 *   invalid and the handler is the earlier one (R236).
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYSignalCreateRunLoopSource(
    GYAllocatorRef GY_NULLABLE allocator, int signal, GYIndex order,
    GYSignalCallBack GY_NULLABLE callout, const GYCallBackContext *GY_NULLABLE context);

GY_END_DECLS

#endif
