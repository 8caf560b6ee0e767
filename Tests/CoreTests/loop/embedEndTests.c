/* How an embedded run ends, and an embedding: by invalidation, by a jump, with the thread, and what
 * becomes of it in the child of a fork (R308, R309). */
#include "support/counted.h"
#include "support/embed.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODE GYSTR("embedded")
#define OTHER GYSTR("other")
#define NOINLINE __attribute__((noinline))

static bool is_open(int fd) {
    struct pollfd p = {.fd = fd};
    return poll(&p, 1, 0) == 0 || (p.revents & POLLNVAL) == 0;
}

/* R308 */
LOOP_TEST(an_invalidated_embedding_does_nothing_any_more) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    int before = test_descriptor_count();
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    EXPECT(GYRunLoopEmbeddingIsValid(e));
    int fd = GYRunLoopEmbeddingGetDescriptor(e);
    EXPECT(GYRunLoopEmbeddingInvalidate(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake exit");
    EXPECT(!GYRunLoopEmbeddingIsValid(e));
    EXPECT(!is_open(fd));
    EXPECT_INT(test_descriptor_count(), before);
    EXPECT(GYRunLoopEmbeddingInvalidate(e));
    EXPECT_INT(GYRunLoopEmbeddingPrepare(e), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunStopped);
    EXPECT_INT(GYRunLoopEmbeddingGetDescriptor(e), -1);
    EXPECT_INT(GYRunLoopEmbeddingGetNextDeadline(e), INT64_MAX);
    EXPECT_STR(test_trace_take(), "");
    EXPECT_INT(GYGetRetainCount(e), 1);
    GYRelease(e);
    EXPECT_INT(loop_poll(MODE), kGYRunLoopRunTimedOut);
    loop_drop(tracer);
    loop_drop(keep);
}

LOOP_TEST(one_that_was_never_prepared_ends_without_a_run) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    embed_drop(embed(MODE));
    EXPECT_STR(test_trace_take(), "");
    loop_drop(tracer);
    loop_drop(keep);
}

/* No BeforeWaiting is without its AfterWaiting, and the other way round. */
LOOP_TEST(one_that_is_not_prepared_ends_with_exit_alone) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopEmbeddingRef e = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    EMBED_GOES_ON(GYRunLoopEmbeddingDispatch(e));
    EXPECT_STR(test_trace_take(), "entry timers sources wait wake");
    embed_drop(e);
    EXPECT_STR(test_trace_take(), "exit");
    loop_drop(tracer);
    loop_drop(keep);
}

/* ---- in its own callouts ---- */

static GYRunLoopEmbeddingRef embedding;

/* And gives up the last reference that the program has. */
static void invalidate(counted *self) {
    (void)self;
    EXPECT(GYRunLoopEmbeddingInvalidate(embedding));
    EXPECT(!GYRunLoopEmbeddingIsValid(embedding));
    GYRelease(embedding);
}

LOOP_TEST(in_a_callout_it_ends_with_the_iteration) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        GYRunLoopSourceRef keep = loop_keep(MODE);
        counted item = {.kind = (enum counted_kind)kind, .act = invalidate, .once = true};
        GYRunLoopObserverRef tracer =
            loop_in(MODE, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
        counted_add(&item, MODE);
        embedding = embed(MODE);
        int fd = GYRunLoopEmbeddingGetDescriptor(embedding);
        GYRunLoopRunResult result = kGYRunLoopEmbeddingGoesOn;
        while (result == kGYRunLoopEmbeddingGoesOn) result = embed_turn(embedding);
        EXPECT_INT(result, kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), "entry exit");
        EXPECT(!is_open(fd));
        EXPECT_STR(loop_current_mode_text(), "(null)");
        counted_finish(&item);
        loop_drop(tracer);
        loop_drop(keep);
    }
}

/* ---- left by a jump ---- */

static jmp_buf landing;
static _Noreturn void leaves(counted *self) {
    (void)self;
    longjmp(landing, 1);
}

static NOINLINE GYRunLoopRunResult turn_below(GYRunLoopEmbeddingRef e, int frames) {
    GYRunLoopRunResult result = frames > 0 ? turn_below(e, frames - 1) : embed_turn(e);
    __asm__ volatile("");
    return result;
}

/* True if a callout left an iteration by a jump. */
static NOINLINE bool is_left(GYRunLoopEmbeddingRef e) {
    if (setjmp(landing) != 0) return true;
    turn_below(e, 32);
    return false;
}

/* R309: the run is gone without its Exit; the host comes again, and begins another one. */
LOOP_TEST(a_jump_out_of_any_callout_ends_the_run) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        GYRunLoopSourceRef keep = loop_keep(MODE);
        counted item = {.kind = (enum counted_kind)kind, .act = leaves, .once = true};
        GYRunLoopObserverRef tracer =
            loop_in(MODE, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
        GYRunLoopEmbeddingRef e = embed(MODE);
        counted_add(&item, MODE);
        while (!is_left(e)) {
        }
        EXPECT(embed_is_readable(e, 0));
        EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
        EXPECT_STR(test_trace_take(), "entry entry");
        GYRunLoopStop(GYRunLoopGetCurrent());
        EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunStopped);
        EXPECT_STR(test_trace_take(), "exit");
        embed_drop(e);
        counted_finish(&item);
        EXPECT_INT(counted_held(&item), 0);
        loop_drop(tracer);
        loop_drop(keep);
    }
}

/* A host's own jumps do not reach the run that waits, however deep it was prepared. */
static NOINLINE void prepare_below(GYRunLoopEmbeddingRef e, int frames) {
    if (frames > 0) {
        prepare_below(e, frames - 1);
    } else {
        EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    }
    __asm__ volatile("");
}

LOOP_TEST(a_run_that_waits_has_no_frame_to_lose) {
    GYRunLoopSourceRef keep = loop_keep(MODE), other = loop_keep(OTHER);
    GYRunLoopObserverRef tracer =
        loop_in(MODE, loop_trace_observer(kGYRunLoopEntry | kGYRunLoopExit));
    GYRunLoopEmbeddingRef e = embed(MODE);
    prepare_below(e, 32);
    EXPECT_INT(loop_poll(OTHER), kGYRunLoopRunTimedOut);
    EXPECT_STR(loop_current_mode_text(), "embedded");
    embed_until_idle(e);
    embed_drop(e);
    EXPECT_STR(test_trace_take(), "entry exit");
    loop_drop(tracer);
    loop_drop(keep);
    loop_drop(other);
}

/* ---- with the thread ---- */

static GYRunLoopEmbeddingRef left_behind;
static int left_descriptor;

static void end_while_embedded(void *unused) {
    (void)unused;
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopObserverRef tracer = loop_in(MODE, loop_trace_observer(kGYRunLoopAllActivities));
    left_behind = embed(MODE);
    left_descriptor = GYRunLoopEmbeddingGetDescriptor(left_behind);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(left_behind));
    GYRelease(keep);
    GYRelease(tracer);
}

TEST(an_embedding_ends_with_its_thread) {
    int before = test_descriptor_count();
    test_thread(end_while_embedded, NULL);
    EXPECT(!GYRunLoopEmbeddingIsValid(left_behind));
    EXPECT(!is_open(left_descriptor));
    EXPECT_INT(test_descriptor_count(), before);
    EXPECT_STR(test_trace_take(), "entry timers sources wait");
    EXPECT_INT(GYGetRetainCount(left_behind), 1);
    GYRelease(left_behind);
}

static void *cancelled(void *unused) {
    end_while_embedded(unused);
    pthread_cancel(pthread_self());
    GYRunLoopEmbeddingDispatch(left_behind); /* the look is a cancellation point */
    test_fail(__FILE__, __LINE__, "it goes on");
    return NULL;
}

TEST(a_thread_may_be_cancelled_in_a_dispatch) {
    TEST_SKIP_IF(test_is_sanitized(), "a cancellation in the wait confuses the sanitizer");
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, cancelled, NULL) == 0);
    pthread_join(thread, NULL);
    EXPECT(!is_open(left_descriptor));
    EXPECT_INT(GYGetRetainCount(left_behind), 1);
    GYRelease(left_behind);
}

/* What one call of a destructor begins is ended as well. */
static void embed_late(void *info) {
    (void)info;
    left_behind = GYRunLoopEmbeddingCreate(GYRunLoopGetCurrent(), MODE);
    if (left_behind != NULL) GYRunLoopEmbeddingPrepare(left_behind);
}

static void cancel_embeds(void *info, GYRunLoopRef rl, GYRunLoopMode mode) {
    (void)rl;
    (void)mode;
    embed_late(info);
}

static void end_with_late_embedding(void *unused) {
    (void)unused;
    GYRunLoopSourceContext context = {.cancel = cancel_embeds};
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(NULL, 0, &context);
    GYRelease(loop_in(MODE, source));
}

TEST(a_loop_that_is_taken_down_is_not_embedded) {
    test_thread(end_with_late_embedding, NULL);
    EXPECT(left_behind == NULL);
}

/* ---- fork ---- */

static GYRunLoopTimerRef of_parent;

static void use_in_child(void *info) {
    GYRunLoopEmbeddingRef e = info;
    GYRunLoopTimerInvalidate(of_parent);
    EXPECT(!is_open(left_descriptor));
    EXPECT(GYRunLoopEmbeddingIsValid(e));
    EXPECT(embed_is_readable(e, 0)); /* another number */
    GYRunLoopTimerRef timer = loop_in(MODE, loop_timer(0.001, 0, loop_timer_traces, "timer"));
    while (GYRunLoopTimerIsValid(timer)) EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "timer");
    embed_until_idle(e);
    EXPECT(!embed_is_readable(e, 50)); /* it does not go on without a set */
    GYRunLoopStop(GYRunLoopGetCurrent());
    embed_wait(e);
    EXPECT_INT(GYRunLoopEmbeddingDispatch(e), kGYRunLoopRunStopped);
    embed_drop(e);
    loop_drop(timer);
}

/* R7, R309 */
LOOP_TEST(in_the_child_of_a_fork_it_goes_on_with_descriptors_of_its_own) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopEmbeddingRef e = embed(MODE);
    left_descriptor = GYRunLoopEmbeddingGetDescriptor(e);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(e));
    of_parent = loop_in(MODE, loop_timer(0.05, 0, loop_timer_traces, "parent"));
    embed_until_idle(e);
    EXPECT_INT(test_child(use_in_child, e), 0);
    /* The parent's has not been touched. */
    EXPECT_INT(GYRunLoopEmbeddingGetDescriptor(e), left_descriptor);
    while (GYRunLoopTimerIsValid(of_parent)) EMBED_GOES_ON(embed_turn(e));
    EXPECT_STR(test_trace_take(), "parent");
    embed_until_idle(e);
    GYRunLoopWakeUp(GYRunLoopGetCurrent());
    embed_wait(e);
    embed_drop(e);
    loop_drop(of_parent);
    loop_drop(keep);
}

static void expect_ended(void *info) {
    EXPECT(!GYRunLoopEmbeddingIsValid(info));
    EXPECT(!is_open(left_descriptor));
}

static test_event is_embedded = TEST_EVENT_INIT, may_end = TEST_EVENT_INIT;

static void embed_and_wait(void *unused) {
    end_while_embedded(unused);
    test_event_signal(&is_embedded);
    test_event_wait(&may_end);
}

TEST(another_threads_is_ended_in_the_child_of_a_fork) {
    pthread_t thread = test_thread_start(embed_and_wait, NULL);
    test_event_wait(&is_embedded);
    GYRunLoopGetCurrent();
    EXPECT_INT(test_child(expect_ended, left_behind), 0);
    test_event_signal(&may_end);
    test_thread_join(thread);
    GYRelease(left_behind);
}

TEST_MAIN()
