#include "sources/object_port.h"

#include <errno.h>

static const gy_type port_type = {
    .kind = GY_KIND_PORT,
    .name = "GYPort",
    .finalize = gy_message_port_finalize,
};

static void finalize_message(void *object) {
    GYArrayRef components = ((struct GYPortMessage *)object)->components;
    GYPortRef reply_port = ((struct GYPortMessage *)object)->reply_port;
    gy_object_free(object);
    gy_release(components);
    gy_release(reply_port);
}

static const gy_type message_type = {
    .kind = GY_KIND_PORT_MESSAGE,
    .name = "GYPortMessage",
    .finalize = finalize_message,
};

/* The message travels in the place of data. */
static GYDataRef receive(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)id;
    if (local->object_callout != NULL)
        local->object_callout((GYPortRef)(void *)local, (GYPortMessageRef)(const void *)data, info);
    return NULL;
}

GYPortRef gy_object_port_create(GYPortCallBack callout, const GYPortContext *context) {
    GYMessagePortContext own = {0, context->info, context->retain, context->release,
                                context->copyDescription};
    GYMessagePortRef port = gy_message_port_create_local(&port_type, receive, &own);
    if (port != NULL) port->object_callout = callout;
    return (GYPortRef)(void *)port;
}

int32_t gy_object_port_send(GYPortRef port, uint32_t id, GYArrayRef components,
                            GYPortRef reply_port, int64_t timeout_ns) {
    struct GYPortMessage *object = gy_object_create(&message_type, sizeof *object);
    if (object == NULL) return kGYMessagePortTransportError;
    object->id = id;
    object->components = gy_retain(components);
    object->reply_port = gy_retain(reply_port);
    gy_message *message = gy_message_create((int32_t)id, (GYDataRef)(const void *)object);
    gy_release(object);
    if (message == NULL) return kGYMessagePortTransportError;
    int32_t result = gy_mailbox_post(gy_object_port_base(port)->mailbox, message, timeout_ns);
    if (result != kGYMessagePortSuccess) gy_message_destroy(message);
    return result;
}
