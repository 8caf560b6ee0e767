/* How many system calls an embedding takes, beside those of the host. */
#include "support/calls.h"
#include "support/embed.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>

#define MODE GYSTR("counted")
#define ROUNDS 100

static void play_rounds(void (*round)(GYRunLoopEmbeddingRef e)) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    embed_until_idle(e);
    calls_begin();
    for (int i = 0; i < ROUNDS; i++) round(e);
    calls_end();
    embed_drop(e);
    loop_drop(keep);
}

static void wakes(GYRunLoopEmbeddingRef e) {
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EMBED_GOES_ON(embed_turn(e));
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
}

static void visits(GYRunLoopEmbeddingRef e) { EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e)); }

static void prepares(GYRunLoopEmbeddingRef e) { EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e)); }

static void scene_wakes(void) { play_rounds(wakes); }
static void scene_visits(void) { play_rounds(visits); }
static void scene_preparations(void) { play_rounds(prepares); }

static void scene_ticks(void) {
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.001, 0.001, NULL, NULL));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(embed_turn(e));
    calls_begin();
    for (int i = 0; i < ROUNDS; i++) EMBED_GOES_ON(embed_turn(e));
    calls_end();
    embed_drop(e);
    loop_drop(timer);
}

static const calls_scene scenes[] = {
    {"wakes", scene_wakes},
    {"visits", scene_visits},
    {"preparations", scene_preparations},
    {"ticks", scene_ticks},
    {NULL, NULL},
};

/* The waker's write, the host's wait, the look, and the bell, which is rung and hushed. */
TEST(an_iteration_takes_three_calls) { calls_expect_at_most("wakes", 5 * ROUNDS, false); }

TEST(a_dispatch_for_nothing_takes_one_call) { calls_expect_at_most("visits", ROUNDS, false); }

TEST(preparing_what_is_prepared_takes_no_call) { calls_expect_at_most("preparations", 0, false); }

/* The timerfd is set anew. */
TEST(a_tick_of_a_repeating_timer_takes_one_more) {
    calls_expect_at_most("ticks", 5 * ROUNDS, false);
}

CALLS_MAIN(scenes)
