/* A second process in tests of ports: this program once more, which serves a port or asks one.
 *
 * A test file that has peers ends with PEER_MAIN() in place of TEST_MAIN(). */
#ifndef GYRE_TESTS_PEER_H
#define GYRE_TESTS_PEER_H

#include "sources/ports.h"

#include <errno.h>
#include <gyre/GYObject.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

/* What a peer's port does with a message, by its number. */
enum {
    PEER_ECHOES = 1,     /* replies `1:DATA` */
    PEER_DIES,           /* is killed in the callout */
    PEER_REPLIES_LENGTH, /* the data is a number: replies so many bytes */
    PEER_IS_SILENT,      /* replies nothing */
    PEER_HANGS,          /* never returns */
    PEER_ENDS_PORT,
    PEER_COUNTS_BYTES, /* replies `LENGTH:SUM` */
    PEER_WRITES,       /* the data into the first of the descriptors; replies their number */
};

/* The sum that both sides make of the bytes. */
static inline unsigned long peer_sum(const uint8_t *bytes, size_t count) {
    unsigned long sum = 1;
    for (size_t i = 0; i < count; i++) sum = sum * 31 + bytes[i];
    return sum;
}

static inline GYDataRef peer_pattern(size_t length) {
    uint8_t *bytes = malloc(length + 1);
    for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 8));
    GYDataRef data = GYDataCreate(NULL, bytes, (GYIndex)length);
    free(bytes);
    return data;
}

static inline const char *peer_sum_text(GYDataRef data) {
    static char text[64];
    size_t length = data == NULL ? 0 : (size_t)GYDataGetLength(data);
    snprintf(text, sizeof text, "%zu:%lu", length,
             data == NULL ? 0 : peer_sum(GYDataGetBytePtr(data), length));
    return text;
}

static inline GYDataRef peer_writes(GYDataRef data) {
    char text[16];
    int fd = GYMessagePortTakeDescriptor(0);
    if (write(fd, GYDataGetBytePtr(data), (size_t)GYDataGetLength(data)) < 0) return NULL;
    close(fd);
    snprintf(text, sizeof text, "%d", (int)GYMessagePortGetDescriptorCount());
    return port_data(text);
}

static inline GYDataRef peer_receives(GYMessagePortRef local, int32_t id, GYDataRef data,
                                      void *info) {
    switch (id) {
    case PEER_ECHOES: return port_echoes(local, id, data, info);
    case PEER_DIES: raise(SIGKILL); break;
    case PEER_REPLIES_LENGTH: return peer_pattern((size_t)atol(port_text(data)));
    case PEER_HANGS: pause(); break;
    case PEER_ENDS_PORT: GYMessagePortInvalidate(local); break;
    case PEER_COUNTS_BYTES: return port_data(peer_sum_text(data));
    case PEER_WRITES: return peer_writes(data);
    default: break;
    }
    return NULL;
}

typedef struct peer {
    pid_t pid;
    int to, from; /* its end and what it says */
} peer;

/* Runs this program with two words; returns when it has said that it is ready. */
static inline peer peer_start(const char *role, GYStringRef name) {
    int to[2], from[2];
    char byte = 0;
    REQUIRE(pipe(to) == 0 && pipe(from) == 0);
    peer p = {fork(), to[1], from[0]};
    if (p.pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        for (int fd = 3; fd < 64; fd++) close(fd);
        execl("/proc/self/exe", "peer", role, GYStringGetCStringPtr(name, kGYStringEncodingUTF8),
              NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    REQUIRE(read(p.from, &byte, 1) == 1 && byte == 'r');
    return p;
}

static inline void peer_wait(peer *p) {
    int status;
    REQUIRE(waitpid(p->pid, &status, 0) == p->pid);
    close(p->to);
    close(p->from);
}

static inline void peer_kill(peer *p) {
    kill(p->pid, SIGKILL);
    peer_wait(p);
}

/* Lets it end by itself. */
static inline void peer_end(peer *p) {
    close(p->to);
    p->to = -1;
    peer_wait(p);
}

static inline void peer_stops(void *info) {
    (void)info;
    GYRunLoopStop(GYRunLoopGetCurrent());
}

static inline int peer_serves(GYStringRef name) {
    GYMessagePortRef local = port_local(name, peer_receives, NULL);
    port_listen(local, kGYRunLoopDefaultMode);
    loop_in(kGYRunLoopDefaultMode, loop_port(0, peer_stops, NULL));
    REQUIRE(write(1, "r", 1) == 1);
    GYRunLoopRun();
    return 0;
}

/* Asks once, after it has been told to by a byte, and says the result. */
static inline int peer_asks(GYStringRef name) {
    char byte;
    REQUIRE(write(1, "r", 1) == 1);
    GYMessagePortRef remote = port_remote(name);
    if (read(0, &byte, 1) != 1) return 1;
    const char *reply = port_ask(remote, (int32_t)getpid(), "from a peer", 1e10);
    REQUIRE(write(1, reply, strlen(reply)) > 0);
    return 0;
}

static inline int peer_main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[0], "peer") != 0) return test_main(argc, argv);
    GYStringRef name = GYStringCreateWithCString(NULL, argv[2], kGYStringEncodingUTF8);
    return strcmp(argv[1], "serve") == 0 ? peer_serves(name) : peer_asks(name);
}

#define PEER_MAIN()                                                                                \
    int main(int argc, char **argv) { return peer_main(argc, argv); }

/* A bare socket at the address of a port: what a program without the library could do. */
static inline int peer_socket(GYStringRef name, bool listens) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "gyre.port/%u/%s",
                          (unsigned)geteuid(), GYStringGetCStringPtr(name, kGYStringEncodingUTF8));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0);
    if (listens) {
        REQUIRE(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 1) == 0);
    } else {
        REQUIRE(connect(fd, (struct sockaddr *)&address, size) == 0);
    }
    return fd;
}

#endif
