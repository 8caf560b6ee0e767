/* Drain hooks: observers of drain points (R204, R206), and the policies of modes. */
#include "support/drain.h"

#include "api/misuse.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <limits.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static void trace_point(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *word) {
    (void)hook;
    const char *name = point == kGYDrainBeforeWaiting   ? "waiting"
                       : point == kGYDrainBeforePolling ? "polling"
                       : point == kGYDrainExit          ? "exit"
                                                        : "?";
    test_trace("%s(%s)", (const char *)word, name);
}

static GYRunLoopObserverRef add(GYRunLoopMode mode, GYOptionFlags points, GYIndex order,
                                GYRunLoopObserverCallBack callout, const char *word) {
    return GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), mode, points, order, callout, (void *)word,
                                 NULL);
}

/* R204, R206 */
LOOP_TEST(hooks_are_called_by_order_after_the_drain_and_all_observers) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef last = drain_observer(DEFAULT, kGYRunLoopBeforeWaiting, LONG_MAX,
                                               drain_observer_defers, "drained");
    GYRunLoopObserverRef trace =
        loop_in(DEFAULT, loop_trace_observer(kGYRunLoopBeforeWaiting | kGYRunLoopExit));
    add(DEFAULT, kGYDrainAllPoints, 7, trace_point, "late");
    add(DEFAULT, kGYDrainAllPoints, LONG_MIN, trace_point, "early");
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "wait drained early(waiting) late(waiting) "
                                  "exit early(exit) late(exit)");
    loop_drop(trace);
    loop_drop(last);
    loop_drop(keep);
}

LOOP_TEST(hooks_of_equal_order_are_called_in_the_order_of_adding) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    add(DEFAULT, kGYDrainExit, 0, trace_point, "a");
    add(DEFAULT, kGYDrainExit, 0, trace_point, "b");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "a(exit) b(exit)");
    loop_drop(keep);
}

/* R203 */
LOOP_TEST(a_hook_tells_an_iteration_that_polls_from_one_that_waits) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, loop_traces, "source");
    add(DEFAULT, kGYDrainEveryIteration, 0, trace_point, "hook");
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "source hook(polling) hook(waiting)");
    loop_drop(source);
}

LOOP_TEST(a_hook_is_called_at_its_own_points_alone) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, loop_traces, "source");
    add(DEFAULT, kGYDrainBeforeWaiting, 0, trace_point, "a");
    add(DEFAULT, kGYDrainBeforePolling, 0, trace_point, "b");
    add(DEFAULT, kGYDrainExit, 0, trace_point, "c");
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "source b(polling) a(waiting) c(exit)");
    loop_drop(source);
}

/* R204: what a hook defers waits for the next drain point; at exit there is none but the end. */
LOOP_TEST(what_a_hook_defers_goes_into_the_new_pool) {
    GYRunLoopSourceRef source = drain_source(DEFAULT, loop_traces, "source");
    add(DEFAULT, kGYDrainBeforePolling, 0, drain_observer_defers, "from polling");
    add(DEFAULT, kGYDrainBeforePolling, 1, drain_observer_traces, "polling");
    add(DEFAULT, kGYDrainBeforeWaiting, 1, drain_observer_traces, "waiting");
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "source polling from polling waiting");
    loop_drop(source);
}

LOOP_TEST(what_a_hook_of_the_exit_defers_is_called_when_all_of_them_are_done) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    add(DEFAULT, kGYDrainExit, 0, drain_observer_defers, "deferred");
    add(DEFAULT, kGYDrainExit, 1, drain_observer_traces, "hook");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "hook deferred");
    loop_drop(keep);
}

/* R206: an observer of all bits is told of activities alone. */
LOOP_TEST(an_observer_of_everything_sees_no_drain_point) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef all = loop_in(DEFAULT, loop_trace_observer(~0UL));
    EXPECT_INT(GYRunLoopObserverGetActivities(all), ~0UL);
    loop_run_until_idle(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    GYRunLoopObserverRef none =
        drain_observer(DEFAULT, kGYDrainAllPoints, 0, drain_observer_traces, "never");
    add(DEFAULT, kGYDrainExit, 0, trace_point, "hook");
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "entry timers sources exit hook(exit)");
    loop_drop(none);
    loop_drop(all);
    loop_drop(keep);
}

/* Hooks are observers. */

/* R204 */
LOOP_TEST(a_hook_in_the_common_modes_is_called_in_each_of_them_and_in_no_other) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT), other = loop_keep(OTHER),
                       third = loop_keep(GYSTR("third"));
    add(kGYRunLoopCommonModes, kGYDrainExit, 0, trace_point, "hook");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), OTHER);
    loop_poll(DEFAULT);
    test_trace("|");
    loop_poll(OTHER);
    test_trace("|");
    loop_poll(GYSTR("third"));
    EXPECT_STR(test_trace_take(), "hook(exit) | hook(exit) |");
    loop_drop(third);
    loop_drop(other);
    loop_drop(keep);
}

static atomic_int releases;

static void count_release(const void *info) {
    (void)info;
    atomic_fetch_add(&releases, 1);
}

LOOP_TEST(one_hook_may_be_in_two_modes_and_ends_in_both) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT), other = loop_keep(OTHER);
    GYRunLoopObserverRef hook =
        GYDrainHookCreate(kGYDrainExit, 3, trace_point, "hook", count_release);
    EXPECT_INT(GYGetTypeID(hook), GYRunLoopObserverGetTypeID());
    EXPECT_INT(GYRunLoopObserverGetActivities(hook), kGYDrainExit);
    EXPECT_INT(GYRunLoopObserverGetOrder(hook), 3);
    EXPECT(GYRunLoopObserverDoesRepeat(hook));
    loop_in(DEFAULT, hook);
    loop_in(OTHER, hook);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "hook(exit) hook(exit)");
    EXPECT_INT(atomic_load(&releases), 0);
    GYRunLoopObserverInvalidate(hook);
    EXPECT_INT(atomic_load(&releases), 1);
    loop_poll(DEFAULT);
    loop_poll(OTHER);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(hook);
    EXPECT_INT(atomic_load(&releases), 1);
    loop_drop(other);
    loop_drop(keep);
}

LOOP_TEST(a_hook_that_is_removed_is_called_no_more) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef hook =
        GYRunLoopAddDrainHook(rl, DEFAULT, kGYDrainExit, 0, trace_point, "hook", count_release);
    EXPECT(GYRunLoopContainsObserver(rl, hook, DEFAULT));
    GYRunLoopRemoveObserver(rl, hook, DEFAULT);
    EXPECT_INT(atomic_load(&releases), 1);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(keep);
}

static void ends_itself(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *word) {
    trace_point(hook, point, word);
    GYRunLoopObserverInvalidate(hook);
}

LOOP_TEST(a_hook_may_end_itself_in_its_call) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit, 0, ends_itself, "hook",
                          count_release);
    loop_poll(DEFAULT);
    loop_poll(DEFAULT);
    EXPECT_STR(test_trace_take(), "hook(exit)");
    EXPECT_INT(atomic_load(&releases), 1);
    loop_drop(keep);
}

static void add_and_end(void *unused) {
    (void)unused;
    GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), DEFAULT, kGYDrainExit, 0, trace_point, "hook",
                          count_release);
}

/* R4 */
TEST(a_hook_goes_with_its_loop) {
    test_thread(add_and_end, NULL);
    EXPECT_INT(atomic_load(&releases), 1);
}

typedef struct slow_call {
    test_event began, may_end;
    atomic_bool is_over;
} slow_call;

static void takes_its_time(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *info) {
    (void)hook;
    (void)point;
    slow_call *call = info;
    test_event_signal(&call->began);
    test_event_wait(&call->may_end);
    atomic_store(&call->is_over, true);
}

static void let_end(void *info) { test_event_signal(&((slow_call *)info)->may_end); }

/* R171 */
TEST(ending_a_hook_and_waiting_waits_for_its_call) {
    slow_call call = {.began = TEST_EVENT_INIT, .may_end = TEST_EVENT_INIT};
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    GYRunLoopObserverRef hook =
        GYDrainHookCreate(kGYDrainEveryIteration, 0, takes_its_time, &call, NULL);
    GYRunLoopAddObserver(worker.rl, hook, DEFAULT);
    GYRunLoopWakeUp(worker.rl);
    test_event_wait(&call.began);
    pthread_t helper = test_thread_start(let_end, &call);
    GYRunLoopObserverInvalidateAndWait(hook);
    EXPECT(atomic_load(&call.is_over));
    test_thread_join(helper);
    GYRelease(hook);
    loop_worker_drop(&worker);
}

/* Policies. */

static const char *run_with_policy(GYDrainPolicy policy) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = drain_source(DEFAULT, drain_defers, "drained");
    GYRunLoopObserverRef wake =
        drain_observer(DEFAULT, kGYRunLoopEntry, 0, drain_observer_defers, "entry");
    EXPECT(GYRunLoopSetDrainPolicy(rl, DEFAULT, policy));
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, DEFAULT), policy);
    GYRunLoopObserverRef trace = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopObserverRef hook =
        GYRunLoopAddDrainHook(rl, DEFAULT, kGYDrainAllPoints, 0, trace_point, "hook", NULL);
    loop_run_until_idle(DEFAULT);
    GYRunLoopObserverInvalidate(hook);
    loop_drop(trace);
    loop_drop(wake);
    loop_drop(source);
    return test_trace_take();
}

LOOP_TEST(a_mode_drains_in_every_iteration_unless_it_is_told_otherwise) {
    EXPECT_INT(GYRunLoopGetDrainPolicy(GYRunLoopGetCurrent(), DEFAULT),
               kGYDrainPolicyEveryIteration);
    EXPECT_STR(run_with_policy(kGYDrainPolicyEveryIteration),
               "entry timers sources drained entry hook(polling) "
               "timers sources wait hook(waiting) wake exit hook(exit)");
}

LOOP_TEST(a_mode_may_drain_before_waiting_alone) {
    EXPECT_STR(run_with_policy(kGYDrainPolicyBeforeWaiting),
               "entry timers sources "
               "timers sources wait drained entry hook(waiting) wake exit hook(exit)");
}

LOOP_TEST(a_mode_may_drain_on_exit_alone) {
    EXPECT_STR(run_with_policy(kGYDrainPolicyOnExit),
               "entry timers sources timers sources wait wake exit drained entry hook(exit)");
}

/* R10 */
LOOP_TEST(a_policy_is_of_its_mode_alone_and_makes_it) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, OTHER), kGYDrainPolicyEveryIteration);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    EXPECT(GYRunLoopSetDrainPolicy(rl, OTHER, kGYDrainPolicyOnExit));
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, OTHER), kGYDrainPolicyOnExit);
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, DEFAULT), kGYDrainPolicyEveryIteration);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode other");
}

/* Bad input. */

LOOP_TEST(a_hook_without_callout_or_with_other_points_is_refused_and_reported) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const GYOptionFlags bad[] = {0, kGYRunLoopExit, kGYDrainExit | kGYRunLoopExit, 1UL << 31};
    test_capture_log();
    for (int i = 0; i < 4; i++) {
        EXPECT(GYDrainHookCreate(bad[i], 0, trace_point, "", count_release) == NULL);
        EXPECT_REPORTED("GYDrainHookCreate");
        EXPECT(GYRunLoopAddDrainHook(rl, DEFAULT, bad[i], 0, trace_point, "", count_release) ==
               NULL);
        EXPECT_REPORTED("GYRunLoopAddDrainHook");
    }
    EXPECT(GYDrainHookCreate(kGYDrainExit, 0, NULL, "", count_release) == NULL);
    EXPECT_REPORTED("GYDrainHookCreate");
    EXPECT(GYRunLoopAddDrainHook(NULL, DEFAULT, kGYDrainExit, 0, trace_point, "", NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopAddDrainHook");
    EXPECT(GYRunLoopAddDrainHook(rl, NULL, kGYDrainExit, 0, trace_point, "", NULL) == NULL);
    EXPECT_REPORTED("GYRunLoopAddDrainHook");
    EXPECT_INT(atomic_load(&releases), 0);
}

static void keep_loop(void *where) {
    *(GYRunLoopRef *)where = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
}

/* R5 */
TEST(an_ended_loop_takes_no_hook_and_no_policy) {
    GYRunLoopRef rl;
    test_thread(keep_loop, &rl);
    errno = 0;
    EXPECT(GYRunLoopAddDrainHook(rl, DEFAULT, kGYDrainExit, 0, trace_point, "", count_release) ==
           NULL);
    EXPECT_INT(errno, ESRCH);
    EXPECT_INT(atomic_load(&releases), 0);
    errno = 0;
    EXPECT(!GYRunLoopSetDrainPolicy(rl, DEFAULT, kGYDrainPolicyOnExit));
    EXPECT_INT(errno, ESRCH);
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, DEFAULT), kGYDrainPolicyEveryIteration);
    GYRelease(rl);
}

LOOP_TEST(a_policy_that_is_none_or_of_no_one_mode_is_refused_and_reported) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const struct {
        GYRunLoopRef rl;
        GYRunLoopMode mode;
        GYDrainPolicy policy;
    } bad[] = {{rl, DEFAULT, 3},
               {rl, DEFAULT, -1},
               {NULL, DEFAULT, 1},
               {rl, NULL, 1},
               {rl, kGYRunLoopCommonModes, 1}};
    test_capture_log();
    for (int i = 0; i < 5; i++) {
        errno = 0;
        EXPECT(!GYRunLoopSetDrainPolicy(bad[i].rl, bad[i].mode, bad[i].policy));
        EXPECT_INT(errno, EINVAL);
        EXPECT_REPORTED("GYRunLoopSetDrainPolicy");
        if (i < 2) continue;
        EXPECT_INT(GYRunLoopGetDrainPolicy(bad[i].rl, bad[i].mode), 0);
        EXPECT_REPORTED("GYRunLoopGetDrainPolicy");
    }
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, DEFAULT), kGYDrainPolicyEveryIteration);
}

TEST_MAIN()
