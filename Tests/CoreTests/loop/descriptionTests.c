/* Descriptions: texts for people that show what matters. */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include <dlfcn.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode

/* The description of an object; valid until the next call. */
static const char *text_of(GYTypeRef object) {
    static char text[65536];
    text[0] = '\0';
    GYStringRef description = GYCopyDescription(object);
    REQUIRE(description != NULL);
    EXPECT(GYStringGetCString(description, text, sizeof text, kGYStringEncodingUTF8));
    GYRelease(description);
    return text;
}

static bool shows(const char *text, const char *part) {
    if (strstr(text, part) != NULL) return true;
    test_fail(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", part, text);
    return false;
}

static GYStringRef describe(const void *word) {
    return GYStringCreateWithCString(kGYAllocatorDefault, word, kGYStringEncodingUTF8);
}

static GYRunLoopSourceRef described_source(const char *word, void (*perform)(void *)) {
    GYRunLoopSourceContext context = {.info = (void *)(uintptr_t)word, .copyDescription = describe};
    context.perform = perform;
    return GYRunLoopSourceCreate(kGYAllocatorDefault, 4711, &context);
}

static GYRunLoopTimerRef described_timer(const char *word) {
    GYRunLoopTimerContext context = {.info = (void *)(uintptr_t)word, .copyDescription = describe};
    return GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 1000, 12.5, 0, 0,
                                loop_timer_traces, &context);
}

static GYRunLoopObserverRef described_observer(const char *word) {
    GYRunLoopObserverContext context = {.info = (void *)(uintptr_t)word};
    context.copyDescription = describe;
    return GYRunLoopObserverCreate(kGYAllocatorDefault, 0xa0, true, 815, NULL, &context);
}

/* R164: what it is, its order, and what copyDescription gives. A change of state shows. */
TEST(a_source_shows_its_order_its_context_and_its_state) {
    GYRunLoopSourceRef source = described_source("what the client says", loop_traces);
    char before[4096];
    snprintf(before, sizeof before, "%s", text_of(source));
    shows(before, "RunLoopSource");
    shows(before, "4711");
    shows(before, "what the client says");
    GYRunLoopSourceSignal(source);
    EXPECT(strcmp(before, text_of(source)) != 0);
    snprintf(before, sizeof before, "%s", text_of(source));
    GYRunLoopSourceInvalidate(source);
    EXPECT(strcmp(before, text_of(source)) != 0);
    GYRelease(source);
}

/* R164 */
TEST(a_timer_shows_its_interval_tolerance_context_and_validity) {
    GYRunLoopTimerRef timer = described_timer("what the client says");
    GYRunLoopTimerSetTolerance(timer, 3.25);
    char before[4096];
    snprintf(before, sizeof before, "%s", text_of(timer));
    shows(before, "RunLoopTimer");
    shows(before, "12.5");
    shows(before, "3.25");
    shows(before, "what the client says");
    GYRunLoopTimerInvalidate(timer);
    EXPECT(strcmp(before, text_of(timer)) != 0);
    GYRelease(timer);
}

static char inside[4096];

static void describes_itself(GYRunLoopTimerRef timer, void *unused) {
    (void)unused;
    snprintf(inside, sizeof inside, "%s", text_of(timer));
}

/* R164: the state of a callout in progress. */
LOOP_TEST(a_timer_shows_that_it_is_firing) {
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(-1, 1000, describes_itself, NULL));
    shows(text_of(timer), "firing");
    char before[4096];
    snprintf(before, sizeof before, "%s", text_of(timer));
    loop_poll(DEFAULT);
    EXPECT(strcmp(inside, before) != 0);
    loop_drop(timer);
}

/* R164 */
TEST(an_observer_shows_its_activities_order_context_and_validity) {
    GYRunLoopObserverRef observer = described_observer("what the client says");
    char before[4096];
    snprintf(before, sizeof before, "%s", text_of(observer));
    shows(before, "RunLoopObserver");
    shows(before, "a0");
    shows(before, "815");
    shows(before, "what the client says");
    GYRunLoopObserverInvalidate(observer);
    EXPECT(strcmp(before, text_of(observer)) != 0);
    GYRelease(observer);
}

/* R164: a function of a shared library has a name that can be found. */
TEST(a_callback_is_shown_by_its_symbol) {
    void (*perform)(void *) = (void (*)(void *))(void (*)(void))getppid;
    Dl_info found;
    if (dladdr((void *)(uintptr_t)perform, &found) == 0 || found.dli_sname == NULL) return;
    GYRunLoopSourceRef source = described_source("x", perform);
    shows(text_of(source), found.dli_sname);
    GYRelease(source);
}

static void describes_loop(void *unused) {
    (void)unused;
    snprintf(inside, sizeof inside, "%s", text_of(GYRunLoopGetCurrent()));
}

/* R164 */
LOOP_TEST(a_loop_shows_its_modes_with_all_their_items) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, GYSTR("another common mode"));
    GYRunLoopSourceRef source = loop_in(DEFAULT, described_source("a source", NULL));
    GYRunLoopTimerRef timer = loop_in(GYSTR("a private mode"), described_timer("a timer"));
    GYRunLoopObserverRef observer = described_observer("an observer");
    GYRunLoopAddObserver(rl, observer, kGYRunLoopCommonModes);
    const char *text = text_of(rl);
    shows(text, "RunLoop");
    shows(text, "kCFRunLoopDefaultMode");
    shows(text, "another common mode");
    shows(text, "a private mode");
    shows(text, "a source");
    shows(text, "a timer");
    shows(text, "an observer");
    loop_drop(source);
    loop_drop(timer);
    loop_drop(observer);
}

/* R164: the current mode, and that a stop has been asked for. */
LOOP_TEST(a_running_loop_shows_its_current_mode_and_its_stop_state) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    char before[4096];
    snprintf(before, sizeof before, "%s", text_of(rl));
    GYRunLoopPerform(rl, DEFAULT, describes_loop, NULL, NULL);
    loop_poll(DEFAULT);
    EXPECT(strcmp(before, inside) != 0);
    snprintf(before, sizeof before, "%s", inside);
    GYRunLoopPerform(rl, DEFAULT, loop_stops, NULL, NULL);
    GYRunLoopPerform(rl, DEFAULT, describes_loop, NULL, NULL);
    loop_poll(DEFAULT);
    EXPECT(strcmp(before, inside) != 0);
}

static void uses_loop(void *rl) {
    GYRunLoopTimerRef timer = loop_timer(1000, 0, NULL, NULL);
    GYRunLoopAddTimer(rl, timer, GYSTR("made meanwhile"));
    loop_drop(timer);
}

static GYStringRef describe_and_use_loop(const void *rl) {
    test_thread(uses_loop, (void *)(uintptr_t)rl);
    return GYStringCreateWithCString(kGYAllocatorDefault, "busy", kGYStringEncodingUTF8);
}

/* R164, R170: another thread that needs the lock would wait for ever. */
LOOP_TEST(no_lock_is_held_while_copy_description_runs) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceContext context = {.info = rl, .copyDescription = describe_and_use_loop};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    loop_in(DEFAULT, source);
    shows(text_of(source), "busy");
    shows(text_of(rl), "busy");
    loop_drop(source);
}

static GYStringRef describe_nothing(const void *info) {
    (void)info;
    return NULL;
}

/* R164, R160 */
LOOP_TEST(a_context_that_describes_nothing_is_no_hindrance) {
    GYRunLoopSourceContext context = {.info = &context, .copyDescription = describe_nothing};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    loop_in(DEFAULT, source);
    shows(text_of(source), "RunLoopSource");
    shows(text_of(GYRunLoopGetCurrent()), "kCFRunLoopDefaultMode");
    loop_drop(source);
}

static void describes_worker(void *info) {
    for (int i = 0; i < 200; i++) text_of(info);
}

/* R164, R170: while the loop runs, and its items come and go. */
TEST(a_running_loop_may_be_described_by_another_thread) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    pthread_t thread = test_thread_start(describes_worker, worker.rl);
    for (int i = 0; i < 500; i++) {
        GYRunLoopTimerRef timer = described_timer("coming and going");
        GYRunLoopSourceRef source = described_source("coming and going", NULL);
        GYRunLoopAddTimer(worker.rl, timer, DEFAULT);
        GYRunLoopAddSource(worker.rl, source, GYSTR("a private mode"));
        GYRunLoopWakeUp(worker.rl);
        loop_drop(source);
        loop_drop(timer);
    }
    test_thread_join(thread);
    loop_worker_drop(&worker);
}

TEST_MAIN()
