#include "sources/socket.h"

#include "base/lock.h"
#include "base/text.h"
#include "loop/callout.h"
#include "loop/registry.h"
#include "sources/socket_call.h"

#include <errno.h>
#include <gyre/GYData.h>

/* ---- the lock, and the table of sockets by their descriptors ---- */

static gy_lock sockets_lock = GY_LOCK_INIT(GY_RANK_TABLE);
static gy_set table; /* of those that are valid; it does not keep them */

void gy_socket_lock(void) { gy_lock_take(&sockets_lock); }
void gy_socket_unlock(void) { gy_lock_give(&sockets_lock); }

static void before_fork(void) { gy_lock_take_unranked(&sockets_lock); }
static void after_fork(void) { gy_lock_give_unranked(&sockets_lock); }
static void in_child(void) {} /* they go on there: nothing of theirs belongs to a thread */

static gy_fork_hooks fork_hooks = {before_fork, after_fork, in_child, NULL};

static uint32_t hash_of(int fd) { return (uint32_t)fd * 2654435769u; }

static GYSocketRef find(int fd) {
    uint32_t cursor = 0;
    for (GYSocketRef s; (s = gy_set_candidate(&table, hash_of(fd), &cursor)) != NULL;) {
        if (s->watched.fd == fd) return s;
    }
    return NULL;
}

static GYSocketRef copy_valid(int fd) {
    gy_socket_lock();
    GYSocketRef s = find(fd);
    if (s != NULL && !gy_retain_if_live(s)) s = NULL;
    gy_socket_unlock();
    return s;
}

/* Returns the one that there is, retained, or the new one; NULL where memory is out. One that is
 * about to go, or whose descriptor must have been closed, makes room. */
static GYSocketRef enter(GYSocketRef s, bool is_fresh) {
    uint32_t hash = hash_of(s->watched.fd);
    gy_socket_lock();
    GYSocketRef old = find(s->watched.fd);
    bool stays = old != NULL && !is_fresh && gy_retain_if_live(old);
    if (old != NULL && !stays) gy_set_remove(&table, old, hash);
    bool ok = stays || gy_set_insert(&table, s, hash);
    gy_socket_unlock();
    return stays ? old : ok ? s : NULL;
}

static void leave(GYSocketRef s) {
    gy_socket_lock();
    gy_set_remove(&table, s, hash_of(s->watched.fd));
    if (table.count == 0) gy_set_destroy(&table);
    gy_socket_unlock();
}

/* ---- events ---- */

static uint32_t events_for(GYSocketRef s) {
    uint32_t events = 0;
    if (!gy_watched_is_valid(&s->watched) || s->phase == GY_SOCKET_IDLE) return 0;
    if (s->phase == GY_SOCKET_CONNECTING) return EPOLLOUT;
    if ((s->enabled & GY_SOCKET_INPUT) != 0 && !s->has_ended) events |= EPOLLIN;
    if ((s->enabled & kGYSocketWriteCallBack) != 0) events |= EPOLLOUT;
    return events;
}

void gy_socket_follow(GYSocketRef s) {
    /* Release: pairs with the acquire in gy_watched_asked. */
    atomic_store_explicit(&s->watched.asked, events_for(s), memory_order_release);
}

/* The program may have connected it, or have it listen, by itself. The lock. */
static void look_at_phase(GYSocketRef s) {
    if (s->phase == GY_SOCKET_IDLE && !gy_socket_call_is_idle(s->watched.fd)) {
        s->phase = GY_SOCKET_READY;
    }
}

int gy_socket_enable(GYSocketRef s, GYOptionFlags types) {
    if (!gy_watched_is_valid(&s->watched)) return 0;
    gy_socket_lock();
    if ((types & GY_SOCKET_INPUT) != 0) {
        s->enabled |= s->types & GY_SOCKET_INPUT;
        s->has_ended = false;
    }
    s->enabled |= types & s->types & kGYSocketWriteCallBack;
    look_at_phase(s);
    gy_socket_follow(s);
    gy_socket_unlock();
    return gy_watched_tell(&s->watched);
}

void gy_socket_disable(GYSocketRef s, GYOptionFlags types) {
    gy_socket_lock();
    if ((types & GY_SOCKET_INPUT) != 0) s->enabled &= ~(GYOptionFlags)GY_SOCKET_INPUT;
    s->enabled &= ~(types & kGYSocketWriteCallBack);
    gy_socket_follow(s);
    gy_socket_unlock();
    gy_watched_tell(&s->watched);
}

/* ---- callbacks ---- */

static void call(GYSocketRef s, GYOptionFlags type, GYDataRef address, const void *data) {
    if (s->callout == NULL) return;
    if (gy_watched_begin_call(&s->watched)) {
        gy_callout_socket(s->callout, s, type, address, data, s->context.info);
    }
    gy_watched_end_call(&s->watched);
}

/* One thread finds it connecting, and no other. */
static bool stop_connecting(GYSocketRef s, int *error) {
    gy_socket_lock();
    bool was_connecting = s->phase == GY_SOCKET_CONNECTING;
    bool leaves_error = (s->flags & kGYSocketLeaveErrors) != 0;
    if (was_connecting) {
        *error = leaves_error ? 0 : gy_socket_call_take_error(s->watched.fd);
        s->phase = *error == 0 ? GY_SOCKET_READY : GY_SOCKET_IDLE;
        if (s->was_blocking) gy_socket_call_set_blocking(s->watched.fd, true);
        gy_socket_follow(s);
    }
    gy_socket_unlock();
    if (was_connecting) gy_watched_tell(&s->watched);
    return was_connecting;
}

/* False: it was not connecting. */
static bool finish_connecting(GYSocketRef s) {
    int error = 0;
    if (!stop_connecting(s, &error)) return false;
    int32_t code = error;
    if ((s->types & kGYSocketConnectCallBack) != 0) {
        call(s, kGYSocketConnectCallBack, NULL, error == 0 ? NULL : &code);
    }
    return true;
}

static void accept_one(GYSocketRef s) {
    GYDataRef address;
    GYSocketNativeHandle accepted = gy_socket_call_accept(s->watched.fd, &address);
    if (accepted < 0) return;
    if (s->callout == NULL) gy_sys_close(accepted);
    call(s, kGYSocketAcceptCallBack, address, &accepted);
    gy_release(address);
}

/* The end is told once, until the callback is enabled again. */
static void note_end(GYSocketRef s) {
    gy_socket_lock();
    s->has_ended = true;
    gy_socket_follow(s);
    gy_socket_unlock();
    gy_watched_tell(&s->watched);
}

static void receive_some(GYSocketRef s) {
    GYDataRef address, data = gy_socket_call_receive(s->watched.fd, s->is_stream, &address);
    if (data == NULL) return;
    if (s->is_stream && GYDataGetLength(data) == 0) note_end(s);
    call(s, kGYSocketDataCallBack, address, data);
    gy_release(address);
    gy_release(data);
}

/* Those to be called now; what does not enable itself again is disabled by that. */
static GYOptionFlags take_types(GYSocketRef s, uint32_t came) {
    const uint32_t over = EPOLLHUP | EPOLLERR;
    GYOptionFlags taken = 0;
    gy_socket_lock();
    if ((came & (EPOLLIN | EPOLLRDHUP | over)) != 0 && !s->has_ended) {
        taken |= s->enabled & GY_SOCKET_INPUT;
    }
    if ((came & (EPOLLOUT | over)) != 0) taken |= s->enabled & kGYSocketWriteCallBack;
    GYOptionFlags input = taken & GY_SOCKET_INPUT, once = 0;
    if ((s->flags & input) != input) once |= GY_SOCKET_INPUT;
    once |= taken & kGYSocketWriteCallBack & ~s->flags;
    s->enabled &= ~once;
    /* Nobody reads, so nobody else takes the error that would be told again and again. */
    if ((came & EPOLLERR) != 0 && input == 0 && (s->flags & kGYSocketLeaveErrors) == 0) {
        gy_socket_call_take_error(s->watched.fd);
    }
    gy_socket_follow(s);
    gy_socket_unlock();
    if (once != 0) gy_watched_tell(&s->watched);
    return taken;
}

static void perform(void *info, uint32_t came) {
    GYSocketRef s = info;
    if (finish_connecting(s)) return;
    GYOptionFlags types = take_types(s, came);
    switch (types & GY_SOCKET_INPUT) {
    case kGYSocketReadCallBack: call(s, kGYSocketReadCallBack, NULL, NULL); break;
    case kGYSocketAcceptCallBack: accept_one(s); break;
    case kGYSocketDataCallBack: receive_some(s); break;
    default: break;
    }
    if ((types & kGYSocketWriteCallBack) != 0) call(s, kGYSocketWriteCallBack, NULL, NULL);
}

static int native(void *info) {
    GYSocketRef s = info;
    return s->watched.fd;
}

/* ---- the object ---- */

static bool closes(GYSocketRef s) {
    gy_socket_lock();
    bool yes = (s->flags & kGYSocketCloseOnInvalidate) != 0;
    gy_socket_unlock();
    return yes;
}

static void let_info_go(gy_watched *watched) {
    GYSocketRef s = gy_node_owner(watched, struct GYSocket, watched);
    if (s->context.release != NULL) gy_callout_release(s->context.release, s->context.info);
}

static void finalize(void *object) {
    GYSocketRef s = object;
    GYSocketContext context = s->context;
    leave(s);
    bool has_info = gy_watched_destroy(&s->watched, closes(s));
    gy_object_free(s);
    if (has_info && context.release != NULL) gy_callout_release(context.release, context.info);
}

static GYStringRef describe(const void *object) {
    const struct GYSocket *s = object;
    bool valid = gy_watched_is_valid(&s->watched);
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYSocket %p>{valid = %s, socket = %d, types = 0x%lx", object,
                   valid ? "Yes" : "No", s->watched.fd, s->types);
    GYStringRef shown = NULL;
    if (valid && s->context.copyDescription != NULL) {
        shown = gy_callout_copy_description(s->context.copyDescription, s->context.info);
    }
    if (gy_object_is(shown, GY_KIND_STRING)) {
        gy_text_append(&text, ", context = ", 12);
        gy_text_append_string(&text, shown);
    }
    gy_release(shown);
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

static const gy_type type = {
    .kind = GY_KIND_SOCKET,
    .name = "GYSocket",
    .finalize = finalize,
    .copy_description = describe,
};

static void keep_context(GYSocketRef s, const GYSocketContext *context) {
    if (context != NULL) s->context = *context;
    if (s->context.retain == NULL) return;
    const void *info = gy_callout_retain(s->context.retain, s->context.info);
    s->context.info = (void *)(uintptr_t)info;
}

static GYSocketRef make(int fd, bool is_stream, const gy_socket_plan *plan) {
    GYSocketRef s = gy_object_create(&type, sizeof *s);
    if (s == NULL) return NULL;
    gy_watched_init(&s->watched, fd, let_info_go);
    s->is_stream = is_stream;
    s->types = plan->types;
    s->callout = plan->callout;
    s->flags = GY_SOCKET_INPUT | kGYSocketCloseOnInvalidate;
    s->enabled = plan->types & (GY_SOCKET_INPUT | kGYSocketWriteCallBack);
    s->phase = is_stream ? GY_SOCKET_IDLE : GY_SOCKET_READY;
    look_at_phase(s);
    gy_socket_follow(s);
    keep_context(s, plan->context);
    return s;
}

/* It never was anybody's. */
static void discard(GYSocketRef s) {
    s->flags = 0; /* closes nothing */
    gy_release(s);
}

GYSocketRef gy_socket_create(int fd, bool is_fresh, const gy_socket_plan *plan) {
    bool is_stream;
    if (!gy_registry_at_fork(&fork_hooks)) return NULL;
    GYSocketRef s = is_fresh ? NULL : copy_valid(fd);
    if (s != NULL) return s;
    if (!gy_socket_call_is_stream(fd, &is_stream)) return NULL;
    s = make(fd, is_stream, plan);
    if (s == NULL) return NULL;
    GYSocketRef entered = enter(s, is_fresh);
    if (entered != s) discard(s);
    if (entered == NULL) errno = ENOMEM;
    return entered;
}

void gy_socket_invalidate(GYSocketRef s) {
    gy_retain(s); /* the source's reference may be the last */
    leave(s);
    gy_watched_end(&s->watched, closes(s));
    gy_release(s);
}

static const void *keep(const void *s) { return gy_retain(s); }

GYRunLoopSourceRef gy_socket_copy_source(GYSocketRef s, GYIndex order) {
    const GYRunLoopSourceContext2 context = {
        .version = 2,
        .info = s,
        .retain = keep,
        .release = gy_release,
        .getPort = native,
        .performEvents = perform,
    };
    gy_socket_lock();
    look_at_phase(s);
    gy_socket_follow(s);
    gy_socket_unlock();
    return gy_watched_copy_source(&s->watched, order, &context);
}
