#include "loop/sources.h"

#include "loop/callout.h"
#include "loop/current.h"
#include "loop/membership.h"
#include "loop/port.h"
#include "loop/signal.h"
#include "loop/source_object.h"

#include <errno.h>
#include <stdlib.h>

/* A source on its way into one mode, or the common ones. While it looks for an equal one the lock
 * is given up, so others may add the same source meanwhile: what is to be scheduled, or taken back,
 * are the modes that bear the number. */
typedef struct addition {
    GYRunLoopRef loop;
    GYRunLoopSourceRef source;
    int fd; /* below zero: no port, or a negative one */
    uint64_t number;
} addition;

/* One mode at a time, with no lock held: a source that leaves before its turn is not scheduled, and
 * so not cancelled either. */
static void schedule(const addition *a) {
    for (gy_mode *m; (m = gy_membership_next_to_schedule(a->source, a->loop, a->number)) != NULL;) {
        gy_callout_schedule(a->source, a->loop, m->name);
    }
}

/* ---- equality ---- */

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
    uint32_t hash = gy_source_set_hash(source), cursor = 0;
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

static bool insert_into_mode(const addition *a, gy_mode *mode, gy_port *port) {
    uint32_t hash = gy_source_set_hash(a->source);
    if (!gy_set_insert(&mode->sources, a->source, hash)) return false;
    const gy_membership membership = {
        .loop = a->loop, .mode = mode, .port = port, .addition = a->number};
    if (!gy_membership_add(a->source, membership)) {
        gy_set_remove(&mode->sources, a->source, hash);
        return false;
    }
    mode->is_given = true;
    gy_tally_add(&mode->item_count, 1);
    a->loop->source_version++;
    /* What it asks for may have changed before it could be found here. A refusal leaves the port as
     * one that was refused later: the next change tries again. */
    if (port != NULL && gy_port_is_behind(port, gy_port_change_of(a->source))) {
        gy_port_want(a->loop, port);
    }
    if (gy_source_is_port(a->source) || gy_signal_adopt(a->loop, a->source)) return true;
    /* Its signals go to the queue of another loop: step 4 looks at all sources of the mode. */
    gy_membership_set_foreign(a->source, mode);
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
static bool enter_mode(const addition *a, gy_mode *mode) {
    if (find_equal(a->loop, &mode->sources, a->source) != NULL) return true;
    if (!may_still_enter(a->loop)) return false;
    gy_port *port = NULL;
    if (gy_source_is_port(a->source)) {
        port = gy_port_create(a->loop, mode, a->source, a->fd);
        if (port == NULL) return false;
    }
    if (insert_into_mode(a, mode, port)) return true;
    int saved = errno;
    if (port != NULL) gy_port_remove(a->loop, port);
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
    if (!gy_set_remove(&mode->sources, source, gy_source_set_hash(source))) return left;
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
    if (m->addition == 0 && m->mode != NULL) {
        gy_callout_cancel(left.source, m->loop, m->mode->name);
    }
    part_from_home(m->loop, left.source);
    gy_release(left.source);
    gy_release(m->loop);
}

/* Takes a source out of the modes that it has entered by an addition. */
static void undo_entering(const addition *a) {
    int saved = errno;
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(a->loop, &cursor)) != NULL;) {
        if (!gy_membership_is_new(a->source, m, a->number)) continue;
        leave_mode(a->loop, m, a->source);
        gy_port_give_set_back(a->loop, m);
        gy_release(a->source); /* neither is the last reference: the caller has one of each */
        gy_release(a->loop);
    }
    errno = saved;
}

static bool enter_common_modes(const addition *a) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_common_mode(a->loop, &cursor)) != NULL;) {
        if (enter_mode(a, m)) continue;
        undo_entering(a);
        return false;
    }
    return true;
}

static bool record_common(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    if (!gy_set_insert(&loop->common_sources, source, gy_source_set_hash(source))) return false;
    loop->source_version++;
    if (gy_membership_add(source, (gy_membership){.loop = loop})) return true;
    gy_set_remove(&loop->common_sources, source, gy_source_set_hash(source));
    return false;
}

/* True if it was recorded, and the caller has two references now. */
static bool forget_common(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    if (gy_membership_take(source, loop, NULL).loop == NULL) return false;
    gy_set_remove(&loop->common_sources, source, gy_source_set_hash(source));
    loop->source_version++;
    return true;
}

static bool enter_common(const addition *a) {
    if (find_equal(a->loop, &a->loop->common_sources, a->source) != NULL) return true;
    if (!may_still_enter(a->loop)) return false;
    if (!gy_loop_need_common_modes(a->loop)) return false;
    if (!record_common(a->loop, a->source)) return false;
    if (enter_common_modes(a)) return true;
    if (forget_common(a->loop, a->source)) { /* unless somebody else has, meanwhile */
        gy_release(a->source);
        gy_release(a->loop);
    }
    return false;
}

static bool enter(const addition *a, GYStringRef name) {
    /* A closed number must not come to mean a descriptor of the loop's own. */
    if (a->fd >= 0 && !gy_sys_is_open(a->fd)) {
        errno = EBADF;
        return false;
    }
    if (!gy_loop_prepare_wait(a->loop, false)) return false;
    if (name == kGYRunLoopCommonModes) return enter_common(a);
    gy_mode *mode = gy_loop_need_mode(a->loop, name);
    return mode != NULL && enter_mode(a, mode);
}

static int port_of(GYRunLoopSourceRef source) {
    if (!gy_source_is_port(source) || source->callbacks->getPort == NULL) return -1;
    return gy_callout_get_port(source->callbacks->getPort, source->info);
}

static void leave_loop(GYRunLoopRef loop, GYRunLoopSourceRef source);

bool gy_source_add(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    gy_source_need_hash(source);
    addition a = {.loop = loop, .source = source, .fd = port_of(source)};
    int error = 0;
    gy_loop_lock(loop);
    bool alive = gy_loop_takes_items(loop);
    a.number = ++loop->sequence;
    if (alive && gy_source_is_valid(source) && !enter(&a, mode)) error = errno;
    gy_loop_unlock(loop);
    if (alive && error == 0) schedule(&a);
    /* Invalidated by another thread while it entered: nobody else takes it out again. */
    if (alive && !gy_source_is_valid(source)) leave_loop(loop, source);
    errno = error;
    return alive;
}

static bool join_one(addition *a, GYStringRef name) {
    a->fd = port_of(a->source);
    gy_loop_lock(a->loop);
    bool ok = true;
    a->number = ++a->loop->sequence;
    if (gy_set_contains(&a->loop->common_sources, a->source, gy_source_set_hash(a->source))) {
        gy_mode *mode = gy_loop_need_mode(a->loop, name);
        ok = mode != NULL && enter_mode(a, mode);
    }
    gy_loop_unlock(a->loop);
    return ok;
}

/* The common sources, each retained, to be added; NULL with *count > 0 where memory is out. */
static addition *copy_common(GYRunLoopRef loop, uint32_t *count) {
    gy_loop_lock(loop);
    uint32_t cursor = 0, filled = 0;
    *count = loop->common_sources.count;
    addition *copy = *count == 0 ? NULL : calloc(*count, sizeof *copy);
    for (GYRunLoopSourceRef s;
         copy != NULL && (s = gy_set_next(&loop->common_sources, &cursor)) != NULL;) {
        copy[filled++] = (addition){.loop = loop, .source = gy_retain(s)};
    }
    gy_loop_unlock(loop);
    return copy;
}

bool gy_source_join_common(GYRunLoopRef loop, GYStringRef mode) {
    uint32_t count = 0, joined = 0;
    addition *all = copy_common(loop, &count);
    if (all == NULL && count > 0) {
        errno = ENOMEM;
        return false;
    }
    while (joined < count && join_one(&all[joined], mode)) joined++;
    int error = joined < count ? errno : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (error == 0) {
            schedule(&all[i]);
        } else if (i < joined) {
            gy_loop_lock(loop);
            undo_entering(&all[i]);
            gy_loop_unlock(loop);
        }
        gy_release(all[i].source);
    }
    free(all);
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
    if (there != NULL) forget_common(loop, there);
    gy_loop_unlock(loop);
    return there;
}

/* The common name before the i-th, retained; NULL: that was the first. The walk goes from the end,
 * for the lock is given up in between: a name whose items could not all join goes again then, and
 * the last one, which has had its turn, takes its place. Names that are added meanwhile are of no
 * interest: an item that is no longer recorded does not join them. */
static GYStringRef copy_common_name_before(GYRunLoopRef loop, uint32_t *i) {
    gy_loop_lock(loop);
    if (*i > loop->common_name_count) *i = loop->common_name_count;
    GYStringRef name = *i == 0 ? NULL : gy_retain(loop->common_names[--*i]);
    gy_loop_unlock(loop);
    return name;
}

static void remove_from_common(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    GYRunLoopSourceRef item = take_common(loop, source);
    if (item == NULL) return; /* R20: not recorded, nothing happens */
    uint32_t i = UINT32_MAX;
    for (GYStringRef name; (name = copy_common_name_before(loop, &i)) != NULL;) {
        remove_from_mode(loop, item, name);
        gy_release(name);
    }
    gy_release(item);
    gy_release(loop);
}

void gy_source_remove(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    gy_source_need_hash(source);
    if (mode == kGYRunLoopCommonModes) {
        remove_from_common(loop, source);
    } else {
        remove_from_mode(loop, source, mode);
    }
}

bool gy_source_contains(GYRunLoopRef loop, GYRunLoopSourceRef source, GYStringRef mode) {
    gy_source_need_hash(source);
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
    } else if (found && forget_common(loop, source)) {
        left = (leaving){source, {.loop = loop}};
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
    if (source->kind != NULL) source->kind->invalidated(source->info);
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
