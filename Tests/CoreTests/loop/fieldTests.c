/* What users of run loops stumbled over elsewhere: each case is one report. */
#define _GNU_SOURCE 1
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <stdio.h>
#include <sys/resource.h>

/* F2 */
LOOP_TEST(a_thousand_passes_without_waiting_all_time_out) {
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    for (int i = 0; i < 1000; i++) EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    loop_drop(keep);
}

/* F9 */
LOOP_TEST(an_empty_loop_says_finished_and_not_that_something_happened) {
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 1e20, true), kGYRunLoopRunFinished);
}

typedef struct {
    GYRunLoopRef rl;
    GYRunLoopSourceRef source;
    pthread_mutex_t mutex;
    test_event in_callout;
} locking;

static void use_lock(void *given) {
    locking *shared = given;
    pthread_mutex_lock(&shared->mutex);
    test_event_signal(&shared->in_callout);
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(1000, 0, NULL, NULL));
    loop_drop(timer);
    pthread_mutex_unlock(&shared->mutex);
}

static void stop_and_use_lock(void *given) {
    locking *shared = given;
    test_event_wait(&shared->in_callout);
    GYRunLoopWakeUp(shared->rl);
    GYRunLoopStop(shared->rl);
    pthread_mutex_lock(&shared->mutex);
    GYRunLoopStop(shared->rl);
    pthread_mutex_unlock(&shared->mutex);
}

/* F30 */
LOOP_TEST(stopping_needs_no_lock_that_a_callout_may_hold) {
    locking shared = {.rl = GYRunLoopGetCurrent(), .mutex = PTHREAD_MUTEX_INITIALIZER};
    shared.source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, use_lock, &shared));
    for (int i = 0; i < 300; i++) {
        test_event_init(&shared.in_callout);
        pthread_t stopper = test_thread_start(stop_and_use_lock, &shared);
        GYRunLoopSourceSignal(shared.source);
        EXPECT_INT(loop_run(1e20), kGYRunLoopRunStopped);
        test_thread_join(stopper);
    }
    loop_drop(shared.source);
}

/* The pages of data, heap and stacks. */
static long data_pages(void) {
    long pages = -1;
    FILE *file = fopen("/proc/self/statm", "re");
    REQUIRE(file != NULL);
    EXPECT_INT(fscanf(file, "%*d %*d %*d %*d %*d %ld", &pages), 1);
    fclose(file);
    return pages;
}

/* F32: after a first hundred passes, which may make what the later ones use. A single small block
 * left by each pass would be two hundred pages and more. */
LOOP_TEST(passes_allocate_nothing_that_stays) {
    GYRunLoopSourceRef source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, NULL, NULL));
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 1e-9, NULL, NULL));
    for (int i = 0; i < 100; i++) loop_poll(kGYRunLoopDefaultMode);
    long before = data_pages();
    for (int i = 0; i < 50000; i++) {
        GYRunLoopSourceSignal(source);
        loop_poll(kGYRunLoopDefaultMode);
    }
    EXPECT(test_is_sanitized() || data_pages() - before < 100);
    loop_drop(timer);
    loop_drop(source);
}

typedef struct {
    GYRunLoopSourceRef source;
    int performed;
    bool at_start;
} resignalled;

static void signal_once_more(void *given) {
    resignalled *shared = given;
    bool first = shared->performed++ == 0;
    if (first && shared->at_start) GYRunLoopSourceSignal(shared->source);
    GYRunLoopTimerRef timer = loop_in(GYSTR("unused"), loop_timer(1, 0, NULL, NULL));
    loop_drop(timer);
    if (first && !shared->at_start) GYRunLoopSourceSignal(shared->source);
}

/* F75: whether at the begin or at the end of the perform. */
LOOP_TEST(a_signal_during_the_perform_leads_to_exactly_one_more) {
    for (int i = 0; i < 2; i++) {
        resignalled shared = {NULL, 0, i == 0};
        shared.source = loop_in(kGYRunLoopDefaultMode, loop_source0(0, signal_once_more, &shared));
        GYRunLoopSourceSignal(shared.source);
        EXPECT_INT(loop_run_until_idle(kGYRunLoopDefaultMode), kGYRunLoopRunStopped);
        EXPECT_INT(shared.performed, 2);
        loop_drop(shared.source);
    }
}

static long voluntary_switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* F99: the one sleep of the second is one switch; a timer within it would be more. */
LOOP_TEST(an_idle_loop_has_no_periodic_wake_up) {
    GYRunLoopTimerRef far = loop_in(kGYRunLoopDefaultMode, loop_timer(1000, 0, NULL, NULL));
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    loop_poll(kGYRunLoopDefaultMode);
    test_trace_take();
    long before = voluntary_switches();
    EXPECT_INT(loop_run(1), kGYRunLoopRunTimedOut);
    EXPECT(voluntary_switches() - before <= 3);
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    loop_drop(observer);
    loop_drop(far);
}

static GYRunLoopSourceRef second_source;

static void invalidate_second(void *word) {
    loop_traces(word);
    GYRunLoopPerform(GYRunLoopGetCurrent(), kGYRunLoopDefaultMode, loop_traces, "block", NULL);
    GYRunLoopSourceInvalidate(second_source);
}

/* R84, F116: that the last source of the batch turned out invalid changes nothing for the first. */
LOOP_TEST(a_pass_whose_last_source_was_invalidated_counts_as_handled) {
    GYRunLoopSourceRef first =
        loop_in(kGYRunLoopDefaultMode, loop_source0(0, invalidate_second, "first"));
    second_source = loop_in(kGYRunLoopDefaultMode, loop_source0(1, loop_traces, "second"));
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceSignal(first);
    GYRunLoopSourceSignal(second_source);
    EXPECT_INT(loop_run_until_idle(kGYRunLoopDefaultMode), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "entry timers sources first block timers sources wait wake exit");
    loop_drop(observer);
    loop_drop(first);
    loop_drop(second_source);
}

TEST_MAIN()
