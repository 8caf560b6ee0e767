/** GYSocket.h - a socket and what is to be called when something happens to it: CFSocket's shape, for
 * code that was written for that. New code has an easier time with GYFileDescriptor. */
#ifndef GYRE_GYSOCKET_H
#define GYRE_GYSOCKET_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

typedef int GYSocketNativeHandle;

/** Addresses are data with a `struct sockaddr` of their family in it. */
typedef struct {
    int32_t protocolFamily;
    int32_t socketType;
    int32_t protocol;
    GYDataRef GY_NULLABLE address;
} GYSocketSignature;

/** What a socket is called back for. The first four exclude one another: a socket is made with one
 * of them, and with any of the other two besides. */
enum {
    kGYSocketNoCallBack = 0,
    kGYSocketReadCallBack = 1, /**< something can be read, or a connection be accepted */
    kGYSocketAcceptCallBack = 2, /**< a connection has been accepted */
    kGYSocketDataCallBack = 3, /**< data have been read */
    kGYSocketConnectCallBack = 4, /**< an attempt to connect in the background is over */
    kGYSocketWriteCallBack = 8, /**< there is room to write */
};
typedef GYOptionFlags GYSocketCallBackType;

/** Whether a callback enables itself again, and more; at first all are set but that of writing and
 * kGYSocketLeaveErrors. */
enum {
    kGYSocketAutomaticallyReenableReadCallBack = 1,
    kGYSocketAutomaticallyReenableAcceptCallBack = 2,
    kGYSocketAutomaticallyReenableDataCallBack = 3,
    kGYSocketAutomaticallyReenableWriteCallBack = 8,
    kGYSocketLeaveErrors =
        64, /**< the socket's error (SO_ERROR) is not fetched, and so not cleared */
    kGYSocketCloseOnInvalidate = 128,
};

typedef GYIndex GYSocketError;
enum { kGYSocketSuccess = 0, kGYSocketError = -1, kGYSocketTimeout = -2 };

/** Called on the thread of the loop that saw it. It may do anything, also invalidate the socket and
 * release it.
 *
 * - Parameter type: one of the callback types.
 * - Parameter address: the peer's, of accepted connections and of data; else NULL, or not known.
 * - Parameter data: accepted: points to the GYSocketNativeHandle, which is the callback's to close. A
 *   connection for which the process has no descriptor left waits, and is tried in each iteration.
 *   Data: a GYDataRef, of length 0 at the end of what a connection sends. Connected: NULL, or points
 *   to an int32_t, the errno of the failure. Else NULL.
 * - Ownership: `address` and `data` are borrowed, for the time of the call.
 */
typedef void (*GYSocketCallBack)(GYSocketRef GY_NONNULL s, GYSocketCallBackType type,
                                 GYDataRef GY_NULLABLE address, const void *GY_NULLABLE data,
                                 void *GY_NULLABLE info);

/** What a callback is given. Every callback may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYSocketContext;

/** The type of sockets.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFSocketGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYSocketGetTypeID(void);

/** Makes a socket, close-on-exec, all of whose callbacks are enabled.
 *
 * - Parameter protocolFamily: 0 or less: PF_INET.
 * - Parameter socketType: 0 or less, with PF_INET: SOCK_STREAM.
 * - Parameter protocol: 0 or less: the type's own.
 * - Parameter callBackTypes: kGYSocketReadCallBack and its sisters.
 * - Parameter callout: NULL: what happens is not told.
 * - Parameter context: copied; NULL stands for one without callbacks.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback once the socket is invalid, or gone, and no callback runs.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: types that there are not, an unknown version of the context: NULL, reported. The system
 *   refuses: NULL with errno.
 * - Since: 0.1.
 * - CF: CFSocketCreate, same contract.
 */
GY_EXPORT GYSocketRef GY_NULLABLE GYSocketCreate(GYAllocatorRef GY_NULLABLE allocator,
                                                 int32_t protocolFamily, int32_t socketType,
                                                 int32_t protocol, GYOptionFlags callBackTypes,
                                                 GYSocketCallBack GY_NULLABLE callout,
                                                 const GYSocketContext *GY_NULLABLE context);

/** Makes a socket of a descriptor. Where a valid one of that number is there already, it is returned
 * instead, and the other arguments are not looked at (R290).
 *
 * - Parameter sock: closed by GYSocketInvalidate, unless kGYSocketCloseOnInvalidate is cleared; not
 *   closed where the call fails. A connection that the program makes by itself later is noticed when
 *   callbacks are enabled next.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: as GYSocketCreate. A negative descriptor: NULL, reported. No socket: NULL with errno.
 * - Since: 0.1.
 * - CF: CFSocketCreateWithNative, same contract.
 */
GY_EXPORT GYSocketRef GY_NULLABLE GYSocketCreateWithNative(
    GYAllocatorRef GY_NULLABLE allocator, GYSocketNativeHandle sock, GYOptionFlags callBackTypes,
    GYSocketCallBack GY_NULLABLE callout, const GYSocketContext *GY_NULLABLE context);

/** GYSocketCreate and GYSocketSetAddress in one: a socket that listens, or receives datagrams.
 *
 * - Parameter signature: borrowed.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: retain; where it fails, release.
 * - Errors: as GYSocketCreate; no signature or no address in it: NULL, reported.
 * - Since: 0.1.
 * - CF: CFSocketCreateWithSocketSignature, same contract.
 */
GY_EXPORT GYSocketRef GY_NULLABLE GYSocketCreateWithSocketSignature(
    GYAllocatorRef GY_NULLABLE allocator, const GYSocketSignature *GY_NULLABLE signature,
    GYOptionFlags callBackTypes, GYSocketCallBack GY_NULLABLE callout,
    const GYSocketContext *GY_NULLABLE context);

/** GYSocketCreate and GYSocketConnectToAddress in one.
 *
 * - Parameter signature: borrowed.
 * - Parameter timeout: as GYSocketConnectToAddress.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: retain; where it fails, release.
 * - Blocking: as GYSocketConnectToAddress.
 * - Errors: as GYSocketCreate; no signature or no address in it: NULL, reported. Not connected in
 *   time: NULL, errno ETIMEDOUT.
 * - Since: 0.1.
 * - CF: CFSocketCreateConnectedToSocketSignature, same contract.
 */
GY_EXPORT GYSocketRef GY_NULLABLE GYSocketCreateConnectedToSocketSignature(
    GYAllocatorRef GY_NULLABLE allocator, const GYSocketSignature *GY_NULLABLE signature,
    GYOptionFlags callBackTypes, GYSocketCallBack GY_NULLABLE callout,
    const GYSocketContext *GY_NULLABLE context, GYTimeInterval timeout);

/** Gives a socket its own address; one for connections then listens.
 *
 * - Threads: any.
 * - Errors: no socket, no data: kGYSocketError, reported. Invalid, or the system refuses:
 *   kGYSocketError with errno.
 * - Since: 0.1.
 * - CF: CFSocketSetAddress, same contract.
 */
GY_EXPORT GYSocketError GYSocketSetAddress(GYSocketRef GY_NULLABLE s,
                                           GYDataRef GY_NULLABLE address);

/** Connects a socket to a peer.
 *
 * - Parameter timeout: seconds to wait; 0: what is done at once. Negative: in the background, and the
 *   connect callback, if the socket has it, tells the end of it, once.
 * - Threads: any.
 * - Blocking: for at most the time given; a negative one never.
 * - Errors: no socket, no data: kGYSocketError, reported. Invalid, or refused: kGYSocketError with
 *   errno. Not in time: kGYSocketTimeout.
 * - Since: 0.1.
 * - CF: CFSocketConnectToAddress, same contract.
 */
GY_EXPORT GYSocketError GYSocketConnectToAddress(GYSocketRef GY_NULLABLE s,
                                                 GYDataRef GY_NULLABLE address,
                                                 GYTimeInterval timeout);

/** Ends a socket for good: its source leaves all modes, and only then the descriptor is closed,
 * unless kGYSocketCloseOnInvalidate was cleared.
 *
 * - Ownership: `info` is released, when no callback runs any more; the caller's reference stays.
 * - Threads: any, also in its own callback.
 * - Callout: release.
 * - Errors: not a socket: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFSocketInvalidate, same contract.
 */
GY_EXPORT void GYSocketInvalidate(GYSocketRef GY_NULLABLE s);

/** Whether a socket has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not a socket: false, reported.
 * - Since: 0.1.
 * - CF: CFSocketIsValid, same contract.
 */
GY_EXPORT GYBoolean GYSocketIsValid(GYSocketRef GY_NULLABLE s);

/** The address of a socket.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not a socket: NULL, reported. Invalid, or refused: NULL with errno.
 * - Since: 0.1.
 * - CF: CFSocketCopyAddress, same contract.
 */
GY_EXPORT GYDataRef GY_NULLABLE GYSocketCopyAddress(GYSocketRef GY_NULLABLE s);

/** The address of the peer that a socket is connected to.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: as GYSocketCopyAddress; not connected: NULL, errno ENOTCONN.
 * - Since: 0.1.
 * - CF: CFSocketCopyPeerAddress, same contract.
 */
GY_EXPORT GYDataRef GY_NULLABLE GYSocketCopyPeerAddress(GYSocketRef GY_NULLABLE s);

/** Fills the caller's context, whose `version` must be 0.
 *
 * - Ownership: what the context points to is borrowed. `info` is NULL once the socket is invalid.
 * - Threads: any.
 * - Errors: not a socket, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFSocketGetContext, same contract.
 */
GY_EXPORT void GYSocketGetContext(GYSocketRef GY_NULLABLE s, GYSocketContext *GY_NULLABLE context);

/** The descriptor of a socket.
 *
 * - Result: -1 once it is invalid.
 * - Threads: any.
 * - Errors: not a socket: -1, reported.
 * - Since: 0.1.
 * - CF: CFSocketGetNative, same contract.
 */
GY_EXPORT GYSocketNativeHandle GYSocketGetNative(GYSocketRef GY_NULLABLE s);

/** The source of a socket, to be added to modes: the same one as long as somebody holds it and it is
 * valid. It keeps the socket.
 *
 * - Parameter order: of a source that is made anew.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not a socket: NULL, reported. Invalid: NULL. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFSocketCreateRunLoopSource, same contract.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYSocketCreateRunLoopSource(GYAllocatorRef
                                                                     GY_NULLABLE allocator,
                                                                     GYSocketRef GY_NULLABLE s,
                                                                     GYIndex order);

/** The flags of a socket: kGYSocketCloseOnInvalidate and its sisters.
 *
 * - Threads: any.
 * - Errors: not a socket: 0, reported.
 * - Since: 0.1.
 * - CF: CFSocketGetSocketFlags, same contract.
 */
GY_EXPORT GYOptionFlags GYSocketGetSocketFlags(GYSocketRef GY_NULLABLE s);

/** Sets all flags of a socket. What is enabled or disabled stays so.
 *
 * - Threads: any.
 * - Errors: not a socket: reported.
 * - Since: 0.1.
 * - CF: CFSocketSetSocketFlags, same contract.
 */
GY_EXPORT void GYSocketSetSocketFlags(GYSocketRef GY_NULLABLE s, GYOptionFlags flags);

/** Disables callbacks, at once.
 *
 * - Threads: any. A callback in progress on a loop's thread goes on.
 * - Errors: not a socket: reported.
 * - Since: 0.1.
 * - CF: CFSocketDisableCallBacks, same contract.
 */
GY_EXPORT void GYSocketDisableCallBacks(GYSocketRef GY_NULLABLE s, GYOptionFlags callBackTypes);

/** Enables callbacks, once for those that do not enable themselves again. A loop that sleeps learns
 * of it, and what holds already is told, the end of a connection too.
 *
 * - Parameter callBackTypes: of those that the socket was made with. The connect callback comes but
 *   once, whether it is enabled or not.
 * - Threads: any.
 * - Errors: not a socket, types that it was not made with: reported; the others are enabled. An
 *   invalid socket: ignored. errno is 0, or why the system refuses, as of
 *   GYFileDescriptorEnableCallBacks.
 * - Since: 0.1.
 * - CF: CFSocketEnableCallBacks; CF leaves other types undefined.
 */
GY_EXPORT void GYSocketEnableCallBacks(GYSocketRef GY_NULLABLE s, GYOptionFlags callBackTypes);

/** Sends data. SIGPIPE is not raised.
 *
 * - Parameter address: where to; NULL: to the peer that the socket is connected to.
 * - Parameter timeout: seconds to wait for room. 0 or less: as the socket is, without a limit, or
 *   where it does not block not at all.
 * - Result: success means that the system has taken all of it.
 * - Threads: any.
 * - Blocking: for at most the time given.
 * - Errors: no socket, no data: kGYSocketError, reported. Invalid, or refused: kGYSocketError with
 *   errno. Not all in time: kGYSocketTimeout, a part may have been sent.
 * - Since: 0.1.
 * - CF: CFSocketSendData, same contract; CF makes one attempt, which may send a part.
 */
GY_EXPORT GYSocketError GYSocketSendData(GYSocketRef GY_NULLABLE s, GYDataRef GY_NULLABLE address,
                                         GYDataRef GY_NULLABLE data, GYTimeInterval timeout);

GY_END_DECLS

#endif
