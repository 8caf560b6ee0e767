/* The calls of gyre/GYMessagePort.h: names, contexts, bad input and its reports. */
#include "api/misuse.h"
#include "sources/ports.h"

#include <errno.h>

#define NOT_A_PORT ((GYMessagePortRef)(uintptr_t)GYSTR("no port"))

static const GYMessagePortRef bad[] = {NULL, NOT_A_PORT};

static const void *retain(const void *info) {
    test_trace("retain");
    return info;
}
static void release(const void *info) {
    (void)info;
    test_trace("release");
}
static GYStringRef describe(const void *info) { return info == NULL ? NULL : GYSTR("info"); }

/* R6 */
TEST(the_type_of_a_port_is_that_of_ports) {
    GYMessagePortRef port = port_local(NULL, port_echoes, NULL);
    EXPECT_INT(GYGetTypeID(port), GYMessagePortGetTypeID());
    EXPECT(GYMessagePortGetTypeID() != GYRunLoopSourceGetTypeID());
    GYRelease(port);
}

/* R160, R162 */
TEST(a_context_reads_back_and_its_info_is_kept_and_let_go) {
    int x;
    GYMessagePortContext given = {0, &x, retain, release, describe}, read = {.version = 0};
    GYBoolean should_free = true;
    GYMessagePortRef port = GYMessagePortCreateLocal(NULL, NULL, port_echoes, &given, &should_free);
    EXPECT_INT(should_free, false);
    EXPECT_STR(test_trace_take(), "retain");
    GYMessagePortGetContext(port, &read);
    EXPECT(read.info == &x && read.retain == retain && read.release == release);
    EXPECT(read.copyDescription == describe);
    GYRelease(port);
    EXPECT_STR(test_trace_take(), "release");
}

/* R261 */
TEST(the_same_name_gives_the_port_that_is_there) {
    GYStringRef name = port_name("same");
    int x;
    GYMessagePortContext context = {0, &x, retain, release, NULL};
    GYMessagePortRef first = port_local(name, port_echoes, NULL);
    GYBoolean should_free = false;
    GYMessagePortRef second =
        GYMessagePortCreateLocal(NULL, name, port_traces, &context, &should_free);
    EXPECT(second == first);
    EXPECT_INT(should_free, true);
    EXPECT_STR(test_trace_take(), "");
    GYMessagePortRef a = port_remote(name), b = port_remote(name);
    EXPECT(a == b && a != first);
    EXPECT(GYMessagePortIsRemote(a) && !GYMessagePortIsRemote(first));
    EXPECT(GYEqual(GYMessagePortGetName(a), name) && GYEqual(GYMessagePortGetName(first), name));
    GYRelease(a);
    GYRelease(b);
    GYRelease(first);
    GYRelease(second);
    GYRelease(name);
}

/* R261 */
TEST(a_port_gets_another_name) {
    GYStringRef old = port_name("old"), new = port_name("new"), taken = port_name("taken");
    GYMessagePortRef port = port_local(NULL, port_echoes, NULL);
    GYMessagePortRef other = port_local(taken, port_echoes, NULL);
    EXPECT(GYMessagePortGetName(port) == NULL);
    EXPECT(GYMessagePortSetName(port, old));
    GYMessagePortRef remote = port_remote(old);
    EXPECT(GYMessagePortSetName(port, new));
    EXPECT(GYMessagePortSetName(port, new));
    EXPECT(GYEqual(GYMessagePortGetName(port), new));
    EXPECT(!GYMessagePortSetName(port, taken));
    EXPECT_INT(errno, EADDRINUSE);
    EXPECT(GYEqual(GYMessagePortGetName(port), new));
    EXPECT_INT(port_send(remote, 0, "still heard"), 0);
    GYRelease(remote);
    EXPECT(GYMessagePortCreateRemote(NULL, old) == NULL && errno == ENOENT);
    GYMessagePortInvalidate(port);
    EXPECT(!GYMessagePortSetName(port, old) && errno == EINVAL);
    GYRelease(port);
    GYRelease(other);
    GYRelease(old);
    GYRelease(new);
    GYRelease(taken);
}

static void expect_name(size_t length, bool is_good) {
    char text[300];
    memset(text, 'n', sizeof text);
    text[length] = '\0';
    GYStringRef name = GYStringCreateWithCString(NULL, text, kGYStringEncodingUTF8);
    GYMessagePortRef port = GYMessagePortCreateLocal(NULL, name, port_echoes, NULL, NULL);
    EXPECT((port != NULL) == is_good);
    if (is_good) {
        GYMessagePortRef remote = port_remote(name);
        EXPECT_INT(port_send(remote, 0, "x"), 0);
        GYRelease(remote);
        GYRelease(port);
    } else {
        EXPECT_REPORTED("GYMessagePortCreateLocal");
        EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL);
        EXPECT_REPORTED("GYMessagePortCreateRemote");
    }
    GYRelease(name);
}

/* R261 */
TEST(a_name_has_up_to_255_bytes) {
    test_capture_log();
    expect_name(1, true);
    expect_name(106, true);
    expect_name(107, true);
    expect_name(108, true);
    expect_name(255, true);
    expect_name(256, false);
    expect_name(0, false);
}

/* R260 */
TEST(what_is_no_port_is_reported) {
    test_capture_log();
    GYMessagePortContext context = {.version = 0};
    for (int i = 0; i < 2; i++) {
        EXPECT(!GYMessagePortIsRemote(bad[i]));
        EXPECT_REPORTED("GYMessagePortIsRemote");
        EXPECT(GYMessagePortGetName(bad[i]) == NULL);
        EXPECT_REPORTED("GYMessagePortGetName");
        EXPECT(!GYMessagePortSetName(bad[i], GYSTR("name")));
        EXPECT_REPORTED("GYMessagePortSetName");
        GYMessagePortGetContext(bad[i], &context);
        EXPECT_REPORTED("GYMessagePortGetContext");
        GYMessagePortInvalidate(bad[i]);
        EXPECT_REPORTED("GYMessagePortInvalidate");
        EXPECT(!GYMessagePortIsValid(bad[i]));
        EXPECT_REPORTED("GYMessagePortIsValid");
        EXPECT(GYMessagePortGetInvalidationCallBack(bad[i]) == NULL);
        EXPECT_REPORTED("GYMessagePortGetInvalidationCallBack");
        GYMessagePortSetInvalidationCallBack(bad[i], NULL);
        EXPECT_REPORTED("GYMessagePortSetInvalidationCallBack");
        EXPECT(GYMessagePortCreateRunLoopSource(NULL, bad[i], 0) == NULL);
        EXPECT_REPORTED("GYMessagePortCreateRunLoopSource");
        EXPECT(!GYMessagePortAllowUser(bad[i], 0));
        EXPECT_REPORTED("GYMessagePortAllowUser");
        EXPECT_INT(port_send(bad[i], 0, "x"), kGYMessagePortIsInvalid);
        EXPECT_REPORTED("GYMessagePortSendRequest");
    }
}

/* R260, R261, R162 */
TEST(bad_arguments_are_reported) {
    test_capture_log();
    GYMessagePortContext wrong = {.version = 3};
    GYBoolean should_free = false;
    EXPECT(GYMessagePortCreateLocal(NULL, NULL, NULL, NULL, &should_free) == NULL);
    EXPECT_INT(should_free, true);
    EXPECT_REPORTED("GYMessagePortCreateLocal");
    EXPECT(GYMessagePortCreateLocal(NULL, NULL, port_echoes, &wrong, NULL) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateLocal");
    GYMessagePortRef port = port_local(NULL, port_echoes, NULL);
    EXPECT(GYMessagePortCreateLocal(NULL, (GYStringRef)port, port_echoes, NULL, NULL) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateLocal");
    EXPECT(GYMessagePortCreateRemote(NULL, NULL) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateRemote");
    EXPECT(GYMessagePortCreateRemoteOfUser(NULL, NULL, 0) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateRemoteOfUser");
    EXPECT(!GYMessagePortSetName(port, NULL));
    EXPECT_REPORTED("GYMessagePortSetName");
    GYMessagePortGetContext(port, &wrong);
    EXPECT_REPORTED("GYMessagePortGetContext");
    GYMessagePortGetContext(port, NULL);
    EXPECT_REPORTED("GYMessagePortGetContext");
    EXPECT_INT(port_send(port, 0, "to a local port"), kGYMessagePortIsInvalid);
    EXPECT_REPORTED("GYMessagePortSendRequest");
    GYMessagePortInvalidate(port);
    EXPECT(!GYMessagePortAllowUser(port, 0) && errno == EINVAL);
    EXPECT(GYMessagePortCreateRunLoopSource(NULL, port, 0) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateRunLoopSource");
    GYRelease(port);
}

/* R260, R262, R265 */
TEST(a_request_that_cannot_be_made_is_reported_or_tells_errno) {
    test_capture_log();
    GYStringRef name = port_name("bad requests");
    GYMessagePortRef local = port_local(name, port_echoes, NULL), remote = port_remote(name);
    GYDataRef reply = (GYDataRef)name;
    EXPECT(GYMessagePortCreateRunLoopSource(NULL, remote, 0) == NULL);
    EXPECT_REPORTED("GYMessagePortCreateRunLoopSource");
    EXPECT(!GYMessagePortAllowUser(remote, 0));
    EXPECT_REPORTED("GYMessagePortAllowUser");
    EXPECT(!GYMessagePortSetName(remote, name));
    EXPECT_REPORTED("GYMessagePortSetName");
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, (GYDataRef)name, 0, 0, NULL, &reply), -4);
    EXPECT_REPORTED("GYMessagePortSendRequest");
    EXPECT(reply == NULL);
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, NULL, 0, 0, kGYRunLoopCommonModes, &reply), -4);
    EXPECT_REPORTED("GYMessagePortSendRequest");
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, NULL, 0, 0, (GYStringRef)local, &reply), -4);
    EXPECT_REPORTED("GYMessagePortSendRequest");
    uint8_t *bytes = calloc(1, GY_MESSAGE_PORT_LENGTH_MAX + 1);
    GYDataRef data = GYDataCreate(NULL, bytes, GY_MESSAGE_PORT_LENGTH_MAX + 1);
    EXPECT_INT(GYMessagePortSendRequest(remote, 0, data, 0, 0, NULL, NULL), -4);
    EXPECT_INT(errno, EMSGSIZE);
    EXPECT_STR(test_log(), "");
    GYRelease(data);
    free(bytes);
    GYRelease(remote);
    GYRelease(local);
    GYRelease(name);
}

/* R164 */
TEST(a_description_names_the_port) {
    GYStringRef name = port_name("described");
    GYMessagePortRef local = port_local(name, port_echoes, NULL), remote = port_remote(name);
    GYMessagePortRef nameless = port_local(NULL, port_echoes, NULL);
    const GYMessagePortRef ports[] = {local, remote, nameless};
    const char *words[] = {"local, valid = Yes, name = described",
                           "remote, valid = Yes, name = described",
                           "local, valid = Yes, name = none"};
    for (int i = 0; i < 3; i++) {
        GYStringRef text = GYCopyDescription(ports[i]);
        EXPECT(strstr(GYStringGetCStringPtr(text, kGYStringEncodingUTF8), words[i]) != NULL);
        GYRelease(text);
    }
    for (int i = 0; i < 3; i++) GYRelease(ports[i]);
    GYRelease(name);
}

static void make_without_a_callout(void) { GYMessagePortCreateLocal(NULL, NULL, NULL, NULL, NULL); }

TEST(misuse_is_fatal_where_that_is_asked_for) { expect_strict_abort(make_without_a_callout); }

/* R266 */
TEST(ten_thousand_ports_leave_nothing_behind) {
    for (int i = 0; i < 10000; i++) {
        GYStringRef name = port_name("of many");
        GYMessagePortRef local = port_local(name, port_echoes, NULL), remote = port_remote(name);
        EXPECT_INT(port_send(remote, 0, "never received"), 0);
        GYRelease(i % 2 == 0 ? remote : local);
        GYRelease(i % 2 == 0 ? local : remote);
        GYRelease(name);
    }
}

TEST_MAIN()
