/** GYFileDescriptor.h - a file descriptor and what is to be called when it is ready. */
#ifndef GYRE_GYFILEDESCRIPTOR_H
#define GYRE_GYFILEDESCRIPTOR_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

typedef int GYFileDescriptorNativeDescriptor;

/** What a file descriptor is called back for. */
enum {
    kGYFileDescriptorReadCallBack = 1, /**< something can be read, or the end of it */
    kGYFileDescriptorWriteCallBack = 2, /**< there is room to write */
    kGYFileDescriptorHangUpCallBack = 4, /**< the other side is gone, or sends nothing more */
    kGYFileDescriptorErrorCallBack = 8, /**< an error, which the next operation gives */
};

/** Called on the thread of the loop that saw the descriptor ready. It may do anything, also
 * invalidate the file descriptor and release it.
 *
 * - Parameter callBackTypes: those enabled that hold, in one call. After a hang-up or an error
 *   neither reading nor writing blocks, so those enabled of the two are told as well (R221).
 */
typedef void (*GYFileDescriptorCallBack)(GYFileDescriptorRef GY_NONNULL f,
                                         GYOptionFlags callBackTypes, void *GY_NULLABLE info);

/** What a callback is given. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    void *GY_NULLABLE (*GY_NULLABLE retain)(void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(void *GY_NULLABLE info);
} GYFileDescriptorContext;

/** The type of file descriptors.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFFileDescriptorGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYFileDescriptorGetTypeID(void);

/** Makes a file descriptor whose callbacks are called once each time they are enabled.
 *
 * Nothing is enabled at first, and nothing is called before a loop runs in a mode that holds the
 * source of it (GYFileDescriptorCreateRunLoopSource). A callback disables the types that it is
 * called for and, as a rule, enables them again when it has read or written: that takes no system
 * call, and loses nothing that came in between (R221).
 *
 * - Parameter fd: of any kind; the library reads and writes nothing. A regular file or a directory
 *   is always ready. It has to stay open until the file descriptor is invalid.
 * - Parameter closeOnInvalidate: whether `fd` is closed by GYFileDescriptorInvalidate, or when the
 *   last reference goes.
 * - Parameter context: copied; NULL stands for one without callbacks.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback once the file descriptor is invalid, or gone, and no callback runs.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: a negative descriptor, no callback, an unknown version of the context: NULL, reported.
 *   `fd` is not open: NULL, errno EBADF. No memory: NULL, errno ENOMEM. `fd` is never closed then.
 * - Since: 0.1.
 * - CF: CFFileDescriptorCreate, same contract.
 */
GY_EXPORT GYFileDescriptorRef GY_NULLABLE GYFileDescriptorCreate(
    GYAllocatorRef GY_NULLABLE allocator, GYFileDescriptorNativeDescriptor fd,
    GYBoolean closeOnInvalidate, GYFileDescriptorCallBack GY_NULLABLE callout,
    const GYFileDescriptorContext *GY_NULLABLE context);

/** GYFileDescriptorCreate for callbacks that stay enabled until they are disabled.
 *
 * The callback is called, once in an iteration, for as long as what is enabled holds. After a
 * hang-up it is called only as long as it reads: the end is told once, and again when a type is
 * enabled that was not (R97, R222).
 *
 * - Parameter fd: as GYFileDescriptorCreate, as are the others, ownership and errors.
 * - Threads: any.
 * - Callout: retain.
 * - Since: 0.1.
 */
GY_EXPORT GYFileDescriptorRef GY_NULLABLE GYFileDescriptorCreatePersistent(
    GYAllocatorRef GY_NULLABLE allocator, GYFileDescriptorNativeDescriptor fd,
    GYBoolean closeOnInvalidate, GYFileDescriptorCallBack GY_NULLABLE callout,
    const GYFileDescriptorContext *GY_NULLABLE context);

/** The descriptor that a file descriptor was made for.
 *
 * - Result: -1 once it is invalid, for the number may mean another file then.
 * - Threads: any.
 * - Errors: not a file descriptor: -1, reported.
 * - Since: 0.1.
 * - CF: CFFileDescriptorGetNativeDescriptor, same contract.
 */
GY_EXPORT GYFileDescriptorNativeDescriptor GYFileDescriptorGetNativeDescriptor(GYFileDescriptorRef
                                                                               GY_NULLABLE f);

/** Fills the caller's context, whose `version` must be 0.
 *
 * - Ownership: what the context points to is borrowed. `info` is NULL once the file descriptor is
 *   invalid.
 * - Threads: any.
 * - Errors: not a file descriptor, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFFileDescriptorGetContext, same contract.
 */
GY_EXPORT void GYFileDescriptorGetContext(GYFileDescriptorRef GY_NULLABLE f,
                                          GYFileDescriptorContext *GY_NULLABLE context);

/** Enables callbacks, in every mode that holds the source. A loop that sleeps learns of it, and what
 * holds already is told.
 *
 * - Parameter callBackTypes: kGYFileDescriptorReadCallBack and its sisters; the others stay as they
 *   are.
 * - Threads: any.
 * - Blocking: never.
 * - Errors: not a file descriptor, types that there are not: reported; those that there are, are
 *   enabled. An invalid file descriptor: ignored. errno is 0, or why the system refuses to watch the
 *   descriptor in some mode; the types are enabled, and the next call tries again.
 * - Since: 0.1.
 * - CF: CFFileDescriptorEnableCallBacks, same contract; CF tells no refusal, and has the first two
 *   types alone.
 */
GY_EXPORT void GYFileDescriptorEnableCallBacks(GYFileDescriptorRef GY_NULLABLE f,
                                               GYOptionFlags callBackTypes);

/** Disables callbacks, at once: what was seen already and has not been told is not told.
 *
 * - Threads: any. A callback in progress on a loop's thread goes on.
 * - Blocking: never.
 * - Errors: as GYFileDescriptorEnableCallBacks; none comes from the system.
 * - Since: 0.1.
 * - CF: CFFileDescriptorDisableCallBacks, same contract.
 */
GY_EXPORT void GYFileDescriptorDisableCallBacks(GYFileDescriptorRef GY_NULLABLE f,
                                                GYOptionFlags callBackTypes);

/** Ends a file descriptor for good: its source leaves all modes, and only then the descriptor is
 * closed, if it was made so (R223).
 *
 * - Ownership: `info` is released, when no callback runs any more; the caller's reference stays.
 * - Threads: any, also in its own callback. One in progress on another thread goes on, and may find
 *   its descriptor closed.
 * - Callout: release.
 * - Errors: not a file descriptor: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFFileDescriptorInvalidate; CF releases `info` inside.
 */
GY_EXPORT void GYFileDescriptorInvalidate(GYFileDescriptorRef GY_NULLABLE f);

/** Whether a file descriptor has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not a file descriptor: false, reported.
 * - Since: 0.1.
 * - CF: CFFileDescriptorIsValid, same contract.
 */
GY_EXPORT GYBoolean GYFileDescriptorIsValid(GYFileDescriptorRef GY_NULLABLE f);

/** The source of a file descriptor, to be added to modes: the same one as long as somebody holds it
 * and it is valid.
 *
 * - Parameter order: of a source that is made anew (R94: it is not used).
 * - Ownership: the caller releases the result. The source keeps the file descriptor, not the other
 *   way round: what is in a mode needs no reference of the caller's.
 * - Threads: any.
 * - Errors: not a file descriptor: NULL, reported. Invalid: NULL. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFFileDescriptorCreateRunLoopSource; in CF the two keep each other until Invalidate.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYFileDescriptorCreateRunLoopSource(
    GYAllocatorRef GY_NULLABLE allocator, GYFileDescriptorRef GY_NULLABLE f, GYIndex order);

GY_END_DECLS

#endif
