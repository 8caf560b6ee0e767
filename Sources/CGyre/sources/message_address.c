#define _GNU_SOURCE /* syscall, struct ucred */
#include "sources/message_address.h"

#include "base/name.h"
#include "wait/sys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128
#define KIND (SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC)
/* Names of more bytes are told apart by two hashes. */
#define SPELLED_MAX 64

typedef struct address {
    struct sockaddr_un socket;
    socklen_t length;
} address;

static uint64_t hash_of(const char *bytes, size_t count, uint64_t hash) {
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

/* "gyre.port/USER/NAME", or "gyre.port/USER#HASHES/BEGINNING": the two cannot be equal. */
static address address_of(GYStringRef name, uint32_t user) {
    address a = {.socket = {.sun_family = AF_UNIX}};
    char *path = a.socket.sun_path + 1;
    const char *bytes = gy_string_bytes(name);
    size_t count = gy_string_byte_count(name), room = sizeof a.socket.sun_path - 1;
    int used;
    if (count <= SPELLED_MAX) {
        used = snprintf(path, room, "gyre.port/%lu/", (unsigned long)user);
    } else {
        uint64_t one = hash_of(bytes, count, UINT64_C(0xcbf29ce484222325));
        uint64_t two = hash_of(bytes, count, UINT64_C(0x9e3779b97f4a7c15));
        used = snprintf(path, room, "gyre.port/%lu#%016llx%016llx/", (unsigned long)user,
                        (unsigned long long)one, (unsigned long long)two);
    }
    size_t left = room - (size_t)used;
    if (left > count) left = count;
    memcpy(path + used, bytes, left);
    a.length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used + left);
    return a;
}

/* Sockets are made by the raw call since they are closed by it (wait/sys.c): who sees one of the two
 * alone, as a thread sanitizer does, takes a number that comes again for the same descriptor. */
static int make_socket(void) { return (int)syscall(SYS_socket, AF_UNIX, KIND, 0); }

/* Closes the socket. */
static int fail(int fd, int error) {
    gy_sys_close(fd);
    return -error;
}

int gy_address_listen(GYStringRef name) {
    address a = address_of(name, geteuid());
    int fd = make_socket();
    if (fd < 0) return -errno;
    if (bind(fd, (struct sockaddr *)&a.socket, a.length) < 0 || listen(fd, BACKLOG) < 0)
        return fail(fd, errno);
    return fd;
}

int gy_address_connect(GYStringRef name, uint32_t user) {
    address a = address_of(name, user);
    uint32_t peer;
    int fd = make_socket();
    if (fd < 0) return -errno;
    if (syscall(SYS_connect, fd, &a.socket, a.length) < 0)
        return fail(fd, errno == ECONNREFUSED ? ENOENT : errno);
    /* Somebody else has taken the address: there is no port of that user's. */
    if (!gy_address_peer(fd, &peer) || peer != user) return fail(fd, ENOENT);
    return fd;
}

int gy_address_accept(int listener) {
    int fd;
    do {
        fd = (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
    return fd < 0 ? -errno : fd;
}

bool gy_address_peer(int fd, uint32_t *user) {
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0) return false;
    *user = who.uid;
    return true;
}
