/* Ports without a name as the public sees them: checks arguments, then acts. Any thread. */
#include <gyre/GYPort.h>

#include "base/check.h"
#include "base/clock.h"
#include "loop/callout.h"
#include "sources/message_receive.h"
#include "sources/object_port.h"

#include <errno.h>

#define RULE "R271"

static bool is_port(GYPortRef port, const char *call) {
    if (gy_object_is(port, GY_KIND_PORT)) return true;
    gy_report(call, port == NULL ? "the port is NULL" : "not a live port", RULE);
    return false;
}

static bool is_message(GYPortMessageRef message, const char *call) {
    if (gy_object_is(message, GY_KIND_PORT_MESSAGE)) return true;
    gy_report(call, message == NULL ? "the message is NULL" : "not a live message", RULE);
    return false;
}

GYTypeID GYPortGetTypeID(void) { return GY_KIND_PORT; }
GYTypeID GYPortMessageGetTypeID(void) { return GY_KIND_PORT_MESSAGE; }

GYPortRef GYPortCreate(GYAllocatorRef allocator, GYPortCallBack callout,
                       const GYPortContext *context) {
    (void)allocator;
    GYPortContext own = {0};
    if (context != NULL && context->version != 0) {
        gy_report("GYPortCreate", "unknown version of the context", "R160");
        return NULL;
    }
    if (context != NULL) own = *context;
    if (own.retain != NULL) own.info = (void *)(uintptr_t)gy_callout_retain(own.retain, own.info);
    GYPortRef port = gy_object_port_create(callout, &own);
    if (port == NULL && own.retain != NULL && own.release != NULL) {
        gy_callout_release(own.release, own.info);
        errno = ENOMEM;
    }
    return port;
}

GYRunLoopSourceRef GYPortCreateRunLoopSource(GYAllocatorRef allocator, GYPortRef port,
                                             GYIndex order) {
    static const char call[] = "GYPortCreateRunLoopSource";
    (void)allocator;
    if (!is_port(port, call)) return NULL;
    GYMessagePortRef base = gy_object_port_base(port);
    if (gy_message_port_is_valid(base)) return gy_message_receive_source(base, order);
    gy_report(call, "the port is invalid", RULE);
    return NULL;
}

/* NaN waits for nothing. */
static int64_t timeout_until(GYAbsoluteTime limit) {
    if (!(limit > gy_clock_date(gy_clock_now_ns()))) return 0;
    int64_t deadline_ns = gy_clock_deadline_ns(limit);
    return deadline_ns == GY_NEVER ? GY_NEVER : deadline_ns - gy_clock_now_ns();
}

int32_t GYPortSend(GYPortRef port, uint32_t msgid, GYArrayRef components, GYPortRef replyPort,
                   GYAbsoluteTime limit) {
    static const char call[] = "GYPortSend";
    if (!is_port(port, call) || (replyPort != NULL && !is_port(replyPort, call)))
        return kGYMessagePortTransportError;
    if (components != NULL && !gy_object_is(components, GY_KIND_ARRAY)) {
        gy_report(call, "the components are no array", RULE);
        return kGYMessagePortTransportError;
    }
    return gy_object_port_send(port, msgid, components, replyPort, timeout_until(limit));
}

void GYPortInvalidate(GYPortRef port) {
    if (is_port(port, "GYPortInvalidate")) gy_message_port_invalidate(gy_object_port_base(port));
}

GYBoolean GYPortIsValid(GYPortRef port) {
    return is_port(port, "GYPortIsValid") && gy_message_port_is_valid(gy_object_port_base(port));
}

uint32_t GYPortMessageGetID(GYPortMessageRef message) {
    return is_message(message, "GYPortMessageGetID") ? message->id : 0;
}

GYArrayRef GYPortMessageGetComponents(GYPortMessageRef message) {
    return is_message(message, "GYPortMessageGetComponents") ? message->components : NULL;
}

GYPortRef GYPortMessageGetReplyPort(GYPortMessageRef message) {
    return is_message(message, "GYPortMessageGetReplyPort") ? message->reply_port : NULL;
}
