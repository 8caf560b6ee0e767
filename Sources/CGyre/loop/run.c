/* The numbers are those of the rules: R31's twelve steps, one function each where a step is more
 * than a call. */
#include "loop/run.h"

#include "loop/activation.h"
#include "loop/batch.h"
#include "loop/callout.h"
#include "loop/drain.h"
#include "loop/firing.h"
#include "loop/follow.h"
#include "loop/main_queue.h"
#include "loop/observers.h"
#include "loop/performs.h"
#include "loop/port.h"
#include "loop/sleep.h"
#include "loop/unwind.h"

/* R13, R14. */
static bool is_empty(GYRunLoopRef loop, const gy_mode *mode) {
    if (gy_mode_has_items(mode)) return false;
    if (loop->is_main && mode->is_common && !gy_main_queue_is_draining(loop)) return false;
    return !gy_perform_would_run(loop, mode);
}

/* Step 4. */
static bool perform_sources(gy_run *run) {
    if (!gy_batch_run(run->loop, run->returns_after_source)) return false;
    gy_perform_run_step(run->loop);
    return true;
}

/* Whether a pass that waits differs, to whom it calls, from one that goes on with the main queue. */
static bool waiting_is_seen(gy_mode *mode) {
    const GYOptionFlags points = kGYRunLoopBeforeWaiting | kGYRunLoopAfterWaiting |
                                 kGYDrainBeforeWaiting | kGYDrainBeforePolling;
    /* Relaxed: as in a round, what another thread adds at this moment counts now or in the next. */
    return (atomic_load_explicit(&mode->observers.points, memory_order_relaxed) & points) != 0 ||
           atomic_load_explicit(&mode->drain_policy, memory_order_relaxed) !=
               kGYDrainPolicyEveryIteration;
}

/* Step 6 (R213). Where nobody would see the difference the look is left to step 8, which costs no
 * system call more; a pass that polls looks there too. */
static bool has_early_work(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    bool looks = run->has_gone_round && !loop->queue.went_last;
    run->has_gone_round = true;
    run->queue_goes_first = false;
    if (!looks || !gy_main_queue_is_served(loop, run->mode)) return false;
    run->queue_goes_first = run->polls || !waiting_is_seen(run->mode);
    return run->queue_goes_first ? loop->queue.is_ready : gy_main_queue_look(loop);
}

/* Step 7, whose end is the drain point of all iterations (R203); true if a run was nested in it,
 * which may have used up a wake-up meant for this one (R150). */
static bool prepare_to_wait(gy_run *run) {
    uint64_t runs = run->loop->run_count;
    bool waits = gy_run_waits(run);
    if (waits) gy_observer_round(run->loop, kGYRunLoopBeforeWaiting);
    gy_drain_point(run, waits ? kGYDrainBeforeWaiting : kGYDrainBeforePolling);
    return run->loop->run_count != runs;
}

/* Step 8's outcome: what step 10 has to choose from. */
typedef struct outcome {
    bool timers_are_due, queue_is_ready;
    gy_port *port;
    uint32_t events;
} outcome;

/* Timers go first, unless they did so while a port or the main queue was ready, which has had no
 * turn since (R33). */
static bool timers_go_first(const gy_run *run, bool port_is_ready, bool queue_is_ready) {
    const gy_served_queue *queue = &run->loop->queue;
    if (queue_is_ready && run->queue_goes_first) return false;
    if (!run->loop->timers_had_their_turn) return true;
    return !port_is_ready && (!queue_is_ready || queue->went_last);
}

/* The lock. One of the three; the main queue and the ports take turns. */
static outcome choose_locked(gy_run *run, bool queue_is_ready) {
    GYRunLoopRef loop = run->loop;
    outcome o = {0};
    bool port_is_ready = gy_mode_has_ready_ports(run->mode);
    if (loop->follow != NULL) gy_follow_look(loop); /* never early, by its own clock */
    o.timers_are_due = gy_mode_first_deadline(run->mode) <= run->now_ns &&
                       timers_go_first(run, port_is_ready, queue_is_ready);
    loop->timers_had_their_turn = o.timers_are_due && (port_is_ready || queue_is_ready);
    if (o.timers_are_due) return o;
    bool is_ports_turn = port_is_ready && loop->queue.went_before_ports && !run->queue_goes_first;
    o.queue_is_ready = queue_is_ready && !is_ports_turn;
    if (!o.queue_is_ready) o.port = gy_port_begin_turn(loop, run->mode, &o.events);
    return o;
}

static outcome choose(gy_run *run) {
    bool queue_is_ready = gy_main_queue_is_ready(run->loop, run->mode);
    if (!gy_mode_has_timers(run->mode) && !gy_mode_has_ports(run->mode)) {
        return (outcome){.queue_is_ready = queue_is_ready};
    }
    gy_loop_lock(run->loop);
    outcome o = choose_locked(run, queue_is_ready);
    gy_loop_unlock(run->loop);
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

/* True if there was work (R212): an edge from before the handle was last read stands for none. */
static bool drain_main_queue(GYRunLoopRef loop) {
    if (!gy_main_queue_take(loop)) return false;
    gy_callout_main_queue(loop);
    loop->queue.went_last = loop->queue.went_before_ports = true;
    return true;
}

/* Step 10; true if a source was performed. */
static bool serve(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    if (run->is_early) return drain_main_queue(loop);
    outcome o = choose(run);
    loop->queue.went_last = false;
    if (o.timers_are_due) gy_firing_run(loop, run->now_ns);
    if (o.queue_is_ready) return drain_main_queue(loop);
    if (o.port == NULL) return false;
    loop->queue.went_before_ports = false;
    return perform_port(loop, o.port, o.events);
}

/* Step 12 (R41). */
static GYRunLoopRunResult result_of(const gy_run *run) {
    if (run->has_handled && run->returns_after_source) return kGYRunLoopRunHandledSource;
    if (run->is_poll) return kGYRunLoopRunTimedOut;
    if (run->deadline_ns != GY_NEVER && gy_loop_now_ns(run->loop) >= run->deadline_ns) {
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
    run->is_early = has_early_work(run); /* 6 */
    bool nested = prepare_to_wait(run); /* 7 */
    return gy_run_waits(run) && !nested;
}

GYRunLoopRunResult gy_run_end_iteration(gy_run *run) {
    GYRunLoopRef loop = run->loop;
    if (gy_run_waits(run)) gy_observer_round(loop, kGYRunLoopAfterWaiting); /* 9 */
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

static int64_t deadline_of(GYRunLoopRef loop, int64_t timeout_ns) {
    if (timeout_ns <= 0 || timeout_ns == GY_NEVER) return GY_NEVER;
    return gy_ns_add(gy_loop_now_ns(loop), timeout_ns);
}

GYRunLoopRunResult gy_run_begin(gy_run *run, GYStringRef name, int64_t timeout_ns,
                                const void *frame) {
    GYRunLoopRef loop = run->loop;
    gy_unwind(loop, frame);
    if (gy_loop_winds_down(loop)) return kGYRunLoopRunStopped; /* R49 */
    gy_mode *mode = find_mode(loop, name);
    if (mode == NULL || is_empty(loop, mode)) return kGYRunLoopRunFinished;
    run->is_poll = timeout_ns <= 0;
    run->deadline_ns = deadline_of(loop, timeout_ns);
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
