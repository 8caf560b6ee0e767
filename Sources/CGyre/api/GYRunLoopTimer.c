/* Timers as the public sees them. Locks are taken below; any thread. */
#undef __BLOCKS__ /* blocks come as pointers here, from whichever compiler (base/block_abi.h) */
#include <gyre/GYRunLoopTimer.h>

#include "api/arguments.h"
#include "base/block_abi.h"
#include "base/check.h"
#include "loop/callout.h"
#include "loop/hand.h"
#include "loop/registry.h"
#include "loop/schedule.h"
#include "loop/timers.h"
#include "loop/unwind.h"

#include <errno.h>
#include <math.h>

GYTypeID GYRunLoopTimerGetTypeID(void) { return GY_KIND_TIMER; }

static bool needs_extra(GYIndex order, const GYRunLoopTimerContext *context) {
    return order != 0 || (context != NULL && (context->retain != NULL || context->release != NULL ||
                                              context->copyDescription != NULL));
}

static bool keep_rest(GYRunLoopTimerRef timer, GYIndex order,
                      const GYRunLoopTimerContext *context) {
    if (!needs_extra(order, context)) return true;
    gy_timer_extra *extra = gy_timer_need_extra(timer);
    if (extra == NULL) return false;
    extra->order = order;
    if (context != NULL) extra->context = *context;
    return true;
}

static void keep_info(GYRunLoopTimerRef timer, const GYRunLoopTimerContext *context) {
    if (context == NULL) return;
    const void *info = context->info;
    if (context->retain != NULL) info = gy_callout_retain(context->retain, info);
    atomic_init(&timer->item.info, (void *)(uintptr_t)info);
}

/* Without its schedule. Nothing is called before it is certain that the timer can be made. */
static GYRunLoopTimerRef create(double interval, GYIndex order, GYRunLoopTimerCallBack callout,
                                const GYRunLoopTimerContext *context) {
    GYRunLoopTimerRef timer = gy_object_create(&gy_timer_type, sizeof *timer);
    if (timer == NULL) return NULL;
    timer->callout = callout;
    if (gy_timer_set_interval(timer, interval) && keep_rest(timer, order, context)) {
        keep_info(timer, context);
        return timer;
    }
    gy_release(timer);
    errno = ENOMEM;
    return NULL;
}

/* Gives the timer up where there is no memory. */
static GYRunLoopTimerRef scheduled(GYRunLoopTimerRef timer, gy_moment first) {
    if (gy_moment_give_first(&first, timer)) return timer;
    gy_release(timer);
    errno = ENOMEM;
    return NULL;
}

/* R116. A date far in the past is as due as one a moment ago. */
static GYAbsoluteTime clamped(GYAbsoluteTime date) {
    return date < GY_TIMER_LAST_DATE ? date : GY_TIMER_LAST_DATE;
}

GYRunLoopTimerRef GYRunLoopTimerCreate(GYAllocatorRef allocator, GYAbsoluteTime fireDate,
                                       GYTimeInterval interval, GYOptionFlags flags, GYIndex order,
                                       GYRunLoopTimerCallBack callout,
                                       GYRunLoopTimerContext *context) {
    (void)allocator;
    (void)flags;
    if (isnan(fireDate) || isnan(interval)) {
        gy_report("GYRunLoopTimerCreate", "the date or the interval is NaN", "R118");
        return NULL;
    }
    GYRunLoopTimerRef timer = create(interval, order, callout, context);
    if (timer == NULL) return NULL;
    return scheduled(timer, gy_moment_of_date(clamped(fireDate)));
}

GYRunLoopTimerRef GYRunLoopTimerCreateAt(int64_t fire_at_ns, int64_t interval_ns, GYIndex order,
                                         GYRunLoopTimerCallBack callout,
                                         GYRunLoopTimerContext *context) {
    GYRunLoopTimerRef timer = create(0, order, callout, context);
    if (timer == NULL) return NULL;
    timer->interval_ns = interval_ns > 0 ? interval_ns : 0;
    return scheduled(timer, gy_moment_at(fire_at_ns));
}

GYRunLoopTimerRef GYRunLoopTimerCreateAfter(int64_t delay_ns, int64_t interval_ns, GYIndex order,
                                            GYRunLoopTimerCallBack callout,
                                            GYRunLoopTimerContext *context) {
    GYRunLoopTimerRef timer = create(0, order, callout, context);
    if (timer == NULL) return NULL;
    timer->interval_ns = interval_ns > 0 ? interval_ns : 0;
    return scheduled(timer, gy_moment_after(delay_ns));
}

static void call_block(GYRunLoopTimerRef timer, void *block) {
    gy_block_invoke_timer(block, timer);
}

/* To the linker a block is a pointer. */
GY_EXPORT GYRunLoopTimerRef GYRunLoopTimerCreateWithHandler(GYAllocatorRef, GYAbsoluteTime,
                                                            GYTimeInterval, GYOptionFlags, GYIndex,
                                                            void *);

GYRunLoopTimerRef GYRunLoopTimerCreateWithHandler(GYAllocatorRef allocator, GYAbsoluteTime fireDate,
                                                  GYTimeInterval interval, GYOptionFlags flags,
                                                  GYIndex order, void *block) {
    if (block == NULL) {
        gy_report("GYRunLoopTimerCreateWithHandler", "the block is NULL", "R66");
        return NULL;
    }
    GYRunLoopTimerContext context = {
        .info = block,
        .retain = gy_block_copy_as_info,
        .release = gy_block_release,
    };
    GYRunLoopTimerRef timer =
        GYRunLoopTimerCreate(allocator, fireDate, interval, flags, order, call_block, &context);
    if (timer == NULL || atomic_load_explicit(&timer->item.info, memory_order_relaxed) != NULL)
        return timer;
    gy_release(timer); /* the block could not be copied */
    errno = ENOMEM;
    return NULL;
}

/* ---- the next firing ---- */

GYAbsoluteTime GYRunLoopTimerGetNextFireDate(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetNextFireDate")) return 0;
    return gy_item_is_valid(&timer->item) ? gy_moment_told_date(timer) : 0;
}

int64_t GYRunLoopTimerGetNextFireAt(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetNextFireAt")) return GY_NEVER;
    return gy_item_is_valid(&timer->item) ? gy_moment_told_at(timer) : GY_NEVER;
}

void GYRunLoopTimerSetNextFireDate(GYRunLoopTimerRef timer, GYAbsoluteTime fireDate) {
    static const char call[] = "GYRunLoopTimerSetNextFireDate";
    if (!gy_argument_is(timer, GY_KIND_TIMER, call)) return;
    if (isnan(fireDate)) {
        gy_report(call, "the date is NaN", "R118");
        return;
    }
    if (!gy_item_is_valid(&timer->item)) return;
    gy_moment moment = gy_moment_of_date(clamped(fireDate));
    gy_schedule_set(timer, &moment);
}

void GYRunLoopTimerSetNextFireAt(GYRunLoopTimerRef timer, int64_t fire_at_ns) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerSetNextFireAt")) return;
    if (!gy_item_is_valid(&timer->item)) return;
    gy_moment moment = gy_moment_at(fire_at_ns);
    gy_schedule_set(timer, &moment);
}

/* ---- by hand ---- */

/* The callout may give up the last reference: the timer is not looked at after it. */
GYBoolean GYRunLoopTimerFire(GYRunLoopTimerRef timer) {
    static const char call[] = "GYRunLoopTimerFire";
    const void *frame = __builtin_frame_address(0);
    if (!gy_argument_is(timer, GY_KIND_TIMER, call)) return false;
    GYRunLoopRef loop = gy_registry_current();
    if (loop == NULL) return false;
    gy_unwind(loop, frame);
    enum gy_hand_result result = gy_hand_fire(loop, timer, frame);
    if (result == GY_HAND_ELSEWHERE) {
        gy_report(call, "it is in the loop of another thread, or being called by one", "R191");
    }
    return result == GY_HAND_FIRED;
}

/* ---- what it was made with ---- */

GYTimeInterval GYRunLoopTimerGetInterval(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetInterval")) return 0;
    return gy_timer_interval(timer);
}

int64_t GYRunLoopTimerGetIntervalNanoseconds(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetIntervalNanoseconds")) return 0;
    return timer->interval_ns;
}

GYBoolean GYRunLoopTimerDoesRepeat(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerDoesRepeat")) return false;
    return gy_timer_repeats(timer);
}

GYIndex GYRunLoopTimerGetOrder(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetOrder")) return 0;
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    return extra == NULL ? 0 : extra->order;
}

void GYRunLoopTimerInvalidate(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerInvalidate")) return;
    gy_timer_invalidate(timer);
}

void GYRunLoopTimerInvalidateAndWait(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerInvalidateAndWait")) return;
    gy_retain(timer);
    gy_timer_invalidate(timer);
    gy_timer_wait(timer);
    gy_release(timer);
}

GYBoolean GYRunLoopTimerIsValid(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerIsValid")) return false;
    return gy_item_is_valid(&timer->item);
}

void GYRunLoopTimerGetContext(GYRunLoopTimerRef timer, GYRunLoopTimerContext *context) {
    static const char call[] = "GYRunLoopTimerGetContext";
    if (!gy_argument_is(timer, GY_KIND_TIMER, call)) return;
    if (context == NULL || context->version != 0) {
        gy_report(call, context == NULL ? "the context is NULL" : "the version is not 0", "R162");
        return;
    }
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    *context = extra == NULL ? (GYRunLoopTimerContext){0} : extra->context;
    context->info = atomic_load_explicit(&timer->item.info, memory_order_acquire);
}

/* ---- tolerance ---- */

GYTimeInterval GYRunLoopTimerGetTolerance(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetTolerance")) return 0;
    return gy_ns_to_seconds(atomic_load_explicit(&timer->tolerance_ns, memory_order_relaxed));
}

void GYRunLoopTimerSetTolerance(GYRunLoopTimerRef timer, GYTimeInterval tolerance) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerSetTolerance")) return;
    gy_schedule_set_tolerance(timer, tolerance > 0 ? gy_seconds_to_ns(tolerance) : 0);
}

int64_t GYRunLoopTimerGetToleranceNanoseconds(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetToleranceNanoseconds")) return 0;
    return atomic_load_explicit(&timer->tolerance_ns, memory_order_relaxed);
}

void GYRunLoopTimerSetToleranceNanoseconds(GYRunLoopTimerRef timer, int64_t tolerance_ns) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerSetToleranceNanoseconds")) return;
    gy_schedule_set_tolerance(timer, tolerance_ns);
}

/* ---- overrun ---- */

static bool is_policy(GYRunLoopTimerOverrunPolicy policy) {
    return policy == kGYTimerSkip || policy == kGYTimerFromEnd || policy == kGYTimerCatchUp;
}

static gy_overrun overrun_of(GYRunLoopTimerOverrunPolicy policy, GYIndex limit) {
    if (policy == kGYTimerCatchUp) return gy_overrun_catch_up(limit);
    return policy == kGYTimerFromEnd ? GY_OVERRUN_FROM_END : GY_OVERRUN_SKIP;
}

GYBoolean GYRunLoopTimerSetOverrunPolicy(GYRunLoopTimerRef timer,
                                         GYRunLoopTimerOverrunPolicy policy, GYIndex limit) {
    static const char call[] = "GYRunLoopTimerSetOverrunPolicy";
    if (!gy_argument_is(timer, GY_KIND_TIMER, call)) return false;
    if (!is_policy(policy)) {
        gy_report(call, "there is no such policy", "R122");
        return false;
    }
    gy_overrun overrun = overrun_of(policy, limit);
    if (overrun == gy_timer_overrun(timer)) return true;
    gy_timer_extra *extra = gy_timer_need_extra(timer);
    if (extra == NULL) return false;
    atomic_store_explicit(&extra->overrun, overrun, memory_order_relaxed);
    return true;
}

GYRunLoopTimerOverrunPolicy GYRunLoopTimerGetOverrunPolicy(GYRunLoopTimerRef timer,
                                                           GYIndex *limit) {
    gy_overrun overrun = GY_OVERRUN_SKIP;
    if (gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetOverrunPolicy")) {
        overrun = gy_timer_overrun(timer);
    }
    if (limit != NULL) *limit = gy_overrun_limit(overrun);
    if (overrun < 0) return kGYTimerCatchUp;
    return overrun == GY_OVERRUN_FROM_END ? kGYTimerFromEnd : kGYTimerSkip;
}

/* ---- other clocks ---- */

static bool clock_flag_of(GYRunLoopTimerClock clock, uint32_t *flag) {
    switch (clock) {
    case kGYTimerMonotonic: *flag = 0; return true;
    case kGYTimerBoot: *flag = GY_ITEM_BOOT; return true;
    case kGYTimerWall: *flag = GY_ITEM_WALL; return true;
    default: return false;
    }
}

GYBoolean GYRunLoopTimerSetClock(GYRunLoopTimerRef timer, GYRunLoopTimerClock clock,
                                 GYRunLoopTimerClockWasSet wasSet) {
    static const char call[] = "GYRunLoopTimerSetClock";
    uint32_t flag;
    if (!gy_argument_is(timer, GY_KIND_TIMER, call)) return false;
    if (!clock_flag_of(clock, &flag)) {
        gy_report(call, "there is no such clock", "R315");
        return false;
    }
    if (!gy_item_is_valid(&timer->item)) return false;
    return gy_schedule_set_clock(timer, flag, wasSet);
}

GYRunLoopTimerClock GYRunLoopTimerGetClock(GYRunLoopTimerRef timer) {
    if (!gy_argument_is(timer, GY_KIND_TIMER, "GYRunLoopTimerGetClock")) return kGYTimerMonotonic;
    uint32_t flags = gy_item_flags_now(&timer->item);
    if ((flags & GY_ITEM_BOOT) != 0) return kGYTimerBoot;
    return (flags & GY_ITEM_WALL) != 0 ? kGYTimerWall : kGYTimerMonotonic;
}
