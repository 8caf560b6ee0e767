/* A file descriptor that tells what it was called back for: what tests of them are made of. */
#ifndef GYRE_TESTS_DESCRIPTOR_H
#define GYRE_TESTS_DESCRIPTOR_H

#include "items/port.h"

#include <gyre/GYFileDescriptor.h>
#include <gyre/GYString.h>
#include <sys/socket.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")
#define READ kGYFileDescriptorReadCallBack
#define WRITE kGYFileDescriptorWriteCallBack
#define HANG_UP kGYFileDescriptorHangUpCallBack
#define ERROR kGYFileDescriptorErrorCallBack

typedef struct watch {
    int fd;
    size_t reads;            /* how many bytes a callback reads at most */
    GYOptionFlags again;     /* what it enables */
    void (*act)(struct watch *self);
    void *info;              /* of `act` */
    bool persists, closes;
    GYFileDescriptorRef object;
    GYRunLoopSourceRef source;
    int calls;
    GYOptionFlags types;     /* of the last call */
    size_t length;
    char data[64];           /* what was read */
} watch;

static inline void watch_is_called(GYFileDescriptorRef f, GYOptionFlags types, void *info) {
    watch *self = info;
    EXPECT(f == self->object);
    self->calls++;
    self->types = types;
    if (self->reads > 0) {
        size_t room = sizeof self->data - self->length;
        ssize_t count =
            read(self->fd, self->data + self->length, self->reads < room ? self->reads : room);
        if (count > 0) self->length += (size_t)count;
    }
    if (self->again != 0) GYFileDescriptorEnableCallBacks(f, self->again);
    if (self->act != NULL) self->act(self);
}

/* Makes the object and enables callbacks. */
static inline void watch_make(watch *self, GYOptionFlags types) {
    GYFileDescriptorContext context = {.info = self};
    self->object = (self->persists ? GYFileDescriptorCreatePersistent : GYFileDescriptorCreate)(
        NULL, self->fd, self->closes, watch_is_called, &context);
    REQUIRE(self->object != NULL);
    GYFileDescriptorEnableCallBacks(self->object, types);
}

/* And adds its source to the default mode. */
static inline void watch_begin(watch *self, GYOptionFlags types) {
    watch_make(self, types);
    self->source = GYFileDescriptorCreateRunLoopSource(NULL, self->object, 0);
    REQUIRE(self->source != NULL);
    loop_in(DEFAULT, self->source);
}

static inline void watch_end(watch *self) {
    GYFileDescriptorInvalidate(self->object);
    GYRelease(self->object);
    if (self->source != NULL) GYRelease(self->source);
}

static inline void watch_sockets(int ends[2]) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
}

#endif
