/* Modes: names, existence, emptiness, the current one (R10 to R16, R21). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdio.h>
#include <string.h>

/* A string that shares nothing with a constant or another string but its characters. */
static GYStringRef copy_of(const char *characters) {
    char bytes[64];
    snprintf(bytes, sizeof bytes, "%s", characters);
    return GYStringCreateWithCString(kGYAllocatorDefault, bytes, kGYStringEncodingUTF8);
}

/* Names. */

/* R10 */
LOOP_TEST(equal_characters_are_the_same_mode) {
    GYStringRef built = copy_of("some mode");
    GYRunLoopMode handle = GYRunLoopModeNamed("some mode");
    GYRunLoopTimerRef timer = loop_in(built, loop_timer(0, 0, loop_timer_traces, "fired"));
    EXPECT(GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, handle));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("some mode"), 10, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "fired");
    EXPECT_STR(loop_all_modes_text(GYRunLoopGetCurrent()), "kCFRunLoopDefaultMode some mode");
    loop_drop(timer);
    GYRelease(handle);
    GYRelease(built);
}

/* R10 */
LOOP_TEST(names_that_differ_by_case_or_length_are_different_modes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(GYSTR("mode"));
    EXPECT(!GYRunLoopContainsSource(rl, keep, GYSTR("Mode")));
    EXPECT(!GYRunLoopContainsSource(rl, keep, GYSTR("mode ")));
    EXPECT(!GYRunLoopContainsSource(rl, keep, GYSTR("mod")));
    EXPECT(GYRunLoopContainsSource(rl, keep, GYSTR("mode")));
    loop_drop(keep);
}

/* R10 */
LOOP_TEST(the_default_mode_goes_by_its_characters_too) {
    GYStringRef built = copy_of("kCFRunLoopDefaultMode");
    GYRunLoopSourceRef keep = loop_keep(built);
    EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), keep, kGYRunLoopDefaultMode));
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunTimedOut);
    loop_drop(keep);
    GYRelease(built);
}

/* R10 */
LOOP_TEST(the_empty_string_and_a_long_one_are_names_like_others) {
    char characters[3001];
    memset(characters, 'm', 3000);
    characters[3000] = '\0';
    GYStringRef modes[] = {copy_of(""), GYRunLoopModeNamed(characters)};
    for (int i = 0; i < 2; i++) {
        GYRunLoopSourceRef keep = loop_keep(modes[i]);
        EXPECT_INT(loop_poll(modes[i]), kGYRunLoopRunTimedOut);
        loop_drop(keep);
        GYRelease(modes[i]);
    }
}

/* Existence. */

/* R10 */
LOOP_TEST(a_mode_comes_with_its_first_item_of_any_kind_and_stays) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = loop_keep(GYSTR("a"));
    GYRunLoopTimerRef timer = loop_in(GYSTR("b"), loop_timer(1, 0, NULL, NULL));
    GYRunLoopObserverRef observer = loop_in(GYSTR("c"), loop_trace_observer(kGYRunLoopEntry));
    GYRunLoopPerform(rl, GYSTR("d"), loop_traces, "", NULL);
    EXPECT_STR(loop_all_modes_text(rl), "a b c d kCFRunLoopDefaultMode");
    GYRunLoopRemoveSource(rl, source, GYSTR("a"));
    GYRunLoopRemoveTimer(rl, timer, GYSTR("b"));
    GYRunLoopRemoveObserver(rl, observer, GYSTR("c"));
    loop_poll(GYSTR("d"));
    EXPECT_STR(loop_all_modes_text(rl), "a b c d kCFRunLoopDefaultMode");
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* R11 */
LOOP_TEST(the_default_mode_exists_from_the_start) {
    EXPECT_STR(loop_all_modes_text(GYRunLoopGetCurrent()), "kCFRunLoopDefaultMode");
}

/* R11 */
LOOP_TEST(asking_removing_running_and_making_common_create_no_mode) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    GYRunLoopTimerRef timer = loop_timer(1, 0, NULL, NULL);
    GYRunLoopObserverRef observer = loop_trace_observer(kGYRunLoopEntry);
    GYRunLoopMode mode = GYSTR("never");
    EXPECT(!GYRunLoopContainsSource(rl, source, mode));
    EXPECT(!GYRunLoopContainsTimer(rl, timer, mode));
    EXPECT(!GYRunLoopContainsObserver(rl, observer, mode));
    GYRunLoopRemoveSource(rl, source, mode);
    GYRunLoopRemoveTimer(rl, timer, mode);
    GYRunLoopRemoveObserver(rl, observer, mode);
    EXPECT_NEAR(GYRunLoopGetNextTimerFireDate(rl, mode), 0, 0);
    EXPECT_INT(loop_poll(mode), kGYRunLoopRunFinished);
    GYRunLoopAddCommonMode(rl, mode);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* R11 */
LOOP_TEST(an_invalid_item_creates_no_mode) {
    GYRunLoopTimerRef timer = loop_timer(1, 0, NULL, NULL);
    GYRunLoopTimerInvalidate(timer);
    loop_in(GYSTR("never"), timer);
    EXPECT(!GYRunLoopContainsTimer(GYRunLoopGetCurrent(), timer, GYSTR("never")));
    EXPECT_STR(loop_all_modes_text(GYRunLoopGetCurrent()), "kCFRunLoopDefaultMode");
    GYRelease(timer);
}

/* R11 */
LOOP_TEST(the_common_modes_are_not_listed_as_a_mode) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopCommonModes);
    GYRunLoopPerform(rl, kGYRunLoopCommonModes, loop_traces, "block", NULL);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "block");
    loop_drop(keep);
}

/* The current mode. */

static void trace_mode(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *word) {
    (void)observer;
    const char *name = activity == kGYRunLoopEntry ? "in" : "out";
    test_trace("%s%s:%s", (const char *)word, name, loop_current_mode_text());
}

/* R12, F46 */
LOOP_TEST(the_current_mode_is_set_from_entry_to_exit_and_null_outside) {
    GYRunLoopMode mode = GYSTR("m");
    GYRunLoopObserverRef ends =
        loop_in(mode, loop_observer(kGYRunLoopEntry | kGYRunLoopExit, true, 0, trace_mode, ""));
    GYRunLoopSourceRef keep = loop_keep(mode);
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_poll(mode);
    EXPECT_STR(test_trace_take(), "in:m out:m");
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_drop(keep);
    loop_drop(ends);
}

static void run_the_next_mode(void *name) {
    GYRunLoopSourceRef nested;
    if (strcmp(name, "a") == 0) {
        nested = loop_in(GYSTR("b"), loop_source0(0, run_the_next_mode, "b"));
        GYRunLoopSourceSignal(nested);
        loop_poll(GYSTR("b"));
    } else {
        nested = loop_keep(GYSTR("c"));
        loop_poll(GYSTR("c"));
    }
    loop_drop(nested);
    test_trace("back:%s", loop_current_mode_text());
}

/* R12, F25: Entry and Exit tell the depth and the mode of nested runs. */
LOOP_TEST(nested_runs_restore_the_mode_of_the_outer_run) {
    GYRunLoopObserverRef ends =
        loop_observer(kGYRunLoopEntry | kGYRunLoopExit, true, 0, trace_mode, "");
    loop_in(GYSTR("a"), ends);
    loop_in(GYSTR("b"), ends);
    loop_in(GYSTR("c"), ends);
    GYRunLoopSourceRef outer = loop_in(GYSTR("a"), loop_source0(0, run_the_next_mode, "a"));
    GYRunLoopSourceSignal(outer);
    loop_poll(GYSTR("a"));
    EXPECT_STR(test_trace_take(), "in:a in:b in:c out:c back:b out:b back:a out:a");
    EXPECT_STR(loop_current_mode_text(), "(null)");
    loop_drop(outer);
    loop_drop(ends);
}

/* R12 */
LOOP_TEST(the_current_mode_may_be_asked_for_from_another_thread) {
    loop_worker worker;
    loop_worker_start(&worker, GYSTR("working"));
    EXPECT_STR(loop_mode_text(GYRunLoopCopyCurrentMode(worker.rl)), "working");
    loop_worker_end(&worker);
    EXPECT_STR(loop_mode_text(GYRunLoopCopyCurrentMode(worker.rl)), "(null)");
    GYRelease(worker.rl);
}

/* Emptiness. */

/* R13 */
LOOP_TEST(a_source_that_is_never_signalled_keeps_a_mode_non_empty) {
    GYRunLoopSourceRef source = loop_keep(GYSTR("m"));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunTimedOut);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, GYSTR("m"));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
    loop_drop(source);
}

/* R13, R90 */
LOOP_TEST(a_source_with_a_negative_port_keeps_a_mode_non_empty) {
    GYRunLoopSourceRef source = loop_in(GYSTR("m"), loop_port(-1, loop_traces, "port"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("m"), 0.01, true), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(source);
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
}

/* R13 */
LOOP_TEST(a_timer_far_away_keeps_a_mode_non_empty) {
    GYRunLoopTimerRef timer = loop_in(GYSTR("m"), loop_timer(1e20, 0, NULL, NULL));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunTimedOut);
    loop_drop(timer);
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
}

/* R13 */
LOOP_TEST(observers_do_not_keep_a_mode_non_empty) {
    GYRunLoopObserverRef observer =
        loop_in(GYSTR("m"), loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(observer);
}

/* R13 */
LOOP_TEST(a_pending_block_counts_in_the_modes_in_which_it_would_run) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    const void *names[] = {GYSTR("a"), GYSTR("b")};
    GYArrayRef both = GYArrayCreate(kGYAllocatorDefault, names, 2, &kGYTypeArrayCallBacks);
    GYRunLoopObserverRef other = loop_in(GYSTR("c"), loop_trace_observer(kGYRunLoopEntry));
    GYRunLoopPerform(rl, both, loop_traces, "block", NULL);
    EXPECT_INT(loop_poll(GYSTR("c")), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(GYSTR("b")), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "block");
    EXPECT_INT(loop_poll(GYSTR("a")), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(GYSTR("b")), kGYRunLoopRunFinished);
    loop_drop(other);
    GYRelease(both);
}

/* R13, R61 */
LOOP_TEST(a_block_for_the_common_modes_counts_once_the_mode_is_common) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopObserverRef observer = loop_in(GYSTR("m"), loop_trace_observer(kGYRunLoopEntry));
    GYRunLoopPerform(rl, kGYRunLoopCommonModes, loop_traces, "block", NULL);
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
    GYRunLoopAddCommonMode(rl, GYSTR("m"));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry block");
    loop_drop(observer);
}

/* R15 */
LOOP_TEST(an_empty_mode_polls_nothing_and_calls_no_observer) {
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(loop_run(1000), kGYRunLoopRunFinished);
    EXPECT_INT(loop_run(0), kGYRunLoopRunFinished);
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(kGYRunLoopDefaultMode, INT64_MAX, true),
               kGYRunLoopRunFinished);
    GYRunLoopRun();
    EXPECT_STR(test_trace_take(), "");
    loop_drop(observer);
}

/* The main loop. */

/* R14, F3 */
TEST(the_default_mode_of_the_main_loop_is_never_empty) {
    EXPECT_INT(loop_run(0), kGYRunLoopRunTimedOut);
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
}

/* R14, F3 */
TEST(a_private_mode_of_the_main_loop_may_be_empty) {
    GYRunLoopObserverRef observer =
        loop_in(GYSTR("private"), loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("private"), 1000, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "");
    loop_drop(observer);
}

/* R14, R15 */
TEST(a_common_mode_of_the_main_loop_is_non_empty_once_it_exists) {
    GYRunLoopAddCommonMode(GYRunLoopGetMain(), GYSTR("m"));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunFinished);
    GYRunLoopObserverRef observer = loop_in(GYSTR("m"), loop_trace_observer(kGYRunLoopEntry));
    EXPECT_INT(loop_poll(GYSTR("m")), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry");
    loop_drop(observer);
}

/* What cannot be run. */

/* R16, F48 */
LOOP_TEST(running_the_common_modes_is_finished_at_once_and_reported_once) {
    test_capture_log();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopCommonModes);
    GYRunLoopObserverRef observer =
        loop_in(kGYRunLoopCommonModes, loop_trace_observer(kGYRunLoopAllActivities));
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopCommonModes, 1000, false), kGYRunLoopRunFinished);
    const char *line = test_log();
    EXPECT(strstr(line, "GYRunLoopRunInMode") != NULL && strchr(line, '\n') == NULL);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopCommonModes, 0, true), kGYRunLoopRunFinished);
    EXPECT_STR(test_log(), "");
    EXPECT_STR(test_trace_take(), "");
    loop_drop(keep);
    loop_drop(observer);
}

/* R16 */
LOOP_TEST(running_a_null_mode_is_finished_at_once_and_reported_once) {
    test_capture_log();
    GYRunLoopSourceRef keep = loop_keep(kGYRunLoopDefaultMode);
    EXPECT_INT(GYRunLoopRunInMode(NULL, 1000, false), kGYRunLoopRunFinished);
    const char *line = test_log();
    EXPECT(strstr(line, "GYRunLoopRunInMode") != NULL && strchr(line, '\n') == NULL);
    EXPECT_INT(GYRunLoopRunInMode(NULL, 0, false), kGYRunLoopRunFinished);
    EXPECT_STR(test_log(), "");
    loop_drop(keep);
}

/* R21 */
LOOP_TEST(a_string_equal_to_the_common_modes_means_them_in_every_call) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYStringRef built = copy_of("kCFRunLoopCommonModes");
    GYRunLoopSourceRef source = loop_in(built, loop_source0(0, NULL, NULL));
    GYRunLoopTimerRef timer = loop_in(built, loop_timer(1000, 0, NULL, NULL));
    GYRunLoopObserverRef observer = loop_in(built, loop_trace_observer(kGYRunLoopEntry));
    EXPECT(GYRunLoopContainsSource(rl, source, kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopContainsTimer(rl, timer, kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopContainsObserver(rl, observer, kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopContainsSource(rl, source, built));
    EXPECT(GYRunLoopContainsTimer(rl, timer, built));
    EXPECT(GYRunLoopContainsObserver(rl, observer, built));
    GYRunLoopPerform(rl, built, loop_traces, "block", NULL);
    test_capture_log();
    EXPECT_INT(loop_poll(built), kGYRunLoopRunFinished);
    loop_poll(kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "entry block");
    GYRunLoopRemoveSource(rl, source, built);
    GYRunLoopRemoveTimer(rl, timer, built);
    GYRunLoopRemoveObserver(rl, observer, built);
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    EXPECT_STR(loop_all_modes_text(rl), "kCFRunLoopDefaultMode");
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
    GYRelease(built);
}

TEST_MAIN()
