#include "sources/message_port.h"

#include "base/text.h"
#include "loop/callout.h"
#include "loop/sources.h"

#include <errno.h>
#include <unistd.h>

/* ---- the end ---- */

/* What was taken out under the lock, for a callout without it. */
typedef struct last_words {
    GYMessagePortInvalidationCallBack invalidation;
    GYMessagePortContext context;
} last_words;

static void tell(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    last_words words = {port->is_told ? NULL : port->invalidation, port->context};
    port->is_told = port->is_told || words.invalidation != NULL;
    gy_lock_give(&port->lock);
    if (words.invalidation != NULL) words.invalidation(port, words.context.info);
}

static void release_info(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    GYMessagePortContext context = port->context;
    port->context.info = NULL;
    port->context.release = NULL;
    gy_lock_give(&port->lock);
    if (context.release != NULL) gy_callout_release(context.release, context.info);
}

/* ---- answers ---- */

/* One that is awaited, the caller's now; NULL: none is left. */
static gy_answer *take_answer(GYMessagePortRef port) {
    gy_answer *answer = NULL;
    gy_lock_take(&port->lock);
    if (!gy_list_is_empty(&port->answers)) {
        answer = gy_node_owner(port->answers.next, gy_answer, in_port);
        gy_list_remove(&answer->in_port);
    }
    gy_lock_give(&port->lock);
    return answer;
}

static void fail_answers(GYMessagePortRef port) {
    for (gy_answer *answer; (answer = take_answer(port)) != NULL;) {
        gy_answer_give(answer, kGYMessagePortBecameInvalidError, NULL);
        gy_answer_release(answer);
    }
}

bool gy_message_port_expect(GYMessagePortRef port, gy_answer *answer) {
    gy_lock_take(&port->lock);
    /* Either the end of the port finds the answer, or this finds that it has ended. */
    bool is_valid = gy_message_port_is_valid(port);
    answer->number = ++port->next_number;
    if (is_valid) gy_list_append(&port->answers, &gy_answer_retain(answer)->in_port);
    gy_lock_give(&port->lock);
    return is_valid;
}

void gy_message_port_forgo(GYMessagePortRef port, gy_answer *answer) {
    gy_lock_take(&port->lock);
    bool is_listed = gy_node_is_linked(&answer->in_port);
    if (is_listed) gy_list_remove(&answer->in_port);
    gy_lock_give(&port->lock);
    if (is_listed) gy_answer_release(answer);
}

gy_answer *gy_message_port_take_answer(GYMessagePortRef port, uint32_t number) {
    gy_answer *found = NULL;
    gy_lock_take(&port->lock);
    for (gy_node *n = port->answers.next; n != &port->answers && found == NULL; n = n->next) {
        gy_answer *answer = gy_node_owner(n, gy_answer, in_port);
        if (answer->number == number) found = answer;
    }
    if (found != NULL) gy_list_remove(&found->in_port);
    gy_lock_give(&port->lock);
    return found;
}

/* ---- connections ---- */

gy_link *gy_message_port_link(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    gy_link *link = gy_link_retain(port->link);
    gy_lock_give(&port->lock);
    return link;
}

static void end_link(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    gy_link *link = port->link;
    GYRunLoopSourceRef watch = port->watch;
    port->link = NULL;
    port->watch = NULL;
    gy_lock_give(&port->lock);
    if (watch != NULL) gy_source_invalidate(watch);
    gy_release(watch);
    if (link == NULL) return;
    gy_link_set_owner(link, NULL);
    gy_link_shut(link);
    gy_link_release(link);
}

static void end_server(GYMessagePortRef port) {
    gy_lock_take(&port->lock);
    struct gy_server *server = port->server;
    port->server = NULL;
    gy_lock_give(&port->lock);
    if (server != NULL) port->end_server(server);
}

/* ---- remote ports of a mailbox ---- */

static GYMessagePortRef remote_of(gy_node *node) {
    return gy_node_owner(node, struct GYMessagePort, in_mailbox);
}

/* One remote port of the mailbox, retained and not listed any more; NULL: none is left. */
static GYMessagePortRef take_remote(gy_mailbox *mailbox) {
    GYMessagePortRef found = NULL;
    gy_lock_take(&mailbox->lock);
    while (found == NULL && !gy_list_is_empty(&mailbox->remotes)) {
        GYMessagePortRef port = remote_of(mailbox->remotes.next);
        gy_list_remove(&port->in_mailbox);
        if (gy_retain_if_live(port)) found = port;
    }
    gy_lock_give(&mailbox->lock);
    return found;
}

static void end_remotes(gy_mailbox *mailbox) {
    for (GYMessagePortRef port; (port = take_remote(mailbox)) != NULL;) {
        gy_message_port_invalidate(port);
        gy_release(port);
    }
}

/* Invalidation takes a source out of all its places. */
static void end_sources(gy_mailbox *mailbox) {
    gy_place place;
    while ((place = gy_mailbox_place(mailbox, 0)).source != NULL) {
        gy_source_invalidate(place.source);
        gy_mailbox_remove_place(mailbox, place); /* of a loop that a fork has left behind */
        gy_place_release(place);
    }
}

static void leave_mailbox(GYMessagePortRef port) {
    gy_lock_take(&port->mailbox->lock);
    if (gy_node_is_linked(&port->in_mailbox)) gy_list_remove(&port->in_mailbox);
    gy_lock_give(&port->mailbox->lock);
}

/* Everything but the callbacks: also for a port whose last reference is gone. */
static void end_quietly(GYMessagePortRef port) {
    gy_port_name_leave(&port->name);
    if (port->name.is_remote) {
        if (port->mailbox != NULL) leave_mailbox(port);
        end_link(port);
        fail_answers(port);
    } else {
        end_server(port);
        gy_mailbox_close(port->mailbox);
        end_sources(port->mailbox);
        end_remotes(port->mailbox);
    }
}

void gy_message_port_invalidate(GYMessagePortRef port) {
    /* Acquire and release: one thread ends the port, and others see it valid or ended. */
    if (!atomic_exchange_explicit(&port->is_valid, false, memory_order_acq_rel)) return;
    gy_retain(port);
    gy_port_name_leave(&port->name);
    tell(port);
    end_quietly(port);
    release_info(port);
    gy_release(port);
}

void gy_message_port_set_invalidation(GYMessagePortRef port,
                                      GYMessagePortInvalidationCallBack callout) {
    gy_lock_take(&port->lock);
    port->invalidation = callout;
    gy_lock_give(&port->lock);
    if (!gy_message_port_is_valid(port)) tell(port);
}

void gy_message_port_finalize(void *object) {
    GYMessagePortRef port = object;
    atomic_store_explicit(&port->is_valid, false, memory_order_release);
    end_quietly(port);
    gy_fork_guard_remove(&port->guard);
    if (port->mailbox != NULL) gy_mailbox_release(port->mailbox);
    gy_release(port->name.string);
    gy_lock_destroy(&port->lock);
    GYMessagePortContext context = port->context;
    gy_object_free(port);
    if (context.release != NULL) gy_callout_release(context.release, context.info);
}

static GYStringRef copy_description(const void *object) {
    GYMessagePortRef port = (GYMessagePortRef)(uintptr_t)object;
    GYStringRef name = gy_port_name_string(&port->name);
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(
        &text, "<GYMessagePort 0x%lx>{%s, valid = %s, name = ", (unsigned long)(uintptr_t)object,
        port->name.is_remote ? "remote" : "local", gy_message_port_is_valid(port) ? "Yes" : "No");
    if (name == NULL) {
        gy_text_printf(&text, "none}");
    } else {
        gy_text_append_string(&text, name);
        gy_text_append(&text, "}", 1);
    }
    return gy_text_finish(&text);
}

static const gy_type port_type = {
    .kind = GY_KIND_MESSAGE_PORT,
    .name = "GYMessagePort",
    .finalize = gy_message_port_finalize,
    .copy_description = copy_description,
};

/* ---- the beginning ---- */

/* In the child of a fork (R7). Its sources find out when they are next performed. */
static void forget(void *owner) {
    GYMessagePortRef port = owner;
    atomic_store_explicit(&port->is_valid, false, memory_order_relaxed);
    fail_answers(port);
}

/* NULL with errno. */
static GYMessagePortRef create(const gy_type *type, bool is_remote, uint32_t user) {
    GYMessagePortRef port = gy_object_create(type, sizeof *port);
    if (port == NULL) return NULL;
    gy_lock_init(&port->lock, GY_RANK_TABLE);
    gy_list_init(&port->answers);
    port->name = (gy_port_name){.port = port, .is_remote = is_remote, .user = user};
    port->guard = (gy_fork_guard){.lock = &port->lock, .forget = forget, .owner = port};
    if (gy_fork_guard_add(&port->guard)) {
        atomic_init(&port->is_valid, true);
        return port;
    }
    gy_object_free(port);
    return NULL;
}

GYMessagePortRef gy_message_port_create_local(const gy_type *type, GYMessagePortCallBack callout,
                                              const GYMessagePortContext *context) {
    gy_mailbox *mailbox = gy_mailbox_create();
    if (mailbox == NULL) return NULL;
    GYMessagePortRef port = create(type == NULL ? &port_type : type, false, geteuid());
    if (port == NULL) {
        gy_mailbox_release(mailbox);
        return NULL;
    }
    port->mailbox = mailbox;
    port->callout = callout;
    port->context = *context;
    return port;
}

/* False: the local port has ended. */
static bool join_mailbox(GYMessagePortRef port) {
    gy_lock_take(&port->mailbox->lock);
    bool is_open = !port->mailbox->is_closed;
    if (is_open) gy_list_append(&port->mailbox->remotes, &port->in_mailbox);
    gy_lock_give(&port->mailbox->lock);
    return is_open;
}

GYMessagePortRef gy_message_port_create_remote(GYStringRef name, uint32_t user, gy_mailbox *mailbox,
                                               gy_link *link) {
    GYMessagePortRef port = create(&port_type, true, user);
    if (port == NULL) {
        if (mailbox != NULL) gy_mailbox_release(mailbox);
        gy_link_release(link);
        return NULL;
    }
    port->mailbox = mailbox;
    port->link = link;
    if (link != NULL) gy_link_set_owner(link, port);
    int none, error = gy_port_name_enter(&port->name, name, NULL, &none);
    if (error == 0 && mailbox != NULL && !join_mailbox(port)) error = -ENOENT;
    if (error == 0) return port;
    gy_release(port);
    errno = -error;
    return NULL;
}

GYMessagePortRef gy_message_port_local(GYStringRef name) {
    return gy_port_name_find(name, false, geteuid());
}
