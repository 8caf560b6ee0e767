/* The wall clock is set while timers and time-outs run. */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define YEAR_S 31536000.0

/* Takes the place of the C library's, so that the wall clock can be set for this program alone. */
static atomic_long wall_offset_s;

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += atomic_load(&wall_offset_s);
    return (int)result;
}

static void set_clock(double change_s) { atomic_fetch_add(&wall_offset_s, (long)change_s); }

static const double steps_s[] = {YEAR_S, -YEAR_S, 3600, -3600};

/* The clock of this program can be set, or nothing below says anything. */
TEST(the_current_date_follows_the_wall_clock) {
    double before = GYAbsoluteTimeGetCurrent();
    set_clock(YEAR_S);
    EXPECT_NEAR(GYAbsoluteTimeGetCurrent(), before + YEAR_S, 100);
}

/* R120: neither hastened nor delayed. A delay by as much as the step would outlast the case. */
LOOP_TEST(setting_the_clock_moves_no_timer) {
    for (int i = 0; i < 4; i++) {
        int64_t start_ns = test_now_ns();
        GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.03, 0, loop_timer_stops, "fired"));
        set_clock(steps_s[i]);
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), "fired");
        EXPECT(test_now_ns() - start_ns >= 29000000);
        GYRelease(timer);
    }
}

typedef struct {
    GYRunLoopRef rl;
    double change_s;
    atomic_bool is_over;
    bool was_asleep;
} clock_setting;

static void sets_clock_when_asleep(void *given) {
    clock_setting *self = given;
    TEST_WAIT_UNTIL(GYRunLoopIsWaiting(self->rl) || atomic_load(&self->is_over));
    self->was_asleep = !atomic_load(&self->is_over);
    set_clock(self->change_s);
}

/* Runs the loop while another thread sets the clock. False where that thread came too late: the
   round has shown nothing and is to be repeated. */
static bool run_while_clock_is_set(double change_s, double timeout_s, GYRunLoopRunResult expected) {
    clock_setting setting = {.rl = GYRunLoopGetCurrent(), .change_s = change_s};
    pthread_t thread = test_thread_start(sets_clock_when_asleep, &setting);
    EXPECT_INT(loop_run(timeout_s), expected);
    atomic_store(&setting.is_over, true);
    test_thread_join(thread);
    return setting.was_asleep;
}

/* R120: while it sleeps. */
LOOP_TEST(setting_the_clock_under_a_sleeping_loop_moves_no_timer) {
    for (int i = 0; i < 4;) {
        int64_t start_ns = test_now_ns();
        GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.05, 0, loop_timer_stops, "fired"));
        if (run_while_clock_is_set(steps_s[i], 10, kGYRunLoopRunStopped)) i++;
        EXPECT_STR(test_trace_take(), "fired");
        EXPECT(test_now_ns() - start_ns >= 49000000);
        GYRelease(timer);
    }
}

static void sets_clock(GYRunLoopTimerRef timer, void *change_s) {
    (void)timer;
    set_clock(*(const double *)change_s);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R120, R104: the deadline keeps the grid, the date is what the clock will then show. */
LOOP_TEST(the_next_date_is_computed_with_the_clock_as_it_then_stands) {
    double step_s = YEAR_S;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0.01, 1000, sets_clock, &step_s));
    double first = GYRunLoopTimerGetNextFireDate(timer);
    int64_t first_ns = GYRunLoopTimerGetNextFireAt(timer);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), first_ns + 1000000000000);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), first + 1000 + YEAR_S, 1);
    loop_drop(timer);
}

/* R120: a date given after the step is one of the new clock. */
LOOP_TEST(a_date_given_after_the_clock_was_set_is_met_by_the_new_clock) {
    set_clock(-YEAR_S);
    int64_t before_ns = test_now_ns();
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(1000, 0, loop_timer_stops, NULL));
    EXPECT(GYRunLoopTimerGetNextFireAt(timer) > before_ns + 900000000000);
    EXPECT(GYRunLoopTimerGetNextFireAt(timer) < test_now_ns() + 1001000000000);
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() + 0.02);
    EXPECT_INT(loop_run(100), kGYRunLoopRunStopped);
    GYRelease(timer);
}

/* R54, R50, F51 */
LOOP_TEST(setting_the_clock_does_not_change_a_time_out) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    for (int i = 0; i < 4;) {
        int64_t start_ns = test_now_ns();
        if (run_while_clock_is_set(steps_s[i], 0.05, kGYRunLoopRunTimedOut)) i++;
        EXPECT(test_now_ns() - start_ns >= 50000000);
    }
    loop_drop(keep);
}

TEST_MAIN()
