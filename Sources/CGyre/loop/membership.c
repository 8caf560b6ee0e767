#include "loop/membership.h"

#include "loop/port.h"

#include <errno.h>
#include <stdlib.h>

static gy_lock memberships_lock = GY_LOCK_INIT(GY_RANK_TABLE);

void gy_membership_lock(void) { gy_lock_take(&memberships_lock); }
void gy_membership_unlock(void) { gy_lock_give(&memberships_lock); }

void gy_membership_lock_for_fork(void) { gy_lock_take_unranked(&memberships_lock); }
void gy_membership_unlock_after_fork(void) { gy_lock_give_unranked(&memberships_lock); }

/* Most sources are in one mode: that one needs no memory of its own. */
static gy_membership *at(GYRunLoopSourceRef source, uint32_t i) {
    return i == 0 ? &source->membership : &source->more_memberships[i - 1];
}

static gy_membership *find(GYRunLoopSourceRef source, GYRunLoopRef loop, const gy_mode *mode) {
    for (uint32_t i = 0; i < source->membership_count; i++) {
        gy_membership *m = at(source, i);
        if (m->loop == loop && m->mode == mode) return m;
    }
    return NULL;
}

static bool make_room(GYRunLoopSourceRef source) {
    uint32_t more = source->membership_count;
    if (more == 0 || more - 1 < source->more_room) return true;
    uint32_t room = source->more_room == 0 ? 2 : source->more_room * 2;
    gy_membership *m = realloc(source->more_memberships, room * sizeof *m);
    if (m == NULL) {
        errno = ENOMEM;
        return false;
    }
    source->more_memberships = m;
    source->more_room = room;
    return true;
}

bool gy_membership_add(GYRunLoopSourceRef source, gy_membership membership) {
    gy_lock_take(&memberships_lock);
    bool ok = make_room(source);
    if (ok) {
        *at(source, source->membership_count++) = membership;
        gy_retain(membership.loop);
        gy_retain(source);
    }
    gy_lock_give(&memberships_lock);
    return ok;
}

gy_membership gy_membership_take(GYRunLoopSourceRef source, GYRunLoopRef loop,
                                 const gy_mode *mode) {
    gy_membership taken = {0};
    gy_lock_take(&memberships_lock);
    gy_membership *m = find(source, loop, mode);
    if (m != NULL) {
        taken = *m;
        *m = *at(source, --source->membership_count);
    }
    gy_lock_give(&memberships_lock);
    return taken;
}

void gy_membership_free_all(GYRunLoopSourceRef source) { free(source->more_memberships); }

bool gy_membership_is_new(GYRunLoopSourceRef source, const gy_mode *mode, uint64_t addition) {
    gy_lock_take(&memberships_lock);
    const gy_membership *m = find(source, mode->loop, mode);
    bool is_new = m != NULL && m->addition == addition;
    gy_lock_give(&memberships_lock);
    return is_new;
}

void gy_membership_set_foreign(GYRunLoopSourceRef source, const gy_mode *mode) {
    gy_lock_take(&memberships_lock);
    find(source, mode->loop, mode)->is_foreign = true;
    gy_lock_give(&memberships_lock);
}

GYRunLoopRef gy_membership_any_loop(GYRunLoopSourceRef source) {
    gy_lock_take(&memberships_lock);
    GYRunLoopRef loop = source->membership_count == 0 ? NULL : gy_retain(source->membership.loop);
    gy_lock_give(&memberships_lock);
    return loop;
}

bool gy_membership_any_in(GYRunLoopSourceRef source, GYRunLoopRef loop, gy_mode **mode) {
    bool found = false;
    gy_lock_take(&memberships_lock);
    for (uint32_t i = 0; i < source->membership_count && !(found && *mode != NULL); i++) {
        const gy_membership *m = at(source, i);
        if (m->loop != loop) continue;
        *mode = m->mode;
        found = true;
    }
    gy_lock_give(&memberships_lock);
    return found;
}

gy_mode *gy_membership_next_to_schedule(GYRunLoopSourceRef source, GYRunLoopRef loop,
                                        uint64_t addition) {
    gy_mode *mode = NULL;
    gy_lock_take(&memberships_lock);
    for (uint32_t i = 0; i < source->membership_count && mode == NULL; i++) {
        gy_membership *m = at(source, i);
        if (m->loop != loop || m->addition != addition) continue;
        m->addition = 0;
        mode = m->mode;
    }
    gy_lock_give(&memberships_lock);
    return mode;
}

static gy_membership *find_behind(GYRunLoopSourceRef source, GYRunLoopRef loop, uint32_t change) {
    for (uint32_t i = 0; i < source->membership_count; i++) {
        gy_membership *m = at(source, i);
        if (m->port == NULL || (loop != NULL && m->loop != loop)) continue;
        if (gy_port_is_behind(m->port, change)) return m;
    }
    return NULL;
}

GYRunLoopRef gy_membership_loop_behind(GYRunLoopSourceRef source, uint32_t change) {
    gy_lock_take(&memberships_lock);
    gy_membership *m = find_behind(source, NULL, change);
    GYRunLoopRef loop = m == NULL ? NULL : gy_retain(m->loop);
    gy_lock_give(&memberships_lock);
    return loop;
}

struct gy_port *gy_membership_port_behind(GYRunLoopSourceRef source, GYRunLoopRef loop,
                                          uint32_t change) {
    gy_lock_take(&memberships_lock);
    gy_membership *m = find_behind(source, loop, change);
    struct gy_port *port = m == NULL ? NULL : m->port;
    gy_lock_give(&memberships_lock);
    return port;
}
