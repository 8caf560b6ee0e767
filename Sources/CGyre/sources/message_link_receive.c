#define _GNU_SOURCE /* F_GET_SEALS, MSG_CMSG_CLOEXEC */
#include "sources/message_link_receive.h"

#include "wait/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define HEADER_SIZE sizeof(gy_wire_header)
/* One more than any packet has: a longer one is recognised. */
#define PACKET_ROOM (HEADER_SIZE + GY_WIRE_BODY_MAX + 1)

typedef struct packet {
    size_t size;
    int descriptors[GY_WIRE_DESCRIPTORS_MAX + 1]; /* and the memory file */
    unsigned descriptor_count;
    bool is_cut_off;
} packet;

static void close_all(const int *descriptors, unsigned count) {
    for (unsigned i = 0; i < count; i++) gy_sys_close(descriptors[i]);
}

/* The kernel hands over no more than 253, whatever it is asked for. */
static void take_descriptors(struct msghdr *message, packet *p) {
    p->descriptor_count = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        unsigned count = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(p->descriptors + p->descriptor_count, CMSG_DATA(c), count * sizeof(int));
        p->descriptor_count += count;
    }
}

static enum gy_link_result receive_packet(gy_link *link, packet *p, int flags) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof p->descriptors)];
    } control;
    struct iovec room = {link->buffer, PACKET_ROOM};
    struct msghdr message = {.msg_iov = &room,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n;
    do {
        n = recvmsg(link->fd, &message, flags | MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR && flags != 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? GY_LINK_NOTHING : GY_LINK_ENDED;
    if (n == 0 && message.msg_controllen == 0) return GY_LINK_ENDED;
    p->size = (size_t)n;
    p->is_cut_off = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    take_descriptors(&message, p);
    return GY_LINK_PART;
}

/* Sealed, so that nobody takes the bytes away while they are copied. */
static bool is_sealed(int fd, size_t length) {
    const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & wanted) == wanted && fstat(fd, &status) == 0 &&
           (size_t)status.st_size >= length;
}

static const char *read_file(int fd, size_t length, GYDataRef *data) {
    if (!is_sealed(fd, length)) return "a memory file that is not sealed or too short";
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return "a memory file that cannot be read";
    *data = GYDataCreate(NULL, bytes, (GYIndex)length);
    munmap(bytes, length);
    return *data == NULL ? "no memory for a message" : NULL;
}

/* The descriptors of a message in parts wait for its end. */
static bool keep_descriptors(gy_link *link, packet *p) {
    if (p->descriptor_count == 0) return true;
    link->kept = malloc(p->descriptor_count * sizeof(int));
    if (link->kept == NULL) return false;
    memcpy(link->kept, p->descriptors, p->descriptor_count * sizeof(int));
    link->kept_count = p->descriptor_count;
    p->descriptor_count = 0;
    return true;
}

static const char *add_part(gy_link *link, packet *p, const gy_wire_header *header,
                            const uint8_t *body, size_t body_size) {
    if (header->kind != GY_WIRE_PART) {
        if (!gy_link_begin_parts(link, header->length)) return "too much that is not finished";
        if (!keep_descriptors(link, p)) return "no memory for a message";
    }
    memcpy(link->whole + header->offset, body, body_size);
    return NULL;
}

static const char *finish_parts(gy_link *link, gy_incoming *in) {
    in->header = link->parts.first;
    in->data = GYDataCreate(NULL, link->whole, (GYIndex)in->header.length);
    if (in->data == NULL) return "no memory for a message";
    if (link->kept_count > 0) memcpy(in->descriptors, link->kept, link->kept_count * sizeof(int));
    in->descriptor_count = link->kept_count;
    link->kept_count = 0;
    return NULL;
}

/* The last packet of a message, most often the only one. */
static const char *finish(gy_link *link, packet *p, gy_incoming *in, const uint8_t *body) {
    const gy_wire_header *header = &in->header;
    unsigned files = (header->flags & GY_WIRE_IN_FILE) != 0 ? 1 : 0;
    const char *wrong = NULL;
    if (header->kind == GY_WIRE_PART) return finish_parts(link, in);
    if (files > 0) {
        wrong = read_file(p->descriptors[0], header->length, &in->data);
    } else if ((header->flags & GY_WIRE_HAS_DATA) != 0) {
        in->data = GYDataCreate(NULL, body, (GYIndex)header->length);
        if (in->data == NULL) wrong = "no memory for a message";
    }
    if (wrong != NULL) return wrong;
    close_all(p->descriptors, files);
    in->descriptor_count = p->descriptor_count - files;
    memcpy(in->descriptors, p->descriptors + files, in->descriptor_count * sizeof(int));
    p->descriptor_count = 0;
    return NULL;
}

/* NULL: all is well. What is left in the packet's descriptors is to be closed. */
static const char *take_in(gy_link *link, packet *p, gy_incoming *in, bool *is_whole) {
    if (p->is_cut_off) return "a packet that is cut off or too long";
    const char *wrong = gy_wire_parse(link->buffer, p->size, p->descriptor_count, &in->header);
    if (wrong != NULL) return wrong;
    const uint8_t *body = link->buffer + HEADER_SIZE;
    size_t body_size = p->size - HEADER_SIZE;
    if (in->header.kind != GY_WIRE_PART) gy_link_drop_parts(link);
    wrong = gy_wire_take(&link->parts, &in->header, body_size, is_whole);
    if (wrong == NULL && (in->header.kind == GY_WIRE_PART || !*is_whole))
        wrong = add_part(link, p, &in->header, body, body_size);
    if (wrong == NULL && *is_whole) wrong = finish(link, p, in, body);
    if (wrong != NULL || *is_whole) gy_link_drop_parts(link);
    return wrong;
}

/* The lock. GY_LINK_PART: there is a buffer, and nobody else has it. */
static enum gy_link_result prepare(gy_link *link, gy_incoming *in) {
    in->data = NULL;
    in->descriptor_count = 0;
    in->wrong = NULL;
    if (link->is_shut) return GY_LINK_ENDED;
    if (link->is_receiving) return GY_LINK_NOTHING;
    if (link->buffer == NULL) link->buffer = malloc(PACKET_ROOM);
    if (link->buffer != NULL) return GY_LINK_PART;
    in->wrong = "no memory for a message";
    return GY_LINK_BROKEN;
}

/* The lock. */
static enum gy_link_result use(gy_link *link, packet *p, gy_incoming *in) {
    bool is_whole = false;
    in->wrong = take_in(link, p, in, &is_whole);
    close_all(p->descriptors, p->descriptor_count);
    if (in->wrong != NULL) return GY_LINK_BROKEN;
    return is_whole ? GY_LINK_MESSAGE : GY_LINK_PART;
}

enum gy_link_result gy_link_receive(gy_link *link, gy_incoming *in) {
    packet p;
    gy_lock_take(&link->lock);
    enum gy_link_result result = prepare(link, in);
    if (result == GY_LINK_PART) result = receive_packet(link, &p, MSG_DONTWAIT);
    if (result == GY_LINK_PART) result = use(link, &p, in);
    gy_lock_give(&link->lock);
    return result;
}

enum gy_link_result gy_link_receive_soon(gy_link *link, gy_incoming *in) {
    packet p;
    int old;
    gy_lock_take(&link->lock);
    enum gy_link_result result = prepare(link, in);
    if (result == GY_LINK_PART) link->is_receiving = true;
    gy_lock_give(&link->lock);
    if (result != GY_LINK_PART) return result;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); /* nobody else would receive any more */
    result = receive_packet(link, &p, 0);
    pthread_setcancelstate(old, NULL);
    gy_lock_take(&link->lock);
    link->is_receiving = false;
    if (result == GY_LINK_PART) result = use(link, &p, in);
    gy_lock_give(&link->lock);
    return result;
}
