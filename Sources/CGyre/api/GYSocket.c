/* Sockets as the public sees them. Any thread. */
#include <gyre/GYSocket.h>

#include "api/arguments.h"
#include "base/check.h"
#include "sources/socket.h"
#include "sources/socket_call.h"
#include "sources/socket_use.h"

#include <errno.h>

GYTypeID GYSocketGetTypeID(void) { return GY_KIND_SOCKET; }

/* ---- making ---- */

static bool is_plan(const gy_socket_plan *plan, const char *call) {
    const char *wrong = NULL;
    if ((plan->types & ~(GYOptionFlags)GY_SOCKET_TYPES) != 0) {
        wrong = "types of callback that there are not";
    }
    if (plan->context != NULL && plan->context->version != 0) {
        wrong = "unknown version of the context";
    }
    if (wrong == NULL) return true;
    gy_report(call, wrong, "R290");
    errno = EINVAL;
    return false;
}

static GYSocketRef create(const char *call, int32_t family, int32_t type, int32_t protocol,
                          const gy_socket_plan *plan) {
    if (!is_plan(plan, call)) return NULL;
    int fd = gy_socket_call_open(family, type, protocol);
    if (fd < 0) return NULL;
    GYSocketRef s = gy_socket_create(fd, true, plan);
    if (s == NULL) gy_sys_close(fd);
    return s;
}

GYSocketRef GYSocketCreate(GYAllocatorRef allocator, int32_t protocolFamily, int32_t socketType,
                           int32_t protocol, GYOptionFlags callBackTypes, GYSocketCallBack callout,
                           const GYSocketContext *context) {
    (void)allocator;
    const gy_socket_plan plan = {callBackTypes, callout, context};
    return create("GYSocketCreate", protocolFamily, socketType, protocol, &plan);
}

GYSocketRef GYSocketCreateWithNative(GYAllocatorRef allocator, GYSocketNativeHandle sock,
                                     GYOptionFlags callBackTypes, GYSocketCallBack callout,
                                     const GYSocketContext *context) {
    static const char call[] = "GYSocketCreateWithNative";
    const gy_socket_plan plan = {callBackTypes, callout, context};
    (void)allocator;
    if (sock < 0) {
        gy_report(call, "the descriptor is negative", "R290");
        errno = EBADF;
        return NULL;
    }
    return is_plan(&plan, call) ? gy_socket_create(sock, false, &plan) : NULL;
}

static bool is_data(GYDataRef data, const char *call) {
    if (gy_object_is(data, GY_KIND_DATA)) return true;
    gy_report(call, "not data", "R290");
    errno = EINVAL;
    return false;
}

static bool is_signature(const GYSocketSignature *signature, const char *call) {
    return is_data(signature == NULL ? NULL : signature->address, call);
}

static GYSocketRef create_by(const GYSocketSignature *signature, const gy_socket_plan *plan,
                             const char *call) {
    if (!is_signature(signature, call)) return NULL;
    return create(call, signature->protocolFamily, signature->socketType, signature->protocol,
                  plan);
}

/* Gives it up again, with errno, where its second step has failed. */
static GYSocketRef if_successful(GYSocketRef s, GYSocketError error) {
    if (error == kGYSocketSuccess) return s;
    int saved = errno;
    gy_release(s);
    errno = saved;
    return NULL;
}

GYSocketRef GYSocketCreateWithSocketSignature(GYAllocatorRef allocator,
                                              const GYSocketSignature *signature,
                                              GYOptionFlags callBackTypes, GYSocketCallBack callout,
                                              const GYSocketContext *context) {
    const gy_socket_plan plan = {callBackTypes, callout, context};
    (void)allocator;
    GYSocketRef s = create_by(signature, &plan, "GYSocketCreateWithSocketSignature");
    return s == NULL ? NULL : if_successful(s, gy_socket_set_address(s, signature->address));
}

GYSocketRef GYSocketCreateConnectedToSocketSignature(
    GYAllocatorRef allocator, const GYSocketSignature *signature, GYOptionFlags callBackTypes,
    GYSocketCallBack callout, const GYSocketContext *context, GYTimeInterval timeout) {
    const gy_socket_plan plan = {callBackTypes, callout, context};
    (void)allocator;
    GYSocketRef s = create_by(signature, &plan, "GYSocketCreateConnectedToSocketSignature");
    return s == NULL ? NULL : if_successful(s, gy_socket_connect(s, signature->address, timeout));
}

/* ---- using ---- */

static bool is_socket(GYSocketRef s, const char *call) {
    return gy_argument_is(s, GY_KIND_SOCKET, call);
}

GYSocketError GYSocketSetAddress(GYSocketRef s, GYDataRef address) {
    static const char call[] = "GYSocketSetAddress";
    if (!is_socket(s, call) || !is_data(address, call)) return kGYSocketError;
    return gy_socket_set_address(s, address);
}

GYSocketError GYSocketConnectToAddress(GYSocketRef s, GYDataRef address, GYTimeInterval timeout) {
    static const char call[] = "GYSocketConnectToAddress";
    if (!is_socket(s, call) || !is_data(address, call)) return kGYSocketError;
    return gy_socket_connect(s, address, timeout);
}

GYSocketError GYSocketSendData(GYSocketRef s, GYDataRef address, GYDataRef data,
                               GYTimeInterval timeout) {
    static const char call[] = "GYSocketSendData";
    if (!is_socket(s, call) || !is_data(data, call)) return kGYSocketError;
    if (address != NULL && !is_data(address, call)) return kGYSocketError;
    return gy_socket_send(s, address, data, timeout);
}

static GYDataRef copy_address(GYSocketRef s, GYDataRef (*copy)(int fd), const char *call) {
    if (!is_socket(s, call)) return NULL;
    return copy(gy_watched_is_valid(&s->watched) ? s->watched.fd : -1);
}

GYDataRef GYSocketCopyAddress(GYSocketRef s) {
    return copy_address(s, gy_socket_call_copy_name, "GYSocketCopyAddress");
}

GYDataRef GYSocketCopyPeerAddress(GYSocketRef s) {
    return copy_address(s, gy_socket_call_copy_peer, "GYSocketCopyPeerAddress");
}

GYSocketNativeHandle GYSocketGetNative(GYSocketRef s) {
    if (!is_socket(s, "GYSocketGetNative")) return -1;
    return gy_watched_is_valid(&s->watched) ? s->watched.fd : -1;
}

void GYSocketGetContext(GYSocketRef s, GYSocketContext *context) {
    static const char call[] = "GYSocketGetContext";
    if (!is_socket(s, call)) return;
    if (context == NULL || context->version != 0) {
        gy_report(call, context == NULL ? "the context is NULL" : "unknown version of the context",
                  "R162");
        return;
    }
    *context = s->context;
    if (!gy_watched_is_valid(&s->watched)) context->info = NULL;
}

GYOptionFlags GYSocketGetSocketFlags(GYSocketRef s) {
    if (!is_socket(s, "GYSocketGetSocketFlags")) return 0;
    gy_socket_lock();
    GYOptionFlags flags = s->flags;
    gy_socket_unlock();
    return flags;
}

void GYSocketSetSocketFlags(GYSocketRef s, GYOptionFlags flags) {
    if (!is_socket(s, "GYSocketSetSocketFlags")) return;
    gy_socket_lock();
    s->flags = flags;
    gy_socket_unlock();
}

void GYSocketEnableCallBacks(GYSocketRef s, GYOptionFlags callBackTypes) {
    static const char call[] = "GYSocketEnableCallBacks";
    if (!is_socket(s, call)) return;
    bool is_input = (callBackTypes & GY_SOCKET_INPUT) != 0;
    bool has_input = (s->types & GY_SOCKET_INPUT) != 0;
    GYOptionFlags others = callBackTypes & ~(GYOptionFlags)GY_SOCKET_INPUT & ~s->types;
    if ((is_input && !has_input) || others != 0) {
        gy_report(call, "types that the socket was not made with", "R291");
    }
    errno = -gy_socket_enable(s, callBackTypes);
}

void GYSocketDisableCallBacks(GYSocketRef s, GYOptionFlags callBackTypes) {
    if (is_socket(s, "GYSocketDisableCallBacks")) gy_socket_disable(s, callBackTypes);
}

/* ---- the source and the end ---- */

GYRunLoopSourceRef GYSocketCreateRunLoopSource(GYAllocatorRef allocator, GYSocketRef s,
                                               GYIndex order) {
    (void)allocator;
    if (!is_socket(s, "GYSocketCreateRunLoopSource")) return NULL;
    return gy_socket_copy_source(s, order);
}

void GYSocketInvalidate(GYSocketRef s) {
    if (is_socket(s, "GYSocketInvalidate")) gy_socket_invalidate(s);
}

GYBoolean GYSocketIsValid(GYSocketRef s) {
    return is_socket(s, "GYSocketIsValid") && gy_watched_is_valid(&s->watched);
}
