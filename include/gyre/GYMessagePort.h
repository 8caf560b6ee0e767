/** GYMessagePort.h - messages with an id and data, to ports by name, and replies to them. */
#ifndef GYRE_GYMESSAGEPORT_H
#define GYRE_GYMESSAGEPORT_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopSource.h>

GY_BEGIN_DECLS

/** A port: a local one receives messages, a remote one sends them to a local one. */
typedef struct GYMessagePort *GYMessagePortRef;

/** What becomes of a request. Every value but success is an error. */
enum {
    kGYMessagePortSuccess = 0,
    kGYMessagePortSendTimeout = -1,       /**< not sent: there was no room in time */
    kGYMessagePortReceiveTimeout = -2,    /**< sent, and no reply came in time */
    kGYMessagePortIsInvalid = -3,         /**< not sent: the port was invalid already */
    kGYMessagePortTransportError = -4, /**< not sent, or not waited for; errno tells why */
    kGYMessagePortBecameInvalidError = -5 /**< sent, and the other port has ended */
};

/** The largest message, in bytes. */
#define GY_MESSAGE_PORT_LENGTH_MAX 16777216
/** The most descriptors that a message passes along. */
#define GY_MESSAGE_PORT_DESCRIPTORS_MAX 252
/** How many messages wait for a local port to receive them; a sender waits for room then (R264). */
#define GY_MESSAGE_PORT_QUEUE_MAX 1024

/** Stands for every user, in GYMessagePortAllowUser. */
#define GY_MESSAGE_PORT_ANY_USER UINT32_MAX

/** What a local port calls for each message.
 *
 * `data` is NULL where the sender gave none; it is borrowed. The result is the reply, which the
 * library releases; NULL: an empty one. */
typedef GYDataRef
    GY_NULLABLE (*GYMessagePortCallBack)(GYMessagePortRef GY_NULLABLE local, int32_t msgid,
                                         GYDataRef GY_NULLABLE data, void *GY_NULLABLE info);

/** What a port calls when it ends; `info` is that of its context, NULL for a remote port. */
typedef void (*GYMessagePortInvalidationCallBack)(GYMessagePortRef GY_NULLABLE port,
                                                  void *GY_NULLABLE info);

/** What comes with the callback. Every function may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYMessagePortContext;

/** The type of ports, local and remote.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFMessagePortGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYMessagePortGetTypeID(void);

/** Makes a port that receives messages.
 *
 * Where the process has a local port of that name already, that one is returned and the other
 * arguments are not used (R261).
 *
 * - Parameter name: up to 255 bytes; NULL: none, until GYMessagePortSetName.
 * - Parameter callout: called for each message by a run of a loop that holds the port's source.
 * - Parameter context: copied; NULL: no info.
 * - Parameter shouldFreeInfo: set to whether `info` was not taken over; may be NULL.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the port is invalidated, or destroyed without having been.
 * - Threads: any.
 * - Callout: retain; release where another thread was faster to make the port.
 * - Errors: no callout, a name that is no string, is empty or too long, another version: NULL,
 *   reported. NULL with errno: EADDRINUSE, another process has the name; or the system refused.
 * - Since: 0.1.
 * - CF: CFMessagePortCreateLocal, same contract.
 */
GY_EXPORT GYMessagePortRef GY_NULLABLE GYMessagePortCreateLocal(
    GYAllocatorRef GY_NULLABLE allocator, GYStringRef GY_NULLABLE name,
    GYMessagePortCallBack GY_NULLABLE callout, GYMessagePortContext *GY_NULLABLE context,
    GYBoolean *GY_NULLABLE shouldFreeInfo);

/** A port that sends messages to the local port of a name, in this process or in another one of the
 * same user (R268).
 *
 * The same object as long as one of that name is valid in the process.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: the invalidation callback of the one there was, where its peer is found gone.
 * - Blocking: never.
 * - Errors: a name that is no string, is empty or too long: NULL, reported. NULL with errno: ENOENT,
 *   there is no port of that name; EAGAIN, too many have just asked for it; or the system refused.
 * - Since: 0.1.
 * - CF: CFMessagePortCreateRemote, same contract.
 */
GY_EXPORT GYMessagePortRef GY_NULLABLE GYMessagePortCreateRemote(GYAllocatorRef
                                                                 GY_NULLABLE allocator,
                                                                 GYStringRef GY_NULLABLE name);

/** GYMessagePortCreateRemote for a port of another user, who has to allow it.
 *
 * Where that user does not, the port ends with its first request, or before.
 *
 * - Parameter user: the number of the user whose process has the port; the own one: as
 *   GYMessagePortCreateRemote.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: as GYMessagePortCreateRemote.
 * - Blocking: never.
 * - Errors: as GYMessagePortCreateRemote.
 * - Since: 0.1.
 */
GY_EXPORT GYMessagePortRef GY_NULLABLE GYMessagePortCreateRemoteOfUser(GYAllocatorRef
                                                                       GY_NULLABLE allocator,
                                                                       GYStringRef GY_NULLABLE name,
                                                                       uint32_t user);

/** Lets processes of another user send to a local port; those of its own user always may.
 *
 * - Parameter user: the number of the user, or GY_MESSAGE_PORT_ANY_USER.
 * - Result: whether they may now.
 * - Threads: any. Connections that were refused before are not made good.
 * - Errors: not a port, a remote one: false, reported. False with errno: EINVAL, the port is
 *   invalid; no memory.
 * - Since: 0.1.
 */
GY_EXPORT bool GYMessagePortAllowUser(GYMessagePortRef GY_NULLABLE local, uint32_t user);

/** Whether a port sends messages, and receives none.
 *
 * - Threads: any.
 * - Errors: not a port: false, reported.
 * - Since: 0.1.
 * - CF: CFMessagePortIsRemote, same contract.
 */
GY_EXPORT GYBoolean GYMessagePortIsRemote(GYMessagePortRef GY_NULLABLE port);

/** The name of a port; NULL where it has none.
 *
 * - Ownership: borrowed, until the port gets another name.
 * - Threads: any.
 * - Errors: not a port: NULL, reported.
 * - Since: 0.1.
 * - CF: CFMessagePortGetName, same contract.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYMessagePortGetName(GYMessagePortRef GY_NULLABLE port);

/** Gives a local port another name. Remote ports that send to it go on doing so.
 *
 * - Parameter newName: up to 255 bytes.
 * - Result: whether it has that name now.
 * - Threads: any.
 * - Errors: not a port, a remote one, not a name: false, reported. False with errno: EADDRINUSE, the
 *   name is taken, here or by another process; EINVAL, the port is invalid; or the system refused. The old name stays then.
 * - Since: 0.1.
 * - CF: CFMessagePortSetName, same contract.
 */
GY_EXPORT GYBoolean GYMessagePortSetName(GYMessagePortRef GY_NULLABLE port,
                                         GYStringRef GY_NULLABLE newName);

/** Fills the caller's context, whose `version` must be 0. `info` is NULL after the port has ended.
 *
 * - Ownership: what the context points to is borrowed.
 * - Threads: any.
 * - Errors: not a port, NULL or another version: reported, the context is left as it is.
 * - Since: 0.1.
 * - CF: CFMessagePortGetContext, same contract.
 */
GY_EXPORT void GYMessagePortGetContext(GYMessagePortRef GY_NULLABLE port,
                                       GYMessagePortContext *GY_NULLABLE context);

/** Ends a port for good (R266): its name is free, its sources are invalid, remote ports to it end.
 *
 * Requests that wait for a reply, and messages not received yet, end by
 * kGYMessagePortBecameInvalidError.
 *
 * - Threads: any. A callout in progress goes on.
 * - Callout: the invalidation callback, those of remote ports in this process, release.
 * - Errors: not a port: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 * - CF: CFMessagePortInvalidate, same contract.
 */
GY_EXPORT void GYMessagePortInvalidate(GYMessagePortRef GY_NULLABLE port);

/** Whether a port has not ended. A remote one ends with the local one it sends to.
 *
 * - Threads: any.
 * - Callout: the invalidation callback, where the peer is found gone.
 * - Errors: not a port: false, reported.
 * - Since: 0.1.
 * - CF: CFMessagePortIsValid, same contract.
 */
GY_EXPORT GYBoolean GYMessagePortIsValid(GYMessagePortRef GY_NULLABLE port);

/** The callback of GYMessagePortSetInvalidationCallBack.
 *
 * - Threads: any.
 * - Errors: not a port: NULL, reported.
 * - Since: 0.1.
 * - CF: CFMessagePortGetInvalidationCallBack, same contract.
 */
GY_EXPORT GYMessagePortInvalidationCallBack GY_NULLABLE GYMessagePortGetInvalidationCallBack(
    GYMessagePortRef GY_NULLABLE port);

/** Sets what is called, once, when the port ends. On a port that has ended it is called at once.
 *
 * It is called on the thread that invalidates the port or finds its peer gone. That of a remote port
 * to another process is watched by the calling thread's loop, in its common modes, which are not
 * empty meanwhile (R266).
 *
 * - Parameter callout: NULL: none.
 * - Threads: any.
 * - Callout: `callout`, where the port has ended already.
 * - Errors: not a port: reported.
 * - Since: 0.1.
 * - CF: CFMessagePortSetInvalidationCallBack, same contract.
 */
GY_EXPORT void GYMessagePortSetInvalidationCallBack(GYMessagePortRef GY_NULLABLE port,
                                                    GYMessagePortInvalidationCallBack
                                                    GY_NULLABLE callout);

/** A source that receives the messages of a local port in the modes it is added to.
 *
 * Each time it is performed it calls out for the messages that are there, for one where the run is to
 * return after a source (R263).
 *
 * - Parameter order: that of the source, a version 0 one.
 * - Ownership: the caller releases the result, which keeps the port.
 * - Threads: any.
 * - Errors: not a port, a remote one, an invalid one: NULL, reported. NULL with errno: no memory.
 * - Since: 0.1.
 * - CF: CFMessagePortCreateRunLoopSource; CF always returns the same object, this one an equal one
 *   (GYEqual), which a mode holds once.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYMessagePortCreateRunLoopSource(
    GYAllocatorRef GY_NULLABLE allocator, GYMessagePortRef GY_NULLABLE local, GYIndex order);

/** Sends a message to a remote port and, with a reply mode, waits for the reply.
 *
 * The wait runs the calling thread's loop in `replyMode`, unless the reply is there at once; a stop
 * sent to that run does not end the request (R265). Without a reply mode the call returns when the message is sent.
 *
 * - Units: seconds; what is not positive does not wait, what R52 names waits without end.
 * - Parameter data: up to GY_MESSAGE_PORT_LENGTH_MAX bytes; NULL: none.
 * - Parameter sendTimeout: how long to wait for room in a full queue.
 * - Parameter rcvTimeout: how long to wait for the reply, from when the message was sent.
 * - Parameter replyMode: NULL: no reply is wanted.
 * - Parameter returnData: set to the data of the reply, or NULL; may be NULL.
 * - Result: 0, or one of the values above.
 * - Ownership: borrows `data`; the caller releases `*returnData`.
 * - Threads: any.
 * - Callout: whatever `replyMode` holds.
 * - Blocking: for as long as the two time-outs say.
 * - Errors: not a port or no remote one: kGYMessagePortIsInvalid, reported. A mode or data of
 *   another type, the common modes: kGYMessagePortTransportError, reported. The same with errno:
 *   EMSGSIZE, too much data; ECANCELED, the loop winds down; or the system refused.
 * - Since: 0.1.
 * - CF: CFMessagePortSendRequest, same contract.
 */
GY_EXPORT int32_t GYMessagePortSendRequest(GYMessagePortRef GY_NULLABLE remote, int32_t msgid,
                                           GYDataRef GY_NULLABLE data, GYTimeInterval sendTimeout,
                                           GYTimeInterval rcvTimeout,
                                           GYRunLoopMode GY_NULLABLE replyMode,
                                           GYDataRef GY_NULLABLE *GY_NULLABLE returnData);

/** GYMessagePortSendRequest that passes descriptors along (R270).
 *
 * The receiver gets descriptors of its own to the same open files, and closes them with the message
 * unless its callout takes them.
 *
 * - Units, Ownership, Threads, Callout, Blocking: as GYMessagePortSendRequest.
 * - Parameter descriptors: borrowed; they may be closed when the call returns.
 * - Parameter count: up to GY_MESSAGE_PORT_DESCRIPTORS_MAX.
 * - Errors: as GYMessagePortSendRequest; no descriptors or a negative number:
 *   kGYMessagePortTransportError, reported. The same with errno: EMSGSIZE, too many; EBADF, one is
 *   not open; or the system refused.
 * - Since: 0.1.
 */
GY_EXPORT int32_t GYMessagePortSendRequestWithDescriptors(
    GYMessagePortRef GY_NULLABLE remote, int32_t msgid, GYDataRef GY_NULLABLE data,
    const int *GY_NULLABLE descriptors, GYIndex count, GYTimeInterval sendTimeout,
    GYTimeInterval rcvTimeout, GYRunLoopMode GY_NULLABLE replyMode,
    GYDataRef GY_NULLABLE *GY_NULLABLE returnData);

/** How many descriptors came with the message that the calling thread is called out for.
 *
 * - Result: 0 outside of the callout of a port.
 * - Threads: that of the callout.
 * - Since: 0.1.
 */
GY_EXPORT GYIndex GYMessagePortGetDescriptorCount(void);

/** Takes a descriptor of the message that the calling thread is called out for.
 *
 * - Result: close-on-exec; -1: it was taken before.
 * - Ownership: the caller closes it.
 * - Threads: that of the callout.
 * - Errors: no such descriptor, not in a callout: -1, reported.
 * - Since: 0.1.
 */
GY_EXPORT int GYMessagePortTakeDescriptor(GYIndex index);

GY_END_DECLS

#endif
