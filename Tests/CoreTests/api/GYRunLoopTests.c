/* Bad input for every function of gyre/GYRunLoop.h: the defined harmless result, one line that
 * names the call and the rule, and an abort after it where GYRE_STRICT is set. */
#include "support/loop.h"
#include "support/test.h"

#include <errno.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYString.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Good arguments for the calls below. */
static GYRunLoopRef loop;
static GYRunLoopSourceRef source;
static GYRunLoopTimerRef timer;
static GYRunLoopObserverRef observer;

static void make_good_arguments(void) {
    loop = GYRunLoopGetCurrent();
    source = loop_source0(0, NULL, NULL);
    timer = loop_timer(1000, 0, NULL, NULL);
    observer = loop_trace_observer(kGYRunLoopEntry);
}

static void drop_good_arguments(void) {
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* Each line: a function, and whether a call with one bad argument, `bad`, gave what it should. */

#define MODE kGYRunLoopDefaultMode

#define BAD_LOOP(X)                                                                                \
    X(GYRunLoopIsCurrent, !GYRunLoopIsCurrent(bad))                                                \
    X(GYRunLoopIsAlive, !GYRunLoopIsAlive(bad))                                                    \
    X(GYRunLoopCopyCurrentMode, GYRunLoopCopyCurrentMode(bad) == NULL)                             \
    X(GYRunLoopCopyAllModes, GYRunLoopCopyAllModes(bad) == NULL)                                   \
    X(GYRunLoopAddCommonMode, (GYRunLoopAddCommonMode(bad, GYSTR("m")), true))                     \
    X(GYRunLoopGetNextTimerFireDate, GYRunLoopGetNextTimerFireDate(bad, MODE) == 0)                \
    X(GYRunLoopGetNextTimerFireAt, GYRunLoopGetNextTimerFireAt(bad, MODE) == INT64_MAX)            \
    X(GYRunLoopIsWaiting, !GYRunLoopIsWaiting(bad))                                                \
    X(GYRunLoopIsWindingDown, !GYRunLoopIsWindingDown(bad))                                        \
    X(GYRunLoopContainsSource, !GYRunLoopContainsSource(bad, source, MODE))                        \
    X(GYRunLoopAddSource, (GYRunLoopAddSource(bad, source, MODE), true))                           \
    X(GYRunLoopRemoveSource, (GYRunLoopRemoveSource(bad, source, MODE), true))                     \
    X(GYRunLoopContainsObserver, !GYRunLoopContainsObserver(bad, observer, MODE))                  \
    X(GYRunLoopAddObserver, (GYRunLoopAddObserver(bad, observer, MODE), true))                     \
    X(GYRunLoopRemoveObserver, (GYRunLoopRemoveObserver(bad, observer, MODE), true))               \
    X(GYRunLoopContainsTimer, !GYRunLoopContainsTimer(bad, timer, MODE))                           \
    X(GYRunLoopAddTimer, (GYRunLoopAddTimer(bad, timer, MODE), true))                              \
    X(GYRunLoopRemoveTimer, (GYRunLoopRemoveTimer(bad, timer, MODE), true))

#define BAD_ITEM(X)                                                                                \
    X(GYRunLoopContainsSource, !GYRunLoopContainsSource(loop, bad, MODE))                          \
    X(GYRunLoopAddSource, (GYRunLoopAddSource(loop, bad, MODE), true))                             \
    X(GYRunLoopRemoveSource, (GYRunLoopRemoveSource(loop, bad, MODE), true))                       \
    X(GYRunLoopContainsObserver, !GYRunLoopContainsObserver(loop, bad, MODE))                      \
    X(GYRunLoopAddObserver, (GYRunLoopAddObserver(loop, bad, MODE), true))                         \
    X(GYRunLoopRemoveObserver, (GYRunLoopRemoveObserver(loop, bad, MODE), true))                   \
    X(GYRunLoopContainsTimer, !GYRunLoopContainsTimer(loop, bad, MODE))                            \
    X(GYRunLoopAddTimer, (GYRunLoopAddTimer(loop, bad, MODE), true))                               \
    X(GYRunLoopRemoveTimer, (GYRunLoopRemoveTimer(loop, bad, MODE), true))

#define BAD_MODE(X)                                                                                \
    X(GYRunLoopIsModeEmpty, GYRunLoopIsModeEmpty(bad))                                             \
    X(GYRunLoopAddCommonMode, (GYRunLoopAddCommonMode(loop, bad), true))                           \
    X(GYRunLoopGetNextTimerFireDate, GYRunLoopGetNextTimerFireDate(loop, bad) == 0)                \
    X(GYRunLoopGetNextTimerFireAt, GYRunLoopGetNextTimerFireAt(loop, bad) == INT64_MAX)            \
    X(GYRunLoopContainsSource, !GYRunLoopContainsSource(loop, source, bad))                        \
    X(GYRunLoopAddSource, (GYRunLoopAddSource(loop, source, bad), true))                           \
    X(GYRunLoopRemoveSource, (GYRunLoopRemoveSource(loop, source, bad), true))                     \
    X(GYRunLoopContainsObserver, !GYRunLoopContainsObserver(loop, observer, bad))                  \
    X(GYRunLoopAddObserver, (GYRunLoopAddObserver(loop, observer, bad), true))                     \
    X(GYRunLoopRemoveObserver, (GYRunLoopRemoveObserver(loop, observer, bad), true))               \
    X(GYRunLoopContainsTimer, !GYRunLoopContainsTimer(loop, timer, bad))                           \
    X(GYRunLoopAddTimer, (GYRunLoopAddTimer(loop, timer, bad), true))                              \
    X(GYRunLoopRemoveTimer, (GYRunLoopRemoveTimer(loop, timer, bad), true))

typedef struct {
    const char *name;
    bool (*gives_what_it_should)(void *bad);
} bad_call;

#define DEFINE_BAD_LOOP(name, expression)                                                          \
    static bool name##_loop(void *bad) { return expression; }
#define DEFINE_BAD_ITEM(name, expression)                                                          \
    static bool name##_item(void *bad) { return expression; }
#define DEFINE_BAD_MODE(name, expression)                                                          \
    static bool name##_mode(void *bad) { return expression; }
BAD_LOOP(DEFINE_BAD_LOOP)
BAD_ITEM(DEFINE_BAD_ITEM)
BAD_MODE(DEFINE_BAD_MODE)

#define LIST_BAD_LOOP(name, expression) {#name, name##_loop},
#define LIST_BAD_ITEM(name, expression) {#name, name##_item},
#define LIST_BAD_MODE(name, expression) {#name, name##_mode},
static const bad_call bad_loops[] = {BAD_LOOP(LIST_BAD_LOOP)};
static const bad_call bad_items[] = {BAD_ITEM(LIST_BAD_ITEM)};
static const bad_call bad_modes[] = {BAD_MODE(LIST_BAD_MODE)};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* "gyre: CALL: what was wrong (R…)", and nothing else. */
static bool is_report_of(const char *line, const char *name) {
    char begin[96];
    snprintf(begin, sizeof begin, "gyre: %s: ", name);
    size_t length = strlen(line);
    const char *rule = strstr(line, " (R");
    return strncmp(line, begin, strlen(begin)) == 0 && strchr(line, '\n') == NULL && rule != NULL &&
           rule[3] >= '0' && rule[3] <= '9' && line[length - 1] == ')';
}

static void expect_reports(const bad_call *calls, size_t count, void *bad) {
    for (size_t i = 0; i < count; i++) {
        if (!calls[i].gives_what_it_should(bad)) {
            test_fail(__FILE__, __LINE__, "%s gave something else", calls[i].name);
        }
        const char *line = test_log();
        if (!is_report_of(line, calls[i].name)) {
            test_fail(__FILE__, __LINE__, "%s reported \"%s\"", calls[i].name, line);
        }
    }
}

static void expect_nothing_added(void) {
    EXPECT_STR(loop_all_modes_text(loop), "kCFRunLoopDefaultMode");
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    EXPECT(GYRunLoopSourceIsValid(source));
    EXPECT(GYRunLoopTimerIsValid(timer));
    EXPECT(GYRunLoopObserverIsValid(observer));
}

LOOP_TEST(what_is_not_a_loop_is_reported_by_every_call) {
    make_good_arguments();
    test_capture_log();
    void *bad[] = {NULL, (void *)GYSTR("a string"), source, timer, observer};
    for (size_t i = 0; i < COUNT(bad); i++) expect_reports(bad_loops, COUNT(bad_loops), bad[i]);
    expect_nothing_added();
    drop_good_arguments();
}

/* A loop and an array are of no item's type; a constant string is no object on the heap. */
LOOP_TEST(what_is_not_an_item_of_the_kind_is_reported_by_every_call) {
    make_good_arguments();
    test_capture_log();
    GYArrayRef array = GYRunLoopCopyAllModes(loop);
    void *bad[] = {NULL, loop, (void *)array, (void *)GYSTR("a string")};
    for (size_t i = 0; i < COUNT(bad); i++) expect_reports(bad_items, COUNT(bad_items), bad[i]);
    GYRelease(array);
    expect_nothing_added();
    drop_good_arguments();
}

LOOP_TEST(an_item_of_another_kind_is_reported) {
    make_good_arguments();
    test_capture_log();
    GYRunLoopAddSource(loop, (GYRunLoopSourceRef)timer, MODE);
    EXPECT(is_report_of(test_log(), "GYRunLoopAddSource"));
    GYRunLoopAddTimer(loop, (GYRunLoopTimerRef)observer, MODE);
    EXPECT(is_report_of(test_log(), "GYRunLoopAddTimer"));
    GYRunLoopAddObserver(loop, (GYRunLoopObserverRef)source, MODE);
    EXPECT(is_report_of(test_log(), "GYRunLoopAddObserver"));
    expect_nothing_added();
    drop_good_arguments();
}

LOOP_TEST(what_is_not_a_string_is_reported_as_mode_by_every_call) {
    make_good_arguments();
    test_capture_log();
    GYArrayRef array = GYRunLoopCopyAllModes(loop);
    void *bad[] = {NULL, loop, (void *)array, timer};
    for (size_t i = 0; i < COUNT(bad); i++) expect_reports(bad_modes, COUNT(bad_modes), bad[i]);
    GYRelease(array);
    expect_nothing_added();
    drop_good_arguments();
}

static void wake_up(void *bad) { GYRunLoopWakeUp(bad); }

static void stop(void *bad) { GYRunLoopStop(bad); }

static void wind_down(void *bad) { GYRunLoopWindDown(bad); }

static void expect_report_on_stderr(test_function call, void *bad, const char *name) {
    char line[256];
    snprintf(line, sizeof line, "%s", test_stderr_of(call, bad));
    size_t length = strlen(line);
    if (length == 0 || line[length - 1] != '\n') {
        test_fail(__FILE__, __LINE__, "%s wrote \"%s\"", name, line);
        return;
    }
    line[length - 1] = '\0';
    if (!is_report_of(line, name)) test_fail(__FILE__, __LINE__, "%s wrote \"%s\"", name, line);
}

/* R155: these may run in a signal handler, so they do not call the log handler. */
LOOP_TEST(waking_and_stopping_what_is_not_a_loop_is_reported_on_standard_error) {
    make_good_arguments();
    test_capture_log();
    void *bad[] = {NULL, source, (void *)GYSTR("a string")};
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect_report_on_stderr(wake_up, bad[i], "GYRunLoopWakeUp");
        expect_report_on_stderr(stop, bad[i], "GYRunLoopStop");
        expect_report_on_stderr(wind_down, bad[i], "GYRunLoopWindDown");
    }
    EXPECT_STR(test_log(), "");
    drop_good_arguments();
}

LOOP_TEST(a_null_name_of_a_mode_is_reported) {
    test_capture_log();
    EXPECT(GYRunLoopModeNamed(NULL) == NULL);
    EXPECT(is_report_of(test_log(), "GYRunLoopModeNamed"));
}

/* R16 */
LOOP_TEST(a_mode_that_cannot_be_run_is_finished_and_reported) {
    make_good_arguments();
    loop_in(MODE, source);
    test_capture_log();
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopCommonModes, 1000, false), kGYRunLoopRunFinished);
    EXPECT(is_report_of(test_log(), "GYRunLoopRunInMode"));
    EXPECT_INT(GYRunLoopRunInModeNanoseconds(kGYRunLoopCommonModes, INT64_MAX, true),
               kGYRunLoopRunFinished);
    drop_good_arguments();
}

LOOP_TEST(running_what_is_not_a_string_is_finished_and_reported) {
    make_good_arguments();
    loop_in(MODE, source);
    test_capture_log();
    EXPECT_INT(GYRunLoopRunInMode((GYRunLoopMode)timer, 1000, false), kGYRunLoopRunFinished);
    EXPECT(is_report_of(test_log(), "GYRunLoopRunInMode"));
    drop_good_arguments();
}

/* R51, R53: odd time-outs are no misuse. */
LOOP_TEST(odd_time_outs_are_not_reported) {
    make_good_arguments();
    test_capture_log();
    GYRunLoopTimerRef stopper = loop_in(MODE, loop_timer(-1, 1e-9, loop_timer_stops, NULL));
    double values[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
    for (size_t i = 0; i < COUNT(values); i++) loop_run(values[i]);
    EXPECT_STR(test_log(), "");
    loop_drop(stopper);
    drop_good_arguments();
}

/* R80, R113, R137: an invalid item is ignored, which is no misuse. */
LOOP_TEST(invalid_items_are_ignored_without_a_report) {
    make_good_arguments();
    test_capture_log();
    GYRunLoopSourceInvalidate(source);
    GYRunLoopTimerInvalidate(timer);
    GYRunLoopObserverInvalidate(observer);
    GYRunLoopMode modes[] = {MODE, kGYRunLoopCommonModes};
    for (int i = 0; i < 2; i++) {
        GYRunLoopAddSource(loop, source, modes[i]);
        GYRunLoopAddTimer(loop, timer, modes[i]);
        GYRunLoopAddObserver(loop, observer, modes[i]);
        EXPECT(!GYRunLoopContainsSource(loop, source, modes[i]));
        EXPECT(!GYRunLoopContainsTimer(loop, timer, modes[i]));
        EXPECT(!GYRunLoopContainsObserver(loop, observer, modes[i]));
        GYRunLoopRemoveSource(loop, source, modes[i]);
        GYRunLoopRemoveTimer(loop, timer, modes[i]);
        GYRunLoopRemoveObserver(loop, observer, modes[i]);
    }
    EXPECT_STR(test_log(), "");
    drop_good_arguments();
}

/* R110, R136 */
TEST(adding_to_a_second_loop_is_reported_and_ignored) {
    loop_worker worker;
    make_good_arguments();
    loop_worker_start(&worker, MODE);
    GYRunLoopAddTimer(worker.rl, timer, GYSTR("m"));
    GYRunLoopAddObserver(worker.rl, observer, GYSTR("m"));
    test_capture_log();
    GYRunLoopAddTimer(loop, timer, MODE);
    EXPECT(is_report_of(test_log(), "GYRunLoopAddTimer"));
    GYRunLoopAddObserver(loop, observer, MODE);
    EXPECT(is_report_of(test_log(), "GYRunLoopAddObserver"));
    EXPECT(!GYRunLoopContainsTimer(loop, timer, MODE));
    EXPECT(!GYRunLoopContainsObserver(loop, observer, MODE));
    EXPECT(GYRunLoopContainsTimer(worker.rl, timer, GYSTR("m")));
    loop_worker_drop(&worker);
    drop_good_arguments();
}

/* errno: 0 after an addition that went well (R89). */
LOOP_TEST(errno_is_zero_after_an_addition_that_went_well) {
    make_good_arguments();
    errno = 99;
    GYRunLoopAddSource(loop, source, MODE);
    EXPECT_INT(errno, 0);
    errno = 99;
    GYRunLoopAddTimer(loop, timer, MODE);
    EXPECT_INT(errno, 0);
    errno = 99;
    GYRunLoopAddCommonMode(loop, GYSTR("m"));
    EXPECT_INT(errno, 0);
    drop_good_arguments();
}

/* The strict mode. */

static void be_quiet_on_standard_error(void) { fclose(stderr); }

static void add_nothing_strictly(void) {
    setenv("GYRE_STRICT", "1", 1);
    test_capture_log();
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), NULL, MODE);
}

static void wake_nothing_strictly(void) {
    be_quiet_on_standard_error();
    setenv("GYRE_STRICT", "1", 1);
    GYRunLoopWakeUp(NULL);
}

static void run_common_modes_strictly(void) {
    setenv("GYRE_STRICT", "1", 1);
    test_capture_log();
    GYRunLoopRunInMode(kGYRunLoopCommonModes, 0, false);
}

TEST(strict_mode_aborts_after_a_report) {
    test_expect_abort(add_nothing_strictly);
    test_expect_abort(wake_nothing_strictly);
    test_expect_abort(run_common_modes_strictly);
}

static void print_line(const char *line, void *unused) {
    (void)unused;
    fprintf(stderr, "handled %s", line);
    fflush(stderr);
}

static void abort_with_a_line(void *unused) {
    (void)unused;
    setenv("GYRE_STRICT", "1", 1);
    GYSetLogHandler(print_line, NULL);
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), NULL, MODE);
}

static void run_in_child(void *unused) { test_child(abort_with_a_line, unused); }

TEST(strict_mode_aborts_only_after_the_line_was_handled) {
    const char *text = test_stderr_of(run_in_child, NULL);
    EXPECT(strncmp(text, "handled gyre: GYRunLoopAddTimer: ", 33) == 0);
}

static void misuse_with_other_values(void *value) {
    setenv("GYRE_STRICT", value, 1);
    test_capture_log();
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), NULL, MODE);
}

TEST(only_the_value_1_is_strict) {
    EXPECT_INT(test_child(misuse_with_other_values, "0"), 0);
    EXPECT_INT(test_child(misuse_with_other_values, ""), 0);
}

TEST_MAIN()
