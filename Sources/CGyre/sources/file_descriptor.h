/* File descriptors as objects with callbacks that are enabled and disabled (R221 to R223).
 *
 * Owns: the type, what a callback is told, and when the context's info is released.
 * Relies on: sources/watched.h. Threads: any, no lock held. */
#ifndef GYRE_SOURCES_FILE_DESCRIPTOR_H
#define GYRE_SOURCES_FILE_DESCRIPTOR_H

#include "sources/watched.h"

#include <gyre/GYFileDescriptor.h>

enum gy_file_descriptor_state {
    GY_FILE_DESCRIPTOR_INVALID = 1,
    GY_FILE_DESCRIPTOR_HAS_INFO = 2, /* to be released by whoever clears it */
    GY_FILE_DESCRIPTOR_ONE_CALL = 4, /* above the flags: callbacks in progress, on all threads */
};

struct GYFileDescriptor {
    gy_object head;
    gy_watched watched;
    bool closes, persists; /* constant, as all that follows but the state */
    GYFileDescriptorCallBack callout;
    GYFileDescriptorContext context;
    _Atomic uint32_t state;
};

/* What there is to enable. */
enum { GY_FILE_DESCRIPTOR_TYPES = 15 };

/* Calls retain. NULL with errno. */
GYFileDescriptorRef gy_file_descriptor_create(int fd, bool closes, bool persists,
                                              GYFileDescriptorCallBack callout,
                                              const GYFileDescriptorContext *context);

static inline bool gy_file_descriptor_is_valid(GYFileDescriptorRef f) {
    /* Acquire: pairs with the change in gy_file_descriptor_invalidate. */
    uint32_t state = atomic_load_explicit(&f->state, memory_order_acquire);
    return (state & GY_FILE_DESCRIPTOR_INVALID) == 0;
}

/* 0 or a negative errno, as gy_watched_ask. */
int gy_file_descriptor_enable(GYFileDescriptorRef f, GYOptionFlags types);
void gy_file_descriptor_disable(GYFileDescriptorRef f, GYOptionFlags types);
void gy_file_descriptor_invalidate(GYFileDescriptorRef f);
/* NULL: invalid, or errno. */
GYRunLoopSourceRef gy_file_descriptor_copy_source(GYFileDescriptorRef f, GYIndex order);

#endif
