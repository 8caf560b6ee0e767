#include "loop/sources.h"

#include "base/check.h"
#include "loop/callbacks.h"
#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"
#include "loop/membership.h"
#include "loop/port.h"
#include "loop/signal.h"

#include <errno.h>
#include <stdlib.h>

/* One mode at a time, with no lock held: a source that leaves before its turn is not scheduled, and
 * so not cancelled either. */
static void schedule(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    for (gy_mode *m; (m = gy_membership_next_to_schedule(source, loop)) != NULL;) {
        gy_callout_schedule(source, loop, m->name);
    }
}

/* ---- equality ---- */

GYHashCode gy_source_hash(GYRunLoopSourceRef source) {
    if (source->callbacks->hash == NULL) return (GYHashCode)(uintptr_t)source->info;
    return gy_callout_hash(source->callbacks->hash, source->info);
}

/* Relaxed: every thread that works it out stores the same value. */
static uint32_t hash_of(GYRunLoopSourceRef source) {
    uint32_t hash = atomic_load_explicit(&source->hash, memory_order_relaxed);
    gy_assert(hash != 0);
    return hash;
}

/* Calls out, so it comes before the lock; hash_of may be asked from then on. */
static void need_hash(GYRunLoopSourceRef source) {
    if (atomic_load_explicit(&source->hash, memory_order_relaxed) != 0) return;
    uint32_t hash = gy_pointer_hash((const void *)gy_source_hash(source)) | 1;
    atomic_store_explicit(&source->hash, hash, memory_order_relaxed);
}

bool gy_source_equal(GYRunLoopSourceRef a, GYRunLoopSourceRef b) {
    if (a == b) return true;
    if (!gy_source_is_alike(a, b)) return false;
    if (a->callbacks->equal == NULL) return a->info == b->info;
    return gy_callout_equal(a->callbacks->equal, a->info, b->info);
}

/* Asks a candidate's equal callback without the lock. Sets *changed if the loop's sources are no
 * longer what they were: the answer is stale and the search begins anew (R174). */
static bool ask_equal(GYRunLoopRef loop, GYRunLoopSourceRef candidate, GYRunLoopSourceRef source,
                      bool *changed) {
    uint64_t version = loop->source_version;
    gy_retain(candidate);
    gy_loop_unlock(loop);
    bool equal = gy_source_equal(candidate, source);
    gy_release(candidate);
    gy_loop_lock(loop);
    *changed = version != loop->source_version;
    return equal;
}

/* The source of a set that is equal to `source`, itself first; the lock, given up meanwhile where
 * there are callbacks to ask. */
static GYRunLoopSourceRef find_equal(GYRunLoopRef loop, const gy_set *set,
                                     GYRunLoopSourceRef source) {
    uint32_t hash = hash_of(source), cursor = 0;
    if (gy_set_contains(set, source, hash)) return source;
    for (GYRunLoopSourceRef c; (c = gy_set_candidate(set, hash, &cursor)) != NULL;) {
        bool changed = false;
        if (!gy_source_is_alike(c, source)) continue;
        if (c->callbacks->equal == NULL && c->info == source->info) return c;
        if (c->callbacks->equal == NULL) continue;
        bool equal = ask_equal(loop, c, source, &changed);
        if (equal && !changed) return c;
        if (changed) cursor = 0;
    }
    return gy_set_contains(set, source, hash) ? source : NULL;
}

/* ---- entering ---- */

static bool insert_into_mode(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source,
                             gy_port *port) {
    uint32_t hash = hash_of(source);
    if (!gy_set_insert(&mode->sources, source, hash)) return false;
    if (!gy_membership_add(source, loop, mode, port)) {
        gy_set_remove(&mode->sources, source, hash);
        return false;
    }
    mode->is_given = true;
    gy_tally_add(&mode->item_count, 1);
    loop->source_version++;
    if (gy_source_is_port(source) || gy_signal_adopt(loop, source)) return true;
    /* Its signals go to the queue of another loop: step 4 looks at all sources of the mode. */
    gy_membership_set_foreign(source, mode);
    gy_tally_add(&mode->foreign_count, 1);
    return true;
}

/* The callbacks that were asked without the lock may have taken long enough for the thread to
 * end. */
static bool may_still_enter(GYRunLoopRef loop) {
    if (gy_loop_takes_items(loop)) return true;
    errno = ESRCH;
    return false;
}

/* True if the source, or one that is equal, is in the mode now. The lock. */
static bool enter_mode(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source, int fd) {
    if (find_equal(loop, &mode->sources, source) != NULL) return true;
    if (!may_still_enter(loop)) return false;
    gy_port *port = NULL;
    if (gy_source_is_port(source)) {
        port = gy_port_create(loop, mode, source, fd);
        if (port == NULL) return false;
    }
    if (insert_into_mode(loop, mode, source, port)) return true;
    int saved = errno;
    if (port != NULL) gy_port_remove(loop, port);
    errno = saved;
    return false;
}

/* What a removal leaves to be done once the lock is given up: the cancel callback, and the
 * references that the membership held. */
typedef struct leaving {
    GYRunLoopSourceRef source; /* NULL: nothing was removed */
    gy_membership membership;
} leaving;

static leaving leave_mode(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source) {
    leaving left = {0};
    if (!gy_set_remove(&mode->sources, source, hash_of(source))) return left;
    left.membership = gy_membership_take(source, loop, mode);
    left.source = source;
    if (left.membership.port != NULL) gy_port_remove(loop, left.membership.port);
    if (left.membership.is_foreign) {
        gy_tally_add(&mode->foreign_count, -1);
    }
    gy_tally_add(&mode->item_count, -1);
    loop->source_version++;
    return left;
}

/* Its home is the loop as long as a mode of it holds the source. */
static void part_from_home(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    if (gy_source_is_port(source)) return;
    gy_mode *mode = NULL;
    gy_loop_lock(loop);
    bool is_held = gy_membership_any_in(source, loop, &mode) && mode != NULL;
    bool parts = !is_held && gy_signal_part(loop, source);
    gy_loop_unlock(loop);
    if (parts) gy_signal_finish_parting(loop, source);
}

static void finish_leaving(leaving left) {
    if (left.source == NULL) return;
    gy_membership *m = &left.membership;
    if (m->is_scheduled && m->mode != NULL) {
        gy_callout_cancel(left.source, m->loop, m->mode->name);
    }
    part_from_home(m->loop, left.source);
    gy_release(left.source);
    gy_release(m->loop);
}

/* Takes a source out of the modes that it has just entered: those it is not scheduled in yet. */
static void undo_entering(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    int saved = errno;
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        if (!gy_membership_is_new(source, loop, m)) continue;
        leave_mode(loop, m, source);
        gy_port_give_set_back(loop, m);
        gy_release(source); /* neither is the last reference: the caller has one of each */
        gy_release(loop);
    }
    errno = saved;
}

static bool enter_common_modes(GYRunLoopRef loop, GYRunLoopSourceRef source, int fd) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(loop, &cursor)) != NULL;) {
        if (enter_mode(loop, m, source, fd)) continue;
        undo_entering(loop, source);
        return false;
    }
    return true;
}

static bool enter_common(GYRunLoopRef loop, GYRunLoopSourceRef source, int fd) {
    if (find_equal(loop, &loop->common_sources, source) != NULL) return true;
    if (!may_still_enter(loop)) return false;
    if (!gy_loop_need_common_modes(loop)) return false;
    if (!gy_set_insert(&loop->common_sources, source, hash_of(source))) return false;
    if (gy_membership_add(source, loop, NULL, NULL)) {
        if (enter_common_modes(loop, source, fd)) return true;
        gy_membership_take(source, loop, NULL);
        gy_release(source);
        gy_release(loop);
    }
    gy_set_remove(&loop->common_sources, source, hash_of(source));
    return false;
}

static bool enter(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef name, int fd) {
    /* A closed number must not come to mean a descriptor of the loop's own. */
    if (fd >= 0 && !gy_sys_is_open(fd)) {
        errno = EBADF;
        return false;
    }
    if (!gy_loop_prepare_wait(loop, false)) return false;
    if (name == kGYRunLoopCommonModes) return enter_common(loop, source, fd);
    gy_mode *mode = gy_loop_need_mode(loop, name);
    return mode != NULL && enter_mode(loop, mode, source, fd);
}

static int port_of(GYRunLoopSourceRef source) {
    if (!gy_source_is_port(source) || source->callbacks->getPort == NULL) return -1;
    return gy_callout_get_port(source->callbacks->getPort, source->info);
}

static void leave_loop(GYRunLoopRef loop, GYRunLoopSourceRef source);

bool gy_source_add(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    need_hash(source);
    int fd = port_of(source), error = 0;
    gy_loop_lock(loop);
    bool alive = gy_loop_takes_items(loop);
    if (alive && gy_source_is_valid(source) && !enter(loop, source, mode, fd)) error = errno;
    gy_loop_unlock(loop);
    if (alive && error == 0) schedule(loop, source);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (alive && !gy_source_is_valid(source)) leave_loop(loop, source);
    errno = error;
    return alive;
}

static bool join_one(GYRunLoopRef loop, GYStringRef name, GYRunLoopSourceRef source) {
    int fd = port_of(source);
    gy_loop_lock(loop);
    bool ok = true;
    if (gy_set_contains(&loop->common_sources, source, hash_of(source))) {
        gy_mode *mode = gy_loop_need_mode(loop, name);
        ok = mode != NULL && enter_mode(loop, mode, source, fd);
    }
    gy_loop_unlock(loop);
    return ok;
}

/* The common sources, each retained; NULL with *count > 0 where memory is out. */
static GYRunLoopSourceRef *copy_common(GYRunLoopRef loop, uint32_t *count) {
    gy_loop_lock(loop);
    uint32_t cursor = 0, filled = 0;
    *count = loop->common_sources.count;
    GYRunLoopSourceRef *copy = *count == 0 ? NULL : calloc(*count, sizeof(GYRunLoopSourceRef));
    for (GYRunLoopSourceRef s;
         copy != NULL && (s = gy_set_next(&loop->common_sources, &cursor)) != NULL;) {
        copy[filled++] = gy_retain(s);
    }
    gy_loop_unlock(loop);
    return copy;
}

bool gy_source_join_common(GYRunLoopRef loop, GYStringRef mode) {
    uint32_t count = 0, joined = 0;
    GYRunLoopSourceRef *sources = copy_common(loop, &count);
    if (sources == NULL && count > 0) {
        errno = ENOMEM;
        return false;
    }
    while (joined < count && join_one(loop, mode, sources[joined])) joined++;
    int error = joined < count ? errno : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (error == 0) {
            schedule(loop, sources[i]);
        } else {
            gy_loop_lock(loop);
            undo_entering(loop, sources[i]);
            gy_loop_unlock(loop);
        }
        gy_release(sources[i]);
    }
    free(sources);
    errno = error;
    return error == 0;
}

/* ---- leaving ---- */

static void remove_from_mode(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef name) {
    leaving left = {0};
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) {
        GYRunLoopSourceRef there = find_equal(loop, &mode->sources, source);
        if (there != NULL) left = leave_mode(loop, mode, there);
    }
    gy_loop_unlock(loop);
    finish_leaving(left);
}

/* The common item that is equal, no longer recorded; its references are the caller's. */
static GYRunLoopSourceRef take_common(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    gy_loop_lock(loop);
    GYRunLoopSourceRef there = find_equal(loop, &loop->common_sources, source);
    if (there != NULL) {
        gy_set_remove(&loop->common_sources, there, hash_of(there));
        gy_membership_take(there, loop, NULL);
        loop->source_version++;
    }
    gy_loop_unlock(loop);
    return there;
}

/* The i-th common name, retained; NULL behind the last. Names only come, at the end. */
static GYStringRef copy_common_name(GYRunLoopRef loop, uint32_t i) {
    gy_loop_lock(loop);
    GYStringRef name = i < loop->common_name_count ? gy_retain(loop->common_names[i]) : NULL;
    gy_loop_unlock(loop);
    return name;
}

static void remove_from_common(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    GYRunLoopSourceRef item = take_common(loop, source);
    if (item == NULL) return; /* R20: not recorded, nothing happens */
    GYStringRef name;
    for (uint32_t i = 0; (name = copy_common_name(loop, i)) != NULL; i++) {
        remove_from_mode(loop, item, name);
        gy_release(name);
    }
    gy_release(item);
    gy_release(loop);
}

void gy_source_remove(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    need_hash(source);
    if (mode == kGYRunLoopCommonModes) {
        remove_from_common(loop, source);
    } else {
        remove_from_mode(loop, source, mode);
    }
}

bool gy_source_contains(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    need_hash(source);
    gy_loop_lock(loop);
    const gy_set *set = &loop->common_sources;
    if (mode != kGYRunLoopCommonModes) {
        gy_mode *m = gy_loop_find_mode(loop, mode);
        set = m == NULL ? NULL : &m->sources;
    }
    bool found = set != NULL && find_equal(loop, set, source) != NULL;
    gy_loop_unlock(loop);
    return found;
}

/* This very source leaves one mode, or the common items, of a loop; false: it was in none. */
static bool leave_one(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    leaving left = {0};
    gy_mode *mode = NULL;
    gy_loop_lock(loop);
    bool found = gy_membership_any_in(source, loop, &mode);
    if (found && mode != NULL) {
        left = leave_mode(loop, mode, source);
    } else if (found) {
        gy_set_remove(&loop->common_sources, source, hash_of(source));
        left.membership = gy_membership_take(source, loop, NULL);
        left.source = left.membership.loop == NULL ? NULL : source;
        loop->source_version++;
    }
    gy_loop_unlock(loop);
    finish_leaving(left);
    return found;
}

static void leave_loop(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    while (leave_one(loop, source)) {
    }
}

void gy_source_invalidate(GYRunLoopSourceRef source) {
    if (!gy_source_set_invalid(source)) return;
    gy_retain(source); /* the modes' references may be the last */
    for (GYRunLoopRef loop; (loop = gy_membership_any_loop(source)) != NULL;) {
        leave_loop(loop, source);
        gy_release(loop);
    }
    gy_release(source);
}

/* A source of the mode that is, or is not, of version 0, from *cursor on; retained. */
static GYRunLoopSourceRef next_in_mode(GYRunLoopRef loop, gy_mode *mode, bool ports,
                                       uint32_t *cursor) {
    gy_loop_lock(loop);
    GYRunLoopSourceRef source;
    do {
        source = gy_set_next(&mode->sources, cursor);
    } while (source != NULL && gy_source_is_port(source) != ports);
    gy_retain(source);
    gy_loop_unlock(loop);
    return source;
}

/* True if there was any. A removal moves others back in the set, perhaps before the cursor: the
 * caller asks again until there is none. */
static bool sweep_mode(GYRunLoopRef loop, gy_mode *mode, bool ports) {
    bool any = false;
    uint32_t cursor = 0;
    for (GYRunLoopSourceRef s; (s = next_in_mode(loop, mode, ports, &cursor)) != NULL;) {
        leave_loop(loop, s);
        gy_release(s);
        any = true;
    }
    return any;
}

static gy_mode *mode_at(GYRunLoopRef loop, uint32_t *cursor) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_next_mode(loop, cursor);
    gy_loop_unlock(loop);
    return mode;
}

/* Common items that are in no mode, which is rare. */
static GYRunLoopSourceRef any_common(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    gy_loop_lock(loop);
    GYRunLoopSourceRef source = gy_retain(gy_set_next(&loop->common_sources, &cursor));
    gy_loop_unlock(loop);
    return source;
}

void gy_source_leave_all(GYRunLoopRef loop) {
    for (int ports = 0; ports <= 1; ports++) {
        uint32_t cursor = 0;
        for (gy_mode *m; (m = mode_at(loop, &cursor)) != NULL;) {
            while (sweep_mode(loop, m, ports == 1)) {
            }
        }
    }
    for (GYRunLoopSourceRef s; (s = any_common(loop)) != NULL;) {
        leave_loop(loop, s);
        gy_release(s);
    }
}

/* ---- the type ---- */

static void finalize(void *object) {
    GYRunLoopSourceRef source = object;
    gy_membership_free_all(source);
    if (source->callbacks == NULL) return; /* it was never finished */
    void (*release)(const void *) = source->callbacks->release;
    gy_callbacks_give(source->callbacks);
    if (release != NULL) gy_callout_release(release, source->info); /* R83 */
}

static bool type_equal(const void *a, const void *b) {
    return gy_source_equal((GYRunLoopSourceRef)(uintptr_t)a, (GYRunLoopSourceRef)(uintptr_t)b);
}

static GYHashCode type_hash(const void *object) {
    return gy_source_hash((GYRunLoopSourceRef)(uintptr_t)object);
}

const gy_type gy_source_type = {
    .kind = GY_KIND_SOURCE,
    .name = "GYRunLoopSource",
    .finalize = finalize,
    .copy_description = gy_describe_source,
    .equal = type_equal,
    .hash = type_hash,
};
