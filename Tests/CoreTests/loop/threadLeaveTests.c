/* Threads that end inside a callout, by pthread_exit, or by cancellation, there or asleep (R4). */
#include "support/counted.h"
#include "support/loop.h"

#include <gyre/GYString.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode
#define INNER GYSTR("inner")

/* A thread whose loop holds one item of each kind beside the one that ends it. */
typedef struct {
    counted leaver, nested, others[COUNTED_KINDS];
    GYRunLoopRef rl; /* retained */
    test_event ready, may_go;
    atomic_int cleaned;
    bool is_nested;
} leaving;

static void exits(counted *self) {
    (void)self;
    pthread_exit(NULL);
}

static void is_cancelled(counted *self) {
    (void)self;
    pthread_cancel(pthread_self());
    pthread_testcancel();
    test_fail(__FILE__, __LINE__, "the thread went on after its cancellation");
}

static void runs_inner(counted *self) {
    (void)self;
    GYRunLoopRunInMode(INNER, 10, false);
    test_fail(__FILE__, __LINE__, "the nested run returned");
}

static void clean(void *given) { atomic_fetch_add(&((leaving *)given)->cleaned, 1); }

static void add_others(leaving *shared) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        shared->others[kind].kind = (enum counted_kind)kind;
        counted_add(&shared->others[kind], GYSTR("never"));
    }
}

static void leave(void *given) {
    leaving *shared = given;
    shared->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRelease(loop_keep(DEFAULT));
    GYRelease(loop_keep(INNER));
    add_others(shared);
    counted_add(&shared->leaver, DEFAULT);
    if (shared->is_nested) counted_add(&shared->nested, INNER);
    pthread_cleanup_push(clean, shared);
    GYRunLoopRunInMode(DEFAULT, 10, false);
    pthread_cleanup_pop(0);
    test_fail(__FILE__, __LINE__, "the run returned");
}

static void finish(counted *item) {
    if (item->object == NULL) return;
    counted_finish(item);
    EXPECT_INT(counted_held(item), 0);
    EXPECT(atomic_load(&item->retained) > 0);
}

/* Work is let go with the loop, items by their last reference. */
static void expect_torn_down(leaving *shared) {
    EXPECT_INT(atomic_load(&shared->cleaned), 1);
    EXPECT(!GYRunLoopIsAlive(shared->rl));
    EXPECT(GYRunLoopCopyCurrentMode(shared->rl) == NULL);
    EXPECT_INT(counted_held(&shared->others[COUNTED_WORK]), 0);
    EXPECT_INT(counted_held(&shared->others[COUNTED_DELAYED]), 0);
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        EXPECT_INT(atomic_load(&shared->others[kind].calls), 0);
        finish(&shared->others[kind]);
    }
    finish(&shared->leaver);
    finish(&shared->nested);
    GYRelease(shared->rl);
}

static void expect_leaves(void (*act)(counted *)) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        leaving shared = {.leaver = {.kind = (enum counted_kind)kind, .act = act}};
        test_thread(leave, &shared);
        EXPECT_INT(atomic_load(&shared.leaver.calls), 1);
        expect_torn_down(&shared);
    }
}

TEST(a_thread_may_exit_inside_every_kind_of_callout) { expect_leaves(exits); }

TEST(a_thread_may_be_cancelled_inside_every_kind_of_callout) { expect_leaves(is_cancelled); }

static void expect_leaves_nested(enum counted_kind outer_kind) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) {
        leaving shared = {.leaver = {.kind = outer_kind, .act = runs_inner}, .is_nested = true};
        shared.nested.kind = (enum counted_kind)kind;
        shared.nested.act = exits;
        test_thread(leave, &shared);
        EXPECT_INT(atomic_load(&shared.nested.calls), 1);
        expect_torn_down(&shared);
    }
}

TEST(a_thread_may_exit_inside_a_run_nested_in_every_kind_of_callout) {
    for (int kind = 0; kind < COUNTED_KINDS; kind++) expect_leaves_nested((enum counted_kind)kind);
}

/* What a step had taken. */

static void leave_two_of_three(void *given) {
    counted *items = given;
    for (int i = 0; i < 3; i++) counted_add(&items[i], DEFAULT);
    GYRunLoopRunInMode(DEFAULT, 10, false);
}

TEST(what_a_step_had_taken_when_its_thread_exits_is_let_go) {
    static const enum counted_kind kinds[] = {COUNTED_SOURCE, COUNTED_TIMER, COUNTED_WORK};
    for (int k = 0; k < 3; k++) {
        counted items[3] = {{.word = "a"}, {.word = "b", .act = exits}, {.word = "c"}};
        for (int i = 0; i < 3; i++) {
            items[i].kind = kinds[k];
            items[i].order = i;
            items[i].once = true;
        }
        test_thread(leave_two_of_three, items);
        EXPECT_STR(test_trace_take(), "a b");
        for (int i = 0; i < 3; i++) finish(&items[i]);
    }
}

/* Whoever waits. */

static void exit_in_function(void *info) {
    (void)info;
    pthread_exit(NULL);
}

static void wait_for_work(void *given) {
    leaving *shared = given;
    test_event_wait(&shared->ready);
    test_event_signal(&shared->may_go);
    EXPECT(!GYRunLoopPerformAndWait(shared->rl, GYSTR("never"), loop_traces, "called"));
}

static void leave_when_awaited(void *given) {
    leaving *shared = given;
    shared->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    test_event_signal(&shared->ready);
    test_event_wait(&shared->may_go);
    EXPECT(GYRunLoopPerform(shared->rl, DEFAULT, exit_in_function, NULL, NULL));
    GYRunLoopRunInMode(DEFAULT, 10, false);
}

TEST(an_exit_inside_a_callout_answers_those_who_wait_for_other_work) {
    leaving shared = {.ready = TEST_EVENT_INIT, .may_go = TEST_EVENT_INIT};
    pthread_t waiter = test_thread_start(wait_for_work, &shared);
    test_thread(leave_when_awaited, &shared);
    test_thread_join(waiter);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(shared.rl);
}

static void run_until_ended(void *given) {
    leaving *shared = given;
    shared->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRelease(loop_keep(DEFAULT));
    test_event_signal(&shared->ready);
    GYRunLoopRunInMode(DEFAULT, 3600, false);
    test_fail(__FILE__, __LINE__, "the run returned");
}

/* Its function was called and has not returned: the caller must not wait for ever. */
TEST(an_exit_inside_performed_work_answers_the_one_who_waits_for_it) {
    leaving shared = {.ready = TEST_EVENT_INIT};
    pthread_t runner = test_thread_start(run_until_ended, &shared);
    test_event_wait(&shared.ready);
    GYRunLoopPerformAndWait(shared.rl, DEFAULT, exit_in_function, NULL);
    test_thread_join(runner);
    EXPECT(!GYRunLoopIsAlive(shared.rl));
    GYRelease(shared.rl);
}

typedef struct {
    GYRunLoopPerformRef perform;
    test_event begun, may_exit;
} delayed_exit;

static void exit_after_event(void *given) {
    delayed_exit *shared = given;
    test_event_signal(&shared->begun);
    test_event_wait(&shared->may_exit);
    pthread_exit(NULL);
}

static void cancel_and_wait(void *given) {
    delayed_exit *shared = given;
    GYRunLoopPerformState state = GYRunLoopPerformCancelAndWait(shared->perform);
    EXPECT(state == kGYRunLoopPerformDone || state == kGYRunLoopPerformLoopEnded);
}

static void expect_canceller_goes_on(int64_t delay_ns) {
    delayed_exit shared = {.begun = TEST_EVENT_INIT, .may_exit = TEST_EVENT_INIT};
    leaving thread = {.ready = TEST_EVENT_INIT};
    pthread_t runner = test_thread_start(run_until_ended, &thread);
    test_event_wait(&thread.ready);
    shared.perform =
        GYRunLoopPerformCreate(thread.rl, DEFAULT, delay_ns, exit_after_event, &shared, NULL);
    test_event_wait(&shared.begun);
    pthread_t canceller = test_thread_start(cancel_and_wait, &shared);
    test_event_signal(&shared.may_exit);
    test_thread_join(runner);
    test_thread_join(canceller);
    GYRelease(shared.perform);
    GYRelease(thread.rl);
}

TEST(an_exit_inside_work_answers_the_one_who_waits_to_have_it_cancelled) {
    expect_canceller_goes_on(0);
}

TEST(an_exit_inside_delayed_work_answers_the_one_who_waits_to_have_it_cancelled) {
    expect_canceller_goes_on(1);
}

/* Cancellation elsewhere. */

/* The frames that a cancellation in the wait ends are live ones to the address sanitizer, and those
 * of clang's runtimes have more to do at their end. */
#ifdef __clang__
#define SKIP_WHERE_CANCELLATION_CONFUSES()                                                         \
    TEST_SKIP_IF(test_is_sanitized(), "a cancellation in the wait confuses the sanitizer")
#else
#define SKIP_WHERE_CANCELLATION_CONFUSES()                                                         \
    TEST_SKIP_IF(test_is_sanitized() && !test_is_thread_sanitized(),                               \
                 "a cancellation in the wait confuses the sanitizer")
#endif

static void sleep_until_cancelled(void *given) {
    leaving *shared = given;
    shared->rl = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    GYRelease(loop_keep(DEFAULT));
    add_others(shared);
    pthread_cleanup_push(clean, shared);
    test_event_signal(&shared->ready);
    GYRunLoopRunInMode(DEFAULT, 3600, false);
    pthread_cleanup_pop(0);
    test_fail(__FILE__, __LINE__, "the run returned");
}

TEST(a_thread_that_is_cancelled_asleep_in_its_loop_ends_with_its_loop) {
    SKIP_WHERE_CANCELLATION_CONFUSES();
    leaving shared = {.ready = TEST_EVENT_INIT};
    pthread_t sleeper = test_thread_start(sleep_until_cancelled, &shared);
    test_event_wait(&shared.ready);
    loop_wait_asleep(shared.rl);
    EXPECT_INT(pthread_cancel(sleeper), 0);
    void *result = NULL;
    EXPECT_INT(pthread_join(sleeper, &result), 0);
    EXPECT(result == PTHREAD_CANCELED);
    expect_torn_down(&shared);
}

static void *add_port_when_cancelled(void *given) {
    GYRunLoopSourceRef port = loop_port(*(int *)given, loop_traces, "port");
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    pthread_cancel(pthread_self());
    GYRunLoopAddSource(rl, port, DEFAULT);
    GYRelease(port);
    pthread_testcancel();
    return NULL;
}

/* Only the wait is a cancellation point: a lock would stay locked anywhere else. */
TEST(a_thread_that_is_cancelled_before_it_adds_a_port_adds_it_and_then_ends) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_t adder;
    REQUIRE(pthread_create(&adder, NULL, add_port_when_cancelled, &fd) == 0);
    void *result = NULL;
    EXPECT_INT(pthread_join(adder, &result), 0);
    EXPECT(result == PTHREAD_CANCELED);
    close(fd);
}

typedef struct {
    int fd;
    atomic_int released;
} hung_up;

static int get_hung_up(void *info) { return ((hung_up *)info)->fd; }

static void release_hung_up(const void *info) {
    atomic_fetch_add(&((hung_up *)(uintptr_t)info)->released, 1);
}

static void ask_for_cancellation(void *info) {
    (void)info;
    pthread_cancel(pthread_self());
}

static void run_hung_up(void *given) {
    GYRunLoopSourceContext1 context = {.version = 1, .info = given, .getPort = get_hung_up};
    context.release = release_hung_up;
    context.perform = ask_for_cancellation;
    GYRunLoopSourceRef source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    loop_in(DEFAULT, source);
    GYRelease(source);
    GYRunLoopRunInMode(DEFAULT, 10, false);
}

/* After a hang-up the loop looks at the descriptor once more, when the callout has returned. */
TEST(a_cancellation_that_a_port_with_a_hang_up_asks_for_lets_its_context_go) {
    SKIP_WHERE_CANCELLATION_CONFUSES();
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    close(ends[1]);
    hung_up shared = {.fd = ends[0]};
    test_thread(run_hung_up, &shared);
    EXPECT_INT(atomic_load(&shared.released), 1);
    close(ends[0]);
}

TEST_MAIN()
