/* How long items and their contexts live, and callouts that take items away. */
#define _GNU_SOURCE 1
#include "support/loop.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <malloc.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define OTHER GYSTR("other")

/* An item of any kind, ready to be called in the next pass, whose context is counted. */
enum kind { SOURCE, PORT, TIMER, OBSERVER, KINDS };

typedef struct item {
    enum kind kind;
    const void *object;
    bool owned; /* the test has a reference */
    int fd;     /* of a port */
    int retained, released, calls;
    struct row *row;
} item;

/* Three items of one kind, and what the first that is called does. */
typedef struct row {
    enum kind kind;
    void (*act)(item *self);
    item items[3];
    item *actor;
} row;

static const void *retain(const void *info) {
    ((item *)(uintptr_t)info)->retained++;
    return info;
}

static void release(const void *info) { ((item *)(uintptr_t)info)->released++; }

static bool is_live(const item *self) { return self->retained > self->released; }

static void called(item *self) {
    self->calls++;
    EXPECT(is_live(self));
    if (self->row->actor != NULL || self->row->act == NULL) return;
    self->row->actor = self;
    self->row->act(self);
}

static void perform(void *info) { called(info); }

static void fire(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    called(info);
}

static void observe(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    called(info);
}

static int get_port(void *info) { return ((item *)info)->fd; }

static const void *make_source(item *self) {
    GYRunLoopSourceContext context = {.info = self, .retain = retain, .release = release};
    context.perform = perform;
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    GYRunLoopSourceSignal(source);
    return source;
}

static const void *make_port(item *self) {
    GYRunLoopSourceContext1 context = {.version = 1, .info = self, .retain = retain};
    context.release = release;
    context.getPort = get_port;
    context.perform = perform;
    self->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    return GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
}

static const void *make_timer(item *self) {
    GYRunLoopTimerContext context = {.info = self, .retain = retain, .release = release};
    return GYRunLoopTimerCreate(kGYAllocatorDefault, 0, 3600, 0, 0, fire, &context);
}

static const void *make_observer(item *self) {
    GYRunLoopObserverContext context = {.info = self, .retain = retain, .release = release};
    return GYRunLoopObserverCreate(kGYAllocatorDefault, kGYRunLoopBeforeSources, true, 0, observe,
                                   &context);
}

static const void *(*const makers[KINDS])(item *) = {make_source, make_port, make_timer,
                                                     make_observer};

static void make(item *self, enum kind kind) {
    self->kind = kind;
    self->owned = true;
    self->object = makers[kind](self);
    REQUIRE(self->object != NULL);
}

static void discard_port(item *self) {
    if (self->kind == PORT) close(self->fd);
}

/* What can be done to an item. */

static void invalidate(item *self) {
    if (self->kind == TIMER) {
        GYRunLoopTimerInvalidate((GYRunLoopTimerRef)self->object);
    } else if (self->kind == OBSERVER) {
        GYRunLoopObserverInvalidate((GYRunLoopObserverRef)self->object);
    } else {
        GYRunLoopSourceInvalidate((GYRunLoopSourceRef)self->object);
    }
}

static void take_out(item *self) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    if (self->kind == TIMER) {
        GYRunLoopRemoveTimer(rl, (GYRunLoopTimerRef)self->object, DEFAULT);
    } else if (self->kind == OBSERVER) {
        GYRunLoopRemoveObserver(rl, (GYRunLoopObserverRef)self->object, DEFAULT);
    } else {
        GYRunLoopRemoveSource(rl, (GYRunLoopSourceRef)self->object, DEFAULT);
    }
}

static void give_up(item *self) {
    self->owned = false;
    GYRelease(self->object);
}

static void drop(item *self) {
    invalidate(self);
    give_up(self);
}

static void take_out_and_give_up(item *self) {
    take_out(self);
    give_up(self);
}

/* Whose turn it is to suffer that. */

static void (*deed)(item *);

static void to_itself(item *self) { deed(self); }

static void to_the_others(item *self) {
    for (int i = 0; i < 3; i++) {
        if (&self->row->items[i] != self) deed(&self->row->items[i]);
    }
}

static void to_all(item *self) {
    for (int i = 0; i < 3; i++) deed(&self->row->items[i]);
    EXPECT(self->calls == 1);
}

static void to_another(item *self) {
    deed(&self->row->items[self == &self->row->items[1] ? 2 : 1]);
}

/* Runs a row; its loop ends with the thread. */
static void run_row(void *given) {
    row *r = given;
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    for (int i = 0; i < 3; i++) {
        r->items[i].row = r;
        make(&r->items[i], r->kind);
        loop_in(DEFAULT, r->items[i].object);
    }
    for (int i = 0; i < 5; i++) loop_poll(DEFAULT);
    loop_drop(keep);
}

static void finish_row(row *r) {
    for (int i = 0; i < 3; i++) {
        if (r->items[i].owned) drop(&r->items[i]);
        EXPECT_INT(r->items[i].retained, r->items[i].released);
        discard_port(&r->items[i]);
    }
}

/* Only the items that the deed left in the mode were called. */
static void expect_calls(row *r, void (*victims)(item *), bool leaves) {
    bool all = victims == to_all || victims == to_the_others;
    for (int i = 0; i < 3; i++) {
        item *each = &r->items[i];
        if (each == r->actor) continue;
        if (leaves && all) EXPECT_INT(each->calls, 0);
        if (!leaves || victims == to_itself) EXPECT(each->calls > 0);
    }
    EXPECT(r->actor != NULL && r->actor->calls > 0);
}

static void expect_survives(void (*act)(item *), bool leaves) {
    static void (*const victims[])(item *) = {to_itself, to_another, to_the_others, to_all};
    deed = act;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 4; i++) {
            row r = {.kind = (enum kind)kind, .act = victims[i]};
            test_thread(run_row, &r);
            expect_calls(&r, victims[i], leaves);
            finish_row(&r);
        }
    }
}

/* R80, R81, R95, R113, R134, R137, R161 */
TEST(every_callout_may_invalidate_itself_the_next_all_others_and_all) {
    expect_survives(invalidate, true);
}

/* R81, R95, R113, R134, R161 */
TEST(every_callout_may_remove_itself_the_next_all_others_and_all) {
    expect_survives(take_out, true);
}

/* R163, R165, F83 */
TEST(every_callout_may_release_itself_the_next_all_others_and_all) {
    expect_survives(give_up, false);
}

/* R165, F83, F40: invalidated and released. */
TEST(every_callout_may_free_itself_the_next_all_others_and_all) { expect_survives(drop, true); }

/* R165: removed and released, which takes the last reference. */
TEST(every_callout_may_drop_the_last_reference_to_itself_the_next_all_others_and_all) {
    expect_survives(take_out_and_give_up, true);
}

/* One item. */

/* The last reference goes inside; the item and its info live on until the callout returns. */
static void drops_itself_and_looks(item *self) {
    take_out_and_give_up(self);
    EXPECT(is_live(self));
    EXPECT(GYGetTypeID(self->object) != 0);
}

/* R165 */
LOOP_TEST(an_item_that_gives_up_its_last_reference_lives_until_its_callout_returns) {
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    for (int kind = 0; kind < KINDS; kind++) {
        row r = {.act = drops_itself_and_looks};
        r.items[0].row = &r;
        make(&r.items[0], (enum kind)kind);
        loop_in(DEFAULT, r.items[0].object);
        loop_poll(DEFAULT);
        EXPECT_INT(r.items[0].calls, 1);
        EXPECT(!is_live(&r.items[0]));
        discard_port(&r.items[0]);
    }
    loop_drop(keep);
}

/* R13, R41: the run ends after the callout that took away the last item. */
LOOP_TEST(a_callout_that_takes_away_the_last_item_ends_the_run) {
    void (*const deeds[])(item *) = {invalidate, take_out, drop, take_out_and_give_up};
    for (int kind = 0; kind < OBSERVER; kind++) {
        for (int i = 0; i < 4; i++) {
            row r = {.act = to_itself};
            deed = deeds[i];
            r.items[0].row = &r;
            make(&r.items[0], (enum kind)kind);
            loop_in(DEFAULT, r.items[0].object);
            EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
            if (r.items[0].owned) drop(&r.items[0]);
            EXPECT_INT(r.items[0].retained, r.items[0].released);
            discard_port(&r.items[0]);
        }
    }
}

static void invalidates_observer(void *observer) {
    GYRunLoopObserverInvalidate(observer);
    test_trace("source");
}

/* R137, R134 */
LOOP_TEST(a_source_may_invalidate_the_observer_that_is_called_around_it) {
    GYRunLoopObserverRef observer = loop_in(DEFAULT, loop_trace_observer(kGYRunLoopAllActivities));
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, invalidates_observer, observer));
    GYRunLoopSourceSignal(source);
    EXPECT_INT(loop_run(0.01), kGYRunLoopRunTimedOut);
    EXPECT_STR(test_trace_take(), "entry timers sources source");
    GYRelease(observer);
    loop_drop(source);
}

/* R163: the creator may release right after adding. */
LOOP_TEST(a_mode_keeps_its_items_and_gives_them_up_when_they_leave) {
    for (int kind = 0; kind < KINDS; kind++) {
        item it = {0};
        row r = {0};
        it.row = &r;
        make(&it, (enum kind)kind);
        loop_in(DEFAULT, it.object);
        loop_in(OTHER, it.object);
        give_up(&it);
        EXPECT(is_live(&it));
        take_out(&it);
        EXPECT(is_live(&it));
        invalidate(&it);
        EXPECT_INT(it.retained, it.released);
        discard_port(&it);
    }
}

static void removes(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *other) {
    (void)observer;
    (void)activity;
    take_out(other);
    EXPECT_INT(((item *)other)->released, ((item *)other)->kind == OBSERVER ? 0 : 1);
}

/* R161, R163: where the mode had the last reference; that of an observer, after the round. */
LOOP_TEST(a_removal_from_a_mode_that_has_the_last_reference_releases_the_context) {
    for (int kind = 0; kind < KINDS; kind++) {
        item it = {0}, removed_in_a_round = {0};
        make(&it, (enum kind)kind);
        loop_in(DEFAULT, it.object);
        give_up(&it);
        EXPECT_INT(it.released, 0);
        take_out(&it);
        EXPECT_INT(it.released, 1);
        discard_port(&it);
        make(&removed_in_a_round, (enum kind)kind);
        loop_in(DEFAULT, removed_in_a_round.object);
        give_up(&removed_in_a_round);
        GYRunLoopObserverRef observer =
            loop_observer(kGYRunLoopEntry, false, -1, removes, &removed_in_a_round);
        GYRunLoopSourceRef keep = loop_keep(DEFAULT);
        loop_in(DEFAULT, observer);
        loop_poll(DEFAULT);
        EXPECT_INT(removed_in_a_round.released, 1);
        discard_port(&removed_in_a_round);
        loop_drop(observer);
        loop_drop(keep);
    }
}

/* R161: timers and observers at invalidation, sources at destruction, and each once. */
LOOP_TEST(a_context_is_released_once_for_each_time_that_it_was_retained) {
    for (int kind = 0; kind < KINDS; kind++) {
        item idle = {0}, ended = {0};
        make(&idle, (enum kind)kind);
        make(&ended, (enum kind)kind);
        EXPECT_INT(idle.retained, 1);
        give_up(&idle);
        EXPECT_INT(idle.released, 1);
        invalidate(&ended);
        EXPECT_INT(ended.released, kind == TIMER || kind == OBSERVER ? 1 : 0);
        invalidate(&ended);
        give_up(&ended);
        EXPECT_INT(ended.released, 1);
        discard_port(&idle);
        discard_port(&ended);
    }
}

/* R163 */
LOOP_TEST(a_source_holds_a_reference_to_the_loop_that_it_is_in) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = loop_source0(0, NULL, NULL);
    GYIndex before = GYGetRetainCount(rl);
    loop_in(DEFAULT, source);
    EXPECT(GYGetRetainCount(rl) > before);
    loop_drop(source);
    EXPECT_INT(GYGetRetainCount(rl), before);
}

/* R166 */
TEST(timers_and_observers_are_equal_by_identity) {
    GYRunLoopTimerRef timer = loop_timer(1, 1, NULL, NULL), twin = loop_timer(1, 1, NULL, NULL);
    GYRunLoopObserverRef observer = loop_observer(1, true, 0, NULL, NULL);
    GYRunLoopObserverRef other = loop_observer(1, true, 0, NULL, NULL);
    EXPECT(GYEqual(timer, timer) && !GYEqual(timer, twin));
    EXPECT(GYEqual(observer, observer) && !GYEqual(observer, other));
    EXPECT(GYHash(timer) == GYHash(timer) && GYHash(timer) != GYHash(twin));
    EXPECT(GYHash(observer) == GYHash(observer) && GYHash(observer) != GYHash(other));
    EXPECT(!GYEqual(timer, observer));
    GYRelease(timer);
    GYRelease(twin);
    GYRelease(observer);
    GYRelease(other);
}

static size_t bytes_in_use(void) { return mallinfo2().uordblks; }

static void churn(int count) {
    for (int i = 0; i < count; i++) {
        item it = {0};
        make(&it, (enum kind)(i % KINDS));
        loop_in(DEFAULT, it.object);
        loop_in(OTHER, it.object);
        loop_in(kGYRunLoopCommonModes, it.object);
        drop(&it);
        if (it.retained != 1 || it.released != 1) test_fail(__FILE__, __LINE__, "round %d", i);
        discard_port(&it);
    }
}

/* F7, R161: nothing is left, neither in the loop nor on the heap. The allocator rounds, and a mode may
 * keep a list a few places longer: a byte an item would be more. */
LOOP_TEST(ten_thousand_items_made_and_ended_leave_nothing) {
    churn(1000);
    size_t before = bytes_in_use();
    churn(10000);
    EXPECT(bytes_in_use() < before + 1000);
}

TEST_MAIN()
