/* What file descriptors ask of the kernel: how often, and what comes of a refusal. The calls go
 * through this program. */
#define _GNU_SOURCE 1
#include "sources/descriptor.h"

#include <errno.h>
#include <sys/syscall.h>

static atomic_int calls_made, refusal; /* refusal: the errno of additions; 0: none is refused */

int epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event) {
    atomic_fetch_add(&calls_made, 1);
    int error = atomic_load(&refusal);
    if (operation == EPOLL_CTL_ADD && error != 0) {
        errno = error;
        return -1;
    }
    return (int)syscall(SYS_epoll_ctl, epoll_fd, operation, fd, event);
}

static int calls_since_last(void) { return atomic_exchange(&calls_made, 0); }

enum { EVENTS = 1000 };

/* R221 */
LOOP_TEST(a_callback_that_enables_itself_costs_no_call) {
    int ends[2];
    watch w = {.reads = 1, .again = READ};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(1);
    calls_since_last();
    for (int i = 0; i < EVENTS; i++) {
        port_write(ends[1], "x");
        w.length = 0;
        port_polls(1);
    }
    EXPECT_INT(calls_since_last(), 0);
    EXPECT_INT(w.calls, EVENTS);
    watch_end(&w);
    port_close(ends);
}

/* R221: also where it is enabled later, if nothing came meanwhile. */
LOOP_TEST(a_callback_that_is_enabled_after_it_costs_no_call) {
    int ends[2];
    watch w = {.reads = 1};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&w, READ);
    port_polls(1);
    calls_since_last();
    for (int i = 0; i < 50; i++) {
        port_write(ends[1], "x");
        port_polls(2);
        GYFileDescriptorEnableCallBacks(w.object, READ);
    }
    EXPECT_INT(calls_since_last(), 0);
    EXPECT_INT(w.calls, 50);
    watch_end(&w);
    port_close(ends);
}

/* R222 */
LOOP_TEST(a_persistent_callback_costs_no_call) {
    int ends[2];
    watch w = {.persists = true};
    watch_sockets(ends);
    port_write(ends[1], "x");
    w.fd = ends[0];
    watch_begin(&w, READ | WRITE);
    calls_since_last();
    port_polls(EVENTS);
    GYFileDescriptorEnableCallBacks(w.object, READ | WRITE);
    EXPECT_INT(w.calls, EVENTS);
    EXPECT_INT(calls_since_last(), 0);
    watch_end(&w);
    port_close(ends);
}

/* R220: the kernel is told to stop when it reports what nobody wants, once. */
LOOP_TEST(what_nobody_wants_is_reported_once_and_costs_two_calls_in_all) {
    int ends[2];
    watch w = {.persists = true};
    port_pipe(ends);
    w.fd = ends[0];
    watch_begin(&w, READ);
    calls_since_last();
    GYFileDescriptorDisableCallBacks(w.object, READ);
    EXPECT_INT(calls_since_last(), 0);
    port_write(ends[1], "x");
    port_polls(10);
    EXPECT_INT(calls_since_last(), 1);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    EXPECT_INT(calls_since_last(), 1);
    port_polls(2);
    EXPECT_INT(w.calls, 2);
    watch_end(&w);
    port_close(ends);
}

/* R89: the kernel's watches are used up. */
LOOP_TEST(a_source_that_the_kernel_refuses_is_in_no_mode) {
    int ends[2], others[2];
    watch w = {0}, other = {.reads = 1, .again = READ};
    port_pipe(ends);
    port_pipe(others);
    w.fd = ends[0];
    other.fd = others[0];
    watch_begin(&other, READ);
    watch_make(&w, READ);
    w.source = GYFileDescriptorCreateRunLoopSource(NULL, w.object, 0);
    atomic_store(&refusal, ENOSPC);
    loop_in(DEFAULT, w.source);
    EXPECT_INT(errno, ENOSPC);
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), w.source, DEFAULT));
    port_write(ends[1], "x");
    port_write(others[1], "y");
    port_polls(2);
    EXPECT_STR(other.data, "y");
    EXPECT_INT(w.calls, 0);
    atomic_store(&refusal, 0);
    loop_in(DEFAULT, w.source);
    EXPECT_INT(errno, 0);
    port_polls(2);
    EXPECT_INT(w.calls, 1);
    watch_end(&w);
    watch_end(&other);
    port_close(ends);
    port_close(others);
}

/* R220, R221 */
LOOP_TEST(enabling_that_the_kernel_refuses_says_so_and_is_tried_again_by_the_next_call) {
    int ends[2];
    watch w = {.persists = true};
    port_pipe(ends);
    port_write(ends[1], "x");
    w.fd = ends[0];
    watch_begin(&w, READ);
    GYFileDescriptorDisableCallBacks(w.object, READ);
    port_polls(1); /* the kernel forgets it here */
    atomic_store(&refusal, ENOMEM);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    EXPECT_INT(errno, ENOMEM);
    port_polls(2);
    EXPECT_INT(w.calls, 0);
    atomic_store(&refusal, 0);
    GYFileDescriptorEnableCallBacks(w.object, READ);
    EXPECT_INT(errno, 0);
    port_polls(2);
    EXPECT_INT(w.calls, 2);
    watch_end(&w);
    port_close(ends);
}

TEST_MAIN()
