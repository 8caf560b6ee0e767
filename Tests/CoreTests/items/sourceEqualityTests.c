/* Equality of sources, how modes go by it, and how long a source's context lives. */
#include "support/loop.h"

#include <errno.h>
#include <gyre/GYString.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

static void perform_a(void *info) { (void)info; }
static void perform_b(void *info) { test_trace("b%s", info == NULL ? "" : "!"); }

static GYRunLoopSourceRef create(GYRunLoopSourceContext *context, GYIndex order) {
    return GYRunLoopSourceCreate(kGYAllocatorDefault, order, context);
}

static GYBoolean equal_numbers(const void *a, const void *b) {
    return *(const int *)a == *(const int *)b;
}
static GYBoolean always_equal(const void *a, const void *b) { return a != NULL && b != NULL; }
static GYHashCode number(const void *info) { return (GYHashCode) * (const int *)info; }
static GYHashCode always_one(const void *info) { return info == NULL ? 0 : 1; }

static void expect_equality(GYRunLoopSourceContext *first, GYRunLoopSourceContext *second,
                            GYIndex second_order, bool equal) {
    GYRunLoopSourceRef a = create(first, 0), b = create(second, second_order);
    EXPECT_INT(GYEqual(a, b), equal);
    EXPECT_INT(GYEqual(b, a), equal);
    EXPECT(GYEqual(a, a));
    if (equal) EXPECT(GYHash(a) == GYHash(b));
    GYRelease(a);
    GYRelease(b);
}

/* R82, F17 */
TEST(sources_are_equal_when_order_callbacks_and_info_are) {
    int x = 1, y = 1;
    GYRunLoopSourceContext base = {.info = &x, .perform = perform_a}, other = base;
    expect_equality(&base, &base, 0, true);
    expect_equality(&base, &base, 1, false);
    other.info = &y;
    expect_equality(&base, &other, 0, false);
    other = base;
    other.perform = perform_b;
    expect_equality(&base, &other, 0, false);
}

/* R82 */
TEST(sources_with_other_equal_or_hash_callbacks_are_not_equal) {
    int x = 1, y = 1, z = 2;
    GYRunLoopSourceContext base = {.info = &x, .equal = equal_numbers, .hash = number};
    GYRunLoopSourceContext other = base;
    other.info = &y;
    expect_equality(&base, &other, 0, true);
    other.info = &z;
    expect_equality(&base, &other, 0, false);
    other.info = &y;
    other.equal = always_equal;
    expect_equality(&base, &other, 0, false);
    other.equal = equal_numbers;
    other.hash = always_one;
    expect_equality(&base, &other, 0, false);
}

static int no_port(void *info) { return info == NULL ? -2 : -1; }

/* R82 */
TEST(sources_of_different_versions_are_not_equal) {
    int x = 1;
    GYRunLoopSourceContext version0 = {.info = &x, .perform = perform_a};
    GYRunLoopSourceContext1 version1 = {.version = 1, .info = &x, .getPort = no_port};
    version1.perform = perform_a;
    GYRunLoopSourceRef a = create(&version0, 0);
    GYRunLoopSourceRef b =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&version1);
    GYRunLoopSourceRef c =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&version1);
    EXPECT(!GYEqual(a, b));
    EXPECT(GYEqual(b, c));
    GYRelease(a);
    GYRelease(b);
    GYRelease(c);
}

/* R82 */
TEST(sources_are_equal_only_when_both_are_valid_or_both_invalid) {
    int x = 1;
    GYRunLoopSourceContext context = {.info = &x};
    GYRunLoopSourceRef a = create(&context, 0), b = create(&context, 0);
    GYRunLoopSourceInvalidate(a);
    EXPECT(!GYEqual(a, b));
    GYRunLoopSourceInvalidate(b);
    EXPECT(GYEqual(a, b));
    GYRelease(a);
    GYRelease(b);
}

/* R82 */
TEST(a_source_hashes_by_its_callback_or_else_by_its_info) {
    int x = 77;
    GYRunLoopSourceContext context = {.info = &x};
    GYRunLoopSourceRef plain = create(&context, 0);
    context.hash = number;
    GYRunLoopSourceRef asked = create(&context, 0);
    EXPECT(GYHash(plain) == (GYHashCode)(uintptr_t)&x);
    EXPECT_INT(GYHash(asked), 77);
    GYRelease(plain);
    GYRelease(asked);
}

/* R82, F17: the equal one counts as contained, is not retained, and its signal does nothing. */
LOOP_TEST(adding_a_source_equal_to_one_that_is_there_changes_nothing) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceContext context = {.info = NULL, .perform = perform_b};
    GYRunLoopSourceRef a = create(&context, 0), b = create(&context, 0);
    GYRunLoopAddSource(rl, a, DEFAULT);
    GYRunLoopAddSource(rl, b, DEFAULT);
    EXPECT_INT(GYGetRetainCount(b), 1);
    EXPECT(GYRunLoopContainsSource(rl, b, DEFAULT));
    GYRunLoopSourceSignal(b);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 0, true), kGYRunLoopRunTimedOut);
    GYRunLoopSourceSignal(a);
    EXPECT_INT(GYRunLoopRunInMode(DEFAULT, 0, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "b");
    loop_drop(b);
    loop_drop(a);
}

/* R174 */
LOOP_TEST(remove_takes_out_the_equal_source_and_invalidate_only_the_source_itself) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceContext context = {.info = &context};
    GYRunLoopSourceRef a = create(&context, 0), b = create(&context, 0), c = create(&context, 0);
    GYRunLoopAddSource(rl, a, DEFAULT);
    GYRunLoopSourceInvalidate(c);
    EXPECT(GYRunLoopContainsSource(rl, a, DEFAULT));
    GYRunLoopRemoveSource(rl, b, DEFAULT);
    EXPECT(!GYRunLoopContainsSource(rl, a, DEFAULT));
    EXPECT_INT(GYGetRetainCount(a), 1);
    EXPECT(GYRunLoopSourceIsValid(a));
    loop_drop(a);
    loop_drop(b);
    GYRelease(c);
}

/* R82, R19, R20 */
LOOP_TEST(common_items_are_held_by_the_same_equality) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceContext context = {.info = &context};
    GYRunLoopSourceRef a = create(&context, 0), b = create(&context, 0);
    GYRunLoopAddSource(rl, a, kGYRunLoopCommonModes);
    GYRunLoopAddSource(rl, b, kGYRunLoopCommonModes);
    EXPECT(GYRunLoopContainsSource(rl, b, kGYRunLoopCommonModes));
    EXPECT_INT(GYGetRetainCount(b), 1);
    GYRunLoopRemoveSource(rl, b, kGYRunLoopCommonModes);
    EXPECT(!GYRunLoopContainsSource(rl, a, kGYRunLoopCommonModes));
    EXPECT(!GYRunLoopContainsSource(rl, a, DEFAULT));
    loop_drop(a);
    loop_drop(b);
}

/* A source whose equal callback changes the mode or uses the loop while it is compared. */
static GYRunLoopSourceRef present;
static int changes_left;
static test_function on_compare;

static GYBoolean equal_and_acts(const void *a, const void *b) {
    if (changes_left > 0) {
        changes_left--;
        on_compare(NULL);
    }
    return a != NULL && b != NULL;
}

static GYRunLoopSourceRef comparing(int *info) {
    GYRunLoopSourceContext context = {.info = info, .equal = equal_and_acts, .hash = always_one};
    return create(&context, 0);
}

static void invalidates_present(void *unused) {
    (void)unused;
    GYRunLoopSourceInvalidate(present);
}

/* R174: after the callback the mode no longer holds an equal source, so the new one goes in. */
LOOP_TEST(an_addition_is_tried_again_when_the_equal_callback_has_changed_the_mode) {
    int x, y;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    present = loop_in(DEFAULT, comparing(&x));
    GYRunLoopSourceRef added = comparing(&y);
    changes_left = 1;
    on_compare = invalidates_present;
    GYRunLoopAddSource(rl, added, DEFAULT);
    EXPECT_INT(changes_left, 0);
    EXPECT_INT(GYGetRetainCount(added), 2);
    GYRunLoopRemoveSource(rl, added, DEFAULT);
    EXPECT_INT(GYGetRetainCount(added), 1);
    GYRelease(present);
    loop_drop(added);
}

/* A port source that is compared with another in a common mode, and whose descriptor is closed
 * meanwhile: the common modes refuse it, the default mode already holds it. */
static GYRunLoopSourceRef refused;
static int refused_port;

static int port_of(void *info) { return *(int *)info; }

static GYBoolean unequal_and_acts(const void *a, const void *b) {
    equal_and_acts(a, b);
    return false;
}

static GYRunLoopSourceRef comparing_port(int *fd) {
    GYRunLoopSourceContext1 context = {.version = 1,
                                       .info = fd,
                                       .equal = unequal_and_acts,
                                       .hash = always_one,
                                       .getPort = port_of};
    return GYRunLoopSourceCreate(NULL, 0, (GYRunLoopSourceContext *)&context);
}

static void is_refused_while(test_function acts) {
    int other_port = -1;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, OTHER);
    present = loop_in(OTHER, comparing_port(&other_port));
    refused_port = eventfd(0, EFD_CLOEXEC);
    refused = comparing_port(&refused_port);
    changes_left = 1;
    on_compare = acts;
    GYIndex references = GYGetRetainCount(rl);
    GYRunLoopAddSource(rl, refused, kGYRunLoopCommonModes);
    EXPECT(errno != 0); /* the number may be the set's by now */
    EXPECT_INT(changes_left, 0);
    EXPECT(!GYRunLoopContainsSource(rl, refused, kGYRunLoopCommonModes));
    EXPECT(!GYRunLoopContainsSource(rl, refused, DEFAULT));
    GYRunLoopRemoveSource(rl, refused, GYSTR("apart"));
    EXPECT_INT(GYGetRetainCount(refused), 1);
    EXPECT_INT(GYGetRetainCount(rl), references);
    loop_drop(refused);
    loop_drop(present);
}

static void removes_refused(void *unused) {
    (void)unused;
    GYRunLoopRemoveSource(GYRunLoopGetCurrent(), refused, kGYRunLoopCommonModes);
    close(refused_port);
}

/* R89, R174 */
LOOP_TEST(a_source_that_is_removed_while_common_modes_refuse_it_is_let_go_once) {
    is_refused_while(removes_refused);
}

static void adds_refused_apart(void *unused) {
    (void)unused;
    GYRunLoopAddSource(GYRunLoopGetCurrent(), refused, GYSTR("apart"));
    EXPECT(GYRunLoopContainsSource(GYRunLoopGetCurrent(), refused, GYSTR("apart")));
    close(refused_port);
}

/* R89, R174: nor is anything of that addition left where another one went well. */
LOOP_TEST(a_refusal_of_common_modes_takes_back_no_more_and_no_less_than_it_added) {
    is_refused_while(adds_refused_apart);
}

static void drops_present(void *unused) {
    (void)unused;
    loop_drop(present);
}

/* R174: the source is retained while its callback runs. */
LOOP_TEST(a_source_may_lose_its_last_reference_while_it_is_compared) {
    int x, y;
    present = loop_in(DEFAULT, comparing(&x));
    GYRunLoopSourceRef asked = comparing(&y);
    changes_left = 1;
    on_compare = drops_present;
    EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), asked, DEFAULT));
    EXPECT_INT(changes_left, 0);
    EXPECT_INT(loop_poll(DEFAULT), kGYRunLoopRunFinished);
    loop_drop(asked);
}

static void lists_modes(void *rl) { GYRelease(GYRunLoopCopyAllModes(rl)); }

static void lists_modes_on_another_thread(void *unused) {
    (void)unused;
    test_thread(lists_modes, GYRunLoopGetCurrent());
}

/* R174, R170 */
LOOP_TEST(no_lock_is_held_while_sources_are_compared) {
    int x, y;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    present = loop_in(DEFAULT, comparing(&x));
    GYRunLoopSourceRef asked = comparing(&y);
    on_compare = lists_modes_on_another_thread;
    changes_left = 1;
    EXPECT(GYRunLoopContainsSource(rl, asked, DEFAULT));
    changes_left = 1;
    GYRunLoopAddSource(rl, asked, DEFAULT);
    changes_left = 1;
    GYRunLoopRemoveSource(rl, asked, DEFAULT);
    EXPECT_INT(changes_left, 0);
    loop_drop(present);
    loop_drop(asked);
}

static GYHashCode lists_modes_and_hashes(const void *info) {
    lists_modes_on_another_thread(NULL);
    return *(const GYHashCode *)info;
}

/* R174, R170 */
LOOP_TEST(no_lock_is_held_while_a_source_is_hashed) {
    void (*const calls[])(GYRunLoopRef, GYRunLoopSourceRef, GYRunLoopMode) = {GYRunLoopRemoveSource,
                                                                              GYRunLoopAddSource};
    GYHashCode hash = 5;
    GYRunLoopSourceContext context = {.info = &hash, .hash = lists_modes_and_hashes};
    for (int i = 0; i < 2; i++) {
        GYRunLoopSourceRef source = create(&context, 0); /* hashed for the first time below */
        calls[i](GYRunLoopGetCurrent(), source, DEFAULT);
        loop_drop(source);
        source = create(&context, 0);
        EXPECT(!GYRunLoopContainsSource(GYRunLoopGetCurrent(), source, DEFAULT));
        loop_drop(source);
    }
}

static int released;
static void counts_release(const void *info) { released += *(const int *)info; }

/* R83, R161, R162 */
LOOP_TEST(a_source_keeps_its_context_until_it_is_destroyed) {
    int x = 1;
    GYRunLoopSourceContext context = {.info = &x, .release = counts_release};
    context.equal = equal_numbers;
    context.hash = number;
    GYRunLoopSourceRef source = loop_in(DEFAULT, create(&context, 0));
    GYRunLoopSourceInvalidate(source);
    EXPECT_INT(released, 0);
    GYRunLoopSourceContext read = {.version = 0};
    GYRunLoopSourceGetContext(source, &read);
    EXPECT(read.info == &x && read.equal == equal_numbers);
    EXPECT_INT(GYHash(source), 1);
    GYRelease(source);
    EXPECT_INT(released, 1);
}

/* F61: the search for a source does not depend on what else the mode holds. */
LOOP_TEST(an_invalidated_source_leaves_a_mode_whatever_else_that_holds) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timers[50];
    for (int with_timers = 0; with_timers < 2; with_timers++) {
        GYRunLoopSourceRef source = loop_in(OTHER, loop_source0(0, NULL, &timers));
        for (int i = 0; with_timers && i < 50; i++) {
            timers[i] = loop_in(OTHER, loop_timer(60, 0, NULL, NULL));
        }
        GYRunLoopSourceInvalidate(source);
        EXPECT(!GYRunLoopContainsSource(rl, source, OTHER));
        GYRelease(source);
    }
    for (int i = 0; i < 50; i++) loop_drop(timers[i]);
}

TEST_MAIN()
