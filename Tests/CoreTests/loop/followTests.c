/* Timers by boot time and by the wall clock, while this is set and the machine is suspended.
 *
 * Both are done to this program alone, by functions that take the place of the C library's: the
 * clocks show what is added to them, and the timerfd that the kernel would cancel expires. */
#define _GNU_SOURCE 1
#include "support/embed.h"
#include "support/loop.h"

#include "api/misuse.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYClock.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define DEFAULT kGYRunLoopDefaultMode
#define SECOND INT64_C(1000000000)
#define HOUR 3600.0
#define HOUR_NS (3600 * SECOND)

static _Atomic int64_t wall_ahead_s, boot_ahead_s;
static _Atomic int watching = -1; /* the last timerfd of the wall clock */

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec += atomic_load(&wall_ahead_s);
    if (clock == CLOCK_BOOTTIME) time->tv_sec += atomic_load(&boot_ahead_s);
    return (int)result;
}

int timerfd_create(clockid_t clock, int flags) {
    int fd = (int)syscall(SYS_timerfd_create, clock, flags);
    if (clock == CLOCK_REALTIME) atomic_store(&watching, fd);
    return fd;
}

static void tell_watcher(void) {
    struct itimerspec at_once = {.it_value = {0, 1}};
    int fd = atomic_load(&watching);
    if (fd >= 0) syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &at_once, NULL);
}

static void set_clock(int64_t change_s) {
    atomic_fetch_add(&wall_ahead_s, change_s);
    tell_watcher();
}

/* The monotonic clock stands still. */
static void be_suspended(int64_t s) {
    atomic_fetch_add(&boot_ahead_s, s);
    set_clock(s);
}

static void is_told(GYRunLoopTimerRef timer, int64_t change_ns, void *word) {
    (void)timer;
    test_trace("%s%+d", word == NULL ? "set" : (const char *)word,
               (int)((double)change_ns / 1e9 + (change_ns < 0 ? -0.5 : 0.5)));
}

/* Due in so many seconds; traces its word. */
static GYRunLoopTimerRef timer_by(GYRunLoopTimerClock clock, double delay_s, double interval_s,
                                  const char *word) {
    GYRunLoopTimerRef timer =
        loop_timer(delay_s, interval_s, loop_timer_traces, (void *)(uintptr_t)word);
    EXPECT(GYRunLoopTimerSetClock(timer, clock, NULL));
    return timer;
}

static double left_s(GYRunLoopTimerRef timer) {
    return (double)(GYRunLoopTimerGetNextFireAt(timer) - GYMonotonicNow()) / 1e9;
}

/* ---- the wall clock is set ---- */

/* R316, in both directions: it fires when the clock shows its date. */
LOOP_TEST(a_timer_by_the_wall_clock_follows_it) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, 2 * HOUR, 0, "wall"));
    double date = GYRunLoopTimerGetNextFireDate(timer);
    set_clock(-3600);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_NEAR(left_s(timer), 3 * HOUR, 60);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    set_clock(2 * 3600);
    EXPECT_NEAR(left_s(timer), HOUR, 60);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    set_clock(3600);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "wall");
    EXPECT(GYAbsoluteTimeGetCurrent() >= date);
    GYRelease(timer);
}

/* R315: the others do not. */
LOOP_TEST(timers_by_other_clocks_do_not) {
    GYRunLoopTimerRef monotonic = loop_in(DEFAULT, timer_by(kGYTimerMonotonic, HOUR, 0, "uptime"));
    GYRunLoopTimerRef boot = loop_in(DEFAULT, timer_by(kGYTimerBoot, HOUR, 0, "boot"));
    int64_t at_ns = GYRunLoopTimerGetNextFireAt(monotonic);
    set_clock(86400);
    loop_poll(DEFAULT);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(monotonic), at_ns);
    EXPECT_NEAR(left_s(boot), HOUR, 60);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(monotonic);
    loop_drop(boot);
}

typedef struct {
    GYRunLoopRef rl;
    int64_t change_s;
    bool is_suspension;
} setting;

static void changes_when_asleep(void *given) {
    const setting *self = given;
    loop_wait_asleep(self->rl);
    if (self->is_suspension) be_suspended(self->change_s);
    if (!self->is_suspension) set_clock(self->change_s);
}

static void run_meanwhile(setting change, GYRunLoopRunResult expected) {
    change.rl = GYRunLoopGetCurrent();
    pthread_t thread = test_thread_start(changes_when_asleep, &change);
    EXPECT_INT(loop_run(20), expected);
    test_thread_join(thread);
}

/* R316: the sleep ends, and with it the hour. */
LOOP_TEST(a_sleeping_loop_notices_that_the_clock_was_set) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, HOUR, 0, "wall"));
    run_meanwhile((setting){.change_s = 3600}, kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "wall");
    GYRelease(timer);
}

/* R316: in a mode with a set of its own too. */
LOOP_TEST(a_mode_with_descriptors_notices_it_too) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    GYRunLoopSourceRef before = loop_in(DEFAULT, loop_port(ends[0], loop_stops, NULL));
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(HOUR, 0, loop_timer_stops, "wall"));
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, NULL));
    run_meanwhile((setting){.change_s = 3600}, kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "wall");
    loop_drop(before);
    GYRelease(timer);
    /* And one whose set is made when there is such a timer already. */
    timer = loop_in(GYSTR("later"), loop_timer(HOUR, 0, loop_timer_stops, "again"));
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, NULL));
    GYRunLoopSourceRef after = loop_in(GYSTR("later"), loop_port(ends[0], loop_stops, NULL));
    setting change = {GYRunLoopGetCurrent(), 3600, false};
    pthread_t thread = test_thread_start(changes_when_asleep, &change);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("later"), 20, false), kGYRunLoopRunStopped);
    test_thread_join(thread);
    EXPECT_STR(test_trace_take(), "again");
    loop_drop(after);
    GYRelease(timer);
    close(ends[0]);
    close(ends[1]);
}

/* R316: put off while the loop sleeps, and not seen (R114). */
LOOP_TEST(a_clock_that_goes_back_puts_the_timer_off) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, 0.05, 0, "wall"));
    GYRunLoopTimerRef end = loop_in(DEFAULT, loop_timer(0.2, 0, loop_timer_stops, "end"));
    run_meanwhile((setting){.change_s = -3600}, kGYRunLoopRunStopped);
    const char *seen = test_trace_take();
    /* Where the other thread came too late it had fired. */
    if (strcmp(seen, "wall end") != 0) {
        EXPECT_STR(seen, "end");
        EXPECT_NEAR(left_s(timer), HOUR, 60);
    }
    loop_drop(timer);
    GYRelease(end);
}

/* R316, R104: the grid is one of dates. */
LOOP_TEST(a_repeating_timer_keeps_its_grid_of_dates) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, 60, 60, "tick"));
    double first = GYRunLoopTimerGetNextFireDate(timer);
    set_clock(10 * 60 + 30);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "tick");
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), first + 600, 0.001);
    set_clock(-3600);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(timer), HOUR + 30, 20);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), first + 600, 0.001);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(timer);
}

static void sets_clock_back(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    test_trace("fired");
    set_clock(-3600);
}

/* R316, R104: also where it was set by the callout. */
LOOP_TEST(a_clock_set_in_the_callout_counts_for_the_next_date) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(0, 60, sets_clock_back, NULL));
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, NULL));
    double first = GYRunLoopTimerGetNextFireDate(timer);
    loop_poll(DEFAULT);
    EXPECT_NEAR(GYRunLoopTimerGetNextFireDate(timer), first + 60, 0.01);
    EXPECT_NEAR(left_s(timer), HOUR + 60, 20);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "fired");
    loop_drop(timer);
}

/* R316: in every mode that holds it, in order. */
LOOP_TEST(a_timer_follows_in_all_its_modes) {
    GYRunLoopTimerRef wall = timer_by(kGYTimerWall, 2 * HOUR, 0, "wall");
    GYRunLoopTimerRef uptime = timer_by(kGYTimerMonotonic, HOUR, 0, "uptime");
    loop_in(DEFAULT, loop_in(GYSTR("other"), wall));
    loop_in(DEFAULT, loop_in(GYSTR("other"), uptime));
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT_NEAR(GYRunLoopGetNextTimerFireDate(rl, GYSTR("other")),
                GYRunLoopTimerGetNextFireDate(uptime), 0.01);
    set_clock(3600 + 1800);
    loop_poll(DEFAULT);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, GYSTR("other")), GYRunLoopTimerGetNextFireAt(wall));
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(rl, DEFAULT), GYRunLoopTimerGetNextFireAt(wall));
    set_clock(1800);
    GYRunLoopRunInMode(GYSTR("other"), 0, false);
    EXPECT_STR(test_trace_take(), "wall");
    GYRelease(wall);
    loop_drop(uptime);
}

/* R316: also those that are due and wait for their turn. */
static void sets_clock_for_next(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    set_clock(-3600);
    GYRunLoopRunInMode(GYSTR("nested"), 0, false);
}

LOOP_TEST(a_due_timer_whose_date_is_no_longer_come_waits_for_it) {
    GYRunLoopTimerRef first = loop_in(DEFAULT, loop_timer(-1, 0, sets_clock_for_next, NULL));
    GYRunLoopTimerRef next = loop_in(DEFAULT, timer_by(kGYTimerWall, 0, 0, "wall"));
    GYRunLoopTimerRef keep = loop_in(GYSTR("nested"), timer_by(kGYTimerWall, 0, 0, "in"));
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    EXPECT_NEAR(left_s(next), HOUR, 60);
    set_clock(3600);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall");
    GYRelease(first);
    GYRelease(next);
    loop_drop(keep);
}

/* R316: a free timer keeps its date. */
LOOP_TEST(a_free_timer_follows_too) {
    GYRunLoopTimerRef timer = timer_by(kGYTimerWall, 2 * HOUR, 0, "wall");
    double date = GYRunLoopTimerGetNextFireDate(timer);
    set_clock(3600);
    EXPECT_NEAR(left_s(timer), HOUR, 60);
    set_clock(3600);
    loop_in(DEFAULT, timer);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall");
    GYRelease(timer);
}

/* R316, R105 */
LOOP_TEST(a_date_that_is_set_is_one_of_the_clock_as_it_stands) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, HOUR, 0, "wall"));
    set_clock(-7200);
    double date = GYAbsoluteTimeGetCurrent() + 60;
    GYRunLoopTimerSetNextFireDate(timer, date);
    EXPECT_NEAR(left_s(timer), 60, 20);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(timer), 60, 20);
    EXPECT(GYRunLoopTimerGetNextFireDate(timer) == date);
    GYRunLoopTimerSetNextFireAt(timer, INT64_MAX);
    set_clock(7200);
    loop_poll(DEFAULT);
    EXPECT_INT(GYRunLoopTimerGetNextFireAt(timer), INT64_MAX);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(timer);
}

/* R315 */
LOOP_TEST(a_timer_can_go_back_to_the_monotonic_clock) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, 2 * HOUR, 0, "wall"));
    EXPECT_INT(GYRunLoopTimerGetClock(timer), kGYTimerWall);
    set_clock(3600);
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerMonotonic, NULL));
    EXPECT_INT(GYRunLoopTimerGetClock(timer), kGYTimerMonotonic);
    EXPECT_NEAR(left_s(timer), HOUR, 60);
    set_clock(3600);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(timer), HOUR, 60);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(timer);
}

/* ---- being told ---- */

static GYRunLoopTimerRef told_timer(double delay_s, double interval_s, const char *word) {
    GYRunLoopTimerRef timer =
        loop_timer(delay_s, interval_s, loop_timer_traces, (void *)(uintptr_t)word);
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, is_told));
    return timer;
}

/* R317: due or not, and the firing is still to come. */
LOOP_TEST(a_timer_is_told_that_the_clock_was_set) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, told_timer(2 * HOUR, 0, "wall"));
    set_clock(3600);
    loop_poll(DEFAULT);
    set_clock(-60);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall+3600 wall-60");
    EXPECT(GYRunLoopTimerIsValid(timer));
    set_clock(7200);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall+7200");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall");
    EXPECT(!GYRunLoopTimerIsValid(timer));
    GYRelease(timer);
}

/* R317: the sleep ends for it, as for a timer that is due. */
LOOP_TEST(a_sleeping_loop_tells_its_timers) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, told_timer(2 * HOUR, 0, "wall"));
    GYRunLoopTimerRef end = loop_in(DEFAULT, timer_by(kGYTimerWall, 1800, 0, "end"));
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAfterWaiting));
    setting change = {GYRunLoopGetCurrent(), 600, false};
    pthread_t thread = test_thread_start(changes_when_asleep, &change);
    EXPECT_INT(loop_run(0.3), kGYRunLoopRunTimedOut);
    test_thread_join(thread);
    EXPECT_STR(test_trace_take(), "wake wall+600 wake");
    loop_drop(timer);
    loop_drop(end);
    loop_drop(observer);
}

/* R317: what was not told yet is told as one, and not to whom it does not matter. */
LOOP_TEST(several_settings_are_told_as_one) {
    GYRunLoopTimerRef timer = loop_in(GYSTR("other"), told_timer(5 * HOUR, HOUR, "wall"));
    GYRunLoopTimerRef watch = loop_in(DEFAULT, timer_by(kGYTimerWall, 9 * HOUR, 0, "watch"));
    set_clock(3600);
    loop_poll(DEFAULT);
    set_clock(-600);
    loop_poll(DEFAULT);
    GYRunLoopRunInMode(GYSTR("other"), 0, false);
    GYRunLoopRunInMode(GYSTR("other"), 0, false);
    EXPECT_STR(test_trace_take(), "wall+3000");
    loop_drop(timer);
    loop_drop(watch);
}

/* R317: a suspension sets no clock. */
LOOP_TEST(a_suspension_is_not_told) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, told_timer(2 * HOUR, 0, "wall"));
    be_suspended(3600);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(timer), HOUR, 60);
    EXPECT_STR(test_trace_take(), "");
    be_suspended(3600);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall");
    GYRelease(timer);
}

static void changes_everything(GYRunLoopTimerRef timer, int64_t change_ns, void *unused) {
    (void)unused;
    is_told(timer, change_ns, "told");
    GYRunLoopRunInMode(DEFAULT, 0, false); /* R112 */
    GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() + 30);
}

/* R317, R106, R112 */
LOOP_TEST(what_is_told_may_move_the_timer) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(HOUR, HOUR, loop_timer_traces, "fired"));
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, changes_everything));
    set_clock(2 * 3600 + 1);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(timer), 30, 15);
    EXPECT_STR(test_trace_take(), "told+7201");
    loop_drop(timer);
}

static void ends(GYRunLoopTimerRef timer, int64_t change_ns, void *unused) {
    (void)unused;
    test_trace(change_ns > 0 ? "end" : "?");
    GYRunLoopTimerInvalidate(timer);
}

/* R317, R113 */
LOOP_TEST(what_is_told_may_end_the_timer) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(HOUR, HOUR, loop_timer_traces, "fired"));
    GYRunLoopTimerRef other = loop_in(DEFAULT, told_timer(HOUR, 0, "other"));
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, ends));
    set_clock(60);
    loop_poll(DEFAULT);
    GYRunLoopTimerInvalidate(other);
    loop_poll(DEFAULT);
    const char *seen = test_trace_take();
    EXPECT(strcmp(seen, "end other+60") == 0 || strcmp(seen, "other+60 end") == 0);
    GYRelease(timer);
    GYRelease(other);
}

/* R317: before it was told, it no longer wants to be. */
LOOP_TEST(what_is_pending_can_be_taken_back) {
    GYRunLoopTimerRef timer = loop_in(GYSTR("other"), told_timer(HOUR, 0, "wall"));
    GYRunLoopTimerRef watch = loop_in(DEFAULT, timer_by(kGYTimerWall, 9 * HOUR, 0, "watch"));
    set_clock(60);
    loop_poll(DEFAULT);
    EXPECT(GYRunLoopTimerSetClock(timer, kGYTimerWall, NULL));
    GYRunLoopRunInMode(GYSTR("other"), 0, false);
    EXPECT_STR(test_trace_take(), "");
    EXPECT_NEAR(GYRunLoopGetNextTimerFireDate(GYRunLoopGetCurrent(), GYSTR("other")),
                GYRunLoopTimerGetNextFireDate(timer), 0.01);
    loop_drop(timer);
    loop_drop(watch);
}

/* R108: what is to be told does not hide the earliest date. */
LOOP_TEST(the_next_date_is_that_of_the_earliest_firing) {
    GYRunLoopTimerRef told = loop_in(GYSTR("other"), told_timer(2 * HOUR, 0, "wall"));
    GYRunLoopTimerRef early = loop_in(GYSTR("other"), timer_by(kGYTimerMonotonic, 60, 0, "early"));
    GYRunLoopTimerRef watch = loop_in(DEFAULT, timer_by(kGYTimerWall, 9 * HOUR, 0, "watch"));
    set_clock(5);
    loop_poll(DEFAULT);
    EXPECT_INT(GYRunLoopGetNextTimerFireAt(GYRunLoopGetCurrent(), GYSTR("other")),
               GYRunLoopTimerGetNextFireAt(early));
    loop_drop(told);
    loop_drop(early);
    loop_drop(watch);
}

/* ---- suspension ---- */

/* R316, reliability 20 */
LOOP_TEST(a_timer_by_boot_time_is_due_when_the_machine_goes_on) {
    GYRunLoopTimerRef boot = loop_in(DEFAULT, timer_by(kGYTimerBoot, HOUR, 0, "boot"));
    GYRunLoopTimerRef uptime = loop_in(DEFAULT, timer_by(kGYTimerMonotonic, HOUR, 0, "uptime"));
    be_suspended(1800);
    loop_poll(DEFAULT);
    EXPECT_NEAR(left_s(boot), 1800, 60);
    EXPECT_NEAR(left_s(uptime), HOUR, 60);
    be_suspended(1800);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "boot");
    GYRelease(boot);
    loop_drop(uptime);
}

LOOP_TEST(a_loop_that_slept_through_it_notices) {
    GYRunLoopTimerRef boot = loop_in(DEFAULT, timer_by(kGYTimerBoot, HOUR, 0, "boot"));
    run_meanwhile((setting){.change_s = 3600, .is_suspension = true}, kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "boot");
    GYRelease(boot);
}

static bool enter_later_boot_time(void) {
    if (unshare(CLONE_NEWTIME) != 0) return false;
    int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool ok = write(fd, "boottime 3600 0", 15) == 15;
    close(fd);
    return ok;
}

static void finds_boot_timer_due(void *unused) {
    (void)unused;
    GYRunLoopRunInMode(GYSTR("own"), 0, false);
    EXPECT_STR(test_trace_take(), "boot");
}

/* F94: the kernel's own boot time, in a name space where it is an hour later. */
TEST(a_timer_by_boot_time_is_due_where_boot_time_is_later) {
    GYRunLoopTimerRef boot = loop_in(GYSTR("own"), timer_by(kGYTimerBoot, 1800, 0, "boot"));
    GYRunLoopTimerRef uptime =
        loop_in(GYSTR("own"), timer_by(kGYTimerMonotonic, 1800, 0, "uptime"));
    bool may = enter_later_boot_time();
    if (may) EXPECT_INT(test_child(finds_boot_timer_due, NULL), 0);
    loop_drop(boot);
    loop_drop(uptime);
    TEST_SKIP_IF(!may, "a time name space is not permitted");
}

/* Never early, by its own clock. */
LOOP_TEST(no_timer_is_early_by_its_clock) {
    GYRunLoopTimerClock clocks[] = {kGYTimerBoot, kGYTimerWall};
    clockid_t ids[] = {CLOCK_BOOTTIME, CLOCK_REALTIME};
    for (int i = 0; i < 200; i++) {
        struct timespec before, after;
        clock_gettime(ids[i % 2], &before);
        GYRunLoopTimerRef timer = timer_by(clocks[i % 2], 0.0003 + i * 1e-6, 0, "");
        double date = GYRunLoopTimerGetNextFireDate(timer);
        loop_in(DEFAULT, timer);
        EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
        clock_gettime(ids[i % 2], &after);
        double took =
            (double)(after.tv_sec - before.tv_sec) + (after.tv_nsec - before.tv_nsec) / 1e9;
        if (!EXPECT(took >= 0.0003 + i * 1e-6)) break;
        if (!EXPECT(GYAbsoluteTimeGetCurrent() >= date)) break;
        GYRelease(timer);
    }
    test_trace_take();
}

/* ---- what it costs, and what can fail ---- */

/* R315 */
LOOP_TEST(one_descriptor_serves_all_and_only_those_who_need_it) {
    GYRunLoopTimerRef plain = loop_in(DEFAULT, timer_by(kGYTimerMonotonic, HOUR, 0, ""));
    int before = test_descriptor_count();
    GYRunLoopTimerRef wall = loop_in(DEFAULT, timer_by(kGYTimerWall, HOUR, 0, ""));
    GYRunLoopTimerRef boot = loop_in(DEFAULT, timer_by(kGYTimerBoot, HOUR, 0, ""));
    EXPECT_INT(test_descriptor_count(), before + 1);
    EXPECT(atomic_load(&watching) >= 0);
    loop_drop(plain);
    loop_drop(wall);
    loop_drop(boot);
}

static void refuse_descriptors(bool refuses) {
    static struct rlimit before;
    if (refuses) getrlimit(RLIMIT_NOFILE, &before);
    struct rlimit none = {3, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, refuses ? &none : &before);
}

/* R89 */
LOOP_TEST(a_refused_descriptor_changes_nothing) {
    GYRunLoopTimerRef in = loop_in(DEFAULT, timer_by(kGYTimerMonotonic, 0.01, 0, "in"));
    GYRunLoopTimerRef out = timer_by(kGYTimerWall, HOUR, 0, "out");
    refuse_descriptors(true);
    errno = 0;
    EXPECT(!GYRunLoopTimerSetClock(in, kGYTimerBoot, NULL));
    EXPECT_INT(errno, EMFILE);
    EXPECT_INT(GYRunLoopTimerGetClock(in), kGYTimerMonotonic);
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), out, DEFAULT);
    EXPECT_INT(errno, EMFILE);
    EXPECT(!GYRunLoopContainsTimer(GYRunLoopGetCurrent(), out, DEFAULT));
    refuse_descriptors(false);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "in");
    loop_in(DEFAULT, out);
    EXPECT(GYRunLoopContainsTimer(GYRunLoopGetCurrent(), out, DEFAULT));
    GYRelease(in);
    loop_drop(out);
}

LOOP_TEST(bad_arguments_are_reported) {
    GYRunLoopTimerRef timer = timer_by(kGYTimerMonotonic, HOUR, 0, "");
    test_capture_log();
    EXPECT(!GYRunLoopTimerSetClock(timer, 3, NULL));
    EXPECT_REPORTED("GYRunLoopTimerSetClock");
    EXPECT(!GYRunLoopTimerSetClock(NULL, kGYTimerWall, NULL));
    EXPECT_REPORTED("GYRunLoopTimerSetClock");
    EXPECT_INT(GYRunLoopTimerGetClock(NULL), kGYTimerMonotonic);
    EXPECT_REPORTED("GYRunLoopTimerGetClock");
    GYRunLoopTimerInvalidate(timer);
    EXPECT(!GYRunLoopTimerSetClock(timer, kGYTimerWall, NULL));
    EXPECT_STR(test_log(), "");
    GYRelease(timer);
}

/* ---- with the rest ---- */

/* R318 */
LOOP_TEST(on_a_manual_clock_it_is_as_any_other_timer) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = loop_in(DEFAULT, told_timer(HOUR, 0, "wall"));
    GYManualClockRef clock = GYManualClockCreate(NULL, 0, false);
    EXPECT(GYRunLoopSetClock(rl, clock));
    set_clock(7200);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    GYManualClockAdvance(clock, HOUR_NS / 2);
    EXPECT(GYRunLoopSetClock(rl, NULL));
    EXPECT_NEAR(left_s(timer), HOUR / 2, 60);
    set_clock(1800);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "wall+1800 wall");
    GYRelease(timer);
    GYRelease(clock);
}

static void follows_in_child(void *timer) {
    set_clock(3600);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("own"), 0, false), kGYRunLoopRunTimedOut);
    setting change = {GYRunLoopGetCurrent(), 3600, false};
    pthread_t thread = test_thread_start(changes_when_asleep, &change);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("own"), 20, false), kGYRunLoopRunFinished);
    test_thread_join(thread);
    EXPECT(!GYRunLoopTimerIsValid(timer));
}

/* R7 */
TEST(the_child_of_a_fork_follows_too) {
    GYRunLoopTimerRef timer = loop_in(GYSTR("own"), timer_by(kGYTimerWall, 2 * HOUR, 0, "wall"));
    EXPECT_INT(test_child(follows_in_child, timer), 0);
    EXPECT(GYRunLoopTimerIsValid(timer));
    loop_drop(timer);
}

/* R316, R303: who waits in the loop's stead is roused. */
LOOP_TEST(an_embedded_loop_follows_too) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, timer_by(kGYTimerWall, HOUR, 0, "wall"));
    GYRunLoopEmbeddingRef e = embed(DEFAULT);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(!embed_is_readable(e, 0));
    set_clock(3600);
    embed_wait(e);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "wall");
    embed_drop(e);
    GYRelease(timer);
}

static void sets_clock_again_and_again(void *is_over) {
    for (int i = 0; !atomic_load((atomic_bool *)is_over); i++) set_clock(i % 2 == 0 ? 1 : -1);
}

static void counts_to_a_hundred(GYRunLoopTimerRef timer, void *count) {
    (void)timer;
    if (++*(int *)count == 100) GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R315: with timers of other threads that come and go, dates that are set, and the clock. */
LOOP_TEST(all_at_once) {
    atomic_bool is_over = false;
    int count = 0;
    GYRunLoopTimerRef tick =
        loop_in(DEFAULT, loop_timer(0.0005, 0.0005, counts_to_a_hundred, &count));
    GYRunLoopTimerRef others[10];
    for (int i = 0; i < 10; i++) {
        others[i] = loop_in(DEFAULT, told_timer(i * 0.2, 0.01, "x"));
        if (i % 2 == 0) loop_in(GYSTR("other"), others[i]);
    }
    pthread_t thread = test_thread_start(sets_clock_again_and_again, &is_over);
    EXPECT_INT(loop_run(20), kGYRunLoopRunStopped);
    atomic_store(&is_over, true);
    test_thread_join(thread);
    test_trace_take();
    loop_drop(tick);
    for (int i = 0; i < 10; i++) loop_drop(others[i]);
}

TEST_MAIN()
