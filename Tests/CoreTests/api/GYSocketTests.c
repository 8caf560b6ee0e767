/* The calls of gyre/GYSocket.h: contexts, bad input and its reports. */
#include "api/misuse.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYData.h>
#include <gyre/GYSocket.h>
#include <gyre/GYString.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOT_ONE ((GYSocketRef)(uintptr_t)GYSTR("no socket"))
#define NOT_DATA ((GYDataRef)(uintptr_t)GYSTR("no data"))

static const GYSocketRef bad[] = {NULL, NOT_ONE};

static GYStringRef describe(const void *info) { return info == NULL ? NULL : GYSTR("the info"); }

static GYSocketRef make(void *info) {
    GYSocketContext context = {.info = info, .copyDescription = describe};
    GYSocketRef s =
        GYSocketCreate(NULL, PF_UNIX, SOCK_STREAM, 0, kGYSocketReadCallBack, NULL, &context);
    REQUIRE(s != NULL);
    return s;
}

/* R6 */
TEST(the_type_of_a_socket_is_its_own) {
    GYSocketRef s = make(NULL);
    EXPECT_INT(GYGetTypeID(s), GYSocketGetTypeID());
    EXPECT(GYSocketGetTypeID() != GYRunLoopSourceGetTypeID());
    GYRelease(s);
}

/* R164 */
TEST(a_description_tells_what_it_is_called_back_for) {
    char text[256];
    int x;
    GYSocketRef s = make(&x);
    GYStringRef description = GYCopyDescription(s);
    REQUIRE(GYStringGetCString(description, text, sizeof text, kGYStringEncodingUTF8));
    EXPECT(strstr(text, "valid = Yes") != NULL && strstr(text, "types = 0x1") != NULL);
    EXPECT(strstr(text, "context = the info") != NULL);
    GYRelease(description);
    GYRelease(s);
}

/* R290 */
TEST(what_a_socket_cannot_be_made_of_is_refused) {
    GYSocketContext unknown = {.version = 1};
    GYSocketSignature none = {PF_UNIX, SOCK_STREAM, 0, NULL};
    test_capture_log();
    EXPECT(GYSocketCreateWithNative(NULL, -1, 0, NULL, NULL) == NULL);
    EXPECT_REPORTED("GYSocketCreateWithNative");
    EXPECT(GYSocketCreate(NULL, 0, 0, 0, 32, NULL, NULL) == NULL);
    EXPECT_REPORTED("GYSocketCreate");
    EXPECT(GYSocketCreate(NULL, 0, 0, 0, 0, NULL, &unknown) == NULL);
    EXPECT_REPORTED("GYSocketCreate");
    EXPECT(GYSocketCreateWithSocketSignature(NULL, NULL, 0, NULL, NULL) == NULL);
    EXPECT_REPORTED("GYSocketCreateWithSocketSignature");
    EXPECT(GYSocketCreateConnectedToSocketSignature(NULL, &none, 0, NULL, NULL, 0) == NULL);
    EXPECT_REPORTED("GYSocketCreateConnectedToSocketSignature");
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT(GYSocketCreateWithNative(NULL, file, 0, NULL, NULL) == NULL);
    EXPECT_INT(errno, ENOTSOCK);
    EXPECT(close(file) == 0);
    EXPECT(GYSocketCreateWithNative(NULL, 1000000, 0, NULL, NULL) == NULL);
    EXPECT_INT(errno, EBADF);
    EXPECT(GYSocketCreate(NULL, 4711, SOCK_STREAM, 0, 0, NULL, NULL) == NULL);
    EXPECT_INT(errno, EAFNOSUPPORT);
    EXPECT_STR(test_log(), "");
}

/* R170 */
TEST(what_is_no_socket_is_reported) {
    GYSocketContext context = {.version = 0};
    GYDataRef data = GYDataCreate(NULL, NULL, 0);
    test_capture_log();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_INT(GYSocketSetAddress(bad[i], data), kGYSocketError);
        EXPECT_REPORTED("GYSocketSetAddress");
        EXPECT_INT(GYSocketConnectToAddress(bad[i], data, 0), kGYSocketError);
        EXPECT_REPORTED("GYSocketConnectToAddress");
        EXPECT_INT(GYSocketSendData(bad[i], NULL, data, 0), kGYSocketError);
        EXPECT_REPORTED("GYSocketSendData");
        GYSocketInvalidate(bad[i]);
        EXPECT_REPORTED("GYSocketInvalidate");
        EXPECT(!GYSocketIsValid(bad[i]));
        EXPECT_REPORTED("GYSocketIsValid");
        EXPECT(GYSocketCopyAddress(bad[i]) == NULL);
        EXPECT_REPORTED("GYSocketCopyAddress");
        EXPECT(GYSocketCopyPeerAddress(bad[i]) == NULL);
        EXPECT_REPORTED("GYSocketCopyPeerAddress");
        GYSocketGetContext(bad[i], &context);
        EXPECT_REPORTED("GYSocketGetContext");
        EXPECT_INT(GYSocketGetNative(bad[i]), -1);
        EXPECT_REPORTED("GYSocketGetNative");
        EXPECT(GYSocketCreateRunLoopSource(NULL, bad[i], 0) == NULL);
        EXPECT_REPORTED("GYSocketCreateRunLoopSource");
        EXPECT_INT(GYSocketGetSocketFlags(bad[i]), 0);
        EXPECT_REPORTED("GYSocketGetSocketFlags");
        GYSocketSetSocketFlags(bad[i], 0);
        EXPECT_REPORTED("GYSocketSetSocketFlags");
        GYSocketEnableCallBacks(bad[i], kGYSocketReadCallBack);
        EXPECT_REPORTED("GYSocketEnableCallBacks");
        GYSocketDisableCallBacks(bad[i], kGYSocketReadCallBack);
        EXPECT_REPORTED("GYSocketDisableCallBacks");
    }
    GYRelease(data);
}

/* R290, R291, R162 */
TEST(what_is_no_data_and_no_type_of_the_socket_is_reported) {
    GYSocketContext other = {.version = 7};
    GYSocketRef s = make(NULL);
    GYDataRef data = GYDataCreate(NULL, NULL, 0);
    test_capture_log();
    EXPECT_INT(GYSocketSetAddress(s, NOT_DATA), kGYSocketError);
    EXPECT_REPORTED("GYSocketSetAddress");
    EXPECT_INT(GYSocketConnectToAddress(s, NULL, 0), kGYSocketError);
    EXPECT_REPORTED("GYSocketConnectToAddress");
    EXPECT_INT(GYSocketSendData(s, NULL, NULL, 0), kGYSocketError);
    EXPECT_REPORTED("GYSocketSendData");
    EXPECT_INT(GYSocketSendData(s, NOT_DATA, data, 0), kGYSocketError);
    EXPECT_REPORTED("GYSocketSendData");
    GYSocketEnableCallBacks(s, kGYSocketWriteCallBack);
    EXPECT_REPORTED("GYSocketEnableCallBacks");
    GYSocketGetContext(s, &other);
    EXPECT_REPORTED("GYSocketGetContext");
    GYSocketGetContext(s, NULL);
    EXPECT_REPORTED("GYSocketGetContext");
    GYRelease(data);
    GYRelease(s);
}

/* R294 */
TEST(an_invalid_socket_does_nothing_and_says_why) {
    GYSocketRef s = make(NULL);
    GYDataRef data = GYDataCreate(NULL, NULL, 0);
    GYSocketInvalidate(s);
    test_capture_log();
    EXPECT_INT(GYSocketSetAddress(s, data), kGYSocketError);
    EXPECT_INT(errno, EBADF);
    EXPECT_INT(GYSocketConnectToAddress(s, data, -1), kGYSocketError);
    EXPECT_INT(GYSocketSendData(s, NULL, data, 0), kGYSocketError);
    EXPECT(GYSocketCopyAddress(s) == NULL && GYSocketCopyPeerAddress(s) == NULL);
    EXPECT_INT(errno, EBADF);
    GYSocketEnableCallBacks(s, kGYSocketReadCallBack);
    EXPECT_INT(errno, 0);
    EXPECT_STR(test_log(), "");
    GYRelease(data);
    GYRelease(s);
}

TEST_MAIN()
