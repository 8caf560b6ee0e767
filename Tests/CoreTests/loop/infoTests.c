/* When the info of an observer is released while another thread's loop calls it: not during the
 * callout, not just before it, and not behind the back of who waits for the end (R137, R171). */
#include "support/loop.h"

#define DEFAULT kGYRunLoopDefaultMode

/* An observer that is held up in its callout, and then in the release of its info. */
typedef struct {
    test_event entered, may_return, releasing, waited;
    atomic_bool is_in_callout, is_released;
    bool holds_release;
    loop_worker worker;
    GYRunLoopObserverRef observer;
} held;

static void is_held(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    held *self = info;
    (void)observer;
    (void)activity;
    atomic_store(&self->is_in_callout, true);
    test_event_signal(&self->entered);
    test_event_wait(&self->may_return);
    EXPECT(!atomic_load(&self->is_released));
    atomic_store(&self->is_in_callout, false);
}

static void releases(const void *info) {
    held *self = (held *)(uintptr_t)info;
    EXPECT(!atomic_load(&self->is_in_callout));
    test_event_signal(&self->releasing);
    if (self->holds_release) EXPECT(!test_event_wait_for(&self->waited, 0.02));
    atomic_store(&self->is_released, true);
}

static void start(held *self) {
    test_event_init(&self->entered);
    test_event_init(&self->may_return);
    test_event_init(&self->releasing);
    test_event_init(&self->waited);
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
TEST_MAIN()
