/* How many system calls the main loop takes where it serves the main queue: those of a program
 * without libdispatch, and one for each drain. */
#define _GNU_SOURCE 1
#include "support/calls.h"
#include "support/dispatch.h"

#include <unistd.h>

#define MODE kGYRunLoopDefaultMode
#define TURNS 1000

/* libdispatch writes for each piece of work that is queued, and after a drain that leaves some. */
#define WRITES 2

static int turns;

/* A few turns come before those that count. */
static bool count_turn(void) {
    turns++;
    if (turns == 10) calls_begin();
    if (turns < 10 + TURNS) return true;
    calls_end();
    GYRunLoopStop(GYRunLoopGetCurrent());
    return false;
}

static void work_again(void *unused) {
    if (count_turn()) queue_work(work_again, unused);
}

static void scene_drains(void) {
    queue_work(work_again, NULL);
    loop_run(1e20);
}

static void tick(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    count_turn();
}

static void scene_ticks(void) {
    loop_in(MODE, loop_timer(0.0005, 0.0005, tick, NULL));
    loop_run(1e20);
}

/* With an observer that would see the difference, the loop looks at the queue before it waits. */
static void scene_observed_ticks(void) {
    loop_in(MODE, loop_observer(kGYRunLoopBeforeWaiting, true, 0, NULL, NULL));
    scene_ticks();
}

static void go_round(void *source) {
    if (count_turn()) GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)source);
}

static void scene_busy_passes(void) {
    static GYRunLoopSourceRef source;
    source = loop_in(MODE, loop_source0(0, go_round, &source));
    GYRunLoopSourceSignal(source);
    loop_run(1e20);
}

static const calls_scene scenes[] = {
    {"drains", scene_drains},
    {"ticks", scene_ticks},
    {"observed_ticks", scene_observed_ticks},
    {"busy_passes", scene_busy_passes},
    {NULL, NULL},
};

#define CALL_TEST(sentence, scene, limit)                                                          \
    TEST(sentence) {                                                                               \
        TEST_SKIP_IF(&_dispatch_main_q == NULL, "there is no libdispatch");                        \
        calls_expect_at_most(scene, limit, false);                                                 \
    }

/* The wait and the read. */
CALL_TEST(a_drain_takes_two_calls, "drains", (2 + WRITES) * TURNS + 5)

/* The wait, and arming the kernel's timer anew. */
CALL_TEST(a_tick_takes_two_calls_where_nobody_sees_the_waiting, "ticks", 2 * TURNS + 5)

CALL_TEST(a_tick_takes_three_calls_where_somebody_does, "observed_ticks", 3 * TURNS + 5)

CALL_TEST(a_busy_pass_takes_less_than_a_tenth_of_a_call, "busy_passes", TURNS / 10)

CALLS_MAIN(scenes)
