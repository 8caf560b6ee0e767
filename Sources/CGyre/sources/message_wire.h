/* What goes between processes: packets, each with a header. Pure: bytes in, a verdict out.
 *
 * Owns: the format and its bounds (R269). A message is one packet; or one that names a memory file
 * passed along; or, where there are no memory files, a first packet and further parts. Numbers are
 * those of the machine: both sides are on it. Threads: any. */
#ifndef GYRE_SOURCES_MESSAGE_WIRE_H
#define GYRE_SOURCES_MESSAGE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GY_WIRE_MAGIC UINT32_C(0x314d5947) /* "GYM1" */
/* The bytes of a message that one packet carries. */
#define GY_WIRE_BODY_MAX 32768u
#define GY_WIRE_LENGTH_MAX 16777216u
/* Descriptors that a message passes along: what one system call takes, less the memory file. */
#define GY_WIRE_DESCRIPTORS_MAX 252u

enum gy_wire_kind { GY_WIRE_REQUEST = 1, GY_WIRE_REPLY = 2, GY_WIRE_PART = 3 };
enum gy_wire_flags {
    GY_WIRE_WANTS_REPLY = 1, /* a request */
    GY_WIRE_HAS_DATA = 2,    /* else there is none, and the length is 0 */
    GY_WIRE_IN_FILE = 4,     /* the data is in the first descriptor, a memory file */
};

typedef struct gy_wire_header {
    uint32_t magic;
    uint8_t kind;
    uint8_t flags;
    uint16_t descriptors; /* without the memory file */
    int32_t id;
    uint32_t number; /* of the request: a reply and the parts name it */
    uint32_t length; /* of the whole message */
    uint32_t offset; /* of this packet's bytes in it */
} gy_wire_header;

/* NULL: the packet of `size` bytes, which came with `descriptors` descriptors, begins with a header
 * that means something, and its body has the length that this says. Else what is wrong. */
const char *gy_wire_parse(const void *packet, size_t size, unsigned descriptors,
                          gy_wire_header *header);

/* How a message in parts goes on. */
typedef struct gy_wire_parts {
    gy_wire_header first; /* its kind is 0 while no message is in progress */
    uint32_t received;
} gy_wire_parts;

/* Takes in a packet that was parsed. A new message takes the place of one that is in progress: its
 * sender has given that up. NULL: all is well, and `*is_whole` tells whether it is the last packet
 * of its message. Else what is wrong. */
const char *gy_wire_take(gy_wire_parts *parts, const gy_wire_header *header, size_t body_size,
                         bool *is_whole);

#endif
