/* The parser of packets: every field at its bounds, and 200,000 packets that a seed has made. */
#include "sources/message_wire.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define ROOM (sizeof(gy_wire_header) + GY_WIRE_BODY_MAX + 8)

static gy_wire_header a_request(uint32_t length) {
    return (gy_wire_header){.magic = GY_WIRE_MAGIC,
                            .kind = GY_WIRE_REQUEST,
                            .flags = GY_WIRE_HAS_DATA,
                            .length = length};
}

/* What is wrong with a packet of that header and a body of so many bytes. */
static const char *wrong(gy_wire_header header, size_t body_size, unsigned descriptors) {
    static uint8_t packet[ROOM];
    gy_wire_header read;
    memcpy(packet, &header, sizeof header);
    const char *text = gy_wire_parse(packet, sizeof header + body_size, descriptors, &read);
    if (text == NULL) EXPECT(memcmp(&read, &header, sizeof read) == 0);
    return text;
}

/* R269 */
TEST(a_packet_as_it_should_be_is_taken) {
    EXPECT_STR(wrong(a_request(0), 0, 0), NULL);
    EXPECT_STR(wrong(a_request(100), 100, 0), NULL);
    EXPECT_STR(wrong(a_request(GY_WIRE_BODY_MAX), GY_WIRE_BODY_MAX, 0), NULL);
    EXPECT_STR(wrong(a_request(GY_WIRE_LENGTH_MAX), GY_WIRE_BODY_MAX, 0), NULL);
    gy_wire_header h = a_request(GY_WIRE_LENGTH_MAX);
    h.flags |= GY_WIRE_IN_FILE | GY_WIRE_WANTS_REPLY;
    EXPECT_STR(wrong(h, 0, 1), NULL);
    h.descriptors = GY_WIRE_DESCRIPTORS_MAX;
    EXPECT_STR(wrong(h, 0, GY_WIRE_DESCRIPTORS_MAX + 1), NULL);
}

/* R269 */
TEST(a_header_that_means_nothing_is_refused) {
    gy_wire_header h, read;
    EXPECT(gy_wire_parse("GYM1", 4, 0, &read) != NULL);
    EXPECT(gy_wire_parse("", 0, 0, &read) != NULL);
    h = a_request(0), h.magic++;
    EXPECT_STR(wrong(h, 0, 0), "a packet that is no message");
    h = a_request(0), h.kind = 0;
    EXPECT_STR(wrong(h, 0, 0), "a packet of unknown kind");
    h.kind = 4;
    EXPECT_STR(wrong(h, 0, 0), "a packet of unknown kind");
    h = a_request(0), h.flags = 8;
    EXPECT_STR(wrong(h, 0, 0), "a packet with unknown flags");
    h = a_request(0), h.kind = GY_WIRE_REPLY, h.flags = GY_WIRE_WANTS_REPLY;
    EXPECT_STR(wrong(h, 0, 0), "a packet that wants a reply and is no request");
}

/* R269 */
TEST(a_length_that_is_not_that_of_the_body_is_refused) {
    gy_wire_header h = a_request(GY_WIRE_LENGTH_MAX + 1);
    EXPECT_STR(wrong(h, GY_WIRE_BODY_MAX, 0), "a message that is too long");
    h.length = UINT32_MAX;
    EXPECT_STR(wrong(h, GY_WIRE_BODY_MAX, 0), "a message that is too long");
    EXPECT_STR(wrong(a_request(10), 9, 0), "a packet that is cut off or too long");
    EXPECT_STR(wrong(a_request(10), 11, 0), "a packet that is cut off or too long");
    EXPECT_STR(wrong(a_request(GY_WIRE_BODY_MAX + 1), GY_WIRE_BODY_MAX + 1, 0),
               "a packet that is cut off or too long");
    h = a_request(1), h.flags = 0;
    EXPECT_STR(wrong(h, 1, 0), "a length without data");
}

/* R269 */
TEST(parts_and_descriptors_out_of_place_are_refused) {
    gy_wire_header h = a_request(40000);
    h.offset = 1;
    EXPECT_STR(wrong(h, GY_WIRE_BODY_MAX, 0), "a part out of its place");
    h.kind = GY_WIRE_PART, h.offset = 0;
    EXPECT_STR(wrong(h, GY_WIRE_BODY_MAX, 0), "a part out of its place");
    h.offset = 40001;
    EXPECT_STR(wrong(h, 0, 0), "a part beyond its message");
    h.offset = GY_WIRE_BODY_MAX, h.descriptors = 1;
    EXPECT_STR(wrong(h, 40000 - GY_WIRE_BODY_MAX, 1), "a part with descriptors");
    h.descriptors = 0, h.flags |= GY_WIRE_IN_FILE;
    EXPECT_STR(wrong(h, 0, 1), "a memory file in the wrong place");
    h = a_request(0), h.flags |= GY_WIRE_IN_FILE;
    EXPECT_STR(wrong(h, 0, 1), "a memory file in the wrong place");
    h = a_request(40000), h.flags |= GY_WIRE_IN_FILE;
    EXPECT_STR(wrong(h, 0, 0), "descriptors other than announced");
    EXPECT_STR(wrong(h, 0, 2), "descriptors other than announced");
    EXPECT_STR(wrong(h, 1, 1), "data beside the memory file");
    h = a_request(0), h.descriptors = GY_WIRE_DESCRIPTORS_MAX + 1;
    EXPECT_STR(wrong(h, 0, GY_WIRE_DESCRIPTORS_MAX + 1), "too many descriptors");
    EXPECT_STR(wrong(a_request(0), 0, 1), "descriptors other than announced");
}

static gy_wire_header a_part(uint32_t length, uint32_t offset) {
    gy_wire_header h = a_request(length);
    h.kind = GY_WIRE_PART;
    h.offset = offset;
    return h;
}

/* R269 */
TEST(a_message_in_parts_comes_in_its_order) {
    const uint32_t body = GY_WIRE_BODY_MAX;
    gy_wire_parts parts = {.received = 0};
    gy_wire_header h = a_request(2 * body + 5);
    bool is_whole;
    EXPECT_STR(gy_wire_take(&parts, &h, body, &is_whole), NULL);
    EXPECT(!is_whole);
    h = a_part(2 * body + 5, body);
    EXPECT_STR(gy_wire_take(&parts, &h, body, &is_whole), NULL);
    EXPECT(!is_whole);
    EXPECT_STR(gy_wire_take(&parts, &h, body, &is_whole), "a part out of its order");
    h = a_part(2 * body + 5, 2 * body);
    h.number = 1;
    EXPECT_STR(gy_wire_take(&parts, &h, 5, &is_whole), "a part of another message");
    h.number = 0;
    EXPECT_STR(gy_wire_take(&parts, &h, 5, &is_whole), NULL);
    EXPECT(is_whole);
    gy_wire_parts none = {.received = 0};
    EXPECT_STR(gy_wire_take(&none, &h, 5, &is_whole), "a part of no message");
}

/* R269 */
TEST(a_new_message_takes_the_place_of_one_that_was_given_up) {
    gy_wire_parts parts = {.received = 0};
    gy_wire_header h = a_request(40000);
    bool is_whole;
    EXPECT_STR(gy_wire_take(&parts, &h, GY_WIRE_BODY_MAX, &is_whole), NULL);
    h = a_request(3);
    EXPECT_STR(gy_wire_take(&parts, &h, 3, &is_whole), NULL);
    EXPECT(is_whole);
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* A packet that is right, with a few bytes changed. */
static size_t mutate(uint8_t *packet, uint64_t *state) {
    static const uint32_t lengths[] = {0, 1, 100, GY_WIRE_BODY_MAX, 40000, GY_WIRE_LENGTH_MAX};
    gy_wire_header h = a_request(lengths[next_random(state) % 6]);
    size_t body = h.length < GY_WIRE_BODY_MAX ? h.length : GY_WIRE_BODY_MAX;
    if (next_random(state) % 2 == 0 && h.length > GY_WIRE_BODY_MAX) {
        h = a_part(h.length, GY_WIRE_BODY_MAX);
        body = h.length - h.offset < GY_WIRE_BODY_MAX ? h.length - h.offset : GY_WIRE_BODY_MAX;
    }
    memcpy(packet, &h, sizeof h);
    for (uint32_t n = next_random(state) % 4; n > 0; n--) {
        packet[next_random(state) % sizeof h] = (uint8_t)next_random(state);
    }
    size_t size = sizeof h + body;
    if (next_random(state) % 4 == 0) size = next_random(state) % (size + 4);
    return size;
}

/* R269: whatever comes, what is taken stays within its message. */
TEST(no_packet_leads_out_of_its_message) {
    uint64_t state = 4;
    gy_wire_parts parts = {.received = 0};
    uint8_t *packet = calloc(1, ROOM);
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        gy_wire_header h;
        bool is_whole;
        size_t size = mutate(packet, &state);
        if (gy_wire_parse(packet, size, next_random(&state) % 2, &h) != NULL) continue;
        bool is_in_file = (h.flags & GY_WIRE_IN_FILE) != 0;
        size_t body = size - sizeof h;
        if (gy_wire_take(&parts, &h, body, &is_whole) != NULL) continue;
        taken++;
        EXPECT(h.length <= GY_WIRE_LENGTH_MAX && parts.received <= parts.first.length);
        EXPECT(is_in_file || h.offset + body <= parts.first.length);
        EXPECT(is_whole == (parts.received == parts.first.length));
    }
    EXPECT(taken > 1000);
    free(packet);
}

TEST_MAIN()
