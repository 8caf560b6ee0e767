/* The set of common modes and the items recorded for it (R17 to R20). */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <string.h>

static void trace_schedule(void *word, GYRunLoopRef rl, GYRunLoopMode mode) {
    EXPECT(rl == GYRunLoopGetCurrent());
    GYRetain(mode);
    test_trace("%s+%s", (const char *)word, loop_mode_text(mode));
}

static void trace_cancel(void *word, GYRunLoopRef rl, GYRunLoopMode mode) {
    EXPECT(rl == GYRunLoopGetCurrent());
    GYRetain(mode);
    test_trace("%s-%s", (const char *)word, loop_mode_text(mode));
}

static GYRunLoopSourceRef scheduled_source(const char *word) {
    GYRunLoopSourceContext context = {
        .info = (void *)word, .schedule = trace_schedule, .cancel = trace_cancel};
    return GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
}

typedef struct {
    GYRunLoopSourceRef source;
    GYRunLoopTimerRef timer;
    GYRunLoopObserverRef observer;
} three_items;

static three_items make_items(void) {
    return (three_items){scheduled_source("s"), loop_timer(1000, 0, NULL, NULL),
                         loop_trace_observer(kGYRunLoopEntry)};
}

static void add_items(const three_items *items, GYRunLoopMode mode) {
    loop_in(mode, items->source);
    loop_in(mode, items->timer);
    loop_in(mode, items->observer);
}

static void remove_items(const three_items *items, GYRunLoopMode mode) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopRemoveSource(rl, items->source, mode);
    GYRunLoopRemoveTimer(rl, items->timer, mode);
    GYRunLoopRemoveObserver(rl, items->observer, mode);
}

/* "101": source and observer are there, the timer is not. */
static const char *there(const three_items *items, GYRunLoopMode mode) {
    static char text[4];
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    text[0] = GYRunLoopContainsSource(rl, items->source, mode) ? '1' : '0';
    text[1] = GYRunLoopContainsTimer(rl, items->timer, mode) ? '1' : '0';
    text[2] = GYRunLoopContainsObserver(rl, items->observer, mode) ? '1' : '0';
    return text;
}

static void drop_items(const three_items *items) {
    loop_drop(items->source);
    loop_drop(items->timer);
    loop_drop(items->observer);
}

/* R17 */
LOOP_TEST(the_common_modes_begin_with_the_default_mode_alone) {
    three_items items = make_items();
    loop_in(GYSTR("other"), items.observer);
    GYRunLoopRemoveObserver(GYRunLoopGetCurrent(), items.observer, GYSTR("other"));
    add_items(&items, kGYRunLoopCommonModes);
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "111");
    EXPECT_STR(there(&items, GYSTR("other")), "000");
    EXPECT_STR(test_trace_take(), "s+kCFRunLoopDefaultMode");
    drop_items(&items);
    EXPECT_STR(test_trace_take(), "s-kCFRunLoopDefaultMode");
}

/* R17, R78 */
LOOP_TEST(a_mode_that_joins_gets_every_common_item) {
    three_items items = make_items();
    add_items(&items, kGYRunLoopCommonModes);
    test_trace_take();
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), GYSTR("a"));
    EXPECT_STR(there(&items, GYSTR("a")), "111");
    EXPECT_STR(test_trace_take(), "s+a");
    EXPECT_INT(loop_poll(GYSTR("a")), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry");
    drop_items(&items);
}

/* R17 */
LOOP_TEST(joining_again_changes_nothing) {
    three_items items = make_items();
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    add_items(&items, kGYRunLoopCommonModes);
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    GYRunLoopRemoveSource(rl, items.source, GYSTR("a"));
    test_trace_take();
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    GYRunLoopAddCommonMode(rl, kGYRunLoopDefaultMode);
    EXPECT_STR(test_trace_take(), "");
    EXPECT_STR(there(&items, GYSTR("a")), "011");
    drop_items(&items);
}

/* R17, R78 */
LOOP_TEST(an_item_that_the_joining_mode_already_has_stays_as_it_is) {
    three_items items = make_items();
    add_items(&items, GYSTR("a"));
    add_items(&items, kGYRunLoopCommonModes);
    EXPECT_STR(test_trace_take(), "s+a s+kCFRunLoopDefaultMode");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), GYSTR("a"));
    EXPECT_STR(test_trace_take(), "");
    loop_poll(GYSTR("a"));
    EXPECT_STR(test_trace_take(), "entry");
    drop_items(&items);
}

/* R18 */
LOOP_TEST(a_common_item_is_added_to_every_mode_now_in_the_set) {
    three_items items = make_items();
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    GYRunLoopAddCommonMode(rl, GYSTR("b"));
    add_items(&items, kGYRunLoopCommonModes);
    EXPECT_STR(there(&items, GYSTR("a")), "111");
    EXPECT_STR(there(&items, GYSTR("b")), "111");
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "111");
    EXPECT_STR(loop_all_modes_text(rl), "a b kCFRunLoopDefaultMode");
    drop_items(&items);
}

/* R19 */
LOOP_TEST(asking_for_the_common_modes_asks_what_is_recorded) {
    three_items by_name = make_items(), recorded = make_items();
    add_items(&by_name, kGYRunLoopDefaultMode);
    EXPECT_STR(there(&by_name, kGYRunLoopCommonModes), "000");
    add_items(&recorded, kGYRunLoopCommonModes);
    remove_items(&recorded, kGYRunLoopDefaultMode);
    EXPECT_STR(there(&recorded, kGYRunLoopDefaultMode), "000");
    EXPECT_STR(there(&recorded, kGYRunLoopCommonModes), "111");
    drop_items(&by_name);
    drop_items(&recorded);
}

/* R19, R80, R113, R137 */
LOOP_TEST(an_invalidated_item_is_no_longer_recorded) {
    three_items items = make_items();
    add_items(&items, kGYRunLoopCommonModes);
    GYRunLoopSourceInvalidate(items.source);
    GYRunLoopTimerInvalidate(items.timer);
    GYRunLoopObserverInvalidate(items.observer);
    EXPECT_STR(there(&items, kGYRunLoopCommonModes), "000");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), GYSTR("a"));
    EXPECT_STR(there(&items, GYSTR("a")), "000");
    EXPECT_INT(loop_poll(kGYRunLoopDefaultMode), kGYRunLoopRunFinished);
    drop_items(&items);
}

/* R20: a client adds one source to the common modes and later removes it from the default one. */
LOOP_TEST(removing_from_one_mode_leaves_a_common_item_recorded) {
    three_items items = make_items();
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    add_items(&items, kGYRunLoopCommonModes);
    remove_items(&items, kGYRunLoopDefaultMode);
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "000");
    EXPECT_STR(there(&items, GYSTR("a")), "111");
    GYRunLoopAddCommonMode(rl, GYSTR("later"));
    EXPECT_STR(there(&items, GYSTR("later")), "111");
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "000");
    drop_items(&items);
}

/* R20 */
LOOP_TEST(removing_from_the_common_modes_removes_from_all_of_them) {
    three_items items = make_items();
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    add_items(&items, kGYRunLoopCommonModes);
    add_items(&items, GYSTR("private"));
    remove_items(&items, kGYRunLoopCommonModes);
    EXPECT_STR(there(&items, kGYRunLoopCommonModes), "000");
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "000");
    EXPECT_STR(there(&items, GYSTR("a")), "000");
    EXPECT_STR(there(&items, GYSTR("private")), "111");
    GYRunLoopAddCommonMode(rl, GYSTR("later"));
    EXPECT_STR(there(&items, GYSTR("later")), "000");
    drop_items(&items);
}

/* R20 */
LOOP_TEST(removing_what_is_not_recorded_from_the_common_modes_does_nothing) {
    three_items items = make_items();
    add_items(&items, kGYRunLoopDefaultMode);
    test_trace_take();
    remove_items(&items, kGYRunLoopCommonModes);
    EXPECT_STR(there(&items, kGYRunLoopDefaultMode), "111");
    EXPECT_STR(test_trace_take(), "");
    drop_items(&items);
}

/* R20, R78 */
LOOP_TEST(a_common_source_is_cancelled_only_in_the_modes_it_really_leaves) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = scheduled_source("s");
    GYRunLoopAddCommonMode(rl, GYSTR("a"));
    GYRunLoopAddSource(rl, source, kGYRunLoopCommonModes);
    GYRunLoopRemoveSource(rl, source, GYSTR("a"));
    test_trace_take();
    GYRunLoopRemoveSource(rl, source, kGYRunLoopCommonModes);
    EXPECT_STR(test_trace_take(), "s-kCFRunLoopDefaultMode");
    loop_drop(source);
    EXPECT_STR(test_trace_take(), "");
}

/* R61, F24: the timer in the default mode waits until that mode is run. */
LOOP_TEST(a_timer_in_the_default_mode_stands_still_while_another_common_mode_runs) {
    GYRunLoopMode tracking = GYSTR("tracking");
    GYRunLoopAddCommonMode(GYRunLoopGetCurrent(), tracking);
    GYRunLoopTimerRef everywhere =
        loop_in(kGYRunLoopCommonModes, loop_timer(0, 0.002, loop_timer_stops, "common"));
    GYRunLoopTimerRef here =
        loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, loop_timer_traces, "default"));
    for (int i = 0; i < 2; i++) {
        EXPECT_INT(GYRunLoopRunInMode(tracking, 10, false), kGYRunLoopRunStopped);
    }
    EXPECT_STR(test_trace_take(), "common common");
    while (GYRunLoopTimerIsValid(here)) EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT(strstr(test_trace_take(), "default") != NULL);
    loop_drop(everywhere);
    loop_drop(here);
}

TEST_MAIN()
