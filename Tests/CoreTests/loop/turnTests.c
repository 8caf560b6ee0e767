/* Turns: which of several ready things an iteration serves, and that none starves (R33, R34). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int ends[2];
    GYRunLoopSourceRef source;
} ready_port;

/* A port that stays ready: nobody reads the byte. */
static void open_port(ready_port *port, const char *word) {
    REQUIRE(pipe(port->ends) == 0);
    REQUIRE(write(port->ends[1], "x", 1) == 1);
    port->source = loop_in(GYSTR("m"), loop_port(port->ends[0], loop_traces, (void *)word));
}

static void close_port(ready_port *port) {
    loop_drop(port->source);
    close(port->ends[0]);
    close(port->ends[1]);
}

static GYRunLoopTimerRef always_due(const char *word) {
    return loop_in(GYSTR("m"), loop_timer(-1, 1e-9, loop_timer_traces, (void *)word));
}

/* R33: six runs of one iteration each. */
LOOP_TEST(due_timers_and_ready_ports_alternate_across_runs) {
    ready_port port;
    open_port(&port, "port");
    GYRunLoopTimerRef timer = always_due("timer");
    for (int i = 0; i < 6; i++) loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "timer port timer port timer port");
    loop_drop(timer);
    close_port(&port);
}

static void trace_and_count_down(void *count) {
    test_trace("port");
    if (atomic_fetch_sub((atomic_int *)count, 1) == 1) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R33 */
LOOP_TEST(due_timers_and_ready_ports_alternate_within_a_run) {
    ready_port port;
    atomic_int left = 3;
    open_port(&port, "unused");
    loop_drop(port.source);
    port.source = loop_in(GYSTR("m"), loop_port(port.ends[0], trace_and_count_down, &left));
    GYRunLoopTimerRef timer = always_due("timer");
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 10, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "timer port timer port timer port");
    loop_drop(timer);
    close_port(&port);
}

/* R33: all that are due are one event. */
LOOP_TEST(all_due_timers_are_one_event) {
    ready_port port;
    open_port(&port, "port");
    GYRunLoopTimerRef first = always_due("a"), second = always_due("b");
    for (int i = 0; i < 4; i++) loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "a b port a b port");
    loop_drop(first);
    loop_drop(second);
    close_port(&port);
}

static int count_word(const char *text, const char *word) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) count++;
    return count;
}

/* R33, R94 */
LOOP_TEST(ready_ports_take_turns_one_in_each_iteration) {
    ready_port ports[3];
    open_port(&ports[0], "a");
    open_port(&ports[1], "b");
    open_port(&ports[2], "c");
    for (int i = 0; i < 9; i++) {
        EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 0, true), kGYRunLoopRunHandledSource);
    }
    const char *words = test_trace_take();
    EXPECT_INT(count_word(words, "a"), 3);
    EXPECT_INT(count_word(words, "b"), 3);
    EXPECT_INT(count_word(words, "c"), 3);
    for (int i = 0; i < 3; i++) close_port(&ports[i]);
}

static void wake_in_observer(GYRunLoopObserverRef observer, GYRunLoopActivity activity,
                             void *unused) {
    (void)observer;
    (void)activity;
    (void)unused;
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

/* R33: a loop that is woken before each wait serves what is ready all the same. */
LOOP_TEST(a_wake_up_takes_no_turn) {
    ready_port port;
    atomic_int left = 3;
    open_port(&port, "unused");
    loop_drop(port.source);
    port.source = loop_in(GYSTR("m"), loop_port(port.ends[0], trace_and_count_down, &left));
    GYRunLoopTimerRef timer = always_due("timer");
    GYRunLoopObserverRef waker = loop_in(
        GYSTR("m"), loop_observer(kGYRunLoopBeforeWaiting, true, 0, wake_in_observer, NULL));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 10, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "timer port timer port timer port");
    loop_drop(waker);
    loop_drop(timer);
    close_port(&port);
}

/* A source that is signalled again by its own callout keeps the loop from ever waiting. */
typedef struct {
    GYRunLoopSourceRef source;
    int performed, limit; /* it stops the loop at the limit */
} busy_source;

static void signal_itself(void *given) {
    busy_source *busy = given;
    if (++busy->performed == busy->limit) GYRunLoopStop(GYRunLoopGetCurrent());
    GYRunLoopSourceSignal(busy->source);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
}

static void add_busy_source(busy_source *busy) {
    busy->performed = busy->limit = 0;
    busy->source = loop_in(GYSTR("m"), loop_source0(0, signal_itself, busy));
    GYRunLoopSourceSignal(busy->source);
}

/* R34 */
LOOP_TEST(a_busy_source_does_not_starve_timers) {
    busy_source busy;
    add_busy_source(&busy);
    GYRunLoopTimerRef timer = loop_in(GYSTR("m"), loop_timer(0.005, 0, loop_timer_stops, "timer"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 10, false), kGYRunLoopRunStopped);
    EXPECT(busy.performed > 0);
    EXPECT_STR(test_trace_take(), "timer");
    loop_drop(timer);
    loop_drop(busy.source);
}

/* R34: a due timer is looked at in every iteration. */
LOOP_TEST(a_busy_iteration_fires_what_is_due) {
    busy_source busy;
    add_busy_source(&busy);
    GYRunLoopTimerRef timer = always_due("timer");
    for (int i = 0; i < 3; i++) loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "timer timer timer");
    EXPECT_INT(busy.performed, 3);
    loop_drop(timer);
    loop_drop(busy.source);
}

static void write_later(GYRunLoopTimerRef timer, void *descriptor) {
    (void)timer;
    EXPECT_INT(write(*(int *)descriptor, "x", 1), 1);
}

/* R34: the port gets ready in the middle of a run whose first iteration found nothing. */
LOOP_TEST(a_busy_source_does_not_starve_ports) {
    int ends[2];
    busy_source busy;
    REQUIRE(pipe(ends) == 0);
    add_busy_source(&busy);
    GYRunLoopSourceRef port = loop_in(GYSTR("m"), loop_port(ends[0], loop_stops, "port"));
    GYRunLoopTimerRef timer = loop_in(GYSTR("m"), loop_timer(0.005, 0, write_later, &ends[1]));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 10, false), kGYRunLoopRunStopped);
    EXPECT(strncmp(test_trace_take(), "port", 4) == 0);
    loop_drop(timer);
    loop_drop(port);
    loop_drop(busy.source);
    close(ends[0]);
    close(ends[1]);
}

/* R34 */
LOOP_TEST(a_busy_source_does_not_starve_a_port_in_runs_of_one_pass) {
    int ends[2];
    busy_source busy;
    REQUIRE(pipe(ends) == 0);
    add_busy_source(&busy);
    GYRunLoopSourceRef port = loop_in(GYSTR("m"), loop_port(ends[0], loop_traces, "port"));
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "");
    EXPECT_INT(write(ends[1], "x", 1), 1);
    loop_poll(GYSTR("m"));
    EXPECT_STR(test_trace_take(), "port");
    loop_drop(port);
    loop_drop(busy.source);
    close(ends[0]);
    close(ends[1]);
}

/* R38 */
LOOP_TEST(a_loop_whose_source_is_always_signalled_never_waits) {
    busy_source busy;
    add_busy_source(&busy);
    GYRunLoopObserverRef observer =
        loop_in(GYSTR("m"), loop_trace_observer(kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting));
    busy.limit = 1000;
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 1e20, false), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(observer);
    loop_drop(busy.source);
}

TEST_MAIN()
