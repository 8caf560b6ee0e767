#include "loop/observers.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"

#include <errno.h>
#include <limits.h>

static bool enter_mode(gy_mode *mode, GYRunLoopObserverRef observer) {
    if (gy_observer_list_contains(&mode->observers, observer)) return true;
    if (!gy_observer_list_insert(&mode->observers, observer, ++mode->loop->sequence)) return false;
    gy_retain(observer);
    observer->item.mode_count++;
    mode->is_given = true;
    return true;
}

/* The mode's reference is the caller's to release, without the lock. */
static bool leave_mode(gy_mode *mode, GYRunLoopObserverRef observer) {
    if (!gy_observer_list_remove(&mode->observers, observer)) return false;
    observer->item.mode_count--;
    return true;
}

/* When an entry was made; 0: not in the list. */
static uint64_t sequence_in(const gy_mode *mode, const struct GYRunLoopObserver *observer) {
    for (uint32_t i = 0; i < mode->observers.count; i++) {
        const gy_observer_entry *entry = &mode->observers.entries[i];
        if (entry->observer == observer) return entry->place.sequence;
    }
    return 0;
}

static void undo_entering(GYRunLoopRef loop, GYRunLoopObserverRef observer, uint64_t since) {
    uint32_t references = 0, cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        if (sequence_in(m, observer) > since) references += leave_mode(m, observer);
    }
    gy_tenant_forget_common(&loop->common_observers, &observer->item, &references);
    gy_tenant_release(&observer->item, references); /* none is the last: the caller has one */
}

static bool enter_common(GYRunLoopRef loop, GYRunLoopObserverRef observer) {
    if (gy_item_is(&observer->item, GY_ITEM_COMMON)) return true;
    if (!gy_loop_need_common_modes(loop)) return false;
    if (!gy_tenant_make_common(&loop->common_observers, &observer->item)) return false;
    uint32_t cursor = 0;
    uint64_t since = loop->sequence;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        if (enter_mode(m, observer)) continue;
        undo_entering(loop, observer, since);
        errno = ENOMEM;
        return false;
    }
    return true;
}

static bool enter(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    if (name == kGYRunLoopCommonModes) return enter_common(loop, observer);
    gy_mode *mode = gy_loop_need_mode(loop, name);
    return mode != NULL && enter_mode(mode, observer);
}

static enum gy_add_result add_locked(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                                     GYStringRef name) {
    if (!gy_item_claim(&observer->item, loop)) return GY_ADD_OTHER_LOOP;
    bool ok = enter(loop, observer, name);
    gy_item_let_go_if_free(&observer->item);
    return ok ? GY_ADDED : GY_ADD_FAILED;
}

static void leave_all_modes(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                            uint32_t *references) {
    uint32_t cursor = 0;
    for (gy_mode *m;
         observer->item.mode_count > 0 && (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        *references += leave_mode(m, observer);
    }
    gy_tenant_forget_common(&loop->common_observers, &observer->item, references);
    gy_item_let_go_if_free(&observer->item);
}

static void detach(GYRunLoopObserverRef observer) {
    uint32_t references = 0;
    GYRunLoopRef loop = gy_loop_enter(&observer->item.loop);
    if (loop == NULL) return;
    leave_all_modes(loop, observer, &references);
    gy_loop_leave(loop);
    gy_tenant_release(&observer->item, references);
}

enum gy_add_result gy_observer_add(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                                   GYStringRef mode) {
    enum gy_add_result result = GY_ADD_DEAD_LOOP;
    gy_loop_lock(loop);
    if (!gy_loop_is_dead(loop)) {
        result = gy_item_is_valid(&observer->item) ? add_locked(loop, observer, mode) : GY_ADDED;
    }
    int saved = errno;
    gy_loop_unlock(loop);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (result == GY_ADDED && !gy_item_is_valid(&observer->item)) detach(observer);
    errno = saved;
    return result;
}

void gy_observer_remove(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    uint32_t references = 0, cursor = 0;
    gy_loop_lock(loop);
    if (gy_item_loop(&observer->item) == loop && !gy_loop_is_dead(loop)) {
        if (name != kGYRunLoopCommonModes) {
            gy_mode *mode = gy_loop_find_mode(loop, name);
            if (mode != NULL) references += leave_mode(mode, observer);
        } else if (gy_item_is(&observer->item, GY_ITEM_COMMON)) {
            for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
                references += leave_mode(m, observer);
            }
            gy_tenant_forget_common(&loop->common_observers, &observer->item, &references);
        }
        gy_item_let_go_if_free(&observer->item);
    }
    gy_loop_unlock(loop);
    gy_tenant_release(&observer->item, references);
}

bool gy_observer_contains(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    bool found = false;
    gy_loop_lock(loop);
    if (gy_item_loop(&observer->item) == loop && !gy_loop_is_dead(loop)) {
        gy_mode *mode = gy_loop_find_mode(loop, name);
        found = name == kGYRunLoopCommonModes
                    ? gy_item_is(&observer->item, GY_ITEM_COMMON)
                    : mode != NULL && gy_observer_list_contains(&mode->observers, observer);
    }
    gy_loop_unlock(loop);
    return found;
}

void gy_observer_invalidate(GYRunLoopObserverRef observer) {
    gy_retain(observer); /* the modes' references may be the last */
    if ((gy_item_set(&observer->item, GY_ITEM_INVALID) & GY_ITEM_INVALID) == 0) {
        detach(observer);
        gy_tenant_release_info(&observer->item, observer->context.release);
    }
    gy_release(observer);
}

/* ---- all at once ---- */

static void part_locked(GYRunLoopRef loop, gy_mode *mode, uint64_t since) {
    uint32_t cursor = 0;
    for (GYRunLoopObserverRef o; (o = gy_set_next(&loop->common_observers, &cursor)) != NULL;) {
        if (sequence_in(mode, o) <= since) continue;
        leave_mode(mode, o);
        gy_release(o); /* not the last: the common items have one */
    }
}

void gy_observer_part_common(GYRunLoopRef loop, GYStringRef name, uint64_t since) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) part_locked(loop, mode, since);
    gy_loop_unlock(loop);
}

static bool join_locked(GYRunLoopRef loop, GYStringRef name) {
    if (loop->common_observers.count == 0) return true;
    uint32_t cursor = 0;
    uint64_t since = loop->sequence;
    gy_mode *mode = gy_loop_need_mode(loop, name);
    if (mode == NULL) return false;
    for (GYRunLoopObserverRef o; (o = gy_set_next(&loop->common_observers, &cursor)) != NULL;) {
        if (enter_mode(mode, o)) continue;
        part_locked(loop, mode, since);
        return false;
    }
    return true;
}

bool gy_observer_join_common(GYRunLoopRef loop, GYStringRef name) {
    gy_loop_lock(loop);
    bool ok = join_locked(loop, name);
    gy_loop_unlock(loop);
    return ok;
}

static GYRunLoopObserverRef any_observer(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        if (m->observers.count > 0) return m->observers.entries[0].observer;
    }
    cursor = 0;
    return gy_set_next(&loop->common_observers, &cursor);
}

void gy_observer_leave_all(GYRunLoopRef loop) {
    for (;;) {
        uint32_t references = 0;
        gy_loop_lock(loop);
        GYRunLoopObserverRef observer = gy_retain(any_observer(loop));
        if (observer != NULL) leave_all_modes(loop, observer, &references);
        gy_loop_unlock(loop);
        if (observer == NULL) return;
        gy_tenant_release(&observer->item, references + 1);
    }
}

/* ---- one round ---- */

void gy_observer_finish_call(GYRunLoopObserverRef observer) {
    if (!observer->repeats) gy_observer_invalidate(observer);
    while (!gy_tenant_end_call(&observer->item)) {
        gy_tenant_release_owed(&observer->item, observer->context.release);
    }
}

void gy_observer_round(GYRunLoopRef loop, GYRunLoopActivity activity) {
    gy_mode *mode = gy_loop_innermost(loop)->mode;
    /* Acquire: pairs with the release of an insertion. An observer added by another thread at this
     * moment is called from this round or from the next. */
    if ((atomic_load_explicit(&mode->observers.activities, memory_order_acquire) & activity) == 0) return;
    gy_observer_place place = GY_OBSERVER_FIRST_PLACE;
    gy_loop_lock(loop);
    uint64_t limit = loop->sequence + 1; /* later additions wait for the next round (R134) */
    for (;;) {
        GYRunLoopObserverRef o = gy_observer_list_next(&mode->observers, &place, activity, limit);
        if (o == NULL) break;
        gy_retain(o);
        gy_item_set(&o->item, GY_ITEM_BUSY);
        void *info = atomic_load_explicit(&o->item.info, memory_order_acquire);
        gy_loop_unlock(loop);
        gy_callout_observer(loop, o, activity, info);
        gy_observer_finish_call(o);
        gy_release(o);
        gy_loop_lock(loop);
    }
    gy_loop_unlock(loop);
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopObserverRef observer = object;
    gy_tenant_release_info(&observer->item, observer->context.release);
}

const gy_type gy_observer_type = {
    .kind = GY_KIND_OBSERVER,
    .name = "GYRunLoopObserver",
    .finalize = finalize,
    .copy_description = gy_describe_observer,
};
