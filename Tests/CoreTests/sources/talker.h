/* A socket that tells what it was called back for: what tests of them are made of. */
#ifndef GYRE_TESTS_TALKER_H
#define GYRE_TESTS_TALKER_H

#include "items/port.h"

#include <errno.h>
#include <gyre/GYData.h>
#include <gyre/GYSocket.h>
#include <gyre/GYString.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#define DEFAULT kGYRunLoopDefaultMode
#define READ kGYSocketReadCallBack
#define ACCEPT kGYSocketAcceptCallBack
#define DATA kGYSocketDataCallBack
#define CONNECT kGYSocketConnectCallBack
#define WRITE kGYSocketWriteCallBack

typedef struct talker {
    GYSocketRef object;
    GYRunLoopSourceRef source;
    bool stops;                       /* each callback stops the run */
    void (*act)(struct talker *self); /* NULL: nothing */
    int calls, ends;                  /* ends: data of length 0 */
    GYSocketCallBackType type;        /* of the last call */
    int32_t error;                    /* of a connect callback; -1: none came */
    int accepted;                     /* the last one; -1: none came */
    bool has_address;                 /* of the last call */
    size_t length;
    char data[65536];
} talker;

static inline void talker_hears(talker *self, GYDataRef data) {
    size_t length = (size_t)GYDataGetLength(data), room = sizeof self->data - self->length;
    if (length == 0) self->ends++;
    if (length > room) length = room;
    GYDataGetBytes(data, (GYRange){0, (GYIndex)length}, (uint8_t *)self->data + self->length);
    self->length += length;
}

static inline void talker_is_called(GYSocketRef s, GYSocketCallBackType type, GYDataRef address,
                                    const void *data, void *info) {
    talker *self = info;
    EXPECT(s == self->object);
    self->calls++;
    self->type = type;
    self->has_address = address != NULL;
    if (type == DATA) talker_hears(self, data);
    if (type == ACCEPT) self->accepted = *(const GYSocketNativeHandle *)data;
    if (type == CONNECT) self->error = data == NULL ? 0 : *(const int32_t *)data;
    if (type == READ || type == WRITE) EXPECT(data == NULL);
    if (self->stops) GYRunLoopStop(GYRunLoopGetCurrent());
    if (self->act != NULL) self->act(self);
}

/* Has it watched in a mode, and takes it over. */
static inline void talker_watch(talker *self, GYSocketRef s, GYRunLoopMode mode) {
    REQUIRE(s != NULL);
    self->object = s;
    self->error = self->accepted = -1;
    self->source = GYSocketCreateRunLoopSource(NULL, s, 0);
    REQUIRE(self->source != NULL);
    loop_in(mode, self->source);
}

static inline void talker_begin(talker *self, int fd, GYOptionFlags types) {
    GYSocketContext context = {.info = self};
    talker_watch(self, GYSocketCreateWithNative(NULL, fd, types, talker_is_called, &context),
                 DEFAULT);
}

static inline void talker_end(talker *self) {
    GYSocketInvalidate(self->object);
    GYRelease(self->object);
    GYRelease(self->source);
}

static inline GYDataRef any_port_of_loopback(void) {
    struct sockaddr_in a = {.sin_family = AF_INET};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return GYDataCreate(NULL, (const uint8_t *)&a, sizeof a);
}

/* Of the abstract namespace: nothing is left behind. */
static inline GYDataRef address_of_name(const char *name) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int length = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "gyre-%s-%d", name, getpid());
    return GYDataCreate(NULL, (const uint8_t *)&a,
                        (GYIndex)(offsetof(struct sockaddr_un, sun_path) + 1) + length);
}

static inline void talk_pair(int type, int ends[2]) {
    REQUIRE(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0);
}

static inline GYDataRef data_of(const char *text) {
    return GYDataCreate(NULL, (const uint8_t *)text, (GYIndex)strlen(text));
}

#endif
