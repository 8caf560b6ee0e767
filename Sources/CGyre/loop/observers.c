#include "loop/observers.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what a round may still look at ----
 *
 * A round walks an array without the lock. It says so before it loads the array; whoever replaces
 * an array, or takes an observer out of one, does that before it asks whether a round is under way.
 * All four steps are sequentially consistent, so at least one of the two sees the other. What is
 * late is said to be there before that question, and looked for after each round has ended, so none
 * is left behind. */

static bool is_in_round(GYRunLoopRef loop) {
    atomic_store_explicit(&loop->has_late, true, memory_order_seq_cst);
    return atomic_load_explicit(&loop->rounds, memory_order_seq_cst) != 0;
}

static void make_late(GYRunLoopRef loop, gy_observer_array *array) {
    if (array->is_late) return;
    array->is_late = true;
    array->next_late = loop->late_arrays;
    loop->late_arrays = array;
}

static void replace(GYRunLoopRef loop, gy_observer_array *array) {
    if (array == NULL) return;
    array->is_replaced = true;
    if (is_in_round(loop)) make_late(loop, array);
    if (!array->is_late) free(array);
}

/* A mode gives its reference up: the caller's to release, without the lock, or the round's. */
static void give_up_reference(gy_mode *mode, GYRunLoopObserverRef observer,
                              gy_observer_entry *entry, uint32_t *references) {
    if (is_in_round(mode->loop)) {
        entry->late = observer;
        make_late(mode->loop, gy_observer_list_array(&mode->observers));
    } else {
        ++*references;
    }
}

/* The lock, own thread. An outer round still needs the observer that it is calling, and its
 * array. */
static bool is_called(GYRunLoopRef loop, GYRunLoopObserverRef observer) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        uintptr_t word = atomic_load_explicit(&loop->activations[i].called, memory_order_relaxed);
        if ((word & ~(uintptr_t)GY_CALLED_BITS) == (uintptr_t)observer) return true;
    }
    return false;
}

static bool is_walked(GYRunLoopRef loop, const gy_observer_array *array) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        if (loop->activations[i].walked == array) return true;
    }
    return false;
}

/* One reference that nobody needs any more; NULL: none, and *is_needed tells whether some are
 * left. */
static GYRunLoopObserverRef take_from(GYRunLoopRef loop, gy_observer_array *array,
                                      bool *is_needed) {
    *is_needed = array->is_replaced && is_walked(loop, array);
    for (uint32_t i = 0; i < gy_observer_array_count(array); i++) {
        GYRunLoopObserverRef late = array->entries[i].late;
        if (late == NULL) continue;
        if (is_called(loop, late)) {
            *is_needed = true;
            continue;
        }
        array->entries[i].late = NULL;
        return late;
    }
    return NULL;
}

/* The lock. One late reference, which is the caller's now; NULL: there is none that can be given
 * up. Arrays that have none left are done with. */
static GYRunLoopObserverRef take_late(GYRunLoopRef loop) {
    gy_observer_array **link = &loop->late_arrays;
    for (gy_observer_array *array; (array = *link) != NULL;) {
        bool is_needed;
        GYRunLoopObserverRef late = take_from(loop, array, &is_needed);
        if (late != NULL) return late;
        if (is_needed) {
            link = &array->next_late;
            continue;
        }
        *link = array->next_late;
        array->is_late = false;
        if (array->is_replaced) free(array);
    }
    return NULL;
}

void gy_observer_release_late(GYRunLoopRef loop) {
    atomic_store_explicit(&loop->has_late, false, memory_order_seq_cst);
    GYRunLoopObserverRef late;
    bool is_left;
    do {
        gy_loop_lock(loop);
        late = take_late(loop);
        is_left = loop->late_arrays != NULL;
        gy_loop_unlock(loop);
        gy_release(late);
    } while (late != NULL);
    if (is_left) atomic_store_explicit(&loop->has_late, true, memory_order_seq_cst);
}

/* ---- entering and leaving ---- */

static bool enter_mode(gy_mode *mode, GYRunLoopObserverRef observer) {
    gy_observer_array *old;
    if (gy_observer_list_sequence(&mode->observers, observer) != 0) return true;
    uint64_t sequence = ++mode->loop->sequence;
    /* On the own thread, with no round under way, nobody walks the array. */
    bool is_quiet = gy_loop_is_current(mode->loop) &&
                    atomic_load_explicit(&mode->loop->rounds, memory_order_relaxed) == 0;
    if (!gy_observer_list_insert(&mode->observers, observer, sequence, is_quiet, &old))
        return false;
    replace(mode->loop, old);
    gy_retain(observer);
    observer->item.mode_count++;
    mode->is_given = true;
    return true;
}

static void leave_mode(gy_mode *mode, GYRunLoopObserverRef observer, uint32_t *references) {
    gy_observer_entry *entry = gy_observer_list_remove(&mode->observers, observer);
    if (entry == NULL) return;
    observer->item.mode_count--;
    give_up_reference(mode, observer, entry, references);
}

static uint64_t sequence_in(gy_mode *mode, const struct GYRunLoopObserver *observer) {
    return gy_observer_list_sequence(&mode->observers, observer);
}

static void undo_entering(GYRunLoopRef loop, GYRunLoopObserverRef observer, uint64_t since) {
    uint32_t references = 0, cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        if (sequence_in(m, observer) > since) leave_mode(m, observer, &references);
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
        leave_mode(m, observer, references);
    }
    gy_tenant_forget_common(&loop->common_observers, &observer->item, references);
    gy_item_let_go_if_free(&observer->item);
}

/* The lock. Adds to what is to be told when a call of the observer is over; false: none is in
 * progress. */
static bool add_to_call(GYRunLoopRef loop, GYRunLoopObserverRef observer, uintptr_t what) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        _Atomic uintptr_t *called = &loop->activations[i].called;
        uintptr_t word = atomic_load_explicit(called, memory_order_seq_cst);
        while ((word & ~(uintptr_t)GY_CALLED_BITS) == (uintptr_t)observer) {
            /* Sequentially consistent: pairs with that in announce_call. */
            if (atomic_compare_exchange_weak_explicit(called, &word, word | what,
                                                      memory_order_seq_cst, memory_order_seq_cst)) {
                return true;
            }
        }
    }
    return false;
}

/* The same for a call by whichever loop but this thread's own. */
static bool add_to_any_call(GYRunLoopObserverRef observer, uintptr_t what) {
    bool is_called = false;
    gy_registry_lock();
    for (gy_node *n = gy_all_loops.next; n != &gy_all_loops && !is_called; n = n->next) {
        GYRunLoopRef loop = gy_node_owner(n, struct GYRunLoop, in_registry);
        if (gy_loop_is_current(loop)) continue;
        gy_loop_lock(loop);
        is_called = add_to_call(loop, observer, what);
        gy_loop_unlock(loop);
    }
    gy_registry_unlock();
    return is_called;
}

static void leave_its_loop(GYRunLoopObserverRef observer) {
    uint32_t references = 0;
    GYRunLoopRef loop = gy_loop_enter(&observer->item.loop);
    if (loop == NULL) return;
    leave_all_modes(loop, observer, &references);
    gy_loop_leave(loop);
    gy_tenant_release(&observer->item, references);
}

/* True if a loop has to release the info of an observer that has left, for it may be about to read
 * it: a call is in progress there, on another thread. Any loop may be calling: also one that the
 * observer was taken out of in the middle of the call. */
static bool is_left_to_a_call(GYRunLoopObserverRef observer) {
    return observer->context.release != NULL && add_to_any_call(observer, GY_CALLED_OWED);
}

enum gy_add_result gy_observer_add(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                                   GYStringRef mode) {
    enum gy_add_result result = GY_ADD_DEAD_LOOP;
    gy_loop_lock(loop);
    if (gy_loop_takes_items(loop)) {
        result = gy_item_is_valid(&observer->item) ? add_locked(loop, observer, mode) : GY_ADDED;
    }
    int saved = errno;
    gy_loop_unlock(loop);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (result == GY_ADDED && !gy_item_is_valid(&observer->item)) leave_its_loop(observer);
    errno = saved;
    return result;
}

void gy_observer_remove(GYRunLoopRef loop, GYRunLoopObserverRef observer, GYStringRef name) {
    uint32_t references = 0, cursor = 0;
    gy_loop_lock(loop);
    if (gy_item_loop(&observer->item) == loop && !gy_loop_is_dead(loop)) {
        if (name != kGYRunLoopCommonModes) {
            gy_mode *mode = gy_loop_find_mode(loop, name);
            if (mode != NULL) leave_mode(mode, observer, &references);
        } else if (gy_item_is(&observer->item, GY_ITEM_COMMON)) {
            for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
                leave_mode(m, observer, &references);
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
        found = name == kGYRunLoopCommonModes ? gy_item_is(&observer->item, GY_ITEM_COMMON)
                                              : mode != NULL && sequence_in(mode, observer) != 0;
    }
    gy_loop_unlock(loop);
    return found;
}

void gy_observer_invalidate(GYRunLoopObserverRef observer) {
    gy_retain(observer); /* the modes' references may be the last */
    if ((gy_item_set(&observer->item, GY_ITEM_INVALID) & GY_ITEM_INVALID) == 0) {
        leave_its_loop(observer);
        if (!is_left_to_a_call(observer)) {
            gy_tenant_release_info(&observer->item, observer->context.release);
        }
    }
    gy_release(observer);
}

static bool is_idle(const void *observer) {
    GYRunLoopObserverRef o = (GYRunLoopObserverRef)(uintptr_t)observer;
    return !add_to_any_call(o, GY_CALLED_AWAITED);
}

void gy_observer_wait(GYRunLoopObserverRef observer) {
    if (!gy_callout_is_mine(observer)) gy_callout_wait(is_idle, observer);
}

/* ---- all at once ---- */

static void part_locked(GYRunLoopRef loop, gy_mode *mode, uint64_t since) {
    uint32_t cursor = 0;
    for (GYRunLoopObserverRef o; (o = gy_set_next(&loop->common_observers, &cursor)) != NULL;) {
        if (sequence_in(mode, o) <= since) continue;
        uint32_t references = 0;
        leave_mode(mode, o, &references);
        gy_tenant_release(&o->item, references); /* not the last: the common items have one */
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
        GYRunLoopObserverRef o = gy_observer_list_first(&m->observers);
        if (o != NULL) return o;
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

/* Releases what the observer that was called owes, or leaves that to another loop that is calling
 * it. The call still counts as in progress: who waits for its end waits for this too. Gives the
 * word, which a nested run may have moved, as it is then: perhaps with a debt handed back. */
static uintptr_t pay(GYRunLoopRef loop, GYRunLoopObserverRef last) {
    atomic_fetch_and_explicit(&gy_loop_innermost(loop)->called, ~(uintptr_t)GY_CALLED_OWED,
                              memory_order_seq_cst);
    if (!is_left_to_a_call(last)) gy_tenant_release_info(&last->item, last->context.release);
    return atomic_load_explicit(&gy_loop_innermost(loop)->called, memory_order_seq_cst);
}

/* Says which observer is about to be called, NULL for none, and settles what others wanted told
 * when the call before is over. One step for both: a round costs one atomic step an observer. */
static void announce_call(GYRunLoopRef loop, GYRunLoopObserverRef next) {
    uintptr_t word = atomic_load_explicit(&gy_loop_innermost(loop)->called, memory_order_relaxed);
    do {
        while ((word & GY_CALLED_OWED) != 0) {
            word = pay(loop, (GYRunLoopObserverRef)(word & ~(uintptr_t)GY_CALLED_BITS));
        }
        /* Sequentially consistent: pairs with that in add_to_call. */
    } while (!atomic_compare_exchange_weak_explicit(&gy_loop_innermost(loop)->called, &word,
                                                    (uintptr_t)next, memory_order_seq_cst,
                                                    memory_order_seq_cst));
    if ((word & GY_CALLED_AWAITED) != 0) gy_callout_announce();
}

/* R135: in a callout of an outer run. */
static bool is_called_outside(GYRunLoopRef loop, GYRunLoopObserverRef observer) {
    for (uint32_t i = 0; i + 1 < loop->depth; i++) {
        const gy_activation *run = &loop->activations[i];
        if (run->calling == GY_CALLOUT_OBSERVER && run->item == observer) return true;
    }
    return false;
}

static void call(GYRunLoopRef loop, gy_observer_entry *entry, GYRunLoopActivity activity) {
    GYRunLoopObserverRef o = atomic_load_explicit(&entry->observer, memory_order_acquire);
    if (o == NULL || (o->points & activity) == 0 || is_called_outside(loop, o)) return;
    announce_call(loop, o);
    /* Once more, now that it is announced: removed, or invalidated, meanwhile (R134). */
    if (atomic_load_explicit(&entry->observer, memory_order_seq_cst) != o) return;
    void *info = atomic_load_explicit(&o->item.info, memory_order_seq_cst);
    if (!gy_item_is_valid(&o->item)) return;
    gy_callout_observer(loop, o, activity, info);
    if (!o->repeats) gy_observer_invalidate(o);
}

/* Own thread: rounds are counted by it alone, and other threads only ask. */
static void change_rounds(GYRunLoopRef loop, int change) {
    uint32_t rounds = atomic_load_explicit(&loop->rounds, memory_order_relaxed) + (uint32_t)change;
    atomic_store_explicit(&loop->rounds, rounds, memory_order_seq_cst);
}

void gy_observer_end_round(GYRunLoopRef loop) {
    announce_call(loop, NULL);
    gy_loop_innermost(loop)->in_round = false;
    gy_loop_innermost(loop)->walked = NULL;
    change_rounds(loop, -1);
    if (atomic_load_explicit(&loop->has_late, memory_order_seq_cst)) gy_observer_release_late(loop);
}

void gy_observer_call_all(GYRunLoopRef loop, GYRunLoopActivity activity) {
    gy_mode *mode = gy_loop_innermost(loop)->mode;
    gy_loop_innermost(loop)->in_round = true;
    change_rounds(loop, 1);
    gy_observer_array *array = gy_observer_list_array(&mode->observers);
    gy_loop_innermost(loop)->walked = array;
    uint32_t count = gy_observer_array_count(array); /* later ones wait for the next round (R134) */
    for (uint32_t i = 0; i < count; i++) call(loop, &array->entries[i], activity);
    gy_observer_end_round(loop);
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopObserverRef observer = object;
    void *info = gy_tenant_take_info(&observer->item);
    void (*release)(const void *) = observer->context.release;
    gy_object_free(observer);
    gy_tenant_give_info(info, release);
}

const gy_type gy_observer_type = {
    .kind = GY_KIND_OBSERVER,
    .name = "GYRunLoopObserver",
    .finalize = finalize,
    .copy_description = gy_describe_observer,
};
