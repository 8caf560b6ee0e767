/* A day of timers by a clock that advances itself, the same each time (R313). */
#include "support/loop.h"

#include <gyre/GYClock.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODE GYSTR("day")
#define SECOND INT64_C(1000000000)
#define DAY 86400
#define ODD_TIMERS 20

typedef struct day {
    char *log;
    size_t length, room;
    int ticks;
    uint64_t random;
    GYRunLoopSourceRef source;
} day;

static day *today;

static void note(const char *what, int number) {
    if (today->room - today->length < 64) {
        today->room = today->room == 0 ? 1 << 16 : today->room * 2;
        today->log = realloc(today->log, today->room);
        REQUIRE(today->log != NULL);
    }
    today->length += (size_t)sprintf(today->log + today->length, "%" PRId64 " %s%d\n",
                                     GYMonotonicNow(), what, number);
}

static uint64_t next_random(void) {
    today->random = today->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return today->random >> 33;
}

static void ticks(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    note("tick", today->ticks++);
    if (today->ticks % 1000 == 0) GYRunLoopSourceSignal(today->source);
}

static void fires(GYRunLoopTimerRef timer, void *number) {
    note("odd", *(int *)number);
    if (next_random() % 4 == 0) {
        GYRunLoopTimerSetNextFireAt(timer, GYMonotonicNow() + (int64_t)(next_random() * 1000));
    }
}

static void is_called(void *unused) {
    (void)unused;
    note("later", 0);
}

static void performs(void *unused) {
    (void)unused;
    note("source", 0);
    GYRelease(
        GYRunLoopPerformCreate(GYRunLoopGetCurrent(), MODE, 1500000000, is_called, NULL, NULL));
}

static GYRunLoopTimerRef odd_timer(int *number) {
    GYRunLoopTimerContext context = {.info = number};
    int64_t interval_ns = 20 * SECOND + (int64_t)(next_random() % 600) * 100000001;
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreateAfter(interval_ns, interval_ns, 0, fires, &context);
    GYRunLoopTimerSetTolerance(timer, (double)(next_random() % 3));
    return loop_in(MODE, timer);
}

static void live_through(void *given) {
    today = given;
    *today = (day){.random = 1};
    int numbers[ODD_TIMERS];
    GYRunLoopTimerRef timers[ODD_TIMERS + 1];
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, true);
    EXPECT(GYRunLoopSetClock(GYRunLoopGetCurrent(), clock));
    today->source = loop_in(MODE, loop_source0(0, performs, NULL));
    timers[ODD_TIMERS] = loop_in(MODE, GYRunLoopTimerCreateAfter(SECOND, SECOND, 0, ticks, NULL));
    for (int i = 0; i < ODD_TIMERS; i++) {
        numbers[i] = i;
        timers[i] = odd_timer(&numbers[i]);
    }
    EXPECT_INT(GYRunLoopRunInMode(MODE, DAY, false), kGYRunLoopRunTimedOut);
    EXPECT_INT(GYManualClockGetNow(clock), DAY * SECOND);
    for (int i = 0; i <= ODD_TIMERS; i++) loop_drop(timers[i]);
    loop_drop(today->source);
    GYRelease(clock);
}

TEST(a_day_of_timers_is_the_same_each_time) {
    day first, second;
    test_thread(live_through, &first);
    test_thread(live_through, &second);
    EXPECT_INT(first.ticks, DAY);
    EXPECT_INT(first.length, second.length);
    EXPECT(first.length > DAY * 10 && strcmp(first.log, second.log) == 0);
    EXPECT(strstr(first.log, " later0") != NULL && strstr(first.log, " odd3") != NULL);
    free(first.log);
    free(second.log);
}

TEST_MAIN()
