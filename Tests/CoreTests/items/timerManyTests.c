/* Many timers: equal dates, random dates, none early, and great numbers of them. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdlib.h>

#define DEFAULT kGYRunLoopDefaultMode

static GYRunLoopTimerRef dated(double date, GYRunLoopTimerCallBack callout, void *info) {
    GYRunLoopTimerContext context = {.info = info};
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreate(kGYAllocatorDefault, date, 0, 0, 0, callout, &context);
    REQUIRE(timer != NULL);
    return timer;
}

static GYRunLoopTimerRef *make_room(int count) {
    GYRunLoopTimerRef *timers = calloc((size_t)count, sizeof(GYRunLoopTimerRef));
    REQUIRE(timers != NULL);
    return timers;
}

/* The place in its row that each timer fired at. */
static int next_place;

static void takes_place(GYRunLoopTimerRef timer, void *place) {
    (void)timer;
    *(int *)place = next_place++;
}

/* R103, F115: in the order of adding, which is not that of creation. */
LOOP_TEST(timers_with_equal_dates_fire_in_the_order_in_which_they_were_added) {
    enum { COUNT = 500 };
    static int places[COUNT];
    GYRunLoopTimerRef *timers = make_room(COUNT);
    double date = GYAbsoluteTimeGetCurrent() + 0.02;
    for (int i = 0; i < COUNT; i++) timers[i] = dated(date, takes_place, &places[i]);
    for (int i = COUNT - 1; i >= 0; i--) loop_in(DEFAULT, timers[i]);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        wrong += places[i] != COUNT - 1 - i;
        GYRelease(timers[i]);
    }
    EXPECT_INT(wrong, 0);
    free(timers);
}

static int fired, early;

static void counts_early(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    fired++;
    int64_t now_ns = GYMonotonicNow();
    GYAbsoluteTime now = GYAbsoluteTimeGetCurrent();
    if (now_ns < GYRunLoopTimerGetNextFireAt(timer)) early++;
    if (now < GYRunLoopTimerGetNextFireDate(timer)) early++;
}

/* F78, F87: not by a nanosecond, by either clock. */
LOOP_TEST(no_timer_of_less_than_three_milliseconds_is_early) {
    enum { COUNT = 500 };
    GYRunLoopTimerRef *timers = make_room(COUNT);
    srand(1);
    for (int i = 0; i < COUNT; i++) {
        double delay = 0.0001 + 0.0029 * rand() / RAND_MAX;
        timers[i] = dated(GYAbsoluteTimeGetCurrent() + delay, counts_early, NULL);
        loop_in(DEFAULT, timers[i]);
        EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 10, false), kGYRunLoopRunFinished);
        GYRelease(timers[i]);
    }
    EXPECT_INT(fired, COUNT);
    EXPECT_INT(early, 0);
    free(timers);
}

/* One step of F58. */
static void serve_next(double date) {
    double now = GYAbsoluteTimeGetCurrent();
    if (date > now) {
        loop_run(date - now);
        return;
    }
    int before = fired;
    loop_poll(DEFAULT);
    if (fired <= before) test_fail(__FILE__, __LINE__, "due at %.9f, not fired at %.9f", date, now);
}

/* F58: what the mode tells as due, the next pass fires. */
LOOP_TEST(whenever_the_next_date_of_a_mode_has_come_a_pass_fires_a_timer) {
    enum { COUNT = 10000 };
    GYRunLoopTimerRef *timers = make_room(COUNT);
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    srand(2);
    double start = GYAbsoluteTimeGetCurrent();
    for (int i = 0; i < COUNT; i++) {
        timers[i] = loop_in(DEFAULT, dated(start + 0.2 * rand() / RAND_MAX, counts_early, NULL));
    }
    for (;;) {
        double date = GYRunLoopGetNextTimerFireDate(rl, DEFAULT);
        if (date == 0 || test_failures() > 0) break;
        serve_next(date);
    }
    EXPECT_INT(fired, COUNT);
    EXPECT_INT(early, 0);
    for (int i = 0; i < COUNT; i++) GYRelease(timers[i]);
    free(timers);
}

static void shuffle(GYRunLoopTimerRef *timers, int count) {
    for (int i = count - 1; i > 0; i--) {
        int j = rand() % (i + 1);
        GYRunLoopTimerRef moved = timers[i];
        timers[i] = timers[j];
        timers[j] = moved;
    }
}

static double earliest(GYRunLoopTimerRef *timers, int count) {
    double first = GYRunLoopTimerGetNextFireDate(timers[0]);
    for (int i = 1; i < count; i++) {
        double date = GYRunLoopTimerGetNextFireDate(timers[i]);
        if (date < first) first = date;
    }
    return first;
}

/* R108, R113: the mode's next date is right while a hundred thousand leave it in random order. */
LOOP_TEST(a_hundred_thousand_timers_are_taken_away_in_random_order) {
    enum { COUNT = 100000 };
    GYRunLoopTimerRef *timers = make_room(COUNT);
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    srand(3);
    double start = GYAbsoluteTimeGetCurrent() + 1000;
    for (int i = 0; i < COUNT; i++) {
        timers[i] = loop_in(DEFAULT, dated(start + rand() % 50000, NULL, NULL));
    }
    shuffle(timers, COUNT);
    for (int left = COUNT; left > 0; left--) {
        GYRunLoopTimerRef timer = timers[left - 1];
        if (left % 10000 == 0) {
            EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == earliest(timers, left));
        }
        if (left % 2)
            GYRunLoopTimerInvalidate(timer);
        else
            GYRunLoopRemoveTimer(rl, timer, DEFAULT);
        GYRelease(timer);
    }
    EXPECT(GYRunLoopGetNextTimerFireDate(rl, DEFAULT) == 0);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    free(timers);
}

/* R33, R103: all that are due are one event. */
LOOP_TEST(a_hundred_thousand_timers_due_at_once_fire_in_one_pass_in_order) {
    enum { COUNT = 100000 };
    static int places[COUNT];
    GYRunLoopTimerRef *timers = make_room(COUNT);
    for (int i = 0; i < COUNT; i++) timers[i] = loop_in(DEFAULT, dated(0, takes_place, &places[i]));
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        wrong += places[i] != i || GYRunLoopTimerIsValid(timers[i]);
        GYRelease(timers[i]);
    }
    EXPECT_INT(next_place, COUNT);
    EXPECT_INT(wrong, 0);
    free(timers);
}

TEST_MAIN()
