/* A watched descriptor that tells what its source was given: what tests of ports are made of. */
#ifndef GYRE_TESTS_PORT_H
#define GYRE_TESTS_PORT_H

#include "support/loop.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

typedef struct port {
    int fd;
    const char *word;  /* traced by every perform, unless NULL */
    size_t reads;      /* how many bytes a perform reads at most */
    bool reads_to_end; /* read until there is no more, as a portable callback does */
    void (*act)(struct port *self);
    void *info;        /* of `act` */
    GYRunLoopSourceRef source;
    int performs, asked; /* calls of perform, and of getPort */
    uint32_t events;     /* of the last perform; version 2 only */
    bool saw_end;        /* a read gave 0 */
    size_t length;
    char data[4096]; /* what was read */
} port;

static inline int port_descriptor(void *info) {
    port *self = info;
    self->asked++;
    return self->fd;
}

static inline bool port_read_once(port *self) {
    size_t room = sizeof self->data - self->length;
    size_t wanted = self->reads_to_end ? room : self->reads;
    ssize_t count = read(self->fd, self->data + self->length, wanted < room ? wanted : room);
    if (count == 0) self->saw_end = true;
    if (count > 0) self->length += (size_t)count;
    return count > 0;
}

static inline void port_perform(void *info) {
    port *self = info;
    self->performs++;
    if (self->word != NULL) test_trace("%s", self->word);
    if (self->reads > 0) port_read_once(self);
    while (self->reads_to_end && port_read_once(self)) continue;
    if (self->act != NULL) self->act(self);
}

static inline void port_perform_events(void *info, uint32_t events) {
    port *self = info;
    self->events = events;
    port_perform(info);
}

/* Makes a version 1 source for the port. */
static inline GYRunLoopSourceRef port_make(port *self) {
    GYRunLoopSourceContext1 context = {.version = 1, .info = self, .getPort = port_descriptor};
    context.perform = port_perform;
    self->source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    return self->source;
}

/* Makes a version 2 source for the port. */
static inline GYRunLoopSourceRef port_make2(port *self, uint32_t events) {
    GYRunLoopSourceContext2 context = {.version = 2, .info = self, .getPort = port_descriptor};
    context.events = events;
    context.performEvents = port_perform_events;
    self->source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    return self->source;
}

/* Makes a version 1 source and adds it to the default mode of the calling thread's loop. */
static inline void port_watch(port *self) { loop_in(kGYRunLoopDefaultMode, port_make(self)); }

/* The same for version 2. */
static inline void port_watch2(port *self, uint32_t events) {
    loop_in(kGYRunLoopDefaultMode, port_make2(self, events));
}

static inline void port_leave(port *self, GYRunLoopMode mode) {
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), self->source, mode);
}

static inline void port_polls(int count) {
    for (int i = 0; i < count; i++) loop_poll(kGYRunLoopDefaultMode);
}

static inline void port_pipe(int ends[2]) { REQUIRE(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0); }

static inline void port_close(int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

static inline void port_write(int fd, const char *text) {
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

/* How many iterations a run of the default mode took that ended by its time-out. */
static inline void port_counts_iteration(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                                         void *count) {
    (void)observer;
    (void)activity;
    ++*(int *)count;
}

static inline int port_iterations_of_run(double seconds) {
    int count = 0;
    GYRunLoopObserverRef observer =
        loop_observer(kGYRunLoopBeforeTimers, true, 0, port_counts_iteration, &count);
    loop_in(kGYRunLoopDefaultMode, observer);
    EXPECT_INT(loop_run(seconds), kGYRunLoopRunTimedOut);
    loop_drop(observer);
    return count;
}

#endif
