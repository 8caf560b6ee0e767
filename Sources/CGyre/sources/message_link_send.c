#define _GNU_SOURCE /* F_ADD_SEALS */
#include "sources/message_link_send.h"

#include "base/clock.h"
#include "base/object.h"
#include "wait/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bytes of a message that are copied to go with their header. */
#define SHORT_MAX 512u

/* ---- memory files ---- */

/* Set by the first refusal (ENOSYS, or EPERM from a filter). Relaxed: each thread may find out. */
static _Atomic bool is_refused;

static bool write_all(int fd, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        long n = syscall(SYS_write, fd, bytes, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

/* A sealed file with the bytes; -1: there is none to be had, and the message goes in parts. */
static int make_memory_file(GYDataRef data) {
    if (atomic_load_explicit(&is_refused, memory_order_relaxed)) return -1;
    int fd = (int)syscall(SYS_memfd_create, "gyre message", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        if (errno == ENOSYS || errno == EPERM)
            atomic_store_explicit(&is_refused, true, memory_order_relaxed);
        return -1;
    }
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    if (write_all(fd, GYDataGetBytePtr(data), (size_t)GYDataGetLength(data)) &&
        fcntl(fd, F_ADD_SEALS, seals) == 0)
        return fd;
    gy_sys_close(fd);
    return -1;
}

/* ---- one message ---- */

void gy_outgoing_begin(gy_outgoing *out, const gy_wire_header *header, GYDataRef data) {
    *out = (gy_outgoing){.header = *header, .data = gy_retain(data), .memory_file = -1};
    out->header.magic = GY_WIRE_MAGIC;
    if (data == NULL) return;
    out->header.flags |= GY_WIRE_HAS_DATA;
    out->header.length = (uint32_t)GYDataGetLength(data);
    if (out->header.length <= GY_WIRE_BODY_MAX) return;
    out->memory_file = make_memory_file(data);
    if (out->memory_file >= 0) out->header.flags |= GY_WIRE_IN_FILE;
}

void gy_outgoing_end(gy_outgoing *out) {
    gy_sys_close(out->memory_file);
    gy_release(out->data);
}

/* ---- packets ---- */

/* In the first packet: the memory file, then what the caller passes along. */
static size_t put_descriptors(const gy_outgoing *out, struct cmsghdr *control) {
    int all[GY_WIRE_DESCRIPTORS_MAX + 1];
    size_t count = 0;
    if (out->sent > 0) return 0;
    if (out->memory_file >= 0) all[count++] = out->memory_file;
    for (unsigned i = 0; i < out->header.descriptors; i++) all[count++] = out->descriptors[i];
    if (count == 0) return 0;
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(control), all, count * sizeof(int));
    return CMSG_SPACE(count * sizeof(int));
}

static gy_wire_header next_header(const gy_outgoing *out) {
    gy_wire_header header = out->header;
    if (out->sent == 0) return header;
    header.kind = GY_WIRE_PART;
    header.flags &= GY_WIRE_HAS_DATA;
    header.descriptors = 0;
    header.offset = out->sent;
    return header;
}

static uint32_t next_size(const gy_outgoing *out) {
    if (out->memory_file >= 0) return 0;
    uint32_t left = out->header.length - out->sent;
    return left < GY_WIRE_BODY_MAX ? left : GY_WIRE_BODY_MAX;
}

/* A short packet in one piece, which the kernel takes at less cost. */
static ssize_t send_short(int fd, const gy_wire_header *header, const uint8_t *bytes,
                          uint32_t size) {
    uint8_t packet[sizeof *header + SHORT_MAX];
    memcpy(packet, header, sizeof *header);
    if (size > 0) memcpy(packet + sizeof *header, bytes, size);
    return send(fd, packet, sizeof *header + size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t send_long(int fd, const gy_outgoing *out, gy_wire_header *header,
                         const uint8_t *bytes, uint32_t size) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE((GY_WIRE_DESCRIPTORS_MAX + 1) * sizeof(int))];
    } control;
    struct iovec parts[2] = {{header, sizeof *header}, {(void *)(uintptr_t)bytes, size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = size == 0 ? 1 : 2};
    message.msg_controllen = put_descriptors(out, &control.align);
    if (message.msg_controllen > 0) message.msg_control = control.bytes;
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Sends the next packet: 0 or a negative errno. The lock. */
static int send_packet(gy_link *link, gy_outgoing *out) {
    gy_wire_header header = next_header(out);
    uint32_t size = next_size(out);
    bool is_short = size <= SHORT_MAX && out->memory_file < 0 && header.descriptors == 0;
    const uint8_t *bytes = size == 0 ? NULL : GYDataGetBytePtr(out->data) + out->sent;
    ssize_t n;
    do {
        n = is_short ? send_short(link->fd, &header, bytes, size)
                     : send_long(link->fd, out, &header, bytes, size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return -errno;
    out->sent += out->memory_file >= 0 ? out->header.length : size;
    return 0;
}

static void set_free(gy_link *link) {
    link->is_sending = false;
    pthread_cond_broadcast(&link->is_free);
}

/* The lock. Between the packets of a message the connection belongs to its sender. */
static int push(gy_link *link, gy_outgoing *out) {
    if (link->is_shut) return -EPIPE;
    if (link->is_sending && !out->has_begun) return -EAGAIN;
    int error;
    do {
        error = send_packet(link, out);
    } while (error == 0 && out->sent < out->header.length);
    if (error == -ECONNRESET || error == -ENOTCONN || error == -ECONNREFUSED) error = -EPIPE;
    if (error == -EAGAIN && out->sent > 0) {
        out->has_begun = link->is_sending = true;
    } else if (out->has_begun) {
        set_free(link);
    }
    return error;
}

int gy_link_push(gy_link *link, gy_outgoing *out) {
    gy_lock_take(&link->lock);
    int error = push(link, out);
    gy_lock_give(&link->lock);
    return error;
}

/* ---- waiting ---- */

static int64_t left_of(int64_t deadline_ns) {
    if (deadline_ns == GY_NEVER) return -1;
    int64_t left_ns = deadline_ns - gy_clock_now_ns();
    return left_ns > 0 ? left_ns : 0;
}

/* For another sender's message to be whole. */
static void wait_until_free(gy_link *link, int64_t deadline_ns) {
    gy_lock_take(&link->lock);
    if (link->is_sending && !link->is_shut) {
        struct timespec until = {(time_t)(deadline_ns / GY_NS_PER_SECOND),
                                 (long)(deadline_ns % GY_NS_PER_SECOND)};
        if (deadline_ns == GY_NEVER) {
            pthread_cond_wait(&link->is_free, &link->lock.mutex);
        } else {
            pthread_cond_timedwait(&link->is_free, &link->lock.mutex, &until);
        }
    }
    gy_lock_give(&link->lock);
}

static bool is_anothers_turn(gy_link *link, const gy_outgoing *out) {
    gy_lock_take(&link->lock);
    bool is = link->is_sending && !out->has_begun && !link->is_shut;
    gy_lock_give(&link->lock);
    return is;
}

/* The other side may wait for its own messages to be received before it receives more. */
static void wait_for_room(gy_link *link, int64_t deadline_ns, void (*on_input)(gy_link *link)) {
    struct pollfd p = {.fd = link->fd, .events = POLLIN | POLLOUT};
    gy_sys_poll(&p, 1, left_of(deadline_ns));
    if ((p.revents & POLLIN) != 0) on_input(link);
}

/* What was sent of it is void: the receiver drops it when the next message begins. */
static int give_up(gy_link *link, const gy_outgoing *out) {
    gy_lock_take(&link->lock);
    if (out->has_begun) set_free(link);
    gy_lock_give(&link->lock);
    return -ETIMEDOUT;
}

static int send_patiently(gy_link *link, gy_outgoing *out, int64_t timeout_ns,
                          void (*on_input)(gy_link *link)) {
    int64_t deadline_ns = GY_NEVER;
    if (timeout_ns != GY_NEVER) deadline_ns = gy_ns_add(gy_clock_now_ns(), timeout_ns);
    int error;
    do {
        if (is_anothers_turn(link, out)) {
            wait_until_free(link, deadline_ns);
        } else {
            wait_for_room(link, deadline_ns, on_input);
        }
        error = gy_link_push(link, out);
    } while (error == -EAGAIN && left_of(deadline_ns) != 0);
    return error == -EAGAIN ? give_up(link, out) : error;
}

int gy_link_send(gy_link *link, gy_outgoing *out, int64_t timeout_ns,
                 void (*on_input)(gy_link *link)) {
    int error = gy_link_push(link, out), old;
    if (error != -EAGAIN) return error;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); /* a message would be left unfinished */
    error = send_patiently(link, out, timeout_ns < 0 ? 0 : timeout_ns, on_input);
    pthread_setcancelstate(old, NULL);
    return error;
}
