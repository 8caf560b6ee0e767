/* The numbers are those of the rules: R31's twelve steps, one function each where a step is more
 * than a call. */
#include "loop/run.h"

#include "loop/activation.h"
#include "loop/batch.h"
#include "loop/callout.h"
#include "loop/drain.h"
#include "loop/firing.h"
#include "loop/observers.h"
#include "loop/performs.h"
#include "loop/port.h"
#include "loop/sleep.h"
#include "loop/unwind.h"

enum { KEEP_RUNNING = 0 };

/* R13, R14. */
static bool is_empty(GYRunLoopRef loop, const gy_mode *mode) {
    if (gy_mode_has_items(mode) || (loop->is_main && mode->is_common)) return false;
    return !gy_perform_would_run(loop, mode);
}

/* Step 4. */
static bool perform_sources(gy_run *run) {
    if (!gy_batch_run(run->loop, run->returns_after_source)) return false;
    gy_perform_run_step(run->loop);
    return true;
}

/* Step 7, whose end is the drain point of all iterations (R203); true if a run was nested in it,
 * which may have used up a wake-up meant for this one (R150). */
static bool prepare_to_wait(gy_run *run, bool polls) {
    uint64_t runs = run->loop->run_count;
    if (!polls) gy_observer_round(run->loop, kGYRunLoopBeforeWaiting);
    gy_drain_point(run, polls ? kGYDrainBeforePolling : kGYDrainBeforeWaiting);
    return run->loop->run_count != runs;
}

/* Step 8's outcome: what step 10 has to choose from. */
typedef struct outcome {
    bool timers_are_due;
    gy_port *port;
    uint32_t events;
} outcome;

/* Timers go first, unless they did so in the last iteration while a port was ready (R33). */
static outcome choose(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    outcome o = {0};
    if (!gy_mode_has_timers(run->mode) && !gy_mode_has_ports(run->mode)) return o;
    gy_loop_lock(loop);
    bool port_is_ready = gy_mode_has_ready_ports(run->mode);
    o.timers_are_due = gy_mode_first_deadline(run->mode) <= run->now_ns;
    if (o.timers_are_due && port_is_ready && loop->timers_had_their_turn) o.timers_are_due = false;
    if (!o.timers_are_due) o.port = gy_port_begin_turn(loop, run->mode, &o.events);
    gy_loop_unlock(loop);
    loop->timers_had_their_turn = o.timers_are_due && port_is_ready;
    return o;
}

/* After a hang-up a port goes on only as long as its callout takes bytes (R97); an error that the
 * callout has cleared is no hang-up any more. */
static bool perform_port(GYRunLoopRef loop, gy_port *port, uint32_t events) {
    const uint32_t hang_up = EPOLLHUP | EPOLLRDHUP | EPOLLERR;
    int fd = (events & hang_up) != 0 ? port->fd : -1;
    int before = fd < 0 ? 0 : gy_sys_pending_bytes(fd);
    gy_loop_innermost(loop)->port = port;
    gy_callout_port(loop, port->source, events);
    gy_loop_innermost(loop)->port = NULL;
    bool goes_on = fd < 0 || gy_sys_pending_bytes(fd) < before ||
                   (gy_sys_ready_now(fd, EPOLLRDHUP) & hang_up) == 0;
    gy_port_end_turn(loop, port, events, goes_on);
    return true;
}

/* Step 10; true if a source was performed. */
static bool serve(gy_run *run) {
    outcome o = choose(run);
    if (o.timers_are_due) gy_firing_run(run->loop, run->now_ns);
    return o.port != NULL && perform_port(run->loop, o.port, o.events);
}

/* Step 12 (R41). */
static GYRunLoopRunResult result_of(gy_run *run, bool handled) {
    if (handled && run->returns_after_source) return kGYRunLoopRunHandledSource;
    if (run->is_poll) return kGYRunLoopRunTimedOut;
    if (run->deadline_ns != GY_NEVER && gy_clock_now_ns() >= run->deadline_ns) {
        return kGYRunLoopRunTimedOut;
    }
    if (gy_loop_has_to_end_run(run->loop)) return kGYRunLoopRunStopped;
    return is_empty(run->loop, run->mode) ? kGYRunLoopRunFinished : KEEP_RUNNING;
}

static GYRunLoopRunResult iterate(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_observer_round(loop, kGYRunLoopBeforeTimers); /* 1 */
    gy_observer_round(loop, kGYRunLoopBeforeSources); /* 2 */
    gy_perform_run_step(loop); /* 3 */
    bool handled = perform_sources(run); /* 4 */
    bool polls = handled || run->is_poll; /* 5 */
    bool nested = prepare_to_wait(run, polls); /* 7 */
    gy_sleep(run, !polls && !nested); /* 8 */
    if (!polls) gy_observer_round(loop, kGYRunLoopAfterWaiting); /* 9 */
    handled |= serve(run); /* 10 */
    gy_perform_run_step(loop); /* 11 */
    return result_of(run, handled); /* 12 */
}

static GYRunLoopRunResult run_activated(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_wake_open(&loop->wake);
    gy_observer_round(loop, kGYRunLoopEntry);
    GYRunLoopRunResult result = gy_loop_has_to_end_run(loop) ? kGYRunLoopRunStopped : KEEP_RUNNING;
    while (result == KEEP_RUNNING) {
        result = iterate(run);
        /* A wake-up from step 9 on found the loop going round, or leaving, anyway (R153). */
        if (result == KEEP_RUNNING && gy_wake_open_anew(&loop->wake)) {
            gy_loop_innermost(loop)->owes_wake_up = true;
        }
    }
    gy_observer_round(loop, kGYRunLoopExit);
    gy_drain_exit(run);
    return result;
}

/* Ready ports of an earlier run are asked anew; timers that an outer step has taken as due and not
 * fired are there for this one. After the run the same holds for the runs around it (R99). */
static void forget_ready(GYRunLoopRef loop, gy_mode *mode) {
    gy_loop_lock(loop);
    uint32_t cursor = 0;
    for (gy_mode *m;
         gy_tally_now(&loop->ready_total) != 0 && (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        if (gy_mode_has_ready_ports(m)) gy_port_forget_ready(m);
    }
    gy_firing_put_back(loop, mode);
    gy_loop_unlock(loop);
}

/* What has been handed over makes modes exist. */
static gy_mode *find_mode(GYRunLoopRef loop, GYStringRef name) {
    gy_perform_make_modes(loop);
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    gy_loop_unlock(loop);
    return mode;
}

bool gy_run_is_empty(GYRunLoopRef loop, GYStringRef name) {
    const gy_mode *mode = find_mode(loop, name);
    return mode == NULL || is_empty(loop, mode);
}

GYRunLoopRunResult gy_run_in_mode(GYRunLoopRef loop, GYStringRef name, int64_t timeout_ns,
                                  bool returns_after_source) {
    const void *frame = __builtin_frame_address(0);
    gy_unwind(loop, frame);
    if (gy_loop_winds_down(loop)) return kGYRunLoopRunStopped; /* R49 */
    gy_mode *mode = find_mode(loop, name);
    if (mode == NULL || is_empty(loop, mode)) return kGYRunLoopRunFinished;
    gy_run run = {
        .loop = loop,
        .mode = mode,
        .is_poll = timeout_ns <= 0,
        .deadline_ns = timeout_ns <= 0 || timeout_ns == GY_NEVER
                           ? GY_NEVER
                           : gy_ns_add(gy_clock_now_ns(), timeout_ns),
        .returns_after_source = returns_after_source,
    };
    if (!gy_activation_begin(loop, mode, run.deadline_ns, frame)) return kGYRunLoopRunFinished;
    run.drained = gy_pool_changes();
    forget_ready(loop, mode);
    GYRunLoopRunResult result = run_activated(&run);
    gy_activation_end(loop);
    forget_ready(loop, mode);
    return result;
}
