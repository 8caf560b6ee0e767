/* Message ports after a fork without exec (R7, R267): the child's are invalid, the parent's go on. */
#include "sources/ports.h"

#include <errno.h>
#include <gyre/GYObject.h>
#include <sys/wait.h>

typedef struct family {
    GYStringRef name;
    GYMessagePortRef local, remote;
} family;

static void ended(GYMessagePortRef port, void *info) {
    (void)port, (void)info;
    test_trace("ended");
}

static void uses_ports_in_child(void *info) {
    family *f = info;
    EXPECT(!GYMessagePortIsValid(f->local) && !GYMessagePortIsValid(f->remote));
    EXPECT_STR(port_ask(f->remote, 1, "x", 10), "-3");
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("replies"), 0, true), kGYRunLoopRunHandledSource);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("replies"), 0, true), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
    EXPECT(GYMessagePortCreateLocal(NULL, f->name, port_echoes, NULL, NULL) == NULL);
    EXPECT_INT(errno, EADDRINUSE);
    GYStringRef name = port_name("of the child");
    GYMessagePortRef local = port_local(name, port_echoes, NULL), remote = port_remote(name);
    port_listen(local, GYSTR("replies"));
    EXPECT_STR(port_ask(remote, 2, "child", 10), "2:child");
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
    GYRelease(f->local);
    GYRelease(f->remote);
}

/* R7, R267 */
LOOP_TEST(ports_are_invalid_in_the_child_and_go_on_in_the_parent) {
    family f = {.name = port_name("fork")};
    f.local = port_local(f.name, port_echoes, NULL);
    f.remote = port_remote(f.name);
    GYMessagePortSetInvalidationCallBack(f.local, ended);
    port_listen(f.local, GYSTR("replies"));
    EXPECT_STR(port_ask(f.remote, 1, "before", 10), "1:before");
    EXPECT_INT(port_send(f.remote, 1, "for the parent"), 0);
    EXPECT_INT(test_child(uses_ports_in_child, &f), 0);
    EXPECT_STR(port_ask(f.remote, 1, "after", 10), "1:after");
    port_end(f.local);
    EXPECT_STR(test_trace_take(), "ended");
    GYRelease(f.remote);
    GYRelease(f.name);
}

static GYDataRef forks(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)id, (void)data;
    pid_t child = fork();
    if (child == 0) {
        *(bool *)info = true;
        EXPECT(!GYMessagePortIsValid(local));
        return NULL;
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    return port_data("parent");
}

/* R7, R267 */
LOOP_TEST(a_request_that_a_fork_comes_into_fails_in_the_child) {
    bool is_child = false;
    GYStringRef name = port_name("fork in callout");
    GYMessagePortRef local = port_local(name, forks, &is_child), remote = port_remote(name);
    port_listen(local, GYSTR("replies"));
    const char *reply = port_ask(remote, 1, "x", 1e10);
    EXPECT_STR(reply, is_child ? "-5" : "parent");
    if (is_child) _exit(test_failures() > 0);
    port_end(local);
    GYRelease(remote);
    GYRelease(name);
}

TEST_MAIN()
