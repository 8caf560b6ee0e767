/* Message ports in tests: brief ways to make them, and a thread that serves one. */
#ifndef GYRE_TESTS_PORTS_H
#define GYRE_TESTS_PORTS_H

#include "support/loop.h"

#include <gyre/GYData.h>
#include <gyre/GYMessagePort.h>
#include <gyre/GYString.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A name that no other process of these tests uses. */
static inline GYStringRef port_name(const char *word) {
    char text[64];
    snprintf(text, sizeof text, "%s of %d", word, (int)getpid());
    return GYStringCreateWithCString(NULL, text, kGYStringEncodingUTF8);
}

static inline GYDataRef port_data(const char *text) {
    return GYDataCreate(NULL, (const uint8_t *)text, (GYIndex)strlen(text));
}

/* The bytes as text; valid until the next call. "(null)" for none. */
static inline const char *port_text(GYDataRef data) {
    static _Thread_local char text[256];
    if (data == NULL) return "(null)";
    snprintf(text, sizeof text, "%.*s", (int)GYDataGetLength(data),
             (const char *)GYDataGetBytePtr(data));
    return text;
}

static inline GYMessagePortRef port_local(GYStringRef name, GYMessagePortCallBack callout,
                                          void *info) {
    GYMessagePortContext context = {.info = info};
    GYMessagePortRef port = GYMessagePortCreateLocal(NULL, name, callout, &context, NULL);
    REQUIRE(port != NULL);
    return port;
}

static inline GYMessagePortRef port_remote(GYStringRef name) {
    GYMessagePortRef port = GYMessagePortCreateRemote(NULL, name);
    REQUIRE(port != NULL);
    return port;
}

/* Adds a source of the port to a mode of the calling thread's loop, which then holds it alone. */
static inline void port_listen(GYMessagePortRef local, GYRunLoopMode mode) {
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    REQUIRE(source != NULL);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, mode);
    GYRelease(source);
}

static inline void port_end(GYMessagePortRef port) {
    GYMessagePortInvalidate(port);
    GYRelease(port);
}

/* Sends a word, and wants no reply. */
static inline int32_t port_send(GYMessagePortRef remote, int32_t id, const char *word) {
    GYDataRef data = port_data(word);
    int32_t result = GYMessagePortSendRequest(remote, id, data, 10, 0, NULL, NULL);
    GYRelease(data);
    return result;
}

/* Asks by a word: the reply as text, or the result; valid until the next call of the thread. */
static inline const char *port_ask(GYMessagePortRef remote, int32_t id, const char *word,
                                   double seconds) {
    static _Thread_local char text[256];
    GYDataRef data = port_data(word), reply = NULL;
    int32_t result =
        GYMessagePortSendRequest(remote, id, data, seconds, seconds, GYSTR("replies"), &reply);
    snprintf(text, sizeof text, "%s", port_text(reply));
    if (result != 0) snprintf(text, sizeof text, "%d", (int)result);
    GYRelease(data);
    if (reply != NULL) GYRelease(reply);
    return text;
}

/* A callout that replies with `ID:DATA`. */
static inline GYDataRef port_echoes(GYMessagePortRef local, int32_t id, GYDataRef data,
                                    void *info) {
    (void)local, (void)info;
    char text[300];
    snprintf(text, sizeof text, "%d:%s", (int)id, port_text(data));
    return port_data(text);
}

/* A callout that traces the data and replies nothing. */
static inline GYDataRef port_traces(GYMessagePortRef local, int32_t id, GYDataRef data,
                                    void *info) {
    (void)local, (void)id, (void)info;
    test_trace("%s", port_text(data));
    return NULL;
}

/* A thread that receives from a port in the default mode until port_server_end. */
typedef struct port_server {
    loop_worker worker;
    GYMessagePortRef local;
} port_server;

static inline void port_server_start(port_server *server, GYStringRef name,
                                     GYMessagePortCallBack callout, void *info) {
    server->local = port_local(name, callout, info);
    loop_worker_start(&server->worker, kGYRunLoopDefaultMode);
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, server->local, 0);
    GYRunLoopAddSource(server->worker.rl, source, kGYRunLoopDefaultMode);
    GYRelease(source);
}

static inline void port_server_end(port_server *server) {
    port_end(server->local);
    loop_worker_drop(&server->worker);
}

#endif
