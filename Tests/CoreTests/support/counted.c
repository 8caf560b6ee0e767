#define _GNU_SOURCE 1
#include "support/counted.h"

#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const void *retain(const void *info) {
    atomic_fetch_add(&((counted *)(uintptr_t)info)->retained, 1);
    return info;
}

static void release(const void *info) {
    atomic_fetch_add(&((counted *)(uintptr_t)info)->released, 1);
}

static void release_work(void *info) { release(info); }

/* Nothing may follow `act`: it need not return. */
static void perform(void *info) {
    counted *self = info;
    void (*act)(counted *) = self->act;
    self->act = NULL;
    atomic_fetch_add(&self->calls, 1);
    EXPECT(counted_held(self) > 0);
    if (self->word != NULL) test_trace("%s", self->word);
    if (act != NULL) act(self);
}

static void fire(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    perform(info);
}

static void observe(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *info) {
    (void)observer;
    (void)activity;
    perform(info);
}

static int get_port(void *info) { return ((counted *)info)->fd; }

static const void *make_observer(counted *self) {
    GYRunLoopObserverContext context = {.info = self, .retain = retain, .release = release};
    return GYRunLoopObserverCreate(kGYAllocatorDefault, kGYRunLoopBeforeTimers, !self->once,
                                   self->order, observe, &context);
}

static const void *make_source(counted *self) {
    GYRunLoopSourceContext context = {.info = self, .retain = retain, .release = release};
    context.perform = perform;
    return GYRunLoopSourceCreate(kGYAllocatorDefault, self->order, &context);
}

static const void *make_port(counted *self) {
    GYRunLoopSourceContext1 context = {.version = 1, .info = self, .retain = retain};
    context.release = release;
    context.getPort = get_port;
    context.perform = perform;
    /* A semaphore is level-triggered, as all but the other counters are. */
    self->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    return GYRunLoopSourceCreate(kGYAllocatorDefault, self->order,
                                 (GYRunLoopSourceContext *)&context);
}

/* A microsecond: a repeating one is due in each pass. */
static const void *make_timer(counted *self) {
    GYRunLoopTimerContext context = {.info = self, .retain = retain, .release = release};
    return GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent(),
                                self->once ? 0 : 1e-6, 0, self->order, fire, &context);
}

static const void *make_work(counted *self, GYRunLoopMode mode) {
    int64_t delay_ns = self->kind == COUNTED_DELAYED ? 1 : 0;
    retain(self);
    return GYRunLoopPerformCreate(GYRunLoopGetCurrent(), mode, delay_ns, perform, self,
                                  release_work);
}

void counted_add(counted *self, GYRunLoopMode mode) {
    switch (self->kind) {
    case COUNTED_OBSERVER: self->object = loop_in(mode, make_observer(self)); break;
    case COUNTED_SOURCE: self->object = loop_in(mode, make_source(self)); break;
    case COUNTED_PORT: self->object = loop_in(mode, make_port(self)); break;
    case COUNTED_TIMER: self->object = loop_in(mode, make_timer(self)); break;
    default: self->object = make_work(self, mode); break;
    }
    REQUIRE(self->object != NULL);
    counted_rearm(self);
}

void counted_rearm(counted *self) {
    if (self->kind == COUNTED_SOURCE) GYRunLoopSourceSignal((GYRunLoopSourceRef)self->object);
}

int counted_held(counted *self) {
    return atomic_load(&self->retained) - atomic_load(&self->released);
}

void counted_finish(counted *self) {
    if (self->kind < COUNTED_WORK) {
        loop_drop(self->object);
    } else {
        GYRelease(self->object);
    }
    if (self->kind == COUNTED_PORT) close(self->fd);
}
