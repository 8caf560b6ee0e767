/* Bad input to the calls of embeddings: a defined result, and one line that names call and rule. */
#include "api/misuse.h"
#include "support/embed.h"

#include <errno.h>
#include <gyre/GYString.h>

#define MODE GYSTR("embedded")
#define OTHER GYSTR("other")

#define EXPECT_REFUSED(call, expression, result)                                                   \
    do {                                                                                           \
        EXPECT_INT((expression), (result));                                                        \
        EXPECT_REPORTED(call);                                                                     \
    } while (0)

static void expect_refused(GYRunLoopEmbeddingRef e) {
    EXPECT_REFUSED("GYRunLoopEmbeddingPrepare", GYRunLoopEmbeddingPrepare(e),
                   kGYRunLoopRunFinished);
    EXPECT_REFUSED("GYRunLoopEmbeddingDispatch", GYRunLoopEmbeddingDispatch(e),
                   kGYRunLoopRunFinished);
    EXPECT_REFUSED("GYRunLoopEmbeddingGetDescriptor", GYRunLoopEmbeddingGetDescriptor(e), -1);
    EXPECT_REFUSED("GYRunLoopEmbeddingGetNextDeadline", GYRunLoopEmbeddingGetNextDeadline(e),
                   INT64_MAX);
    errno = 0;
    EXPECT_REFUSED("GYRunLoopEmbeddingInvalidate", GYRunLoopEmbeddingInvalidate(e), false);
}

LOOP_TEST(null_and_other_objects_are_refused) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    void *wrong[] = {NULL, keep};
    test_capture_log();
    for (int i = 0; i < 2; i++) {
        expect_refused(wrong[i]);
        EXPECT_INT(errno, EINVAL);
        EXPECT_REFUSED("GYRunLoopEmbeddingIsValid", GYRunLoopEmbeddingIsValid(wrong[i]), false);
        EXPECT(GYRunLoopEmbeddingCreate(wrong[i], MODE) == NULL);
        EXPECT_INT(errno, EINVAL);
        EXPECT_REPORTED("GYRunLoopEmbeddingCreate");
        EXPECT(GYRunLoopEmbeddingCreate(GYRunLoopGetCurrent(), wrong[i]) == NULL);
        EXPECT_INT(errno, EINVAL);
        EXPECT_REPORTED("GYRunLoopEmbeddingCreate");
    }
    loop_drop(keep);
}

/* R16 */
LOOP_TEST(the_common_modes_are_not_embedded) {
    test_capture_log();
    EXPECT(GYRunLoopEmbeddingCreate(GYRunLoopGetCurrent(), kGYRunLoopCommonModes) == NULL);
    EXPECT_INT(errno, EINVAL);
    EXPECT_REPORTED("GYRunLoopEmbeddingCreate");
}

static GYRunLoopEmbeddingRef embedding;

static void use_elsewhere(void *rl) {
    EXPECT(GYRunLoopEmbeddingCreate(rl, MODE) == NULL);
    EXPECT_INT(errno, EPERM);
    EXPECT_REPORTED("GYRunLoopEmbeddingCreate");
    expect_refused(embedding);
    EXPECT_INT(errno, EPERM);
    EXPECT(GYRunLoopEmbeddingIsValid(embedding));
}

/* R300 */
LOOP_TEST(another_thread_may_not_use_it) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    embedding = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(embedding));
    test_capture_log();
    test_thread(use_elsewhere, GYRunLoopGetCurrent());
    EXPECT(!embed_is_readable(embedding, 0));
    embed_drop(embedding);
    loop_drop(keep);
}

static void calls_again(void *unused) {
    (void)unused;
    EXPECT_REFUSED("GYRunLoopEmbeddingPrepare", GYRunLoopEmbeddingPrepare(embedding),
                   kGYRunLoopEmbeddingGoesOn);
    EXPECT_REFUSED("GYRunLoopEmbeddingDispatch", GYRunLoopEmbeddingDispatch(embedding),
                   kGYRunLoopEmbeddingGoesOn);
    test_trace("called");
}

/* R307 */
LOOP_TEST(it_is_not_called_in_its_own_callouts) {
    GYRunLoopSourceRef source = loop_in(MODE, loop_source0(0, calls_again, NULL));
    test_capture_log();
    embedding = embed(MODE);
    GYRunLoopSourceSignal(source);
    EMBED_GOES_ON(embed_turn(embedding));
    EXPECT_STR(test_trace_take(), "called");
    embed_drop(embedding);
    loop_drop(source);
}

static void calls_covered(void *unused) {
    calls_again(unused);
    EXPECT_REFUSED("GYRunLoopEmbeddingInvalidate", GYRunLoopEmbeddingInvalidate(embedding), false);
    EXPECT_INT(errno, EBUSY);
    EXPECT(GYRunLoopEmbeddingIsValid(embedding));
}

/* R307 */
LOOP_TEST(it_is_not_called_below_a_run_that_was_begun_since) {
    GYRunLoopSourceRef keep = loop_keep(MODE);
    GYRunLoopSourceRef source = loop_in(OTHER, loop_source0(0, calls_covered, NULL));
    test_capture_log();
    embedding = embed(MODE);
    EMBED_GOES_ON(GYRunLoopEmbeddingPrepare(embedding));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_poll(OTHER), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "called");
    embed_until_idle(embedding);
    embed_drop(embedding);
    loop_drop(source);
    loop_drop(keep);
}

LOOP_TEST(it_has_a_type_of_its_own) {
    GYRunLoopEmbeddingRef e = embed(MODE);
    EXPECT_INT(GYGetTypeID(e), GYRunLoopEmbeddingGetTypeID());
    EXPECT(GYRunLoopEmbeddingGetTypeID() != GYRunLoopGetTypeID());
    embed_drop(e);
}

static void prepare_null(void) { GYRunLoopEmbeddingPrepare(NULL); }

TEST(in_strict_mode_misuse_aborts) { expect_strict_abort(prepare_null); }

TEST_MAIN()
