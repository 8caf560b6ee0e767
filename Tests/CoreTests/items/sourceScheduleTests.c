/* The schedule and cancel callbacks of version 0 sources: when, how often, and what they may do. */
#include "support/loop.h"

#include <gyre/GYString.h>
#include <string.h>

#define DEFAULT kGYRunLoopDefaultMode
#define COMMON kGYRunLoopCommonModes
#define OTHER GYSTR("other")

/* A source that traces "+word:mode" when it is scheduled and "-word:mode" when it is cancelled. */
typedef struct {
    const char *word;
    GYRunLoopSourceRef source;
    GYRunLoopRef rl; /* what the callbacks are to be given */
    void (*inside)(void *self, GYRunLoopMode mode, bool joins);
} scheduled;

static const char *text_of(GYRunLoopMode mode) {
    return loop_mode_text((GYRunLoopMode)GYRetain(mode));
}

static void schedule(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    scheduled *self = info;
    test_trace("+%s:%s", self->word, text_of(mode));
    if (self->rl != NULL) EXPECT(rl == self->rl);
    if (self->inside != NULL) self->inside(self, mode, true);
}

static void cancel(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    scheduled *self = info;
    test_trace("-%s:%s", self->word, text_of(mode));
    if (self->rl != NULL) EXPECT(rl == self->rl);
    if (self->inside != NULL) self->inside(self, mode, false);
}

static void make(scheduled *self) {
    GYRunLoopSourceContext context = {.info = self, .schedule = schedule, .cancel = cancel};
    self->source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
}

static void add(scheduled *self, GYRunLoopMode mode) {
    GYRunLoopAddSource(GYRunLoopGetCurrent(), self->source, mode);
}

static void take_out(scheduled *self, GYRunLoopMode mode) {
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), self->source, mode);
}

/* R78 */
LOOP_TEST(schedule_and_cancel_are_called_once_for_each_real_change) {
    scheduled s = {.word = "s", .rl = GYRunLoopGetCurrent()};
    make(&s);
    take_out(&s, DEFAULT);
    add(&s, DEFAULT);
    add(&s, DEFAULT);
    add(&s, OTHER);
    EXPECT_STR(test_trace_take(), "+s:kCFRunLoopDefaultMode +s:other");
    take_out(&s, OTHER);
    take_out(&s, OTHER);
    EXPECT_STR(test_trace_take(), "-s:other");
    GYRunLoopSourceInvalidate(s.source);
    GYRunLoopSourceInvalidate(s.source);
    add(&s, DEFAULT);
    EXPECT_STR(test_trace_take(), "-s:kCFRunLoopDefaultMode");
    GYRelease(s.source);
}

/* R78, R17, R18, R20 */
LOOP_TEST(for_the_common_modes_schedule_and_cancel_are_given_the_names_of_the_single_modes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    scheduled s = {.word = "s", .rl = rl};
    make(&s);
    add(&s, COMMON);
    add(&s, COMMON);
    EXPECT_STR(test_trace_take(), "+s:kCFRunLoopDefaultMode");
    GYRunLoopAddCommonMode(rl, OTHER);
    GYRunLoopAddCommonMode(rl, OTHER);
    EXPECT_STR(test_trace_take(), "+s:other");
    take_out(&s, DEFAULT);
    EXPECT_STR(test_trace_take(), "-s:kCFRunLoopDefaultMode");
    take_out(&s, COMMON);
    EXPECT_STR(test_trace_take(), "-s:other");
    loop_drop(s.source);
    EXPECT_STR(test_trace_take(), "");
}

/* R78: the source is in a mode by name already when that mode gets it as a common item. */
LOOP_TEST(a_common_mode_that_holds_the_source_by_name_is_not_scheduled_again) {
    scheduled s = {.word = "s"};
    make(&s);
    add(&s, DEFAULT);
    test_trace_take();
    add(&s, COMMON);
    EXPECT_STR(test_trace_take(), "");
    take_out(&s, COMMON);
    EXPECT_STR(test_trace_take(), "-s:kCFRunLoopDefaultMode");
    loop_drop(s.source);
}

/* R82, R78 */
LOOP_TEST(adding_a_source_equal_to_one_that_is_there_does_not_schedule_it) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    scheduled s = {.word = "s"};
    make(&s);
    GYRunLoopSourceContext context = {.info = &s, .schedule = schedule, .cancel = cancel};
    GYRunLoopSourceRef equal = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    add(&s, DEFAULT);
    GYRunLoopAddSource(rl, equal, DEFAULT);
    EXPECT_STR(test_trace_take(), "+s:kCFRunLoopDefaultMode");
    GYRunLoopSourceInvalidate(equal);
    EXPECT_STR(test_trace_take(), "");
    EXPECT(GYRunLoopContainsSource(rl, s.source, DEFAULT));
    GYRelease(equal);
    loop_drop(s.source);
}

/* R78, R80 */
TEST(invalidation_cancels_in_every_mode_of_every_loop_with_that_loop) {
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    scheduled s = {.word = "s", .rl = GYRunLoopGetCurrent()};
    make(&s);
    add(&s, OTHER);
    s.rl = worker.rl;
    GYRunLoopAddSource(worker.rl, s.source, GYSTR("elsewhere"));
    EXPECT_STR(test_trace_take(), "+s:other +s:elsewhere");
    s.rl = NULL;
    GYRunLoopSourceInvalidate(s.source);
    const char *cancelled = test_trace_take();
    EXPECT(strcmp(cancelled, "-s:other -s:elsewhere") == 0 ||
           strcmp(cancelled, "-s:elsewhere -s:other") == 0);
    GYRelease(s.source);
    loop_worker_drop(&worker);
}

/* R78: the change is visible inside. */
static void expects_change_done(void *info, GYRunLoopMode mode, bool joins) {
    scheduled *self = info;
    EXPECT_INT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), self->source, mode), joins);
}

static void change_in_every_way(scheduled *s, GYRunLoopMode joining) {
    make(s);
    add(s, OTHER);
    take_out(s, OTHER);
    add(s, COMMON);
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), joining);
    take_out(s, COMMON);
    add(s, COMMON);
    GYRunLoopSourceInvalidate(s->source);
    GYRelease(s->source);
}

/* R78 */
LOOP_TEST(schedule_and_cancel_see_the_change_done) {
    scheduled s = {.word = "s", .inside = expects_change_done};
    change_in_every_way(&s, GYSTR("joining"));
    EXPECT_INT(test_failures(), 0);
}

static void uses_the_loop(void *given) {
    GYRunLoopRef rl = given;
    GYRunLoopSourceRef another = loop_source0(0, NULL, NULL);
    GYRunLoopAddSource(rl, another, COMMON);
    EXPECT(GYRunLoopContainsSource(rl, another, DEFAULT));
    GYRunLoopRemoveSource(rl, another, COMMON);
    GYRunLoopWakeUp(rl);
    GYRelease(GYRunLoopCopyAllModes(rl));
    loop_drop(another);
}

static void uses_the_loop_from_another_thread(void *info, GYRunLoopMode mode, bool joins) {
    (void)info;
    (void)mode;
    (void)joins;
    test_thread(uses_the_loop, GYRunLoopGetCurrent());
}

/* R78, R170: a lock held here would keep the other thread waiting, and this one with it. */
LOOP_TEST(no_lock_is_held_while_schedule_and_cancel_run) {
    scheduled s = {.word = "s", .inside = uses_the_loop_from_another_thread};
    change_in_every_way(&s, GYSTR("joining"));
    int scheduled_times = 0, cancelled_times = 0;
    for (const char *c = test_trace_take(); *c != '\0'; c++) {
        scheduled_times += *c == '+';
        cancelled_times += *c == '-';
    }
    EXPECT_INT(scheduled_times, 5);
    EXPECT_INT(cancelled_times, 5);
}

static void removes_itself_when_scheduled(void *info, GYRunLoopMode mode, bool joins) {
    if (joins) take_out(info, mode);
}

static void invalidates_itself_when_scheduled(void *info, GYRunLoopMode mode, bool joins) {
    (void)mode;
    if (joins) GYRunLoopSourceInvalidate(((scheduled *)info)->source);
}

static void adds_itself_when_cancelled(void *info, GYRunLoopMode mode, bool joins) {
    scheduled *self = info;
    self->inside = NULL;
    if (!joins) add(self, mode);
}

static void expect_gone_after_add(scheduled *s, const char *trace) {
    make(s);
    add(s, OTHER);
    EXPECT_STR(test_trace_take(), trace);
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), s->source, OTHER));
    loop_drop(s->source);
    EXPECT_STR(test_trace_take(), "");
}

/* R78, R80 */
LOOP_TEST(a_source_may_leave_the_mode_in_its_schedule_callback) {
    scheduled removing = {.word = "r", .inside = removes_itself_when_scheduled};
    expect_gone_after_add(&removing, "+r:other -r:other");
    scheduled ending = {.word = "e", .inside = invalidates_itself_when_scheduled};
    expect_gone_after_add(&ending, "+e:other -e:other");
}

/* R78 */
LOOP_TEST(a_source_may_come_back_in_its_cancel_callback_unless_it_was_invalidated) {
    scheduled s = {.word = "s"};
    make(&s);
    add(&s, OTHER);
    s.inside = adds_itself_when_cancelled;
    take_out(&s, OTHER);
    EXPECT_STR(test_trace_take(), "+s:other -s:other +s:other");
    EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), s.source, OTHER));
    s.inside = adds_itself_when_cancelled;
    GYRunLoopSourceInvalidate(s.source);
    EXPECT_STR(test_trace_take(), "-s:other");
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), s.source, OTHER));
    GYRelease(s.source);
}

/* R20, as libusb does: added to the common modes and later removed from the default mode alone. */
LOOP_TEST(a_common_source_removed_from_the_default_mode_goes_on_in_the_other_common_modes) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, OTHER);
    GYRunLoopSourceRef source = loop_source0(0, loop_traces, "performed");
    GYRunLoopAddSource(rl, source, kGYRunLoopCommonModes);
    GYRunLoopRemoveSource(rl, source, DEFAULT);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunFinished);
    EXPECT_INT(loop_poll(OTHER), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "performed");
    loop_drop(source);
}

/* R78, F67 */
LOOP_TEST(schedule_cancel_and_perform_may_be_null) {
    GYRunLoopSourceContext context = {.info = &context};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    loop_in(OTHER, source);
    loop_in(COMMON, source);
    GYRunLoopSourceSignal(source);
    EXPECT_INT(GYRunLoopRunInMode(OTHER, 0, true), kGYRunLoopRunHandledSource);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, OTHER);
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), source, COMMON);
    loop_drop(source);
}

TEST_MAIN()
