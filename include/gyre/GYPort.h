/** GYPort.h - ports without a name, within a process: messages with a number and components. */
#ifndef GYRE_GYPORT_H
#define GYRE_GYPORT_H

#include <gyre/GYBase.h>
#include <gyre/GYMessagePort.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopSource.h>

GY_BEGIN_DECLS

/** A port: whoever holds it sends to it, and a loop that holds its source receives. */
typedef struct GYPort *GYPortRef;
/** What a port receives. It does not change. */
typedef const struct GYPortMessage *GYPortMessageRef;

/** What a port calls for each message, which is borrowed. */
typedef void (*GYPortCallBack)(GYPortRef GY_NULLABLE port, GYPortMessageRef GY_NULLABLE message,
                               void *GY_NULLABLE info);

/** What comes with the callback. Every function may be NULL. */
typedef struct {
    GYIndex version; /**< 0 */
    void *GY_NULLABLE info;
    const void *GY_NULLABLE (*GY_NULLABLE retain)(const void *GY_NULLABLE info);
    void (*GY_NULLABLE release)(const void *GY_NULLABLE info);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE info);
} GYPortContext;

/** The type of ports.
 *
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT GYTypeID GYPortGetTypeID(void);

/** Makes a port.
 *
 * - Parameter callout: called for each message by a run of a loop that holds the port's source;
 *   NULL: messages are received and dropped, and the source keeps a mode from being empty.
 * - Parameter context: copied; NULL: no info.
 * - Ownership: the caller releases the result. The context's retain callback is called on `info`,
 *   its release callback when the port is invalidated, or destroyed without having been.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: another version: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYPortRef GY_NULLABLE GYPortCreate(GYAllocatorRef GY_NULLABLE allocator,
                                             GYPortCallBack GY_NULLABLE callout,
                                             const GYPortContext *GY_NULLABLE context);

/** A source that receives the messages of a port, as GYMessagePortCreateRunLoopSource (R263).
 *
 * - Ownership: the caller releases the result, which keeps the port.
 * - Threads: any.
 * - Errors: not a port, an invalid one: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopSourceRef GY_NULLABLE GYPortCreateRunLoopSource(GYAllocatorRef
                                                                   GY_NULLABLE allocator,
                                                                   GYPortRef GY_NULLABLE port,
                                                                   GYIndex order);

/** Sends a message (R271).
 *
 * - Parameter components: an array of data, strings, ports, whatever the receiver expects; NULL:
 *   none. It must not change any more.
 * - Parameter replyPort: what the receiver is to answer to; NULL: nothing.
 * - Parameter limit: how long to wait for room where the port's queue is full, as a date.
 * - Result: 0, or kGYMessagePortSendTimeout, kGYMessagePortIsInvalid, kGYMessagePortTransportError.
 * - Ownership: retains the array and the reply port until the message is gone.
 * - Threads: any.
 * - Blocking: until `limit`.
 * - Errors: not a port, components that are no array: kGYMessagePortTransportError, reported. No
 *   memory: the same with errno ENOMEM.
 * - Since: 0.1.
 */
GY_EXPORT int32_t GYPortSend(GYPortRef GY_NULLABLE port, uint32_t msgid,
                             GYArrayRef GY_NULLABLE components, GYPortRef GY_NULLABLE replyPort,
                             GYAbsoluteTime limit);

/** Ends a port for good: its sources are invalid, and messages not received yet are dropped.
 *
 * - Threads: any. A callout in progress goes on.
 * - Callout: release.
 * - Errors: not a port: reported. Already invalid: nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYPortInvalidate(GYPortRef GY_NULLABLE port);

/** Whether a port has not been invalidated.
 *
 * - Threads: any.
 * - Errors: not a port: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYBoolean GYPortIsValid(GYPortRef GY_NULLABLE port);

/** The type of messages.
 *
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT GYTypeID GYPortMessageGetTypeID(void);

/** The number of a message.
 *
 * - Threads: any.
 * - Errors: not a message: 0, reported.
 * - Since: 0.1.
 */
GY_EXPORT uint32_t GYPortMessageGetID(GYPortMessageRef GY_NULLABLE message);

/** The components of a message; NULL: none.
 *
 * - Ownership: borrowed, as long as the message.
 * - Threads: any.
 * - Errors: not a message: NULL, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYArrayRef GY_NULLABLE GYPortMessageGetComponents(GYPortMessageRef GY_NULLABLE message);

/** The port that a message is to be answered to; NULL: none.
 *
 * - Ownership: borrowed, as long as the message.
 * - Threads: any.
 * - Errors: not a message: NULL, reported.
 * - Since: 0.1.
 */
GY_EXPORT GYPortRef GY_NULLABLE GYPortMessageGetReplyPort(GYPortMessageRef GY_NULLABLE message);

GY_END_DECLS

#endif
