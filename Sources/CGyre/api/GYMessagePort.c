/* Message ports as the public sees them: checks arguments, then acts. Any thread. */
#include <gyre/GYMessagePort.h>

#include "api/arguments.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/name.h"
#include "loop/callout.h"
#include "sources/message_deliver.h"
#include "sources/message_receive.h"
#include "sources/message_remote.h"
#include "sources/message_send.h"
#include "sources/message_server.h"

#include <errno.h>
#include <unistd.h>

/* R52, as of a run. */
#define LONGEST_TIMEOUT_S 504911232.0

static bool is_port(GYMessagePortRef port, const char *call) {
    if (gy_object_is(port, GY_KIND_MESSAGE_PORT)) return true;
    gy_report(call, port == NULL ? "the port is NULL" : "not a live message port", "R260");
    return false;
}

static bool is_local(GYMessagePortRef port, const char *call) {
    if (!is_port(port, call)) return false;
    if (!port->name.is_remote) return true;
    gy_report(call, "a remote port receives nothing", "R260");
    return false;
}

static bool is_name(GYStringRef name, const char *call) {
    if (!gy_object_is(name, GY_KIND_STRING)) {
        gy_report(call, name == NULL ? "the name is NULL" : "the name is no string", "R261");
        return false;
    }
    size_t length = gy_string_byte_count(name);
    if (length > 0 && length <= GY_PORT_NAME_MAX) return true;
    gy_report(call, length == 0 ? "the name is empty" : "the name has more than 255 bytes", "R261");
    return false;
}

GYTypeID GYMessagePortGetTypeID(void) { return GY_KIND_MESSAGE_PORT; }

/* ---- making ---- */

static bool is_context(const GYMessagePortContext *context, const char *call) {
    if (context == NULL || context->version == 0) return true;
    gy_report(call, "unknown version of the context", "R160");
    return false;
}

/* NULL with errno; EADDRINUSE: there is one of that name. */
static GYMessagePortRef make_local(GYStringRef name, GYMessagePortCallBack callout,
                                   const GYMessagePortContext *context) {
    GYMessagePortContext own = {0};
    if (context != NULL) own = *context;
    if (own.retain != NULL) own.info = (void *)(uintptr_t)gy_callout_retain(own.retain, own.info);
    GYMessagePortRef port = gy_message_port_create_local(NULL, callout, &own);
    if (port == NULL) {
        int saved = errno;
        if (own.retain != NULL && own.release != NULL) gy_callout_release(own.release, own.info);
        errno = saved;
        return NULL;
    }
    int error = name == NULL ? 0 : gy_server_set_name(port, name);
    if (error == 0) return port;
    gy_release(port);
    errno = -error;
    return NULL;
}

/* The port of that name, or a new one, which `is_new` tells. */
static GYMessagePortRef find_or_make(GYStringRef name, GYMessagePortCallBack callout,
                                     const GYMessagePortContext *context, bool *is_new) {
    *is_new = false;
    GYMessagePortRef port = name == NULL ? NULL : gy_message_port_local(name);
    if (port != NULL) return port;
    port = make_local(name, callout, context);
    if (port != NULL) *is_new = true;
    return port != NULL || name == NULL || errno != EADDRINUSE ? port : gy_message_port_local(name);
}

GYMessagePortRef GYMessagePortCreateLocal(GYAllocatorRef allocator, GYStringRef name,
                                          GYMessagePortCallBack callout,
                                          GYMessagePortContext *context,
                                          GYBoolean *shouldFreeInfo) {
    static const char call[] = "GYMessagePortCreateLocal";
    (void)allocator;
    if (shouldFreeInfo != NULL) *shouldFreeInfo = true;
    if (callout == NULL) {
        gy_report(call, "the callout is NULL", "R261");
        return NULL;
    }
    if ((name != NULL && !is_name(name, call)) || !is_context(context, call)) return NULL;
    bool is_new;
    GYMessagePortRef port = find_or_make(name, callout, context, &is_new);
    if (shouldFreeInfo != NULL) *shouldFreeInfo = !is_new;
    return port;
}

GYMessagePortRef GYMessagePortCreateRemote(GYAllocatorRef allocator, GYStringRef name) {
    (void)allocator;
    return is_name(name, "GYMessagePortCreateRemote") ? gy_remote_find(name, geteuid()) : NULL;
}

GYMessagePortRef GYMessagePortCreateRemoteOfUser(GYAllocatorRef allocator, GYStringRef name,
                                                 uint32_t user) {
    (void)allocator;
    return is_name(name, "GYMessagePortCreateRemoteOfUser") ? gy_remote_find(name, user) : NULL;
}

bool GYMessagePortAllowUser(GYMessagePortRef local, uint32_t user) {
    return is_local(local, "GYMessagePortAllowUser") && gy_server_allow(local, user);
}

GYRunLoopSourceRef GYMessagePortCreateRunLoopSource(GYAllocatorRef allocator,
                                                    GYMessagePortRef local, GYIndex order) {
    static const char call[] = "GYMessagePortCreateRunLoopSource";
    (void)allocator;
    if (!is_local(local, call)) return NULL;
    if (gy_message_port_is_valid(local)) return gy_message_receive_source(local, order);
    gy_report(call, "the port is invalid", "R266");
    return NULL;
}

/* ---- what there is to ask and to set ---- */

GYBoolean GYMessagePortIsRemote(GYMessagePortRef port) {
    return is_port(port, "GYMessagePortIsRemote") && port->name.is_remote;
}

GYStringRef GYMessagePortGetName(GYMessagePortRef port) {
    return is_port(port, "GYMessagePortGetName") ? gy_port_name_string(&port->name) : NULL;
}

GYBoolean GYMessagePortSetName(GYMessagePortRef port, GYStringRef newName) {
    static const char call[] = "GYMessagePortSetName";
    if (!is_local(port, call) || !is_name(newName, call)) return false;
    int error = gy_server_set_name(port, newName);
    if (error != 0) errno = -error;
    return error == 0;
}

void GYMessagePortGetContext(GYMessagePortRef port, GYMessagePortContext *context) {
    static const char call[] = "GYMessagePortGetContext";
    if (!is_port(port, call)) return;
    if (context == NULL || context->version != 0) {
        gy_report(call, context == NULL ? "the context is NULL" : "unknown version of the context",
                  "R162");
        return;
    }
    gy_lock_take(&port->lock);
    *context = port->context;
    gy_lock_give(&port->lock);
}

void GYMessagePortInvalidate(GYMessagePortRef port) {
    if (is_port(port, "GYMessagePortInvalidate")) gy_message_port_invalidate(port);
}

GYBoolean GYMessagePortIsValid(GYMessagePortRef port) {
    if (!is_port(port, "GYMessagePortIsValid")) return false;
    if (port->name.is_remote && gy_message_port_is_valid(port)) gy_remote_check(port);
    return gy_message_port_is_valid(port);
}

GYMessagePortInvalidationCallBack GYMessagePortGetInvalidationCallBack(GYMessagePortRef port) {
    if (!is_port(port, "GYMessagePortGetInvalidationCallBack")) return NULL;
    gy_lock_take(&port->lock);
    GYMessagePortInvalidationCallBack callout = port->invalidation;
    gy_lock_give(&port->lock);
    return callout;
}

void GYMessagePortSetInvalidationCallBack(GYMessagePortRef port,
                                          GYMessagePortInvalidationCallBack callout) {
    if (!is_port(port, "GYMessagePortSetInvalidationCallBack")) return;
    if (port->name.is_remote && gy_message_port_is_valid(port))
        gy_remote_watch(port, callout != NULL);
    gy_message_port_set_invalidation(port, callout);
}

/* ---- sending ---- */

static int64_t timeout_of(GYTimeInterval seconds) {
    if (seconds <= 0) return 0;
    if (seconds > LONGEST_TIMEOUT_S || seconds != seconds) return GY_NEVER;
    return gy_seconds_to_ns(seconds);
}

/* False: kGYMessagePortTransportError, with errno. */
static bool is_sendable(GYDataRef data, const char *call) {
    if (data == NULL) return true;
    if (!gy_object_is(data, GY_KIND_DATA)) {
        gy_report(call, "the data is something else", "R262");
        errno = EINVAL;
        return false;
    }
    if (GYDataGetLength(data) <= GY_MESSAGE_PORT_LENGTH_MAX) return true;
    errno = EMSGSIZE;
    return false;
}

/* The interned name, retained; NULL with errno. */
static GYStringRef reply_mode_of(GYRunLoopMode mode, const char *call) {
    GYStringRef name = gy_argument_mode(mode, call);
    if (name != kGYRunLoopCommonModes) return name;
    gy_report(call, "the common modes' name stands for a set and cannot be run", "R16");
    gy_release(name);
    errno = EINVAL;
    return NULL;
}

/* The arguments that both forms have; false: `*result` tells. */
static bool check_request(GYMessagePortRef remote, GYDataRef data, const char *call,
                          int32_t *result) {
    *result = kGYMessagePortIsInvalid;
    if (!is_port(remote, call)) return false;
    if (!remote->name.is_remote) {
        gy_report(call, "a local port sends nothing", "R260");
        return false;
    }
    *result = kGYMessagePortTransportError;
    return is_sendable(data, call);
}

static int32_t send_checked(GYMessagePortRef remote, gy_request *request, GYRunLoopMode mode,
                            GYDataRef *returnData, const char *call) {
    if (mode != NULL) request->reply_mode = reply_mode_of(mode, call);
    if (mode != NULL && request->reply_mode == NULL) return kGYMessagePortTransportError;
    GYDataRef reply;
    int32_t result = gy_message_send(remote, request, &reply);
    int saved = errno;
    if (returnData != NULL) *returnData = reply;
    if (returnData == NULL) gy_release(reply);
    gy_release(request->reply_mode);
    errno = saved;
    return result;
}

int32_t GYMessagePortSendRequest(GYMessagePortRef remote, int32_t msgid, GYDataRef data,
                                 GYTimeInterval sendTimeout, GYTimeInterval rcvTimeout,
                                 GYRunLoopMode replyMode, GYDataRef *returnData) {
    static const char call[] = "GYMessagePortSendRequest";
    int32_t result;
    if (returnData != NULL) *returnData = NULL;
    if (!check_request(remote, data, call, &result)) return result;
    gy_request request = {.id = msgid,
                          .data = data,
                          .send_timeout_ns = timeout_of(sendTimeout),
                          .reply_timeout_ns = timeout_of(rcvTimeout)};
    return send_checked(remote, &request, replyMode, returnData, call);
}

/* ---- descriptors ---- */

static bool are_descriptors(const int *descriptors, GYIndex count, const char *call) {
    if (count == 0) return true;
    if (count < 0 || descriptors == NULL) {
        gy_report(call, "no descriptors, or a negative number of them", "R270");
        errno = EINVAL;
        return false;
    }
    if (count <= GY_MESSAGE_PORT_DESCRIPTORS_MAX) return true;
    errno = EMSGSIZE;
    return false;
}

int32_t GYMessagePortSendRequestWithDescriptors(GYMessagePortRef remote, int32_t msgid,
                                                GYDataRef data, const int *descriptors,
                                                GYIndex count, GYTimeInterval sendTimeout,
                                                GYTimeInterval rcvTimeout, GYRunLoopMode replyMode,
                                                GYDataRef *returnData) {
    static const char call[] = "GYMessagePortSendRequestWithDescriptors";
    int32_t result;
    if (returnData != NULL) *returnData = NULL;
    if (!check_request(remote, data, call, &result)) return result;
    if (!are_descriptors(descriptors, count, call)) return kGYMessagePortTransportError;
    gy_request request = {.id = msgid,
                          .data = data,
                          .send_timeout_ns = timeout_of(sendTimeout),
                          .reply_timeout_ns = timeout_of(rcvTimeout),
                          .descriptors = descriptors,
                          .descriptor_count = (uint32_t)count};
    return send_checked(remote, &request, replyMode, returnData, call);
}

GYIndex GYMessagePortGetDescriptorCount(void) {
    const gy_message *message = gy_message_current();
    return message == NULL ? 0 : (GYIndex)message->descriptor_count;
}

int GYMessagePortTakeDescriptor(GYIndex index) {
    gy_message *message = gy_message_current();
    if (message == NULL || index < 0 || index >= (GYIndex)message->descriptor_count) {
        gy_report("GYMessagePortTakeDescriptor",
                  message == NULL ? "not in the callout of a port" : "no such descriptor", "R270");
        return -1;
    }
    int fd = message->descriptors[index];
    message->descriptors[index] = -1;
    return fd;
}
