#define _GNU_SOURCE /* accept4 */
#include "sources/socket_call.h"

#include "base/clock.h"
#include "wait/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYData.h>
#include <stdlib.h>
#include <sys/socket.h>

/* One callback brings no more: what a peer has sent waits in the kernel, which bounds it. */
#define STREAM_ROOM 16384
#define DATAGRAM_ROOM 65536
#define BACKLOG 256

typedef struct name {
    struct sockaddr_storage storage;
    socklen_t length;
} name;

static struct sockaddr *generic(name *n) { return (struct sockaddr *)(void *)&n->storage; }

static GYDataRef data_of(const name *n) {
    return GYDataCreate(NULL, (const uint8_t *)&n->storage, n->length);
}

static const struct sockaddr *address_of(GYDataRef address, socklen_t *length) {
    *length = address == NULL ? 0 : (socklen_t)GYDataGetLength(address);
    return address == NULL ? NULL
                           : (const struct sockaddr *)(const void *)GYDataGetBytePtr(address);
}

int gy_socket_call_open(int family, int type, int protocol) {
    if (family <= 0) family = PF_INET;
    if (family == PF_INET && type <= 0) type = SOCK_STREAM;
    return socket(family, type | SOCK_CLOEXEC, protocol < 0 ? 0 : protocol);
}

static int option(int fd, int which) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, which, &value, &length) == 0 ? value : -1;
}

bool gy_socket_call_is_stream(int fd, bool *is_stream) {
    int type = option(fd, SO_TYPE);
    *is_stream = type == SOCK_STREAM || type == SOCK_SEQPACKET;
    return type >= 0;
}

/* A connection that has failed has hung up too, and has an error to tell. */
bool gy_socket_call_is_idle(int fd) {
    uint32_t ready = gy_sys_ready_now(fd, EPOLLOUT);
    if ((ready & EPOLLHUP) == 0 || (ready & EPOLLERR) != 0) return false;
    name peer = {.length = sizeof peer.storage};
    return getpeername(fd, generic(&peer), &peer.length) != 0 && errno == ENOTCONN &&
           option(fd, SO_ACCEPTCONN) == 0;
}

int gy_socket_call_take_error(int fd) {
    int error = option(fd, SO_ERROR);
    return error < 0 ? 0 : error;
}

bool gy_socket_call_blocks(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

bool gy_socket_call_set_blocking(int fd, bool blocks) {
    int flags = fcntl(fd, F_GETFL), wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    if (flags >= 0 && flags != wanted) fcntl(fd, F_SETFL, wanted);
    return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

GYDataRef gy_socket_call_copy_name(int fd) {
    name own = {.length = sizeof own.storage};
    return getsockname(fd, generic(&own), &own.length) == 0 ? data_of(&own) : NULL;
}

GYDataRef gy_socket_call_copy_peer(int fd) {
    name peer = {.length = sizeof peer.storage};
    return getpeername(fd, generic(&peer), &peer.length) == 0 ? data_of(&peer) : NULL;
}

int gy_socket_call_bind(int fd, GYDataRef address, bool listens) {
    socklen_t length;
    const struct sockaddr *a = address_of(address, &length);
    if (bind(fd, a, length) != 0) return -1;
    return listens ? listen(fd, BACKLOG) : 0;
}

int gy_socket_call_connect(int fd, GYDataRef address) {
    socklen_t length;
    const struct sockaddr *a = address_of(address, &length);
    if (connect(fd, a, length) == 0) return 0;
    if (errno == EINTR) errno = EINPROGRESS; /* it goes on all the same */
    return -1;
}

/* ---- waiting ---- */

static int64_t deadline_after(int64_t timeout_ns) {
    return timeout_ns < 0 ? GY_NEVER : gy_ns_add(gy_clock_now_ns(), timeout_ns);
}

/* False, with ETIMEDOUT or what poll says: no room by then. */
static bool wait_for_room(int fd, int64_t deadline_ns) {
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int64_t left_ns = deadline_ns == GY_NEVER ? -1 : deadline_ns - gy_clock_now_ns();
        if (deadline_ns != GY_NEVER && left_ns < 0) left_ns = 0;
        int found = gy_sys_poll(&p, 1, left_ns);
        if (found > 0) return true;
        if (found == 0 && left_ns != 0) continue; /* interrupted, perhaps */
        errno = found < 0 ? -found : ETIMEDOUT;
        return false;
    }
}

int gy_socket_call_wait_connected(int fd, int64_t timeout_ns) {
    if (!wait_for_room(fd, deadline_after(timeout_ns))) return -1;
    errno = gy_socket_call_take_error(fd);
    return errno == 0 ? 0 : -1;
}

int gy_socket_call_send(int fd, GYDataRef address, GYDataRef data, int64_t timeout_ns) {
    socklen_t address_length;
    const struct sockaddr *a = address_of(address, &address_length);
    const uint8_t *bytes = GYDataGetBytePtr(data);
    size_t left = (size_t)GYDataGetLength(data);
    int64_t deadline_ns = deadline_after(timeout_ns);
    for (;;) {
        ssize_t sent = sendto(fd, bytes, left, MSG_NOSIGNAL | MSG_DONTWAIT, a, address_length);
        if (sent >= 0 && (left -= (size_t)sent) == 0) return 0;
        if (sent >= 0) {
            bytes += sent;
        } else if (errno == EAGAIN) {
            if (!wait_for_room(fd, deadline_ns)) return -1;
        } else if (errno != EINTR) {
            return -1;
        }
    }
}

/* ---- what comes in ---- */

int gy_socket_call_accept(int fd, GYDataRef *address) {
    name peer = {.length = sizeof peer.storage};
    /* The connection that was seen may be gone, or another thread's: that is no reason to wait. */
    bool did_block = gy_socket_call_set_blocking(fd, false);
    int accepted = accept4(fd, generic(&peer), &peer.length, SOCK_CLOEXEC);
    int saved = errno;
    if (did_block) gy_socket_call_set_blocking(fd, true);
    *address = accepted < 0 ? NULL : data_of(&peer);
    errno = saved;
    return accepted;
}

static ssize_t receive(int fd, void *buffer, size_t room, int flags, name *from) {
    ssize_t count;
    do {
        from->length = sizeof from->storage;
        count = recvfrom(fd, buffer, room, MSG_DONTWAIT | flags, generic(from), &from->length);
    } while (count < 0 && errno == EINTR);
    return count;
}

/* It stays in the system until there is memory for it. */
static GYDataRef receive_as_data(int fd, bool is_stream, uint8_t *buffer, name *from) {
    size_t room = is_stream ? STREAM_ROOM : DATAGRAM_ROOM;
    ssize_t count = receive(fd, buffer, room, MSG_PEEK, from);
    /* An error of a connection is its end; one of datagrams was that of one that was sent. */
    if (count < 0 && (errno == EAGAIN || !is_stream)) return NULL;
    GYDataRef data = GYDataCreate(NULL, buffer, count < 0 ? 0 : count);
    name again;
    bool is_there = count > 0 || !is_stream;
    if (data != NULL && is_there) receive(fd, buffer, (size_t)count, 0, &again);
    return data;
}

GYDataRef gy_socket_call_receive(int fd, bool is_stream, GYDataRef *address) {
    name from;
    uint8_t *buffer = malloc(is_stream ? STREAM_ROOM : DATAGRAM_ROOM);
    *address = NULL;
    if (buffer == NULL) return NULL;
    GYDataRef data = receive_as_data(fd, is_stream, buffer, &from);
    free(buffer);
    if (data == NULL) return NULL;
    *address = is_stream || from.length == 0 ? gy_socket_call_copy_peer(fd) : data_of(&from);
    return data;
}
