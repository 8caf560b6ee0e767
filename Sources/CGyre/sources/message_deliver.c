#include "sources/message_deliver.h"

static void *info_of(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    void *info = port->context.info;
    gy_lock_give(&port->lock);
    return info;
}

bool gy_message_deliver(GYMessagePortRef port, void (*announce)(void *info), void *info) {
    bool is_more;
    gy_message *message = gy_mailbox_take(port->mailbox, &is_more);
    if (is_more) announce(info);
    if (message == NULL) return is_more;
    GYDataRef reply = port->callout(port, message->id, message->data, info_of(port));
    gy_message_reply(message, kGYMessagePortSuccess, reply);
    gy_release(reply);
    gy_message_free(message);
    return is_more;
}
