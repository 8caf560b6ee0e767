#include "sources/watched.h"

#include "loop/slot.h"
#include "loop/source_object.h"
#include "loop/sources.h"
#include "loop/want.h"
#include "wait/sys.h"

void gy_watched_init(gy_watched *watched, int fd, void (*let_go)(gy_watched *self)) {
    watched->fd = fd;
    watched->let_go = let_go;
    atomic_init(&watched->state, GY_WATCHED_HAS_INFO);
}

int gy_watched_tell(gy_watched *watched) {
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    int error = source == NULL ? 0 : gy_want_changed(source);
    gy_release(source);
    return error;
}

/* The changes of the word release; pair with the acquire in gy_watched_asked. */

int gy_watched_ask(gy_watched *watched, uint32_t more) {
    atomic_fetch_or_explicit(&watched->asked, more, memory_order_acq_rel);
    return gy_watched_tell(watched);
}

int gy_watched_drop(gy_watched *watched, uint32_t less) {
    uint32_t old = atomic_fetch_and_explicit(&watched->asked, ~less, memory_order_acq_rel);
    return (old & less) == 0 ? 0 : gy_watched_tell(watched);
}

uint32_t gy_watched_take(gy_watched *watched, uint32_t events) {
    uint32_t old = atomic_fetch_and_explicit(&watched->asked, ~events, memory_order_acq_rel);
    if ((old & events) != 0) gy_watched_tell(watched);
    return old & events;
}

static GYRunLoopSourceRef make(gy_watched *watched, GYIndex order,
                               const GYRunLoopSourceContext2 *context) {
    GYRunLoopSourceRef source =
        gy_source_create(order, (const GYRunLoopSourceContext *)(const void *)context);
    if (source == NULL) return NULL;
    source->asked = &watched->asked;
    source->is_level = true;
    return source;
}

static GYRunLoopSourceRef get_or_make(gy_watched *watched, GYIndex order,
                                      const GYRunLoopSourceContext2 *context) {
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    if (source != NULL) return source;
    GYRunLoopSourceRef made = make(watched, order, context);
    if (made == NULL) return NULL;
    source = gy_slot_fill(&watched->source, made);
    gy_release(made); /* another thread's may have been faster */
    return source;
}

GYRunLoopSourceRef gy_watched_copy_source(gy_watched *watched, GYIndex order,
                                          const GYRunLoopSourceContext2 *context) {
    if (!gy_watched_is_valid(watched)) return NULL;
    GYRunLoopSourceRef source = get_or_make(watched, order, context);
    if (source == NULL || gy_watched_is_valid(watched)) return source;
    /* It ended meanwhile, by a thread that may not have found the source yet. */
    gy_source_invalidate(source);
    gy_release(source);
    return NULL;
}

/* ---- the end ---- */

static bool take_info(gy_watched *watched) {
    uint32_t old = atomic_fetch_and_explicit(&watched->state, ~(uint32_t)GY_WATCHED_HAS_INFO,
                                             memory_order_acq_rel);
    return (old & GY_WATCHED_HAS_INFO) != 0;
}

bool gy_watched_begin_call(gy_watched *watched) {
    /* Acquire and release, as the two that follow: they change one word, so either the call sees
     * the end or the end sees the call. */
    uint32_t old =
        atomic_fetch_add_explicit(&watched->state, GY_WATCHED_ONE_CALL, memory_order_acq_rel);
    return (old & GY_WATCHED_INVALID) == 0;
}

void gy_watched_end_call(gy_watched *watched) {
    uint32_t old =
        atomic_fetch_sub_explicit(&watched->state, GY_WATCHED_ONE_CALL, memory_order_acq_rel);
    bool is_last = old < 2 * GY_WATCHED_ONE_CALL && (old & GY_WATCHED_INVALID) != 0;
    if (is_last && take_info(watched)) watched->let_go(watched);
}

bool gy_watched_end(gy_watched *watched, bool closes) {
    uint32_t old =
        atomic_fetch_or_explicit(&watched->state, GY_WATCHED_INVALID, memory_order_acq_rel);
    if ((old & GY_WATCHED_INVALID) != 0) return false;
    atomic_store_explicit(&watched->asked, 0, memory_order_release);
    GYRunLoopSourceRef source = gy_slot_get(&watched->source);
    if (source != NULL) gy_source_invalidate(source);
    gy_release(source);
    if (closes) gy_sys_close(watched->fd); /* after the kernel has forgotten it (F72) */
    if (old < GY_WATCHED_ONE_CALL && take_info(watched)) watched->let_go(watched);
    return true;
}

bool gy_watched_destroy(gy_watched *watched, bool closes) {
    if (closes && gy_watched_is_valid(watched)) gy_sys_close(watched->fd);
    return take_info(watched);
}
