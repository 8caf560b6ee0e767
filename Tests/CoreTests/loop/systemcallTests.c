/* How many system calls things take. They do not depend on the machine, so they are a part of the
 * contract. */
#define _GNU_SOURCE 1
#include "items/port.h"
#include "support/calls.h"

#include <gyre/GYClock.h>
#include <gyre/GYDrainPool.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdlib.h>

#define MODE GYSTR("counted")

/* Scenes. Each does its work a number of times between the marks. */

#define TURNS 1000
#define TICKS 100
#define PASSES 10000
#define TIME_OUTS 100
#define PORTS 100
#define ROUNDS 20

typedef struct player {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
    struct player *other;
    int turns;
} player;

static void plays(void *info) {
    player *self = info;
    self->turns++;
    if (self->turns == 100 && self->rl == GYRunLoopGetMain()) calls_begin();
    if (self->turns == 100 + TURNS && self->rl == GYRunLoopGetMain()) {
        calls_end();
        GYRunLoopStop(self->rl);
        return;
    }
    GYRunLoopSourceSignal(self->other->source);
    GYRunLoopWakeUp(self->other->rl);
}

/* Two loops that sleep until the other one wakes them. */
static void scene_round_trips(void) {
    static loop_worker worker;
    static player players[2];
    loop_worker_start(&worker, MODE);
    players[0].rl = GYRunLoopGetCurrent();
    players[1].rl = worker.rl;
    for (int i = 0; i < 2; i++) {
        players[i].other = &players[1 - i];
        players[i].source = loop_source0(0, plays, &players[i]);
        GYRunLoopAddSource(players[i].rl, players[i].source, MODE);
    }
    GYRunLoopSourceSignal(players[1].source);
    GYRunLoopWakeUp(players[1].rl);
    GYRunLoopRunInMode(MODE, 1e20, false);
}

static int ends_of[PORTS][2], left;

static void reads_one(void *number) {
    char byte;
    if (read(ends_of[(intptr_t)number][0], &byte, 1) != 1) abort();
    if (--left == 0) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* A hundred pipes, all written to and then all served. */
static void scene_ready_descriptors(void) {
    for (intptr_t i = 0; i < PORTS; i++) {
        port_pipe(ends_of[i]);
        loop_in(MODE, loop_port(ends_of[i][0], reads_one, (void *)i));
    }
    for (int round = -1; round < ROUNDS; round++) {
        if (round == 0) calls_begin();
        for (int i = 0; i < PORTS; i++) port_write(ends_of[i][1], "x");
        left = PORTS;
        GYRunLoopRunInMode(MODE, 1e20, false);
    }
    calls_end();
}

static int passes_left;

static void goes_round(void *source) {
    if (--passes_left == 0)
        GYRunLoopStop(GYRunLoopGetCurrent());
    else
        GYRunLoopSourceSignal(*(GYRunLoopSourceRef *)source);
}

/* A source that signals itself, in a mode that holds a timer and a descriptor too. */
static void scene_busy_passes(void) {
    static GYRunLoopSourceRef source;
    static port idle;
    int ends[2];
    port_pipe(ends);
    idle.fd = ends[0];
    loop_in(MODE, port_make(&idle));
    loop_in(MODE, loop_timer(3600, 0, NULL, NULL));
    source = loop_in(MODE, loop_source0(0, goes_round, &source));
    for (int round = 0; round < 2; round++) {
        if (round == 1) calls_begin();
        passes_left = PASSES;
        GYRunLoopSourceSignal(source);
        GYRunLoopRunInMode(MODE, 1e20, false);
    }
    calls_end();
}

static int drains;

static void counts_a_drain(void *unused) {
    (void)unused;
    drains++;
}

static void goes_round_deferring(void *source) {
    GYDefer(counts_a_drain, NULL);
    goes_round(source);
}

/* A source that signals itself and defers a call each time. */
static void scene_draining_passes(void) {
    static GYRunLoopSourceRef source;
    source = loop_in(MODE, loop_source0(0, goes_round_deferring, &source));
    for (int round = 0; round < 2; round++) {
        if (round == 1) calls_begin();
        passes_left = PASSES;
        GYRunLoopSourceSignal(source);
        GYRunLoopRunInMode(MODE, 1e20, false);
    }
    calls_end();
    REQUIRE(drains == 2 * PASSES);
}

/* A thousand timers armed, others taken away and added. */
static void scene_timer_changes(void) {
    static GYRunLoopTimerRef timers[1000];
    for (int i = 0; i < 1000; i++) {
        timers[i] = loop_in(MODE, loop_timer(1000 + i, 0, NULL, NULL));
    }
    GYRunLoopRunInMode(MODE, 0.001, false);
    calls_begin();
    for (int i = 0; i < TURNS; i++) {
        GYRunLoopTimerRef timer = timers[i * 7 % 1000];
        GYRunLoopRemoveTimer(GYRunLoopGetCurrent(), timer, MODE);
        GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() + 2000 + i);
        loop_in(MODE, timer);
    }
    calls_end();
}

static int ticks;

static void ticking(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    ticks++;
    if (ticks == 10) calls_begin();
    if (ticks == 10 + TICKS) {
        calls_end();
        GYRunLoopStop(GYRunLoopGetCurrent());
    }
}

static void scene_ticks(void) {
    loop_in(MODE, loop_timer(0.001, 0.001, ticking, NULL));
    GYRunLoopRunInMode(MODE, 1e20, false);
}

static void scene_manual_ticks(void) {
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    loop_in(MODE, loop_timer(1, 1, NULL, NULL));
    GYRunLoopSetClock(GYRunLoopGetCurrent(), clock);
    GYRunLoopRunInMode(MODE, 10, false);
    calls_begin();
    GYRunLoopRunInMode(MODE, 86400, false);
    calls_end();
}

static void scene_time_outs(void) {
    loop_keep(MODE);
    GYRunLoopRunInMode(MODE, 0.0001, false);
    calls_begin();
    for (int i = 0; i < TIME_OUTS; i++) GYRunLoopRunInMode(MODE, 0.0001, false);
    calls_end();
}

static void wakes_itself(void *unused) {
    (void)unused;
    calls_begin();
    for (int i = 0; i < TURNS; i++) GYRunLoopWakeUp(GYRunLoopGetCurrent());
    calls_end();
}

/* Wake-ups of a loop that is awake, and of one that does not run. */
static void scene_wakes_awake(void) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, wakes_itself, NULL));
    GYRunLoopSourceSignal(source);
    loop_poll(MODE);
    wakes_itself(NULL);
}

/* Events that are taken back and asked for again, before the kernel had any to report. */
static void scene_event_changes(void) {
    static port watched;
    int ends[2];
    port_pipe(ends);
    watched.fd = ends[0];
    loop_in(MODE, port_make2(&watched, EPOLLIN));
    calls_begin();
    for (int i = 0; i < TURNS; i++) {
        GYRunLoopSourceSetEvents(watched.source, 0);
        GYRunLoopSourceSetEvents(watched.source, EPOLLIN);
    }
    calls_end();
}

static const calls_scene scenes[] = {
    {"round_trips", scene_round_trips},
    {"ready_descriptors", scene_ready_descriptors},
    {"busy_passes", scene_busy_passes},
    {"draining_passes", scene_draining_passes},
    {"timer_changes", scene_timer_changes},
    {"ticks", scene_ticks},
    {"time_outs", scene_time_outs},
    {"wakes_awake", scene_wakes_awake},
    {"event_changes", scene_event_changes},
    {"manual_ticks", scene_manual_ticks},
    {NULL, NULL},
};

/* One write and one wait on each side, and none for what comes with the two marks. */
TEST(a_round_trip_between_two_sleeping_loops_takes_four_calls) {
    calls_expect_at_most("round_trips", 4 * TURNS + 20, false);
}

/* Beside the handler's read and the writer's write. */
TEST(an_event_of_one_of_many_ready_descriptors_takes_a_twentieth_of_a_call) {
    calls_expect_at_most("ready_descriptors", PORTS * ROUNDS / 20, true);
}

TEST(a_busy_pass_takes_less_than_a_tenth_of_a_call) {
    calls_expect_at_most("busy_passes", PASSES / 10, false);
}

TEST(a_pass_that_drains_a_deferred_call_takes_no_call) {
    calls_expect_at_most("draining_passes", 0, false);
}

TEST(taking_a_timer_away_and_adding_it_takes_no_call) {
    calls_expect_at_most("timer_changes", 0, false);
}

/* The wait, and arming the kernel's timer anew. */
TEST(a_tick_of_a_repeating_timer_takes_two_calls) {
    calls_expect_at_most("ticks", 2 * TICKS, false);
}

/* R313 */
TEST(a_tick_by_a_clock_that_advances_itself_takes_no_call) {
    calls_expect_at_most("manual_ticks", 0, false);
}

TEST(a_run_that_finds_nothing_until_its_time_out_takes_one_call) {
    calls_expect_at_most("time_outs", TIME_OUTS, false);
}

TEST(waking_a_loop_that_is_awake_takes_no_call) { calls_expect_at_most("wakes_awake", 0, false); }

/* R220 */
TEST(events_asked_for_again_take_no_call) { calls_expect_at_most("event_changes", 0, false); }

CALLS_MAIN(scenes)
