/* File descriptors as objects with callbacks that are enabled and disabled (R221 to R223).
 *
 * Owns: the type, and what a callback is told.
 * Relies on: sources/watched.h. Threads: any, no lock held. */
#ifndef GYRE_SOURCES_FILE_DESCRIPTOR_H
#define GYRE_SOURCES_FILE_DESCRIPTOR_H

#include "sources/watched.h"

#include <gyre/GYFileDescriptor.h>

struct GYFileDescriptor {
    gy_object head;
    gy_watched watched;
    bool closes, persists; /* constant, as all that follows */
    GYFileDescriptorCallBack callout;
    GYFileDescriptorContext context;
};

/* What there is to enable. */
enum { GY_FILE_DESCRIPTOR_TYPES = 15 };

/* Calls retain. NULL with errno. */
GYFileDescriptorRef gy_file_descriptor_create(int fd, bool closes, bool persists,
                                              GYFileDescriptorCallBack callout,
                                              const GYFileDescriptorContext *context);

/* 0 or a negative errno, as gy_watched_ask. */
int gy_file_descriptor_enable(GYFileDescriptorRef f, GYOptionFlags types);
void gy_file_descriptor_disable(GYFileDescriptorRef f, GYOptionFlags types);
void gy_file_descriptor_invalidate(GYFileDescriptorRef f);
/* NULL: invalid, or errno. */
GYRunLoopSourceRef gy_file_descriptor_copy_source(GYFileDescriptorRef f, GYIndex order);

#endif
