/* Drain pools as the public sees them, which are the calling thread's; hooks and policies of any
 * loop. Locks are taken below. */
#include <gyre/GYDrainPool.h>

#include "api/arguments.h"
#include "base/check.h"
#include "base/pool.h"
#include "loop/current.h"
#include "loop/drain.h"
#include "loop/observers.h"
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

static void release_object(void *object) { gy_release(object); }

GYTypeRef GYAutorelease(GYTypeRef object) {
    static const char call[] = "GYAutorelease";
    if (!gy_object_is_live(object)) {
        gy_report(call, "not a live object", "R160");
        return NULL;
    }
    switch (gy_pool_defer(release_object, (void *)(uintptr_t)object)) {
    case GY_POOL_FULL: return NULL;
    case GY_POOL_NONE: gy_report(call, "this thread has no pool; it leaks", "R205"); break;
    case GY_POOL_TAKEN: break;
    }
    return object;
}

/* ---- hooks ---- */

typedef struct hook {
    GYOptionFlags points;
    GYIndex order;
    GYRunLoopObserverCallBack callout;
    void *info;
    void (*release)(const void *info);
} hook;

/* NULL, told or with errno. */
static GYRunLoopObserverRef make_hook(hook h, const char *call) {
    if (h.callout == NULL) {
        gy_report(call, "there is nothing to call", "R204");
        return NULL;
    }
    if (h.points == 0 || (h.points & ~(GYOptionFlags)kGYDrainAllPoints) != 0) {
        gy_report(call, "the points are none, or not drain points alone", "R204");
        return NULL;
    }
    GYRunLoopObserverRef made = gy_object_create(&gy_observer_type, sizeof *made);
    if (made == NULL) return NULL;
    made->order = h.order;
    made->activities = made->points = h.points;
    made->repeats = true;
    made->callout = h.callout;
    made->context.release = h.release;
    atomic_init(&made->item.info, h.info);
    return made;
}

GYRunLoopObserverRef GYDrainHookCreate(GYOptionFlags points, GYIndex order,
                                       GYRunLoopObserverCallBack callout, void *info,
                                       void (*release)(const void *info)) {
    return make_hook((hook){points, order, callout, info, release}, "GYDrainHookCreate");
}

/* False with errno. */
static bool add_hook(GYRunLoopRef rl, GYRunLoopObserverRef made, GYStringRef name,
                     const char *call) {
    switch (gy_observer_add(rl, made, name)) {
    case GY_ADDED: return true;
    case GY_ADD_DEAD_LOOP:
        gy_argument_loop_ended(rl, call);
        errno = ESRCH;
        return false;
    default: return false;
    }
}

GYRunLoopObserverRef GYRunLoopAddDrainHook(GYRunLoopRef rl, GYRunLoopMode mode,
                                           GYOptionFlags points, GYIndex order,
                                           GYRunLoopObserverCallBack callout, void *info,
                                           void (*release)(const void *info)) {
    static const char call[] = "GYRunLoopAddDrainHook";
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return NULL;
    GYStringRef name = gy_argument_mode(mode, call);
    if (name == NULL) return NULL;
    GYRunLoopObserverRef made = make_hook((hook){points, order, callout, info, release}, call);
    bool is_added = made != NULL && add_hook(rl, made, name, call);
    int saved = errno;
    if (made != NULL && !is_added) made->context.release = NULL; /* `info` is the caller's again */
    gy_release(made); /* the modes have theirs */
    gy_release(name);
    errno = saved;
    return is_added ? made : NULL;
}

/* ---- policies ---- */

/* The interned name of a mode, retained; NULL, told or with errno. */
static GYStringRef one_mode(GYRunLoopRef rl, GYRunLoopMode mode, const char *call) {
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) {
        errno = EINVAL;
        return NULL;
    }
    GYStringRef name = gy_argument_mode(mode, call);
    if (name != kGYRunLoopCommonModes) return name;
    gy_report(call, "the common modes are a set; each mode has a policy of its own", "R16");
    gy_release(name);
    errno = EINVAL;
    return NULL;
}

bool GYRunLoopSetDrainPolicy(GYRunLoopRef rl, GYRunLoopMode mode, GYDrainPolicy policy) {
    static const char call[] = "GYRunLoopSetDrainPolicy";
    if (policy < kGYDrainPolicyEveryIteration || policy > kGYDrainPolicyOnExit) {
        gy_report(call, "there is no such policy", "R203");
        errno = EINVAL;
        return false;
    }
    GYStringRef name = one_mode(rl, mode, call);
    if (name == NULL) return false;
    bool is_set = gy_drain_set_policy(rl, name, policy);
    int saved = errno;
    if (!is_set && saved == ESRCH) gy_argument_loop_ended(rl, call);
    gy_release(name);
    errno = saved;
    return is_set;
}

GYDrainPolicy GYRunLoopGetDrainPolicy(GYRunLoopRef rl, GYRunLoopMode mode) {
    GYStringRef name = one_mode(rl, mode, "GYRunLoopGetDrainPolicy");
    if (name == NULL) return kGYDrainPolicyEveryIteration;
    GYDrainPolicy policy = gy_drain_policy(rl, name);
    gy_release(name);
    return policy;
}
