/* The end of a thread that has a loop, and loops whose thread has ended (R4, R5, R8). */
#include "support/loop.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The end of a thread. */

static pthread_key_t early_key, late_key;
static atomic_int destructor_rounds;

static void use_loop_in_destructor(void *loop) {
    EXPECT(GYRunLoopGetCurrent() == loop);
    EXPECT(GYRunLoopIsAlive(loop));
    GYRunLoopTimerRef timer =
        loop_in(GYSTR("farewell"), loop_timer(0, 0, loop_timer_traces, "timer"));
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("farewell"), 10, false), kGYRunLoopRunFinished);
    loop_drop(timer);
}

static void set_keys_around_the_loop(void *unused) {
    (void)unused;
    pthread_key_create(&early_key, use_loop_in_destructor);
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    pthread_key_create(&late_key, use_loop_in_destructor);
    pthread_setspecific(early_key, rl);
    pthread_setspecific(late_key, rl);
}

/* R4 */
TEST(destructors_of_thread_data_may_still_run_the_loop) {
    test_thread(set_keys_around_the_loop, NULL);
    EXPECT_STR(test_trace_take(), "timer timer");
}

static void set_again_in_destructor(void *value) {
    int round = atomic_fetch_add(&destructor_rounds, 1);
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    if (round < 2) EXPECT(rl != NULL);
    if (rl != NULL) GYRunLoopWakeUp(rl);
    if (round < 2 || !test_is_sanitized()) pthread_setspecific(early_key, value);
}

static void ask_in_every_round(void *unused) {
    (void)unused;
    pthread_key_create(&early_key, set_again_in_destructor);
    GYRunLoopGetCurrent();
    pthread_setspecific(early_key, &early_key);
}

/* R4: the balance of descriptors tells that no second loop is left behind. */
TEST(a_destructor_that_asks_in_every_round_leaves_no_loop_behind) {
    test_capture_log();
    test_thread(ask_in_every_round, NULL);
    EXPECT(atomic_load(&destructor_rounds) > 1);
}

static GYRunLoopSourceRef ending_port;
static GYRunLoopTimerRef ending_timer;
static GYRunLoopObserverRef ending_observer;

static void cancel_at_end(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)info;
    EXPECT(GYRunLoopContainsTimer(rl, ending_timer, kGYRunLoopDefaultMode));
    EXPECT(GYRunLoopContainsSource(rl, ending_port, kGYRunLoopDefaultMode));
    GYRetain(mode);
    test_trace("cancel-%s", loop_mode_text(mode));
}

static void release_at_end(void *rl) {
    EXPECT(!GYRunLoopContainsTimer(rl, ending_timer, kGYRunLoopDefaultMode));
    EXPECT(!GYRunLoopContainsSource(rl, ending_port, kGYRunLoopDefaultMode));
    EXPECT(!GYRunLoopContainsObserver(rl, ending_observer, kGYRunLoopDefaultMode));
    test_trace("block-released");
}

static void trace_call(void *unused) {
    (void)unused;
    test_trace("block-called");
}

static void leave_everything_behind(void *descriptor) {
    GYRunLoopSourceContext context = {.cancel = cancel_at_end};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(NULL, 0, &context);
    loop_in(kGYRunLoopDefaultMode, source);
    GYRelease(source);
    ending_port =
        loop_in(kGYRunLoopDefaultMode, loop_port(*(int *)descriptor, loop_traces, "port"));
    ending_timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, loop_timer_traces, "timer"));
    ending_observer = loop_in(kGYRunLoopDefaultMode, loop_trace_observer(kGYRunLoopEntry));
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    EXPECT(GYRunLoopPerform(rl, kGYRunLoopDefaultMode, trace_call, rl, release_at_end));
}

static void use_the_left_items(void *unused) {
    (void)unused;
    loop_in(kGYRunLoopDefaultMode, ending_timer);
    loop_in(kGYRunLoopDefaultMode, ending_observer);
    loop_in(kGYRunLoopDefaultMode, ending_port);
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false), kGYRunLoopRunTimedOut);
    loop_drop(ending_port);
    loop_drop(ending_timer);
    loop_drop(ending_observer);
}

/* R4: in this order, and timers, observers and ports serve another loop afterwards. */
TEST(the_end_of_a_thread_cancels_sources_then_detaches_then_releases_blocks) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    test_thread(leave_everything_behind, &ends[0]);
    EXPECT_STR(test_trace_take(), "cancel-kCFRunLoopDefaultMode block-released");
    EXPECT(GYRunLoopSourceIsValid(ending_port));
    EXPECT(GYRunLoopTimerIsValid(ending_timer));
    EXPECT(GYRunLoopObserverIsValid(ending_observer));
    test_thread(use_the_left_items, NULL);
    EXPECT_STR(test_trace_take(), "entry timer");
    close(ends[0]);
    close(ends[1]);
}

static void cancel_in_mode(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)info;
    GYRetain(mode);
    test_trace("%s", loop_mode_text(mode));
    /* The loop argument is still usable. */
    GYArrayRef modes = GYRunLoopCopyAllModes(rl);
    EXPECT(modes != NULL && GYArrayGetCount(modes) == 3);
    if (modes != NULL) GYRelease(modes);
    GYRunLoopWakeUp(rl);
    GYRunLoopStop(rl);
}

static void leave_a_source_in_two_modes(void *unused) {
    (void)unused;
    GYRunLoopSourceContext context = {.cancel = cancel_in_mode};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(NULL, 0, &context);
    loop_in(GYSTR("a"), source);
    loop_in(GYSTR("b"), source);
    GYRelease(source);
}

/* R4, R78 */
TEST(the_end_of_a_thread_calls_cancel_once_for_each_mode) {
    test_thread(leave_a_source_in_two_modes, NULL);
    const char *words = test_trace_take();
    EXPECT(strcmp(words, "a b") == 0 || strcmp(words, "b a") == 0);
}

/* Loops whose thread has ended. */

static void keep_loop(void *place) {
    GYRelease(loop_keep(GYSTR("kept")));
    *(GYRunLoopRef *)place = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
}

static void leave_loop(void *place) {
    *(GYRunLoopRef *)place = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    loop_poll(kGYRunLoopDefaultMode);
}

/* R5 */
TEST(a_dead_loop_is_not_waiting_and_has_no_current_mode) {
    GYRunLoopRef rl = NULL;
    test_thread(leave_loop, &rl);
    EXPECT(!GYRunLoopIsAlive(rl));
    EXPECT(!GYRunLoopIsWaiting(rl));
    EXPECT(!GYRunLoopIsCurrent(rl));
    EXPECT(GYRunLoopCopyCurrentMode(rl) == NULL);
    EXPECT_INT(GYGetTypeID(rl), GYRunLoopGetTypeID());
    GYRelease(rl);
}

static void add_everything_to(GYRunLoopRef rl) {
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    GYRunLoopTimerRef timer = loop_timer(0, 0.1, loop_timer_traces, "timer");
    GYRunLoopObserverRef observer = loop_trace_observer(kGYRunLoopAllActivities);
    GYRunLoopMode modes[] = {kGYRunLoopDefaultMode, kGYRunLoopCommonModes, GYSTR("other")};
    for (int i = 0; i < 3; i++) {
        GYRunLoopAddSource(rl, source, modes[i]);
        GYRunLoopAddTimer(rl, timer, modes[i]);
        GYRunLoopAddObserver(rl, observer, modes[i]);
        EXPECT(!GYRunLoopContainsSource(rl, source, modes[i]));
        EXPECT(!GYRunLoopContainsTimer(rl, timer, modes[i]));
        EXPECT(!GYRunLoopContainsObserver(rl, observer, modes[i]));
        GYRunLoopRemoveSource(rl, source, modes[i]);
        GYRunLoopRemoveTimer(rl, timer, modes[i]);
        GYRunLoopRemoveObserver(rl, observer, modes[i]);
    }
    GYRunLoopSourceSignal(source);
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* R5, F8: the last line is about the descriptors, which the runner compares too. */
TEST(every_call_on_a_dead_loop_is_safe_and_without_effect) {
    GYRunLoopRef rl = NULL;
    test_capture_log();
    int before = test_descriptor_count();
    test_thread(leave_loop, &rl);
    for (int i = 0; i < 1000; i++) {
        GYRunLoopWakeUp(rl);
        GYRunLoopStop(rl);
        GYRunLoopWindDown(rl);
        GYRunLoopAddCommonMode(rl, GYSTR("common"));
        EXPECT_NEAR(GYRunLoopGetNextTimerFireDate(rl, kGYRunLoopDefaultMode), 0, 0);
        add_everything_to(rl);
    }
    EXPECT_STR(test_log(), "");
    EXPECT_INT(test_descriptor_count(), before);
    GYRelease(rl);
}

/* R5: what is merely held by someone does not keep descriptors open. */
TEST(the_descriptors_of_a_dead_loop_are_closed_whoever_holds_it) {
    GYRunLoopRef rl = NULL;
    int before = test_descriptor_count();
    test_thread(keep_loop, &rl);
    EXPECT_INT(test_descriptor_count(), before);
    GYRelease(rl);
}

static void add_to_my_loop(void *timer) {
    loop_in(kGYRunLoopDefaultMode, timer);
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
}

/* R5, R110 */
TEST(a_timer_offered_to_a_dead_loop_is_free_for_another) {
    GYRunLoopRef rl = NULL;
    test_thread(leave_loop, &rl);
    GYRunLoopTimerRef timer = loop_timer(0, 0, loop_timer_traces, "fired");
    GYRunLoopAddTimer(rl, timer, kGYRunLoopDefaultMode);
    test_thread(add_to_my_loop, timer);
    EXPECT_STR(test_trace_take(), "fired");
    loop_drop(timer);
    GYRelease(rl);
}

/* R5, F28 */
TEST(work_for_a_dead_loop_is_refused_with_an_error) {
    GYRunLoopRef rl = NULL;
    test_thread(leave_loop, &rl);
    errno = 0;
    EXPECT(!GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "call", loop_traces));
    EXPECT_INT(errno, ESRCH);
    errno = 0;
    EXPECT(GYRunLoopPerformCreate(rl, kGYRunLoopDefaultMode, 0, loop_traces, "now", loop_traces) ==
           NULL);
    EXPECT_INT(errno, ESRCH);
    errno = 0;
    EXPECT(GYRunLoopPerformCreate(rl, kGYRunLoopDefaultMode, 1, loop_traces, "late", loop_traces) ==
           NULL);
    EXPECT_INT(errno, ESRCH);
    errno = 0;
    EXPECT(!GYRunLoopPerformAndWait(rl, kGYRunLoopDefaultMode, loop_traces, "wait"));
    EXPECT_INT(errno, ESRCH);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(rl);
}

typedef struct {
    GYRunLoopRef rl;
    test_event loop_known, may_end;
    atomic_bool asked;
} never_runs;

static void wait_without_running(void *given) {
    never_runs *shared = given;
    shared->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    test_event_signal(&shared->loop_known);
    test_event_wait(&shared->may_end);
}

static void ask_and_wait(void *given) {
    never_runs *shared = given;
    atomic_store(&shared->asked, true);
    EXPECT(!GYRunLoopPerformAndWait(shared->rl, kGYRunLoopDefaultMode, loop_traces, "called"));
}

/* R5, F49: the loop ends before the call, or while the caller waits; either way it is told. */
TEST(the_end_of_a_thread_answers_those_who_wait_for_work) {
    never_runs shared = {.loop_known = TEST_EVENT_INIT, .may_end = TEST_EVENT_INIT};
    pthread_t loop_thread = test_thread_start(wait_without_running, &shared);
    test_event_wait(&shared.loop_known);
    pthread_t waiters[4];
    for (int i = 0; i < 4; i++) waiters[i] = test_thread_start(ask_and_wait, &shared);
    TEST_WAIT_UNTIL(atomic_load(&shared.asked));
    test_event_signal(&shared.may_end);
    test_thread_join(loop_thread);
    for (int i = 0; i < 4; i++) test_thread_join(waiters[i]);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(shared.rl);
}

/* The end of the main thread. */

static void wait_for_main_end(void) { TEST_WAIT_UNTIL(!GYRunLoopIsAlive(GYRunLoopGetMain())); }

static void wake_twice(void *unused) {
    (void)unused;
    GYRunLoopWakeUp(GYRunLoopGetMain());
    GYRunLoopWakeUp(GYRunLoopGetMain());
}

static void *add_after_main(void *unused) {
    (void)unused;
    wait_for_main_end();
    test_capture_log();
    GYRunLoopTimerRef timer = loop_timer(0, 0, NULL, NULL);
    GYRunLoopAddTimer(GYRunLoopGetMain(), timer, kGYRunLoopDefaultMode);
    const char *line = test_log();
    EXPECT(strstr(line, "GYRunLoopAddTimer") != NULL);
    EXPECT(strchr(line, '\n') == NULL);
    EXPECT(!GYRunLoopContainsTimer(GYRunLoopGetMain(), timer, kGYRunLoopDefaultMode));
    GYRunLoopAddTimer(GYRunLoopGetMain(), timer, kGYRunLoopDefaultMode);
    EXPECT(!GYRunLoopPerform(GYRunLoopGetMain(), kGYRunLoopDefaultMode, loop_traces, "", NULL));
    EXPECT_STR(test_log(), "");
    EXPECT_STR(test_stderr_of(wake_twice, NULL), "");
    _exit(0);
}

static void *wake_after_main(void *unused) {
    (void)unused;
    wait_for_main_end();
    const char *text = test_stderr_of(wake_twice, NULL);
    const char *line_end = strchr(text, '\n');
    EXPECT(strstr(text, "GYRunLoopWakeUp") != NULL);
    EXPECT(line_end != NULL && line_end[1] == '\0');
    test_capture_log();
    EXPECT(!GYRunLoopPerform(GYRunLoopGetMain(), kGYRunLoopDefaultMode, loop_traces, "", NULL));
    EXPECT_STR(test_log(), "");
    _exit(0);
}

static void end_main_thread(void *given) {
    void *(**later)(void *) = given;
    pthread_t thread;
    GYRunLoopGetCurrent();
    REQUIRE(pthread_create(&thread, NULL, *later, NULL) == 0);
    pthread_exit(NULL);
}

/* R8 */
TEST(an_addition_to_the_main_loop_after_its_thread_is_reported_once) {
    void *(*later)(void *) = add_after_main;
    EXPECT_INT(test_child(end_main_thread, &later), 0);
}

/* R8 */
TEST(a_wake_up_of_the_main_loop_after_its_thread_is_reported_once) {
    void *(*later)(void *) = wake_after_main;
    EXPECT_INT(test_child(end_main_thread, &later), 0);
}

/* The first thread stays in the list of the process's threads, as a zombie. */
static bool main_thread_has_ended(void) {
    char text[256] = "", path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true;
    REQUIRE(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return strstr(text, ") Z ") != NULL;
}

static void *ask_after_main(void *rl) {
    TEST_WAIT_UNTIL(main_thread_has_ended());
    EXPECT(GYRunLoopIsAlive(rl));
    EXPECT(GYRunLoopPerform(rl, kGYRunLoopDefaultMode, loop_traces, "", NULL));
    _exit(test_failures() == 0 ? 0 : 1);
}

static void store_main(void *place) { *(GYRunLoopRef *)place = GYRunLoopGetMain(); }

static void leave_without_asking(void *unused) {
    (void)unused;
    GYRunLoopRef rl;
    pthread_t thread;
    test_thread(store_main, &rl);
    REQUIRE(pthread_create(&thread, NULL, ask_after_main, rl) == 0);
    pthread_exit(NULL);
}

/* R8: nothing tells the library of the end of a thread that it never met. */
TEST(a_main_loop_that_its_own_thread_never_asked_for_stays_alive) {
    EXPECT_INT(test_child(leave_without_asking, NULL), 0);
}

TEST_MAIN()
