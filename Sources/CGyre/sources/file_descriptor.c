#include "sources/file_descriptor.h"

#include "base/text.h"
#include "base/value.h"
#include "loop/callout.h"
#include "wait/sys.h"

#include <errno.h>

#define HANG_UP (EPOLLHUP | EPOLLRDHUP)

/* ---- events and types: each type has a bit of its own among the events asked for ---- */

static uint32_t events_of(GYOptionFlags types) {
    uint32_t events = 0;
    if ((types & kGYFileDescriptorReadCallBack) != 0) events |= EPOLLIN;
    if ((types & kGYFileDescriptorWriteCallBack) != 0) events |= EPOLLOUT;
    if ((types & kGYFileDescriptorHangUpCallBack) != 0) events |= EPOLLRDHUP;
    if ((types & kGYFileDescriptorErrorCallBack) != 0) events |= EPOLLERR;
    return events;
}

static GYOptionFlags types_of(uint32_t events) {
    GYOptionFlags types = 0;
    if ((events & EPOLLIN) != 0) types |= kGYFileDescriptorReadCallBack;
    if ((events & EPOLLOUT) != 0) types |= kGYFileDescriptorWriteCallBack;
    if ((events & EPOLLRDHUP) != 0) types |= kGYFileDescriptorHangUpCallBack;
    if ((events & EPOLLERR) != 0) types |= kGYFileDescriptorErrorCallBack;
    return types;
}

/* What those asked for that hold when these came. After a hang-up or an error no operation
 * blocks. */
static uint32_t held_by(uint32_t came) {
    uint32_t held = came;
    if ((came & HANG_UP) != 0) held |= EPOLLRDHUP | EPOLLIN;
    if ((came & (EPOLLHUP | EPOLLERR)) != 0) held |= EPOLLIN | EPOLLOUT;
    return held & (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLERR);
}

/* ---- the callback ---- */

/* Whoever performs the source keeps it, and it keeps the object. */
static void perform(void *info, uint32_t came) {
    GYFileDescriptorRef f = info;
    uint32_t events = held_by(came);
    events =
        f->persists ? events & gy_watched_asked(&f->watched) : gy_watched_take(&f->watched, events);
    if (events == 0) return; /* another loop's thread, or one that disabled it, was faster */
    if (gy_watched_begin_call(&f->watched)) {
        gy_callout_file_descriptor(f->callout, f, types_of(events), f->context.info);
    }
    gy_watched_end_call(&f->watched);
}

static int native(void *info) {
    GYFileDescriptorRef f = info;
    return f->watched.fd;
}

/* ---- the object ---- */

static void let_info_go(gy_watched *watched) {
    GYFileDescriptorRef f = gy_node_owner(watched, struct GYFileDescriptor, watched);
    if (f->context.release == NULL) return;
    gy_callout_file_descriptor_release(f->context.release, f->context.info);
}

static void finalize(void *object) {
    GYFileDescriptorRef f = object;
    GYFileDescriptorContext context = f->context;
    bool has_info = gy_watched_destroy(&f->watched, f->closes);
    gy_object_free(f);
    if (has_info && context.release != NULL) {
        gy_callout_file_descriptor_release(context.release, context.info);
    }
}

static GYStringRef describe(const void *object) {
    const struct GYFileDescriptor *f = object;
    bool valid = gy_watched_is_valid(&f->watched);
    GYOptionFlags types = types_of(gy_watched_asked(&f->watched));
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYFileDescriptor %p>{valid = %s, fd = %d, enabled = 0x%lx, %s", object,
                   valid ? "Yes" : "No", f->watched.fd, types,
                   f->persists ? "persistent" : "one-shot");
    GYStringRef shown = NULL;
    if (valid && f->context.copyDescription != NULL) {
        shown = gy_callout_file_descriptor_describe(f->context.copyDescription, f->context.info);
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
    .kind = GY_KIND_FILE_DESCRIPTOR,
    .name = "GYFileDescriptor",
    .finalize = finalize,
    .copy_description = describe,
};

GYFileDescriptorRef gy_file_descriptor_create(int fd, bool closes, bool persists,
                                              GYFileDescriptorCallBack callout,
                                              const GYFileDescriptorContext *context) {
    if (!gy_sys_is_open(fd)) {
        errno = EBADF;
        return NULL;
    }
    GYFileDescriptorRef f = gy_object_create(&type, sizeof *f);
    if (f == NULL) return NULL;
    gy_watched_init(&f->watched, fd, let_info_go);
    f->closes = closes;
    f->persists = persists;
    f->callout = callout;
    if (context != NULL) f->context = *context;
    if (f->context.retain != NULL) {
        f->context.info = gy_callout_file_descriptor_retain(f->context.retain, f->context.info);
    }
    return f;
}

int gy_file_descriptor_enable(GYFileDescriptorRef f, GYOptionFlags types) {
    return gy_watched_is_valid(&f->watched) ? gy_watched_ask(&f->watched, events_of(types)) : 0;
}

void gy_file_descriptor_disable(GYFileDescriptorRef f, GYOptionFlags types) {
    gy_watched_drop(&f->watched, events_of(types));
}

void gy_file_descriptor_invalidate(GYFileDescriptorRef f) {
    gy_retain(f); /* the source's reference may be the last */
    gy_watched_end(&f->watched, f->closes);
    gy_release(f);
}

static const void *keep(const void *f) { return gy_retain(f); }

GYRunLoopSourceRef gy_file_descriptor_copy_source(GYFileDescriptorRef f, GYIndex order) {
    const GYRunLoopSourceContext2 context = {
        .version = 2,
        .info = f,
        .retain = keep,
        .release = gy_release,
        .getPort = native,
        .performEvents = perform,
    };
    return gy_watched_copy_source(&f->watched, order, &context);
}
