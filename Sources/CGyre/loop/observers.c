#include "loop/observers.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"

#include <errno.h>
#include <limits.h>

static GYRunLoopRef loop_of(const struct GYRunLoopObserver *observer) {
    return atomic_load_explicit(&observer->loop, memory_order_seq_cst);
}

static bool is_common(const struct GYRunLoopObserver *observer) {
    return (gy_observer_flags_now(observer) & GY_OBSERVER_COMMON) != 0;
}

static bool enter_mode(gy_mode *mode, GYRunLoopObserverRef observer) {
    if (gy_observer_list_contains(&mode->observers, observer)) return true;
    if (!gy_observer_list_insert(&mode->observers, observer, ++mode->loop->sequence)) return false;
    gy_retain(observer);
    observer->mode_count++;
    mode->is_given = true;
    return true;
}

/* The mode's reference is the caller's to release, without the lock. */
static bool leave_mode(gy_mode *mode, GYRunLoopObserverRef observer) {
    if (!gy_observer_list_remove(&mode->observers, observer)) return false;
    observer->mode_count--;
    return true;
}

static void let_go_if_free(GYRunLoopObserverRef observer) {
    if (observer->mode_count > 0 || is_common(observer)) return;
    atomic_store_explicit(&observer->loop, NULL, memory_order_seq_cst);
}

static void forget_common(GYRunLoopRef loop, GYRunLoopObserverRef observer, uint32_t *references) {
    if (!gy_set_remove(&loop->common_observers, observer, gy_pointer_hash(observer))) return;
    gy_observer_clear_flags(observer, GY_OBSERVER_COMMON);
    ++*references;
}

static void release_times(GYRunLoopObserverRef observer, uint32_t references) {
    while (references-- > 0) gy_release(observer);
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
    forget_common(loop, observer, &references);
    release_times(observer, references); /* none is the last: the caller has one */
}

static bool enter_common(GYRunLoopRef loop, GYRunLoopObserverRef observer) {
    if (is_common(observer)) return true;
    uint32_t hash = gy_pointer_hash(observer), cursor = 0;
    if (!gy_loop_need_common_modes(loop)) return false;
    if (!gy_set_insert(&loop->common_observers, observer, hash)) return false;
    gy_retain(observer);
    gy_observer_set_flags(observer, GY_OBSERVER_COMMON);
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
    GYRunLoopRef none = NULL;
    if (atomic_compare_exchange_strong_explicit(&observer->loop, &none, loop, memory_order_seq_cst,
                                                memory_order_seq_cst)) {
        observer->mode_count = 0; /* anything left is of a loop that a fork has killed */
        gy_observer_clear_flags(observer, GY_OBSERVER_COMMON);
    } else if (none != loop) {
        return GY_ADD_OTHER_LOOP;
    }
    bool ok = enter(loop, observer, name);
    let_go_if_free(observer);
    return ok ? GY_ADDED : GY_ADD_FAILED;
}

static void leave_all_modes(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                            uint32_t *references) {
    uint32_t cursor = 0;
    for (gy_mode *m;
         observer->mode_count > 0 && (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        *references += leave_mode(m, observer);
    }
    forget_common(loop, observer, references);
    let_go_if_free(observer);
}

static void detach(GYRunLoopObserverRef observer) {
    uint32_t references = 0;
    GYRunLoopRef loop = gy_loop_enter(&observer->loop);
    if (loop == NULL) return;
    leave_all_modes(loop, observer, &references);
    gy_loop_leave(loop);
    release_times(observer, references);
}

enum gy_add_result gy_observer_add(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                                   GYStringRef mode) {
    enum gy_add_result result = GY_ADD_DEAD_LOOP;
    gy_loop_lock(loop);
    if (!gy_loop_is_dead(loop)) {
        result = gy_observer_is_valid(observer) ? add_locked(loop, observer, mode) : GY_ADDED;
    }
    int saved = errno;
    gy_loop_unlock(loop);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (result == GY_ADDED && !gy_observer_is_valid(observer)) detach(observer);
    errno = saved;
    return result;
}

void gy_observer_remove(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    uint32_t references = 0, cursor = 0;
    gy_loop_lock(loop);
    if (loop_of(observer) == loop && !gy_loop_is_dead(loop)) {
        if (name != kGYRunLoopCommonModes) {
            gy_mode *mode = gy_loop_find_mode(loop, name);
            if (mode != NULL) references += leave_mode(mode, observer);
        } else if (is_common(observer)) {
            for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
                references += leave_mode(m, observer);
            }
            forget_common(loop, observer, &references);
        }
        let_go_if_free(observer);
    }
    gy_loop_unlock(loop);
    release_times(observer, references);
}

bool gy_observer_contains(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    bool found = false;
    gy_loop_lock(loop);
    if (loop_of(observer) == loop && !gy_loop_is_dead(loop)) {
        gy_mode *mode = gy_loop_find_mode(loop, name);
        found = name == kGYRunLoopCommonModes
                    ? is_common(observer)
                    : mode != NULL && gy_observer_list_contains(&mode->observers, observer);
    }
    gy_loop_unlock(loop);
    return found;
}

static void release_info(GYRunLoopObserverRef observer) {
    void *info = atomic_exchange_explicit(&observer->info, NULL, memory_order_acq_rel);
    if (info == NULL || observer->context.release == NULL) return;
    gy_callout_release(observer->context.release, info);
}

void gy_observer_invalidate(GYRunLoopObserverRef observer) {
    gy_retain(observer); /* the modes' references may be the last */
    if ((gy_observer_set_flags(observer, GY_OBSERVER_INVALID) & GY_OBSERVER_INVALID) == 0) {
        detach(observer);
        release_info(observer);
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
        release_times(observer, references + 1);
    }
}

/* ---- one round ---- */

void gy_observer_finish_call(GYRunLoopObserverRef observer) {
    if (!observer->repeats) gy_observer_invalidate(observer);
    uint32_t flags = gy_observer_clear_flags(observer, GY_OBSERVER_CALLED);
    if ((flags & GY_OBSERVER_WAITED_FOR) != 0) gy_callout_announce();
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
        gy_observer_set_flags(o, GY_OBSERVER_CALLED);
        gy_loop_unlock(loop);
        gy_callout_observer(loop, o, activity);
        gy_observer_finish_call(o);
        gy_release(o);
        gy_loop_lock(loop);
    }
    gy_loop_unlock(loop);
}

/* ---- the type ---- */

static void finalize(void *object) { release_info(object); }

const gy_type gy_observer_type = {
    .kind = GY_KIND_OBSERVER,
    .name = "GYRunLoopObserver",
    .finalize = finalize,
    .copy_description = gy_describe_observer,
};
