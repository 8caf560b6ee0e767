/* The calls of gyre/GYPort.h: messages as objects, ports to answer to, bad input (R271). */
#include "api/misuse.h"
#include "sources/ports.h"

#include <errno.h>
#include <gyre/GYArray.h>
#include <gyre/GYPort.h>
#include <gyre/GYTime.h>

#define NOT_A_PORT ((GYPortRef)(uintptr_t)GYSTR("no port"))
#define NOT_A_MESSAGE ((GYPortMessageRef)(uintptr_t)GYSTR("no message"))

static void listen_to(GYPortRef port) {
    GYRunLoopSourceRef source = GYPortCreateRunLoopSource(NULL, port, 0);
    REQUIRE(source != NULL);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    GYRelease(source);
}

static GYPortRef make_port(GYPortCallBack callout, void *info) {
    GYPortContext context = {.info = info};
    GYPortRef port = GYPortCreate(NULL, callout, &context);
    REQUIRE(port != NULL);
    listen_to(port);
    return port;
}

static void end(GYPortRef port) {
    GYPortInvalidate(port);
    GYRelease(port);
}

static void answers(GYPortRef port, GYPortMessageRef message, void *info) {
    GYArrayRef components = GYPortMessageGetComponents(message);
    EXPECT_INT(GYGetTypeID(port), GYPortGetTypeID());
    EXPECT_INT(GYGetTypeID(message), GYPortMessageGetTypeID());
    test_trace("%s-%u-%s", (const char *)info, (unsigned)GYPortMessageGetID(message),
               components == NULL ? "none" : port_text(GYArrayGetValueAtIndex(components, 0)));
    GYPortRef back = GYPortMessageGetReplyPort(message);
    if (back != NULL) EXPECT_INT(GYPortSend(back, 0xffffffff, components, NULL, 0), 0);
}

/* R271 */
LOOP_TEST(a_message_has_components_and_a_port_to_answer_to) {
    GYPortRef there = make_port(answers, "there"), back = make_port(answers, "back");
    GYDataRef data = port_data("data");
    const void *values[] = {data};
    GYArrayRef components = GYArrayCreate(NULL, values, 1, &kGYTypeArrayCallBacks);
    EXPECT_INT(GYPortSend(there, 7, components, back, 0), 0);
    EXPECT_INT(GYPortSend(there, 8, NULL, NULL, 0), 0);
    GYRelease(components);
    GYRelease(data);
    loop_run_until_idle(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "there-7-data there-8-none back-4294967295-data");
    end(there);
    end(back);
}

static void traces_release(const void *word) { test_trace("release-%s", (const char *)word); }

/* R271, R266 */
LOOP_TEST(a_port_that_ends_drops_its_messages_and_its_info) {
    GYPortContext context = {.info = "info", .release = traces_release};
    GYPortRef port = GYPortCreate(NULL, answers, &context), back = make_port(NULL, NULL);
    EXPECT_INT(GYPortSend(port, 1, NULL, back, 0), 0);
    EXPECT_INT(GYGetRetainCount(back), 3); /* its source has one too */
    listen_to(port);
    GYPortInvalidate(port);
    EXPECT_STR(test_trace_take(), "release-info");
    EXPECT_INT(GYGetRetainCount(back), 2);
    EXPECT(!GYPortIsValid(port) && GYPortIsValid(back));
    EXPECT_INT(GYPortSend(port, 1, NULL, NULL, 0), kGYMessagePortIsInvalid);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false), kGYRunLoopRunTimedOut);
    GYRelease(port);
    end(back);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false), kGYRunLoopRunFinished);
}

/* R264, R271 */
LOOP_TEST(a_full_port_makes_its_sender_wait_until_the_limit) {
    GYPortRef port = make_port(NULL, NULL);
    int sent = 0;
    while (GYPortSend(port, 0, NULL, NULL, 0) == 0) sent++;
    EXPECT_INT(sent, GY_MESSAGE_PORT_QUEUE_MAX);
    GYAbsoluteTime limit = GYAbsoluteTimeGetCurrent() + 0.02;
    EXPECT_INT(GYPortSend(port, 0, NULL, NULL, limit), kGYMessagePortSendTimeout);
    EXPECT(GYAbsoluteTimeGetCurrent() >= limit);
    loop_run_until_idle(kGYRunLoopDefaultMode);
    EXPECT_INT(GYPortSend(port, 0, NULL, NULL, 0), 0);
    end(port);
}

/* R271, R267 */
static void is_invalid_in_child(void *port) { EXPECT(!GYPortIsValid(port)); }

LOOP_TEST(a_port_is_invalid_in_the_child_of_a_fork) {
    GYPortRef port = make_port(NULL, NULL);
    EXPECT_INT(test_child(is_invalid_in_child, port), 0);
    EXPECT(GYPortIsValid(port));
    end(port);
}

/* R271 */
TEST(bad_arguments_are_reported) {
    test_capture_log();
    GYPortContext wrong = {.version = 1};
    EXPECT(GYPortCreate(NULL, NULL, &wrong) == NULL);
    EXPECT_REPORTED("GYPortCreate");
    GYPortRef port = GYPortCreate(NULL, NULL, NULL);
    const GYPortRef bad[] = {NULL, NOT_A_PORT, (GYPortRef)(void *)GYRunLoopGetCurrent()};
    for (int i = 0; i < 3; i++) {
        EXPECT(GYPortCreateRunLoopSource(NULL, bad[i], 0) == NULL);
        EXPECT_REPORTED("GYPortCreateRunLoopSource");
        EXPECT_INT(GYPortSend(bad[i], 0, NULL, NULL, 0), kGYMessagePortTransportError);
        EXPECT_REPORTED("GYPortSend");
        GYPortInvalidate(bad[i]);
        EXPECT_REPORTED("GYPortInvalidate");
        EXPECT(!GYPortIsValid(bad[i]));
        EXPECT_REPORTED("GYPortIsValid");
    }
    EXPECT_INT(GYPortSend(port, 0, (GYArrayRef)GYSTR("x"), NULL, 0), kGYMessagePortTransportError);
    EXPECT_REPORTED("GYPortSend");
    EXPECT_INT(GYPortSend(port, 0, NULL, NOT_A_PORT, 0), kGYMessagePortTransportError);
    EXPECT_REPORTED("GYPortSend");
    EXPECT_INT(GYPortMessageGetID(NULL), 0);
    EXPECT_REPORTED("GYPortMessageGetID");
    EXPECT(GYPortMessageGetComponents(NOT_A_MESSAGE) == NULL);
    EXPECT_REPORTED("GYPortMessageGetComponents");
    EXPECT(GYPortMessageGetReplyPort(NULL) == NULL);
    EXPECT_REPORTED("GYPortMessageGetReplyPort");
    GYPortInvalidate(port);
    EXPECT(GYPortCreateRunLoopSource(NULL, port, 0) == NULL);
    EXPECT_REPORTED("GYPortCreateRunLoopSource");
    GYRelease(port);
}

TEST_MAIN()
