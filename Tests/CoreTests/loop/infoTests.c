/* When the info of an observer is released while another thread's loop calls it: not during the
 * callout, not just before it, and not behind the back of who waits for the end (R137, R171). */
#include "support/loop.h"

#define DEFAULT kGYRunLoopDefaultMode

/* An observer that is held up in its callout, and then in the release of its info. */
typedef struct {
    test_event entered, may_return, releasing, waited;
    test_event entered_too, may_return_too; /* in a second loop */
    atomic_int callouts;
    atomic_bool is_released;
    bool holds_release;
    loop_worker worker;
    GYRunLoopObserverRef observer;
} held;

static void is_held(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    held *self = info;
    (void)observer;
    (void)activity;
    atomic_fetch_add(&self->callouts, 1);
    bool is_first = GYRunLoopIsCurrent(self->worker.rl);
    test_event_signal(is_first ? &self->entered : &self->entered_too);
    test_event_wait(is_first ? &self->may_return : &self->may_return_too);
    EXPECT(!atomic_load(&self->is_released));
    atomic_fetch_sub(&self->callouts, 1);
}

static void releases(const void *info) {
    held *self = (held *)(uintptr_t)info;
    EXPECT_INT(atomic_load(&self->callouts), 0);
    test_event_signal(&self->releasing);
    if (self->holds_release) EXPECT(!test_event_wait_for(&self->waited, 0.02));
    atomic_store(&self->is_released, true);
}

static void start(held *self) {
    test_event_init(&self->entered);
    test_event_init(&self->may_return);
    test_event_init(&self->releasing);
    test_event_init(&self->waited);
    test_event_init(&self->entered_too);
    test_event_init(&self->may_return_too);
    loop_worker_start(&self->worker, DEFAULT);
    GYRunLoopObserverContext context = {.info = self, .release = releases};
    self->observer =
        GYRunLoopObserverCreate(NULL, kGYRunLoopAfterWaiting, true, 0, is_held, &context);
    GYRunLoopAddObserver(self->worker.rl, self->observer, DEFAULT);
    GYRunLoopWakeUp(self->worker.rl);
    test_event_wait(&self->entered);
}

static void finish(held *self) {
    GYRelease(self->observer);
    loop_worker_drop(&self->worker);
}

static void waits(void *info) {
    held *self = info;
    GYRunLoopObserverInvalidateAndWait(self->observer);
    EXPECT(atomic_load(&self->is_released));
    test_event_signal(&self->waited);
}

TEST(who_waits_for_an_observer_waits_for_the_release_of_its_info_too) {
    held self = {.holds_release = true};
    start(&self);
    GYRunLoopObserverInvalidate(self.observer);
    test_event_signal(&self.may_return);
    test_event_wait(&self.releasing);
    test_thread(waits, &self);
    finish(&self);
}

/* R110 */
TEST(the_info_of_an_observer_that_has_moved_on_waits_for_the_call_in_the_loop_it_came_from) {
    held self = {0};
    start(&self);
    GYRunLoopRemoveObserver(self.worker.rl, self.observer, DEFAULT);
    loop_in(DEFAULT, self.observer);
    GYRunLoopObserverInvalidate(self.observer);
    EXPECT(!atomic_load(&self.is_released));
    test_event_signal(&self.may_return);
    waits(&self);
    finish(&self);
}

static void move_to(held *self, loop_worker *second) {
    loop_worker_start(second, DEFAULT);
    GYRunLoopRemoveObserver(self->worker.rl, self->observer, DEFAULT);
    GYRunLoopAddObserver(second->rl, self->observer, DEFAULT);
    GYRunLoopWakeUp(second->rl);
    test_event_wait(&self->entered_too);
}

TEST(the_info_of_an_observer_that_two_loops_are_calling_waits_for_both) {
    for (int first = 0; first < 2; first++) {
        held self = {0};
        loop_worker second;
        start(&self);
        move_to(&self, &second);
        GYRunLoopObserverInvalidate(self.observer);
        test_event_signal(first == 0 ? &self.may_return : &self.may_return_too);
        TEST_WAIT_UNTIL(atomic_load(&self.callouts) == 1);
        EXPECT(!atomic_load(&self.is_released));
        test_event_signal(first == 0 ? &self.may_return_too : &self.may_return);
        waits(&self);
        loop_worker_drop(&second);
        finish(&self);
    }
}

TEST_MAIN()
