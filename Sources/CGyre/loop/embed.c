#include "loop/embed.h"

#include "loop/current.h"
#include "loop/drain.h"
#include "loop/observers.h"
#include "loop/unwind.h"

#include <errno.h>

/* Above every frame: what waits in the hands of a host is not left by a jump. */
#define NO_FRAME ((const void *)UINTPTR_MAX)

static bool is_invalid(const struct GYRunLoopEmbedding *e) {
    /* Acquire: pairs with the release in set_invalid. */
    return atomic_load_explicit(&e->is_invalid, memory_order_acquire);
}

static void set_invalid(GYRunLoopEmbeddingRef e) {
    atomic_store_explicit(&e->is_invalid, true, memory_order_release);
}

bool gy_embed_is_valid(const struct GYRunLoopEmbedding *e) {
    return !is_invalid(e) && !gy_loop_is_dead(e->loop);
}

/* ---- where its run stands ---- */

enum gy_embed_state gy_embed_state_now(GYRunLoopEmbeddingRef e, const void *frame) {
    GYRunLoopRef loop = e->loop;
    gy_unwind(loop, frame);
    uint32_t i = loop->depth;
    while (i > 0 && loop->activations[i - 1].run != e->run.number) i--;
    if (i == 0) e->run.number = 0; /* left by a jump, or ended */
    if (e->run.number == 0) return GY_EMBED_IDLE;
    if (loop->activations[i - 1].outlet == NULL) return GY_EMBED_CALLED;
    return i == loop->depth ? GY_EMBED_PARKED : GY_EMBED_COVERED;
}

static bool is_parked(const struct GYRunLoopEmbedding *e) {
    const gy_activation *innermost = gy_loop_innermost(e->loop);
    return innermost != NULL && innermost->outlet == &e->outlet;
}

/* ---- between the host and the run ---- */

/* In the child of a fork they are gone. */
static bool need_outlet(GYRunLoopEmbeddingRef e) {
    return e->outlet.fd >= 0 || gy_outlet_make(&e->outlet);
}

/* The pool is empty. */
static void park(GYRunLoopEmbeddingRef e) {
    gy_activation *run = gy_loop_innermost(e->loop);
    gy_pool_drop();
    run->pool = 0;
    run->frame = NO_FRAME;
    run->outlet = &e->outlet;
}

/* False with errno: no memory. The outlet is readable until the run is parked and asleep again, so
 * that a host which gets back by a jump comes once more. */
static bool resume(GYRunLoopEmbeddingRef e, const void *frame) {
    uint64_t pool = gy_pool_push(true);
    gy_outlet_ring(&e->outlet);
    if (pool == 0) return false;
    gy_activation *run = gy_loop_innermost(e->loop);
    run->pool = pool;
    run->frame = frame;
    run->outlet = NULL;
    e->run.drained = gy_pool_changes();
    return true;
}

/* The loop is asleep: first that, then the look at deadlines, as in every sleep. */
static void leave_wait_to_host(GYRunLoopEmbeddingRef e) {
    gy_sleep_place place = gy_sleep_place_now(&e->run);
    gy_outlet_wait(&e->outlet, place.epoll_fd, place.set, place.until_ns);
}

/* Its host has no part in it any more. The reference was the loop's, and may be the last: nothing
 * touches the embedding after this, nor where a result comes back. */
static void let_go(GYRunLoopEmbeddingRef e) {
    gy_loop_lock(e->loop);
    bool is_listed = gy_node_is_linked(&e->outlet.in_loop);
    if (is_listed) gy_list_remove(&e->outlet.in_loop);
    gy_loop_unlock(e->loop);
    gy_outlet_close(&e->outlet);
    if (is_listed) gy_release(e);
}

static void come_to_rest(GYRunLoopEmbeddingRef e) {
    e->run.number = 0;
    if (is_invalid(e)) {
        let_go(e);
    } else {
        gy_outlet_rest(&e->outlet);
    }
}

/* ---- the two halves ---- */

static GYRunLoopRunResult end_run(GYRunLoopEmbeddingRef e, GYRunLoopRunResult result) {
    gy_run_end(&e->run);
    come_to_rest(e);
    return result;
}

/* Step 8's end to step 12. */
static GYRunLoopRunResult complete(GYRunLoopEmbeddingRef e) {
    gy_sleep_end(&e->run);
    e->is_prepared = false;
    GYRunLoopRunResult result = gy_run_end_iteration(&e->run);
    gy_drain_rest(&e->run);
    if (result == GY_RUN_GOES_ON && is_invalid(e)) result = kGYRunLoopRunStopped;
    if (result != GY_RUN_GOES_ON) return end_run(e, result);
    park(e);
    return result;
}

/* Steps 1 to 7, and the beginning of step 8. */
static GYRunLoopRunResult begin_iteration(GYRunLoopEmbeddingRef e) {
    bool may_sleep = gy_run_begin_iteration(&e->run);
    uint64_t runs = e->loop->run_count;
    gy_drain_rest(&e->run);
    if (e->loop->run_count != runs) may_sleep = false; /* as one nested in step 7 */
    if (is_invalid(e)) {
        gy_sleep_begin(&e->run, false);
        return complete(e);
    }
    e->is_prepared = true;
    park(e);
    if (gy_sleep_begin(&e->run, may_sleep)) leave_wait_to_host(e);
    return GY_RUN_GOES_ON;
}

static GYRunLoopRunResult begin_run(GYRunLoopEmbeddingRef e, const void *frame) {
    gy_outlet_ring(&e->outlet); /* as in resume */
    e->is_prepared = false;
    e->run = (gy_run){.loop = e->loop};
    GYRunLoopRunResult result = gy_run_begin(&e->run, e->mode, GY_NEVER, frame);
    if (e->run.mode == NULL) {
        come_to_rest(e);
        return result;
    }
    return result == GY_RUN_GOES_ON ? begin_iteration(e) : end_run(e, result);
}

GYRunLoopRunResult gy_embed_prepare(GYRunLoopEmbeddingRef e, const void *frame) {
    if (!need_outlet(e)) return GY_RUN_GOES_ON;
    if (!is_parked(e)) return begin_run(e, frame);
    if (!e->is_prepared) return resume(e, frame) ? begin_iteration(e) : GY_RUN_GOES_ON;
    if (gy_wake_is_asleep(&e->loop->wake)) leave_wait_to_host(e);
    return GY_RUN_GOES_ON;
}

GYRunLoopRunResult gy_embed_dispatch(GYRunLoopEmbeddingRef e, const void *frame) {
    GYRunLoopRunResult result = GY_RUN_GOES_ON;
    if (!is_parked(e) || !e->is_prepared) result = gy_embed_prepare(e, frame);
    if (result != GY_RUN_GOES_ON || !is_parked(e) || !e->is_prepared) return result;
    /* The host came for nothing, or another event of its own: that is no wake-up (R114, R156). */
    if (gy_wake_is_asleep(&e->loop->wake) && !gy_sleep_is_over(&e->run)) {
        leave_wait_to_host(e);
        return GY_RUN_GOES_ON;
    }
    return resume(e, frame) ? complete(e) : GY_RUN_GOES_ON;
}

/* ---- beginning and end ---- */

GYRunLoopEmbeddingRef gy_embed_create(GYRunLoopRef loop, GYStringRef mode) {
    GYRunLoopEmbeddingRef e = gy_object_create(&gy_embedding_type, sizeof *e);
    if (e == NULL) return NULL;
    e->loop = gy_retain(loop);
    e->mode = gy_retain(mode);
    gy_outlet_init(&e->outlet);
    gy_loop_lock(loop);
    bool ok = !loop->is_ending && gy_loop_prepare_wait(loop, false) && gy_outlet_make(&e->outlet);
    int saved = loop->is_ending ? ESRCH : errno;
    if (ok) gy_list_append(&loop->outlets, &e->outlet.in_loop);
    gy_loop_unlock(loop);
    if (ok) return gy_retain(e);
    gy_release(e);
    errno = saved;
    return NULL;
}

bool gy_embed_invalidate(GYRunLoopEmbeddingRef e, const void *frame) {
    bool is_called = e->run.number != 0 && !is_parked(e);
    if (is_parked(e)) {
        if (!resume(e, frame)) return false;
        set_invalid(e);
        if (e->is_prepared) gy_sleep_end(&e->run);
        if (e->is_prepared && gy_run_waits(&e->run))
            gy_observer_round(e->loop, kGYRunLoopAfterWaiting);
        end_run(e, kGYRunLoopRunStopped);
        return true;
    }
    set_invalid(e);
    if (!is_called) let_go(e);
    return true;
}

int gy_embed_descriptor(GYRunLoopEmbeddingRef e) { return need_outlet(e) ? e->outlet.fd : -1; }

int64_t gy_embed_next_deadline(GYRunLoopEmbeddingRef e) {
    if (e->outlet.is_rung || e->outlet.fd < 0) return 0;
    if (!is_parked(e)) return GY_NEVER;
    return gy_wake_has_come(&e->loop->wake) ? 0 : gy_sleep_place_now(&e->run).until_ns;
}

void gy_embed_end_all(GYRunLoopRef loop) {
    gy_unwind_all(loop);
    while (!gy_list_is_empty(&loop->outlets)) {
        GYRunLoopEmbeddingRef e =
            gy_node_owner(loop->outlets.next, struct GYRunLoopEmbedding, outlet.in_loop);
        set_invalid(e);
        let_go(e);
    }
}

static void finalize(void *object) {
    GYRunLoopEmbeddingRef e = object;
    GYRunLoopRef loop = e->loop;
    gy_release(e->mode);
    gy_object_free(e);
    gy_release(loop);
}

const gy_type gy_embedding_type = {
    .kind = GY_KIND_EMBEDDING,
    .name = "GYRunLoopEmbedding",
    .finalize = finalize,
};
