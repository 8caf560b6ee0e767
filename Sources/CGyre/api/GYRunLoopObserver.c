/* Observers as the public sees them. Locks are taken below; any thread. */
#undef __BLOCKS__ /* blocks come as pointers here, from whichever compiler (base/block_abi.h) */
#include <gyre/GYRunLoopObserver.h>

#include "api/arguments.h"
#include "base/block_abi.h"
#include "base/check.h"
#include "loop/callout.h"
#include "loop/observers.h"

#include <errno.h>

GYTypeID GYRunLoopObserverGetTypeID(void) { return GY_KIND_OBSERVER; }

GYRunLoopObserverRef GYRunLoopObserverCreate(GYAllocatorRef allocator, GYOptionFlags activities,
                                             GYBoolean repeats, GYIndex order,
                                             GYRunLoopObserverCallBack callout,
                                             GYRunLoopObserverContext *context) {
    (void)allocator;
    GYRunLoopObserverRef observer = gy_object_create(&gy_observer_type, sizeof *observer);
    if (observer == NULL) return NULL;
    observer->order = order;
    observer->activities = activities;
    observer->points = activities & kGYRunLoopAllActivities;
    observer->repeats = repeats != 0;
    observer->callout = callout;
    if (context == NULL) return observer;
    observer->context = *context;
    const void *info = context->info;
    if (context->retain != NULL) info = gy_callout_retain(context->retain, info);
    atomic_init(&observer->item.info, (void *)(uintptr_t)info);
    return observer;
}

static void call_block(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *block) {
    gy_block_invoke_observer(block, observer, activity);
}

/* To the linker a block is a pointer. */
GY_EXPORT GYRunLoopObserverRef GYRunLoopObserverCreateWithHandler(GYAllocatorRef, GYOptionFlags,
                                                                  GYBoolean, GYIndex, void *);

GYRunLoopObserverRef GYRunLoopObserverCreateWithHandler(GYAllocatorRef allocator,
                                                        GYOptionFlags activities, GYBoolean repeats,
                                                        GYIndex order, void *block) {
    if (block == NULL) {
        gy_report("GYRunLoopObserverCreateWithHandler", "the block is NULL", "R66");
        return NULL;
    }
    GYRunLoopObserverContext context = {
        .info = block,
        .retain = gy_block_copy_as_info,
        .release = gy_block_release,
    };
    GYRunLoopObserverRef observer =
        GYRunLoopObserverCreate(allocator, activities, repeats, order, call_block, &context);
    if (observer == NULL ||
        atomic_load_explicit(&observer->item.info, memory_order_relaxed) != NULL) {
        return observer;
    }
    gy_release(observer); /* the block could not be copied */
    errno = ENOMEM;
    return NULL;
}

GYOptionFlags GYRunLoopObserverGetActivities(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverGetActivities")) return 0;
    return observer->activities;
}

GYBoolean GYRunLoopObserverDoesRepeat(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverDoesRepeat")) return false;
    return observer->repeats;
}

GYIndex GYRunLoopObserverGetOrder(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverGetOrder")) return 0;
    return observer->order;
}

void GYRunLoopObserverInvalidate(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverInvalidate")) return;
    gy_observer_invalidate(observer);
}

void GYRunLoopObserverInvalidateAndWait(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverInvalidateAndWait")) return;
    gy_retain(observer);
    gy_observer_invalidate(observer);
    gy_observer_wait(observer);
    gy_release(observer);
}

GYBoolean GYRunLoopObserverIsValid(GYRunLoopObserverRef observer) {
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, "GYRunLoopObserverIsValid")) return false;
    return gy_item_is_valid(&observer->item);
}

void GYRunLoopObserverGetContext(GYRunLoopObserverRef observer, GYRunLoopObserverContext *context) {
    static const char call[] = "GYRunLoopObserverGetContext";
    if (!gy_argument_is(observer, GY_KIND_OBSERVER, call)) return;
    if (context == NULL || context->version != 0) {
        gy_report(call, context == NULL ? "the context is NULL" : "the version is not 0", "R162");
        return;
    }
    *context = observer->context;
    context->info = atomic_load_explicit(&observer->item.info, memory_order_acquire);
}
