#include "sources/message_name.h"

#include "base/name.h"
#include "base/set.h"
#include "sources/message_fork.h"

#include <errno.h>

static gy_lock lock = GY_LOCK_INIT(GY_RANK_TABLE);
static gy_set names;
static void forget_all(void *unused);
static gy_fork_guard guard = {.lock = &lock, .forget = forget_all};
static _Atomic bool is_guarded;

/* The lock. */
static gy_port_name *look_up(GYStringRef string, bool is_remote, uint32_t user) {
    uint32_t cursor = 0;
    for (gy_port_name *n;
         (n = gy_set_candidate(&names, gy_string_hash(string), &cursor)) != NULL;) {
        if (n->is_remote == is_remote && n->user == user && gy_string_equal(n->string, string)) {
            return n;
        }
    }
    return NULL;
}

void *gy_port_name_find(GYStringRef string, bool is_remote, uint32_t user) {
    gy_lock_take(&lock);
    gy_port_name *name = look_up(string, is_remote, user);
    void *port = name != NULL && gy_retain_if_live(name->port) ? name->port : NULL;
    gy_lock_give(&lock);
    return port;
}

/* The lock. */
static void unlist(gy_port_name *name) {
    if (!name->is_listed) return;
    gy_set_remove(&names, name, gy_string_hash(name->string));
    name->is_listed = false;
}

/* The lock. One whose last reference is gone is about to leave by itself. */
static gy_port_name *live_owner(gy_port_name *name, GYStringRef string, void **retained) {
    gy_port_name *owner;
    while ((owner = look_up(string, name->is_remote, name->user)) != NULL && owner != name) {
        if (gy_retain_if_live(owner->port)) {
            *retained = owner->port;
            break;
        }
        unlist(owner);
    }
    return owner;
}

typedef struct entry {
    gy_port_name *name;
    GYStringRef string;
    int (*claim)(GYStringRef string);
    int claimed;
    void *retained; /* the port that has the name already */
} entry;

/* The lock. The old entry goes last: until then nothing has changed. */
static int enter(entry *e) {
    gy_port_name *owner = live_owner(e->name, e->string, &e->retained);
    if (owner == e->name) return 0;
    if (owner != NULL) return -EADDRINUSE;
    if (!gy_set_insert(&names, e->name, gy_string_hash(e->string))) return -ENOMEM;
    if (e->claim != NULL) e->claimed = e->claim(e->string);
    if (e->claim != NULL && e->claimed < 0) {
        gy_set_remove(&names, e->name, gy_string_hash(e->string));
        return e->claimed;
    }
    unlist(e->name);
    e->name->is_listed = true;
    return 0;
}

/* In the child of a fork, where all these ports are invalid. */
static void forget_all(void *unused) {
    (void)unused;
    uint32_t cursor = 0;
    for (gy_port_name *n; (n = gy_set_next(&names, &cursor)) != NULL;) n->is_listed = false;
    gy_set_destroy(&names);
    names = (gy_set){NULL, 0, 0};
}

/* The guard has a lock of its own, so it is set before this one is taken. */
static bool set_up(void) {
    static gy_lock once = GY_LOCK_INIT(GY_RANK_LOOP);
    /* Relaxed: who finds it set has nothing else to see. */
    if (atomic_load_explicit(&is_guarded, memory_order_relaxed)) return true;
    gy_lock_take(&once);
    bool ok = atomic_load_explicit(&is_guarded, memory_order_relaxed) || gy_fork_guard_add(&guard);
    atomic_store_explicit(&is_guarded, ok, memory_order_relaxed);
    gy_lock_give(&once);
    return ok;
}

int gy_port_name_enter(gy_port_name *name, GYStringRef string, int (*claim)(GYStringRef string),
                       int *claimed) {
    if (!set_up()) return -errno;
    entry e = {name, gy_retain(string), claim, -1, NULL};
    gy_lock_take(&lock);
    int error = enter(&e);
    GYStringRef old = error == 0 ? name->string : string;
    if (error == 0) name->string = string;
    gy_lock_give(&lock);
    gy_release(old);
    gy_release(e.retained); /* perhaps the last reference */
    *claimed = error == 0 ? e.claimed : -1;
    return error;
}

void gy_port_name_leave(gy_port_name *name) {
    gy_lock_take(&lock);
    unlist(name);
    gy_lock_give(&lock);
}

GYStringRef gy_port_name_string(gy_port_name *name) {
    gy_lock_take(&lock);
    GYStringRef string = name->string;
    gy_lock_give(&lock);
    return string;
}
