#include "loop/sleep.h"

#include "base/check.h"
#include "loop/follow.h"
#include "loop/main_queue.h"
#include "loop/port.h"

#include <errno.h>
#include <stdio.h>

#define EVENT_ROOM GY_POLL_ROOM
/* A busy loop looks at its descriptors at least this often (R34). */
#define LOOK_EVERY_NS INT64_C(100000)
/* Where nobody tells that the wall clock was set, and a timer goes by it: how often to look. */
#define FOLLOW_EVERY_NS GY_NS_PER_SECOND
/* Where the kernel refuses every wait: how long a wake-up may then have to wait. */
#define NAP_NS INT64_C(10000000)

static int wake_fd_of(GYRunLoopRef loop) {
    return atomic_load_explicit(&loop->wake.fd, memory_order_relaxed);
}

/* What a wait needs is made when items are added, perhaps by another thread at this moment; here
 * only for a loop that runs without any, and in the child of a fork. Before the loop falls asleep:
 * who wakes it needs the eventfd. */
static void prepare(const gy_run *run) {
    GYRunLoopRef loop = run->loop;
    if (loop->can_wait) return;
    gy_loop_lock(loop);
    if (loop->base.epoll_fd < 0 && !loop->base.was_remade) {
        loop->base.was_remade = !gy_loop_prepare_wait(loop, loop->uses_alarm);
    }
    loop->can_wait = true;
    gy_loop_unlock(loop);
}

/* Where to wait. */
typedef struct place {
    gy_poller *poller;
    int epoll_fd; /* as it was under the lock: below zero, other threads may make a set meanwhile */
} place;

/* The lock. Refused: the wait is done by poll. */
static void watch_queue(const gy_run *run, gy_poller *poller) {
    if (poller->epoll_fd < 0 || !gy_main_queue_is_served(run->loop, run->mode)) return;
    if (gy_poller_watch_queue(poller, run->loop->queue.dispatch.handle) == 0) return;
    gy_poller_abandon(poller);
    poller->was_remade = true;
}

/* The lock. The mode's own set where it has descriptors. */
static place place_of(const gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_poller *poller = gy_mode_has_ports(run->mode) ? &run->mode->poller : &loop->base;
    if (poller->epoll_fd < 0 && !poller->was_remade) {
        poller->wake_fd = wake_fd_of(loop);
        poller->alarm_fd = loop->alarm.fd;
        poller->clock_fd = loop->base.clock_fd;
        poller->was_remade = gy_poller_remake(poller) < 0;
    }
    watch_queue(run, poller);
    return (place){poller, poller->epoll_fd};
}

static place place_now(const gy_run *run) {
    gy_loop_lock(run->loop);
    place p = place_of(run);
    gy_loop_unlock(run->loop);
    return p;
}

/* Once for each loop. */
static void tell_failure(GYRunLoopRef loop, int error) {
    if (loop->wait_failure_is_told) return;
    loop->wait_failure_is_told = true;
    char text[96];
    snprintf(text, sizeof text, "the wait failed with errno %d; the loop goes on without it",
             -error);
    gy_report("GYRunLoopRunInMode", text, "R89");
}

/* The wait itself has failed: somebody closed the set, or the kernel refuses it. Once it is made
 * anew; after that the wait is done by poll. Its number is not closed, for it may be another file's
 * by now. */
static void replace_set(const gy_run *run, gy_poller *poller, int error) {
    gy_loop_lock(run->loop);
    bool once_more = !poller->was_remade;
    poller->epoll_fd = -1;
    if (once_more) gy_poller_remake(poller);
    poller->was_remade = true;
    gy_loop_unlock(run->loop);
    tell_failure(run->loop, error);
}

/* True if the kernel is to be asked at once again. */
static bool take_in(const gy_run *run, const struct epoll_event *events, int count) {
    gy_loop_lock(run->loop);
    bool again = gy_port_take_in(run->loop, run->mode, events, count);
    gy_loop_unlock(run->loop);
    return again;
}

/* Poll reports a level: an eventfd that was rung stays readable until it is read. */
static void empty_bell(GYRunLoopRef loop) {
    int fd = wake_fd_of(loop);
    if (fd >= 0) gy_sys_eventfd_clear(fd);
}

static int64_t shorter_ns(int64_t timeout_ns, int64_t limit_ns) {
    if (limit_ns < 0) return timeout_ns;
    return timeout_ns < 0 || timeout_ns > limit_ns ? limit_ns : timeout_ns;
}

/* Poll has been refused: with fewer descriptors at once, or blindly. */
static void go_without_poll(const gy_run *run, gy_poller *poller, const gy_poll *poll,
                            int64_t timeout_ns, int error) {
    tell_failure(run->loop, error);
    gy_loop_lock(run->loop);
    bool tries_less = error == -EINVAL && gy_poller_fill_less(poller, poll);
    gy_loop_unlock(run->loop);
    if (!tries_less) gy_sys_nap(shorter_ns(timeout_ns, NAP_NS));
}

/* Without a set. `timeout_ns` reaches to the next timer too, for the alarm is not watched. */
static int poll_instead(const gy_run *run, gy_poller *poller, struct epoll_event *events,
                        int64_t timeout_ns) {
    gy_poll poll;
    /* Where it is not served its level would end each wait. */
    bool asks_queue = gy_main_queue_is_served(run->loop, run->mode);
    int queue_fd = asks_queue ? run->loop->queue.dispatch.handle : -1;
    gy_loop_lock(run->loop);
    gy_poller_fill(poller, wake_fd_of(run->loop), queue_fd, &poll);
    gy_loop_unlock(run->loop);
    timeout_ns = shorter_ns(timeout_ns, poll.longest_ns);
    if (gy_wake_has_come(&run->loop->wake)) timeout_ns = 0;
    int count = gy_sys_poll(poll.fds, poll.count, timeout_ns);
    if (count < 0) go_without_poll(run, poller, &poll, timeout_ns, count);
    if (count <= 0) return 0;
    empty_bell(run->loop);
    gy_loop_lock(run->loop);
    int found = gy_poller_collect(poller, &poll, events);
    gy_loop_unlock(run->loop);
    return found;
}

/* One wait; below zero: for ever. */
static void fetch(gy_run *run, place where, int64_t timeout_ns) {
    struct epoll_event events[EVENT_ROOM];
    int count;
    if (where.epoll_fd >= 0) {
        count = gy_sys_epoll_wait(where.epoll_fd, events, EVENT_ROOM, timeout_ns);
    } else {
        count = poll_instead(run, where.poller, events, timeout_ns);
    }
    if (count < 0) {
        replace_set(run, where.poller, count);
        return;
    }
    if (gy_poller_tells_of_queue(events, count)) run->loop->queue.is_ready = true;
    if (gy_mode_has_ports(run->mode) && take_in(run, events, count)) fetch(run, place_now(run), 0);
}

/* Where the loop goes by a clock of its own, how often the kernel is asked does not (R34). */
static int64_t real_now_ns(const gy_run *run) {
    return run->loop->clock == NULL ? run->now_ns : gy_clock_now_ns();
}

/* A busy loop asks the kernel from time to time, one that has nothing left asks it now. */
static void look(gy_run *run, bool asks_now) {
    if (run->is_early) return;
    gy_main_queue_look_for(run->loop, run->mode, false);
    bool ports = gy_mode_has_ports(run->mode) || gy_main_queue_is_served(run->loop, run->mode);
    if (ports || gy_mode_has_timers(run->mode)) run->now_ns = gy_loop_now_ns(run->loop);
    if (!ports) return;
    int64_t really_ns = real_now_ns(run);
    if (run->has_looked && really_ns - run->looked_at_ns < LOOK_EVERY_NS && !asks_now) return;
    run->has_looked = true;
    run->looked_at_ns = really_ns;
    fetch(run, place_now(run), 0);
}

/* The lock. When to wake up for a timer, by all clocks as they stand. */
static int64_t timers_wake_ns(const gy_run *run) {
    if (run->loop->follow != NULL) gy_follow_look(run->loop);
    return gy_mode_wake_ns(run->mode);
}

/* Whether a wait there ends when the wall clock is set, where that matters. */
static bool is_told_of_clocks(GYRunLoopRef loop, int epoll_fd) {
    return loop->follow == NULL || (loop->follow->fd >= 0 && epoll_fd >= 0);
}

typedef struct wait_plan {
    place where;
    int64_t until_ns; /* the earlier of the next timer and the run's deadline */
    int64_t timeout_ns; /* for the system call; below zero: for ever */
} wait_plan;

/* The kernel does not know that clock: whoever moves it ends the wait. */
static int64_t manual_timeout_ns(gy_run *run, int64_t until_ns) {
    run->now_ns = gy_manual_clock_look(run->loop->clock);
    return run->loop->clock->advances_itself || until_ns <= run->now_ns ? 0 : -1;
}

/* A run without time-out and timers reads no clock. */
static wait_plan make_plan(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    wait_plan plan;
    gy_loop_lock(loop);
    plan.where = place_of(run);
    int64_t timer_ns = timers_wake_ns(run);
    bool is_told = is_told_of_clocks(loop, plan.where.epoll_fd);
    gy_loop_unlock(loop);
    plan.until_ns = timer_ns < run->deadline_ns ? timer_ns : run->deadline_ns;
    plan.timeout_ns = -1;
    if (plan.until_ns == GY_NEVER) return plan;
    if (loop->clock != NULL) {
        plan.timeout_ns = manual_timeout_ns(run, plan.until_ns);
        return plan;
    }
    run->now_ns = gy_clock_now_ns();
    bool armed = plan.where.epoll_fd >= 0 && plan.until_ns > run->now_ns &&
                 gy_alarm_arm(&loop->alarm, timer_ns, run->now_ns);
    int64_t limit_ns = armed ? run->deadline_ns : plan.until_ns;
    if (!is_told && limit_ns > run->now_ns + FOLLOW_EVERY_NS) {
        limit_ns = run->now_ns + FOLLOW_EVERY_NS;
    }
    if (limit_ns == GY_NEVER) return plan;
    plan.timeout_ns = limit_ns > run->now_ns ? limit_ns - run->now_ns : 0;
    return plan;
}

/* A loop that goes by a manual clock and will not wait knows of wake-ups by its state, and of
 * nothing else that the kernel could tell where no descriptor is served. */
static bool asks_kernel(const gy_run *run, const wait_plan *plan) {
    return plan->timeout_ns != 0 || run->loop->clock == NULL || gy_mode_has_ports(run->mode) ||
           gy_main_queue_is_served(run->loop, run->mode);
}

/* Nothing was ready: a clock that advances itself shows the moment that would have been slept to.
 * Under the lock, for a timer that another thread adds is either among those looked at or counts
 * from the new moment on. */
static void advance(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    if (loop->clock == NULL || !loop->clock->advances_itself) return;
    gy_loop_lock(loop);
    int64_t timer_ns = gy_mode_wake_ns(run->mode);
    int64_t until_ns = timer_ns < run->deadline_ns ? timer_ns : run->deadline_ns;
    if (until_ns != GY_NEVER) gy_manual_clock_move_to(loop->clock, until_ns);
    gy_loop_unlock(loop);
}

static bool has_ready_descriptor(const gy_run *run) {
    return gy_mode_has_ready_ports(run->mode) || gy_main_queue_is_ready(run->loop, run->mode);
}

static bool has_event(const gy_run *run) {
    return gy_wake_has_come(&run->loop->wake) || has_ready_descriptor(run);
}

static void note_time(gy_run *run) {
    bool has_time = gy_mode_has_timers(run->mode) || gy_mode_has_ports(run->mode);
    if (!has_time) return;
    run->now_ns = gy_loop_now_ns(run->loop);
    run->looked_at_ns = real_now_ns(run);
}

static void sleep_until_event(gy_run *run) {
    bool has_waited = false;
    for (;;) {
        gy_main_queue_look_for(run->loop, run->mode, true);
        wait_plan plan = make_plan(run);
        /* Due now. Asked after each wait: another thread may have put the timer off (R114). */
        if (has_waited && plan.until_ns != GY_NEVER && plan.until_ns <= run->now_ns) return;
        if (asks_kernel(run, &plan)) fetch(run, plan.where, plan.timeout_ns);
        has_waited = run->has_looked = true;
        if (has_event(run)) break;
        /* A nudge, an alarm that was put off, an edge from long ago: sleep on (R114, R156). */
        advance(run);
    }
    note_time(run);
}

bool gy_sleep_begin(gy_run *run, bool may_sleep) {
    GYRunLoopRef loop = run->loop;
    run->is_idle = (may_sleep || run->is_poll) && !has_ready_descriptor(run);
    prepare(run);
    /* A stop whose wake-up found the loop going round, or a nested run, is seen here. */
    bool sleeps =
        run->is_idle && may_sleep && !gy_mode_has_files(run->mode) && !gy_loop_has_to_end_run(loop);
    return sleeps && gy_wake_fall_asleep(&loop->wake);
}

static void close_window(const gy_run *run) {
    gy_wake_take(&run->loop->wake, gy_loop_innermost(run->loop)->around);
}

void gy_sleep(gy_run *run, bool may_sleep) {
    if (gy_sleep_begin(run, may_sleep)) {
        sleep_until_event(run);
    } else {
        look(run, run->is_idle);
    }
    close_window(run);
}

/* ---- in other hands ---- */

/* As in make_plan, where nobody tells. */
static int64_t sooner_ns(int64_t until_ns) {
    int64_t look_ns = gy_clock_now_ns() + FOLLOW_EVERY_NS;
    return until_ns < look_ns || until_ns == GY_NEVER ? until_ns : look_ns;
}

/* By a clock that the kernel does not know time comes at once, or by a nudge. */
static int64_t really_until_ns(gy_run *run, int64_t until_ns) {
    if (run->loop->clock == NULL || until_ns == GY_NEVER) return until_ns;
    return manual_timeout_ns(run, until_ns) == 0 ? 0 : GY_NEVER;
}

gy_sleep_place gy_sleep_place_now(gy_run *run) {
    gy_sleep_place there;
    gy_main_queue_look_for(run->loop, run->mode, true);
    gy_loop_lock(run->loop);
    place p = place_of(run);
    there.set = p.poller->set;
    there.until_ns = timers_wake_ns(run);
    bool is_told = is_told_of_clocks(run->loop, p.epoll_fd);
    gy_loop_unlock(run->loop);
    there.until_ns = really_until_ns(run, there.until_ns);
    if (!is_told) there.until_ns = sooner_ns(there.until_ns);
    /* Without an eventfd nobody can end the wait. */
    there.epoll_fd = wake_fd_of(run->loop) < 0 ? -1 : p.epoll_fd;
    return there;
}

bool gy_sleep_is_over(gy_run *run) {
    fetch(run, place_now(run), 0);
    run->has_looked = true;
    bool has_come = has_event(run);
    if (!has_come) advance(run);
    note_time(run);
    if (has_come) return true;
    /* Asked after the look: another thread may have put the timer off (R114). */
    gy_loop_lock(run->loop);
    int64_t timer_ns = timers_wake_ns(run);
    gy_loop_unlock(run->loop);
    return timer_ns != GY_NEVER && timer_ns <= run->now_ns;
}

/* A run that was nested meanwhile has roused it. */
void gy_sleep_end(gy_run *run) {
    if (!gy_wake_is_asleep(&run->loop->wake)) look(run, run->is_idle);
    close_window(run);
}
