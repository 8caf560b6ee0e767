/* Performed work as the public sees it. Locks are taken below; any thread. */
#undef __BLOCKS__ /* blocks come as pointers here, from whichever compiler (base/block_abi.h) */
#include <gyre/GYRunLoopPerform.h>

#include "api/arguments.h"
#include "base/block_abi.h"
#include "base/check.h"
#include "loop/callout.h"
#include "loop/performs.h"
#include "loop/registry.h"

#include <errno.h>

GYTypeID GYRunLoopPerformGetTypeID(void) { return GY_KIND_PERFORM; }

/* What all calls that hand over work ask of their arguments. */
static bool check(const char *call, GYRunLoopRef rl, GYTypeRef mode, bool has_function) {
    if (!gy_argument_is(rl, GY_KIND_RUN_LOOP, call)) return false;
    if (!has_function) {
        gy_report(call, "there is nothing to call", "R66");
        return false;
    }
    if (gy_object_is(mode, GY_KIND_STRING) || gy_object_is(mode, GY_KIND_ARRAY)) return true;
    gy_report(call, "the mode is neither a string nor an array of strings", "R66");
    return false;
}

/* An array may still be empty, or hold something else than strings. */
static void tell_failure(GYRunLoopRef rl, const char *call) {
    if (errno == EINVAL)
        gy_report(call, "the array of modes is empty, or holds something else than strings", "R66");
    if (errno == ESRCH) gy_argument_loop_ended(rl, call);
}

/* Takes the block over; false with errno. */
static bool enqueue(GYRunLoopRef rl, gy_block *block) {
    if (gy_perform_enqueue(rl, block)) return true;
    gy_block_free(block);
    errno = ESRCH;
    return false;
}

static bool enqueue_function(GYRunLoopRef rl, GYTypeRef mode, GYPerformFunction function,
                             void *info, GYPerformFunction release) {
    gy_block *block = gy_block_create(mode);
    if (block == NULL) return false;
    block->function = function;
    block->release = release;
    block->info = info;
    return enqueue(rl, block);
}

bool GYRunLoopPerform(GYRunLoopRef rl, GYTypeRef mode, GYPerformFunction function, void *info,
                      GYPerformFunction release) {
    static const char call[] = "GYRunLoopPerform";
    if (!check(call, rl, mode, function != NULL)) return false;
    if (enqueue_function(rl, mode, function, info, release)) return true;
    tell_failure(rl, call);
    return false;
}

static void release_block(void *block) { gy_block_release(block); }

/* Most blocks hold a few plain values and fit beside the node that carries them. */
static bool enqueue_block(GYRunLoopRef rl, GYTypeRef mode, const void *given) {
    gy_block *block = gy_block_create(mode);
    if (block == NULL) return false;
    block->function = gy_block_invoke;
    block->info = block->room;
    if (gy_block_copy_into(given, block->room, GY_BLOCK_ROOM)) return enqueue(rl, block);
    void *copy = gy_block_copy(given);
    block->info = copy;
    block->release = release_block;
    if (copy != NULL && enqueue(rl, block)) return true;
    if (copy == NULL) gy_block_free(block);
    gy_block_release(copy);
    return false;
}

/* To the linker a block is a pointer. */
GY_EXPORT void GYRunLoopPerformBlock(GYRunLoopRef, GYTypeRef, void *);

void GYRunLoopPerformBlock(GYRunLoopRef rl, GYTypeRef mode, void *block) {
    static const char call[] = "GYRunLoopPerformBlock";
    if (!check(call, rl, mode, block != NULL)) return;
    if (!enqueue_block(rl, mode, block)) tell_failure(rl, call);
}

GYRunLoopPerformRef GYRunLoopPerformCreate(GYRunLoopRef rl, GYTypeRef mode, int64_t delay_ns,
                                           GYPerformFunction function, void *info,
                                           GYPerformFunction release) {
    static const char call[] = "GYRunLoopPerformCreate";
    if (!check(call, rl, mode, function != NULL)) return NULL;
    GYRunLoopPerformRef perform = gy_perform_create(rl, mode, delay_ns, function, info, release);
    if (perform == NULL) tell_failure(rl, call);
    return perform;
}

GYRunLoopPerformState GYRunLoopPerformCancel(GYRunLoopPerformRef perform) {
    if (!gy_argument_is(perform, GY_KIND_PERFORM, "GYRunLoopPerformCancel")) {
        return kGYRunLoopPerformLoopEnded;
    }
    return gy_perform_cancel(perform);
}

GYRunLoopPerformState GYRunLoopPerformCancelAndWait(GYRunLoopPerformRef perform) {
    if (!gy_argument_is(perform, GY_KIND_PERFORM, "GYRunLoopPerformCancelAndWait")) {
        return kGYRunLoopPerformLoopEnded;
    }
    return gy_perform_cancel_and_wait(perform);
}

GYRunLoopPerformState GYRunLoopPerformGetState(GYRunLoopPerformRef perform) {
    if (!gy_argument_is(perform, GY_KIND_PERFORM, "GYRunLoopPerformGetState")) {
        return kGYRunLoopPerformLoopEnded;
    }
    return gy_perform_state(perform);
}

bool GYRunLoopPerformAndWait(GYRunLoopRef rl, GYTypeRef mode, GYPerformFunction function,
                             void *info) {
    static const char call[] = "GYRunLoopPerformAndWait";
    if (!check(call, rl, mode, function != NULL)) return false;
    if (gy_registry_is_own(rl)) {
        gy_callout_perform(function, info);
        return true;
    }
    GYRunLoopPerformRef perform = gy_perform_create(rl, mode, 0, function, info, NULL);
    if (perform == NULL) {
        tell_failure(rl, call);
        return false;
    }
    bool called = gy_perform_wait(perform);
    if (!called) errno = ESRCH;
    gy_release(perform);
    return called;
}
