#include "sources/message_fork.h"

#include <errno.h>

static gy_lock lock = GY_LOCK_INIT(GY_RANK_TABLE);
static gy_node guards = {&guards, &guards};
static bool is_set_up;

static gy_fork_guard *guard_of(gy_node *node) { return gy_node_owner(node, gy_fork_guard, node); }

static void before_fork(void) {
    gy_lock_take_unranked(&lock);
    for (gy_node *n = guards.next; n != &guards; n = n->next) {
        gy_lock_take_unranked(guard_of(n)->lock);
    }
}

static void unlock_all(void) {
    for (gy_node *n = guards.next; n != &guards; n = n->next) {
        gy_lock_give_unranked(guard_of(n)->lock);
    }
    gy_lock_give_unranked(&lock);
}

/* One thread is left. The guards stay: each goes with its owner. */
static void after_fork_in_child(void) {
    unlock_all();
    for (gy_node *n = guards.next; n != &guards; n = n->next) {
        gy_fork_guard *guard = guard_of(n);
        if (guard->forget != NULL) guard->forget(guard->owner);
    }
}

bool gy_fork_guard_add(gy_fork_guard *guard) {
    gy_lock_take(&lock);
    int error = is_set_up ? 0 : pthread_atfork(before_fork, unlock_all, after_fork_in_child);
    is_set_up = error == 0;
    if (is_set_up) gy_list_append(&guards, &guard->node);
    gy_lock_give(&lock);
    if (error != 0) errno = error;
    return error == 0;
}

void gy_fork_guard_remove(gy_fork_guard *guard) {
    gy_lock_take(&lock);
    gy_list_remove(&guard->node);
    gy_lock_give(&lock);
}
