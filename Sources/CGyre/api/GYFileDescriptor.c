/* File descriptors as the public sees them. Any thread. */
#include <gyre/GYFileDescriptor.h>

#include "api/arguments.h"
#include "base/check.h"
#include "sources/file_descriptor.h"

#include <errno.h>

GYTypeID GYFileDescriptorGetTypeID(void) { return GY_KIND_FILE_DESCRIPTOR; }

static GYFileDescriptorRef create(const char *call, int fd, bool closes, bool persists,
                                  GYFileDescriptorCallBack callout,
                                  const GYFileDescriptorContext *context) {
    const char *wrong = NULL;
    if (fd < 0) wrong = "the descriptor is negative";
    if (callout == NULL) wrong = "the callback is NULL";
    if (context != NULL && context->version != 0) wrong = "unknown version of the context";
    if (wrong == NULL) return gy_file_descriptor_create(fd, closes, persists, callout, context);
    gy_report(call, wrong, "R221");
    errno = fd < 0 ? EBADF : EINVAL;
    return NULL;
}

GYFileDescriptorRef GYFileDescriptorCreate(GYAllocatorRef allocator,
                                           GYFileDescriptorNativeDescriptor fd,
                                           GYBoolean closeOnInvalidate,
                                           GYFileDescriptorCallBack callout,
                                           const GYFileDescriptorContext *context) {
    (void)allocator;
    return create("GYFileDescriptorCreate", fd, closeOnInvalidate, false, callout, context);
}

GYFileDescriptorRef GYFileDescriptorCreatePersistent(GYAllocatorRef allocator,
                                                     GYFileDescriptorNativeDescriptor fd,
                                                     GYBoolean closeOnInvalidate,
                                                     GYFileDescriptorCallBack callout,
                                                     const GYFileDescriptorContext *context) {
    (void)allocator;
    return create("GYFileDescriptorCreatePersistent", fd, closeOnInvalidate, true, callout,
                  context);
}

GYFileDescriptorNativeDescriptor GYFileDescriptorGetNativeDescriptor(GYFileDescriptorRef f) {
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, "GYFileDescriptorGetNativeDescriptor")) {
        return -1;
    }
    return gy_watched_is_valid(&f->watched) ? f->watched.fd : -1;
}

void GYFileDescriptorGetContext(GYFileDescriptorRef f, GYFileDescriptorContext *context) {
    static const char call[] = "GYFileDescriptorGetContext";
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, call)) return;
    if (context == NULL || context->version != 0) {
        gy_report(call, context == NULL ? "the context is NULL" : "unknown version of the context",
                  "R162");
        return;
    }
    *context = f->context;
    if (!gy_watched_is_valid(&f->watched)) context->info = NULL;
}

/* Those that there are. */
static GYOptionFlags known(GYOptionFlags types, const char *call) {
    const GYOptionFlags all = GY_FILE_DESCRIPTOR_TYPES;
    if ((types & ~all) != 0) gy_report(call, "types of callback that there are not", "R221");
    return types & all;
}

void GYFileDescriptorEnableCallBacks(GYFileDescriptorRef f, GYOptionFlags callBackTypes) {
    static const char call[] = "GYFileDescriptorEnableCallBacks";
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, call)) return;
    errno = -gy_file_descriptor_enable(f, known(callBackTypes, call));
}

void GYFileDescriptorDisableCallBacks(GYFileDescriptorRef f, GYOptionFlags callBackTypes) {
    static const char call[] = "GYFileDescriptorDisableCallBacks";
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, call)) return;
    gy_file_descriptor_disable(f, known(callBackTypes, call));
}

void GYFileDescriptorInvalidate(GYFileDescriptorRef f) {
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, "GYFileDescriptorInvalidate")) return;
    gy_file_descriptor_invalidate(f);
}

GYBoolean GYFileDescriptorIsValid(GYFileDescriptorRef f) {
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, "GYFileDescriptorIsValid")) return false;
    return gy_watched_is_valid(&f->watched);
}

GYRunLoopSourceRef GYFileDescriptorCreateRunLoopSource(GYAllocatorRef allocator,
                                                       GYFileDescriptorRef f, GYIndex order) {
    (void)allocator;
    if (!gy_argument_is(f, GY_KIND_FILE_DESCRIPTOR, "GYFileDescriptorCreateRunLoopSource")) {
        return NULL;
    }
    return gy_file_descriptor_copy_source(f, order);
}
