/* Descriptors that messages pass along (R270), within a process and between two. */
#include "api/misuse.h"
#include "sources/peer.h"

#include <fcntl.h>

/* Sends the read end away, so that what is written comes back through the pipe. */
static void expect_passed(GYMessagePortRef remote, int32_t id, int count, size_t length) {
    int ends[2], all[GY_MESSAGE_PORT_DESCRIPTORS_MAX];
    char text[260], expected[16], read_back[8] = "";
    REQUIRE(pipe(ends) == 0);
    for (int i = 0; i < count; i++) all[i] = ends[1];
    GYDataRef data = length == 0 ? port_data("passed") : peer_pattern(length), reply = NULL;
    EXPECT_INT(GYMessagePortSendRequestWithDescriptors(remote, id, data, all, count, 10, 10,
                                                       GYSTR("replies"), &reply),
               0);
    snprintf(expected, sizeof expected, "%d", count);
    snprintf(text, sizeof text, "%s", port_text(reply));
    EXPECT_STR(text, expected);
    close(ends[1]);
    if (length == 0) {
        EXPECT_INT(read(ends[0], read_back, 7), 6);
        EXPECT_STR(read_back, "passed");
    }
    char rest[4096];
    ssize_t n;
    size_t sum = length == 0 ? 0 : 1;
    do n = read(ends[0], rest, sizeof rest);
    while (n > 0 && (sum += (size_t)n) > 0); /* ends when every other end is closed */
    EXPECT_INT(sum, length == 0 ? 0 : length + 1);
    close(ends[0]);
    GYRelease(data);
    if (reply != NULL) GYRelease(reply);
}

/* R270 */
LOOP_TEST(descriptors_go_within_a_process) {
    GYStringRef name = port_name("within");
    GYMessagePortRef local = port_local(name, peer_receives, NULL), remote = port_remote(name);
    port_listen(local, GYSTR("replies"));
    expect_passed(remote, PEER_WRITES, 1, 0);
    expect_passed(remote, PEER_WRITES, GY_MESSAGE_PORT_DESCRIPTORS_MAX, 0);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

/* R270 */
LOOP_TEST(descriptors_go_to_another_process) {
    GYStringRef name = port_name("other");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    expect_passed(remote, PEER_WRITES, 1, 0);
    expect_passed(remote, PEER_WRITES, 3, 50000); /* beside a memory file */
    expect_passed(remote, PEER_WRITES, GY_MESSAGE_PORT_DESCRIPTORS_MAX, 50000);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

static int taken = -1;

static GYDataRef takes_second(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)id, (void)data, (void)info;
    EXPECT_INT(GYMessagePortGetDescriptorCount(), 2);
    taken = GYMessagePortTakeDescriptor(1);
    EXPECT(taken >= 0 && (fcntl(taken, F_GETFD) & FD_CLOEXEC) != 0);
    EXPECT_INT(GYMessagePortTakeDescriptor(1), -1);
    EXPECT_STR(test_log(), "");
    EXPECT_INT(GYMessagePortTakeDescriptor(2), -1);
    EXPECT_REPORTED("GYMessagePortTakeDescriptor");
    return NULL;
}

/* R270 */
LOOP_TEST(what_is_not_taken_is_closed) {
    test_capture_log();
    GYStringRef name = port_name("closed");
    GYMessagePortRef local = port_local(name, takes_second, NULL), remote = port_remote(name);
    port_listen(local, kGYRunLoopDefaultMode);
    const int both[2] = {0, 1};
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    int before = test_descriptor_count();
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(
            GYMessagePortSendRequestWithDescriptors(remote, 0, NULL, both, 2, 1, 1, NULL, NULL), 0);
        EXPECT_INT(test_descriptor_count(), before + 2);
        if (i == 2) break; /* never received */
        EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
        EXPECT_INT(test_descriptor_count(), before + 1);
        close(taken);
    }
    port_end(local);
    EXPECT_INT(test_descriptor_count(), before - 1); /* the port's own went too */
    EXPECT_INT(GYMessagePortGetDescriptorCount(), 0);
    EXPECT_INT(GYMessagePortTakeDescriptor(0), -1);
    EXPECT_REPORTED("GYMessagePortTakeDescriptor");
    GYRelease(remote);
    GYRelease(name);
}

static void expect_refused(GYMessagePortRef remote, const int *descriptors, GYIndex count,
                           int error) {
    errno = 0;
    EXPECT_INT(GYMessagePortSendRequestWithDescriptors(remote, 0, NULL, descriptors, count, 1, 1,
                                                       NULL, NULL),
               kGYMessagePortTransportError);
    EXPECT_INT(errno, error);
}

static void expect_refusals(GYMessagePortRef remote) {
    int many[GY_MESSAGE_PORT_DESCRIPTORS_MAX + 1] = {0};
    const int closed = 12345;
    int before = test_descriptor_count();
    expect_refused(remote, many, GY_MESSAGE_PORT_DESCRIPTORS_MAX + 1, EMSGSIZE);
    expect_refused(remote, &closed, 1, EBADF);
    EXPECT_STR(test_log(), "");
    expect_refused(remote, NULL, 1, EINVAL);
    EXPECT_REPORTED("GYMessagePortSendRequestWithDescriptors");
    expect_refused(remote, many, -1, EINVAL);
    EXPECT_REPORTED("GYMessagePortSendRequestWithDescriptors");
    EXPECT_INT(test_descriptor_count(), before);
    EXPECT(GYMessagePortIsValid(remote));
}

/* R270 */
LOOP_TEST(descriptors_that_cannot_be_passed_are_refused) {
    test_capture_log();
    GYStringRef name = port_name("refused here"), far = port_name("refused there");
    GYMessagePortRef local = port_local(name, peer_receives, NULL), remote = port_remote(name);
    expect_refusals(remote);
    peer p = peer_start("serve", far);
    GYMessagePortRef other = port_remote(far);
    expect_refusals(other);
    EXPECT_INT(GYMessagePortSendRequestWithDescriptors(local, 0, NULL, NULL, 0, 1, 1, NULL, NULL),
               kGYMessagePortIsInvalid);
    EXPECT_REPORTED("GYMessagePortSendRequestWithDescriptors");
    GYRelease(other);
    peer_end(&p);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
    GYRelease(far);
}

PEER_MAIN()
