/* Firings that were missed: dropped, made up for, or counted from the end of the callout. */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include "items/timer.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")
#define S INT64_C(1000000000)
#define FIRST_S 1000000
#define INTERVAL_S 10

/* Takes the place of the C library's: the monotonic clock of a case stands where the case has put
 * it. 0: it goes. */
static atomic_long now_s;

int clock_gettime(clockid_t clock, struct timespec *time) {
    long own_s = atomic_load(&now_s);
    if (clock != CLOCK_MONOTONIC || own_s == 0) return (int)syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){.tv_sec = own_s};
    return 0;
}

static long since_first_s(int64_t moment_ns) { return (long)(moment_ns / S - FIRST_S); }

/* A timer that is due when the clock of the case begins. */
typedef struct {
    int first_s, later_s;             /* how long its first callout takes, and each later one */
    void (*act)(GYRunLoopTimerRef t); /* at the end of the first; or NULL */
    int calls;
    GYRunLoopTimerRef timer;
} slow;

static void is_slow(GYRunLoopTimerRef timer, void *given) {
    slow *self = given;
    test_trace("%ld@%ld", since_first_s(GYRunLoopTimerGetNextFireAt(timer)),
               since_first_s(GYMonotonicNow()));
    bool is_first = self->calls++ == 0;
    atomic_fetch_add(&now_s, is_first ? self->first_s : self->later_s);
    if (is_first && self->act != NULL) self->act(timer);
}

static void begin(slow *self, GYRunLoopTimerOverrunPolicy policy, GYIndex limit) {
    atomic_store(&now_s, FIRST_S);
    GYRunLoopTimerContext context = {.info = self};
    self->timer = GYRunLoopTimerCreateAt(FIRST_S * S, INTERVAL_S * S, 0, is_slow, &context);
    EXPECT(GYRunLoopTimerSetOverrunPolicy(self->timer, policy, limit));
    loop_in(DEFAULT, self->timer);
}

/* So many passes, the clock put on where nothing is due: which dates were served, and when. */
static const char *served(const slow *self, int passes) {
    for (; passes > 0; passes--) {
        int64_t next_ns = GYRunLoopTimerGetNextFireAt(self->timer);
        if (next_ns > GYMonotonicNow()) atomic_store(&now_s, (long)(next_ns / S));
        loop_poll(DEFAULT);
    }
    return test_trace_take();
}

static void expect_served(slow given, GYRunLoopTimerOverrunPolicy policy, GYIndex limit,
                          const char *expected) {
    begin(&given, policy, limit);
    EXPECT_STR(served(&given, 6), expected);
    loop_drop(given.timer);
}

/* R104, R122 */
LOOP_TEST(missed_firings_are_dropped_and_the_grid_is_kept_where_nothing_else_was_said) {
    slow given = {.first_s = 35};
    expect_served(given, kGYTimerSkip, 0, "0@0 40@40 50@50 60@60 70@70 80@80");
}

/* R122 */
LOOP_TEST(a_timer_from_the_end_fires_one_interval_after_its_callout_has_returned) {
    expect_served((slow){.first_s = 35}, kGYTimerFromEnd, 0, "0@0 45@45 55@55 65@65 75@75 85@85");
    expect_served((slow){.first_s = 3, .later_s = 3}, kGYTimerFromEnd, 0,
                  "0@0 13@13 26@26 39@39 52@52 65@65");
}

/* R122 */
LOOP_TEST(missed_firings_are_made_up_for_one_in_a_pass_and_the_grid_is_kept) {
    slow given = {.first_s = 35};
    expect_served(given, kGYTimerCatchUp, 10, "0@0 10@35 20@35 30@35 40@40 50@50");
}

/* R122: the latest ones. */
LOOP_TEST(no_more_firings_are_made_up_for_than_the_limit) {
    slow given = {.first_s = 35};
    expect_served(given, kGYTimerCatchUp, 2, "0@0 20@35 30@35 40@40 50@50 60@60");
    expect_served(given, kGYTimerCatchUp, 0, "0@0 40@40 50@50 60@60 70@70 80@80");
    expect_served(given, kGYTimerCatchUp, -5, "0@0 40@40 50@50 60@60 70@70 80@80");
}

/* R122: what is outstanding does not grow beyond the limit, however slow the callouts. */
LOOP_TEST(a_timer_that_is_always_too_slow_lags_by_no_more_than_the_limit) {
    slow given = {.first_s = 25, .later_s = 25};
    expect_served(given, kGYTimerCatchUp, 2, "0@0 10@25 40@50 60@75 90@100 110@125");
}

/* R122: late for another reason than its own callout. */
LOOP_TEST(firings_missed_while_the_loop_ran_in_another_mode_are_treated_alike) {
    static const struct {
        GYRunLoopTimerOverrunPolicy policy;
        const char *expected;
    } rows[] = {
        {kGYTimerSkip, "0@35 40@40 50@50 60@60"},
        {kGYTimerFromEnd, "0@35 45@45 55@55 65@65"},
        {kGYTimerCatchUp, "0@35 20@35 30@35 40@40"},
    };
    GYRunLoopSourceRef keep = loop_keep(OTHER);
    for (int i = 0; i < 3; i++) {
        slow given = {0};
        begin(&given, rows[i].policy, 2);
        loop_poll(OTHER);
        atomic_fetch_add(&now_s, 35);
        loop_poll(OTHER);
        EXPECT_STR(served(&given, 4), rows[i].expected);
        loop_drop(given.timer);
    }
    loop_drop(keep);
}

static void moves_itself(GYRunLoopTimerRef timer) {
    GYRunLoopTimerSetNextFireAt(timer, (FIRST_S + 47) * S);
}

/* R106, R122: nothing that was missed before the date set is made up for. */
LOOP_TEST(a_date_set_in_the_callout_stands_whatever_the_policy) {
    slow given = {.first_s = 35, .act = moves_itself};
    expect_served(given, kGYTimerSkip, 0, "0@0 47@47 57@57 67@67 77@77 87@87");
    expect_served(given, kGYTimerFromEnd, 0, "0@0 47@47 57@57 67@67 77@77 87@87");
    expect_served(given, kGYTimerCatchUp, 9, "0@0 47@47 57@57 67@67 77@77 87@87");
}

/* R105, R122 */
LOOP_TEST(a_date_set_while_a_timer_catches_up_drops_what_is_outstanding) {
    slow given = {.first_s = 35};
    begin(&given, kGYTimerCatchUp, 10);
    EXPECT_STR(served(&given, 2), "0@0 10@35");
    moves_itself(given.timer);
    EXPECT_STR(served(&given, 2), "47@47 57@57");
    loop_drop(given.timer);
}

static void counts_from_the_end(GYRunLoopTimerRef timer) {
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerFromEnd, 0));
}

/* R122 */
LOOP_TEST(a_policy_set_in_the_callout_counts_for_the_firing_that_comes_next) {
    slow given = {.first_s = 35, .act = counts_from_the_end};
    expect_served(given, kGYTimerCatchUp, 9, "0@0 45@45 55@55 65@65 75@75 85@85");
}

static void ends_itself(GYRunLoopTimerRef timer) { GYRunLoopTimerInvalidate(timer); }

/* R113 */
LOOP_TEST(a_timer_invalidated_in_its_callout_makes_up_for_nothing) {
    slow given = {.first_s = 35, .act = ends_itself};
    expect_served(given, kGYTimerCatchUp, 9, "0@0");
}

/* R109: there is nothing to drift from, and half an interval is no missed firing. */
LOOP_TEST(a_tolerance_makes_no_firing_a_missed_one) {
    slow given = {0};
    begin(&given, kGYTimerCatchUp, 9);
    GYRunLoopTimerSetToleranceNanoseconds(given.timer, 5 * S);
    atomic_fetch_add(&now_s, 5);
    EXPECT_STR(served(&given, 3), "0@5 10@10 20@20");
    loop_drop(given.timer);
}

/* R33, R103: what is missed is made up for in iterations of their own. */
LOOP_TEST(a_timer_that_catches_up_leaves_others_their_turn) {
    int ends[2];
    REQUIRE(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    slow given = {.first_s = 45};
    begin(&given, kGYTimerCatchUp, 9);
    GYRunLoopSourceRef port = loop_in(DEFAULT, loop_port(ends[0], loop_traces, "port"));
    GYRunLoopTimerContext context = {.info = "timer"};
    GYRunLoopTimerRef other =
        loop_in(DEFAULT, GYRunLoopTimerCreateAt((FIRST_S + 45) * S, INTERVAL_S * S, 0,
                                                loop_timer_traces, &context));
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_traces, "source"));
    for (int passes = 0; passes < 7; passes++) {
        GYRunLoopSourceSignal(source);
        loop_poll(DEFAULT);
        test_trace("|");
    }
    EXPECT_STR(test_trace_take(), "source 0@0 | source port | source 10@45 timer | source port | "
                                  "source 20@45 | source port | source 30@45 |");
    loop_drop(given.timer);
    loop_drop(other);
    loop_drop(port);
    loop_drop(source);
    close(ends[0]);
    close(ends[1]);
}

/* R108: a date that is yet to be made up for is the mode's next one. */
LOOP_TEST(the_next_date_of_a_timer_that_catches_up_has_passed) {
    slow given = {.first_s = 35};
    begin(&given, kGYTimerCatchUp, 2);
    EXPECT_STR(served(&given, 1), "0@0");
    EXPECT_INT(since_first_s(GYRunLoopTimerGetNextFireAt(given.timer)), 20);
    EXPECT_INT(since_first_s(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), DEFAULT)), 20);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(given.timer), GYAbsoluteTimeGetCurrent() - 15, 1);
    loop_drop(given.timer);
}

/* The arithmetic. */

/* R119: as if one were added to another. */
static int64_t one_by_one(int64_t served_ns, int64_t interval_ns, int64_t now_ns, int64_t limit) {
    int64_t next_ns = served_ns + interval_ns;
    while ((now_ns - next_ns) / interval_ns + 1 > limit && next_ns <= now_ns) {
        next_ns += interval_ns;
    }
    return next_ns;
}

TEST(the_next_date_is_the_same_as_by_adding_interval_after_interval) {
    srandom(1);
    for (int i = 0; i < 100000; i++) {
        int64_t served_ns = random() % 1000, interval_ns = 1 + random() % 50;
        int64_t now_ns = served_ns + random() % 1000, limit = random() % 20;
        EXPECT_INT(
            gy_timer_deadline_after(served_ns, interval_ns, now_ns, gy_overrun_catch_up(limit)),
            one_by_one(served_ns, interval_ns, now_ns, limit));
        EXPECT_INT(gy_timer_deadline_after(served_ns, interval_ns, now_ns, GY_OVERRUN_SKIP),
                   one_by_one(served_ns, interval_ns, now_ns, 0));
        EXPECT_INT(gy_timer_deadline_after(served_ns, interval_ns, now_ns, GY_OVERRUN_FROM_END),
                   now_ns + interval_ns);
    }
}

/* R119, R115: at once, whatever the numbers. */
TEST(the_next_date_does_not_overflow) {
    static const struct {
        int64_t served_ns, interval_ns, now_ns, limit, expected_ns;
    } rows[] = {
        {0, 1, INT64_MAX - 1, 0, INT64_MAX},
        {0, 1, INT64_MAX - 1, INT64_MAX, 1},
        {0, 1, INT64_MAX - 1, 3, INT64_MAX - 3},
        {0, 1, INT64_MAX - 1, INT64_MAX - 1, 1},
        {0, 1, INT64_MAX - 1, INT64_MAX - 2, 2},
        {0, INT64_MAX, 5, 0, INT64_MAX},
        {7, INT64_MAX, 5, 3, INT64_MAX},
        {7, INT64_MAX - 3, INT64_MAX - 1, 0, INT64_MAX},
        {3, INT64_MAX - 4, INT64_MAX - 1, 0, INT64_MAX},
        {3, INT64_MAX - 4, INT64_MAX - 1, 1, INT64_MAX - 1},
        {INT64_MIN, 1, INT64_MAX - 1, 0, INT64_MAX},
        {INT64_MIN, 2, INT64_MAX - 1, 1, INT64_MAX - 1},
        {INT64_MAX, 1, 5, 9, INT64_MAX},
        {10, 3, 9, 9, 13}, /* served before its date: by hand */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gy_overrun overrun = gy_overrun_catch_up(rows[i].limit);
        if (!EXPECT_INT(gy_timer_deadline_after(rows[i].served_ns, rows[i].interval_ns,
                                                rows[i].now_ns, overrun),
                        rows[i].expected_ns)) {
            test_fail(__FILE__, __LINE__, "in row %zu", i);
        }
    }
    EXPECT_INT(gy_timer_deadline_after(0, INT64_MAX, 5, GY_OVERRUN_FROM_END), INT64_MAX);
}

TEST(a_plain_timer_has_nothing_for_its_policy) {
    GYRunLoopTimerRef timer = loop_timer(1, 1, NULL, NULL);
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerSkip, 5));
    EXPECT(gy_timer_extra_of(timer) == NULL);
    GYRelease(timer);
}

static void sets_a_policy(void *timer) {
    EXPECT(GYRunLoopTimerSetOverrunPolicy(timer, kGYTimerCatchUp, 3));
}

/* Neither thread loses what the other has made. */
TEST(a_policy_may_be_set_by_several_threads_at_once) {
    for (int i = 0; i < 200; i++) {
        GYRunLoopTimerRef timer = loop_timer(1, 1, NULL, NULL);
        pthread_t threads[2];
        for (int t = 0; t < 2; t++) threads[t] = test_thread_start(sets_a_policy, timer);
        for (int t = 0; t < 2; t++) test_thread_join(threads[t]);
        GYIndex limit = 0;
        EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(timer, &limit), kGYTimerCatchUp);
        EXPECT_INT(limit, 3);
        GYRelease(timer);
    }
}

TEST_MAIN()
