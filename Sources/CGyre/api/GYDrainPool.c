/* Drain pools as the public sees them. The pools are the calling thread's. */
#include <gyre/GYDrainPool.h>

#include "api/arguments.h"
#include "base/check.h"
#include "base/pool.h"
#include "loop/current.h"
#include "loop/unwind.h"

#include <errno.h>

/* Runs that a jump or an exception has left still have their pools on the stack, as seen from a
 * frame outside of them. */
static void end_gone_runs(const void *frame) {
    if (gy_current_loop != NULL) gy_unwind(gy_current_loop, frame);
}

GYDrainPoolToken GYDrainPoolPush(void) {
    end_gone_runs(__builtin_frame_address(0));
    return gy_pool_push(false);
}

void GYDrainPoolPop(GYDrainPoolToken pool) {
    static const char call[] = "GYDrainPoolPop";
    if (gy_pool_find(pool) == GY_POOL_FENCED) end_gone_runs(__builtin_frame_address(0));
    switch (gy_pool_find(pool)) {
    case GY_POOL_WITHIN: gy_pool_pop(pool); break;
    case GY_POOL_FENCED:
        gy_report(call, "the pool is older than the run in progress", "R202");
        break;
    case GY_POOL_MISSING: gy_report(call, "the pool is not on this thread's stack", "R205"); break;
    }
}

bool GYDefer(GYPerformFunction function, void *info) {
    static const char call[] = "GYDefer";
    enum gy_pool_result result = GY_POOL_NONE;
    if (function == NULL) {
        gy_report(call, "there is nothing to call", "R66");
    } else {
        result = gy_pool_defer(function, info);
        if (result == GY_POOL_NONE) gy_report(call, "this thread has no pool", "R205");
    }
    if (result == GY_POOL_NONE) errno = EINVAL;
    return result == GY_POOL_TAKEN;
}

static void release(void *object) { gy_release(object); }

GYTypeRef GYAutorelease(GYTypeRef object) {
    static const char call[] = "GYAutorelease";
    if (!gy_object_is_live(object)) {
        gy_report(call, "not a live object", "R160");
        return NULL;
    }
    switch (gy_pool_defer(release, (void *)(uintptr_t)object)) {
    case GY_POOL_FULL: return NULL;
    case GY_POOL_NONE: gy_report(call, "this thread has no pool; it leaks", "R205"); break;
    case GY_POOL_TAKEN: break;
    }
    return object;
}
