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
static bool prepare_to_wait(gy_run *run) {
    uint64_t runs = run->loop->run_count;
    if (!run->polls) gy_observer_round(run->loop, kGYRunLoopBeforeWaiting);
    gy_drain_point(run, run->polls ? kGYDrainBeforePolling : kGYDrainBeforeWaiting);
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
static GYRunLoopRunResult result_of(const gy_run *run) {
    if (run->has_handled && run->returns_after_source) return kGYRunLoopRunHandledSource;
    if (run->is_poll) return kGYRunLoopRunTimedOut;
    if (run->deadline_ns != GY_NEVER && gy_clock_now_ns() >= run->deadline_ns) {
        return kGYRunLoopRunTimedOut;
    }
    if (gy_loop_has_to_end_run(run->loop)) return kGYRunLoopRunStopped;
    return is_empty(run->loop, run->mode) ? kGYRunLoopRunFinished : GY_RUN_GOES_ON;
}

bool gy_run_begin_iteration(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_observer_round(loop, kGYRunLoopBeforeTimers); /* 1 */
    gy_observer_round(loop, kGYRunLoopBeforeSources); /* 2 */
    gy_perform_run_step(loop); /* 3 */
    run->has_handled = perform_sources(run); /* 4 */
    run->polls = run->has_handled || run->is_poll; /* 5 */
    bool nested = prepare_to_wait(run); /* 7 */
    return !run->polls && !nested;
}

GYRunLoopRunResult gy_run_end_iteration(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    if (!run->polls) gy_observer_round(loop, kGYRunLoopAfterWaiting); /* 9 */
    run->has_handled |= serve(run); /* 10 */
    gy_perform_run_step(loop); /* 11 */
    GYRunLoopRunResult result = result_of(run); /* 12 */
    /* A wake-up from step 9 on found the loop going round, or leaving, anyway (R153). */
    if (result == GY_RUN_GOES_ON && gy_wake_open_anew(&loop->wake)) {
        gy_loop_innermost(loop)->owes_wake_up = true;
    }
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

static int64_t deadline_of(int64_t timeout_ns) {
    if (timeout_ns <= 0 || timeout_ns == GY_NEVER) return GY_NEVER;
    return gy_ns_add(gy_clock_now_ns(), timeout_ns);
}

GYRunLoopRunResult gy_run_begin(gy_run *run, GYStringRef name, int64_t timeout_ns,
                                const void *frame) {
    GYRunLoopRef loop = run->loop;
    gy_unwind(loop, frame);
    if (gy_loop_winds_down(loop)) return kGYRunLoopRunStopped; /* R49 */
    gy_mode *mode = find_mode(loop, name);
    if (mode == NULL || is_empty(loop, mode)) return kGYRunLoopRunFinished;
    run->is_poll = timeout_ns <= 0;
    run->deadline_ns = deadline_of(timeout_ns);
    if (!gy_activation_begin(loop, mode, run->deadline_ns, frame)) return kGYRunLoopRunFinished;
    run->mode = mode;
    run->number = gy_loop_innermost(loop)->run;
    run->drained = gy_pool_changes();
    forget_ready(loop, mode);
    gy_wake_open(&loop->wake);
    gy_observer_round(loop, kGYRunLoopEntry);
    return gy_loop_has_to_end_run(loop) ? kGYRunLoopRunStopped : GY_RUN_GOES_ON;
}

void gy_run_end(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    gy_observer_round(loop, kGYRunLoopExit);
    gy_drain_exit(run);
    gy_activation_end(loop);
    forget_ready(loop, run->mode);
}

GYRunLoopRunResult gy_run_in_mode(GYRunLoopRef loop, GYStringRef name, int64_t timeout_ns,
                                  bool returns_after_source) {
    gy_run run = {.loop = loop, .returns_after_source = returns_after_source};
    GYRunLoopRunResult result = gy_run_begin(&run, name, timeout_ns, __builtin_frame_address(0));
    if (run.mode == NULL) return result;
    while (result == GY_RUN_GOES_ON) {
        gy_sleep(&run, gy_run_begin_iteration(&run)); /* 8 */
        result = gy_run_end_iteration(&run);
    }
    gy_run_end(&run);
    return result;
}
