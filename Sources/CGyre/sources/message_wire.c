#include "sources/message_wire.h"

#include <string.h>

#define KNOWN_FLAGS (GY_WIRE_WANTS_REPLY | GY_WIRE_HAS_DATA | GY_WIRE_IN_FILE)

static bool is(const gy_wire_header *h, unsigned flag) { return (h->flags & flag) != 0; }

static const char *check_kind(const gy_wire_header *h) {
    if (h->magic != GY_WIRE_MAGIC) return "a packet that is no message";
    if (h->kind < GY_WIRE_REQUEST || h->kind > GY_WIRE_PART) return "a packet of unknown kind";
    if ((h->flags & ~(unsigned)KNOWN_FLAGS) != 0) return "a packet with unknown flags";
    if (h->kind != GY_WIRE_REQUEST && is(h, GY_WIRE_WANTS_REPLY))
        return "a packet that wants a reply and is no request";
    return NULL;
}

/* The body of a packet is as long as its place in the message has it. */
static const char *check_length(const gy_wire_header *h, size_t body_size) {
    if (h->length > GY_WIRE_LENGTH_MAX) return "a message that is too long";
    if (!is(h, GY_WIRE_HAS_DATA) && h->length > 0) return "a length without data";
    if ((h->kind == GY_WIRE_PART) != (h->offset > 0)) return "a part out of its place";
    if (h->offset > h->length) return "a part beyond its message";
    if (is(h, GY_WIRE_IN_FILE)) return body_size == 0 ? NULL : "data beside the memory file";
    uint32_t left = h->length - h->offset;
    uint32_t wanted = left < GY_WIRE_BODY_MAX ? left : GY_WIRE_BODY_MAX;
    return body_size == wanted ? NULL : "a packet that is cut off or too long";
}

static const char *check_descriptors(const gy_wire_header *h, unsigned descriptors) {
    if (h->descriptors > GY_WIRE_DESCRIPTORS_MAX) return "too many descriptors";
    if (is(h, GY_WIRE_IN_FILE) && (h->kind == GY_WIRE_PART || h->length == 0))
        return "a memory file in the wrong place";
    unsigned wanted = (unsigned)h->descriptors + (is(h, GY_WIRE_IN_FILE) ? 1u : 0u);
    if (h->kind == GY_WIRE_PART && wanted > 0) return "a part with descriptors";
    return descriptors == wanted ? NULL : "descriptors other than announced";
}

const char *gy_wire_parse(const void *packet, size_t size, unsigned descriptors,
                          gy_wire_header *header) {
    if (size < sizeof *header) return "a packet without a header";
    memcpy(header, packet, sizeof *header);
    const char *wrong = check_kind(header);
    if (wrong == NULL) wrong = check_length(header, size - sizeof *header);
    if (wrong == NULL) wrong = check_descriptors(header, descriptors);
    return wrong;
}

static const char *begin(gy_wire_parts *parts, const gy_wire_header *header, size_t body_size) {
    parts->first = *header;
    parts->received = is(header, GY_WIRE_IN_FILE) ? header->length : (uint32_t)body_size;
    return NULL;
}

static const char *go_on(gy_wire_parts *parts, const gy_wire_header *header, size_t body_size) {
    const gy_wire_header *first = &parts->first;
    if (first->kind == 0) return "a part of no message";
    if (header->number != first->number || header->id != first->id ||
        header->length != first->length)
        return "a part of another message";
    if (header->offset != parts->received) return "a part out of its order";
    parts->received += (uint32_t)body_size;
    return NULL;
}

const char *gy_wire_take(gy_wire_parts *parts, const gy_wire_header *header, size_t body_size,
                         bool *is_whole) {
    const char *wrong = header->kind == GY_WIRE_PART ? go_on(parts, header, body_size)
                                                     : begin(parts, header, body_size);
    *is_whole = wrong == NULL && parts->received == parts->first.length;
    return wrong;
}
