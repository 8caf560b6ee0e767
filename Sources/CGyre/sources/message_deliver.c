#include "sources/message_deliver.h"

/* One whose callout was left by a jump stays, and its message with it. */
static __thread gy_message *current __attribute__((tls_model("initial-exec")));

gy_message *gy_message_current(void) { return current; }

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
    gy_message *outer = current;
    current = message;
    GYDataRef reply = port->callout(port, message->id, message->data, info_of(port));
    current = outer;
    gy_message_reply(message, kGYMessagePortSuccess, reply);
    gy_release(reply);
    gy_message_free(message);
    return is_more;
}
