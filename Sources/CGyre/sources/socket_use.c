#include "sources/socket_use.h"

#include "base/clock.h"
#include "sources/socket_call.h"

#include <errno.h>

static bool is_usable(GYSocketRef s) {
    bool valid = gy_watched_is_valid(&s->watched);
    if (!valid) errno = EBADF;
    return valid;
}

static void enter_phase(GYSocketRef s, enum gy_socket_phase phase, bool was_blocking) {
    gy_socket_lock();
    s->phase = phase;
    s->was_blocking = was_blocking;
    gy_socket_follow(s);
    gy_socket_unlock();
    gy_watched_tell(&s->watched);
}

/* Below zero, as the system calls: with errno. */
static GYSocketError error_of(int result) {
    if (result == 0) return kGYSocketSuccess;
    return errno == ETIMEDOUT ? kGYSocketTimeout : kGYSocketError;
}

GYSocketError gy_socket_set_address(GYSocketRef s, GYDataRef address) {
    if (!is_usable(s)) return kGYSocketError;
    int result = gy_socket_call_bind(s->watched.fd, address, s->is_stream);
    if (result == 0) enter_phase(s, GY_SOCKET_READY, false);
    return result == 0 ? kGYSocketSuccess : kGYSocketError;
}

static void be_blocking_again(int fd, bool was_blocking) {
    int saved = errno;
    if (was_blocking) gy_socket_call_set_blocking(fd, true);
    errno = saved;
}

static GYSocketError connect_in_background(GYSocketRef s, GYDataRef address) {
    int fd = s->watched.fd;
    bool was_blocking = gy_socket_call_set_blocking(fd, false);
    int result = gy_socket_call_connect(fd, address);
    if (result != 0 && errno != EINPROGRESS) {
        be_blocking_again(fd, was_blocking);
        return kGYSocketError;
    }
    /* Done at once, too, it is the callback that tells. */
    enter_phase(s, GY_SOCKET_CONNECTING, was_blocking);
    return kGYSocketSuccess;
}

static GYSocketError connect_and_wait(GYSocketRef s, GYDataRef address, int64_t timeout_ns) {
    int fd = s->watched.fd;
    bool was_blocking = gy_socket_call_set_blocking(fd, false);
    int result = gy_socket_call_connect(fd, address);
    if (result != 0 && errno == EINPROGRESS) result = gy_socket_call_wait_connected(fd, timeout_ns);
    be_blocking_again(fd, was_blocking);
    if (result == 0) enter_phase(s, GY_SOCKET_READY, false);
    return error_of(result);
}

GYSocketError gy_socket_connect(GYSocketRef s, GYDataRef address, GYTimeInterval timeout) {
    if (!is_usable(s)) return kGYSocketError;
    if (timeout < 0) return connect_in_background(s, address);
    return connect_and_wait(s, address, timeout > 0 ? gy_seconds_to_ns(timeout) : 0);
}

/* Whether it blocks is what it waits for ever by. */
static int64_t limit_of(int fd, GYTimeInterval timeout) {
    if (timeout > 0) return gy_seconds_to_ns(timeout);
    return gy_socket_call_blocks(fd) ? -1 : 0;
}

GYSocketError gy_socket_send(GYSocketRef s, GYDataRef address, GYDataRef data,
                             GYTimeInterval timeout) {
    if (!is_usable(s)) return kGYSocketError;
    int fd = s->watched.fd;
    return error_of(gy_socket_call_send(fd, address, data, limit_of(fd, timeout)));
}
