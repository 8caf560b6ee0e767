#include "loop/current.h"

__thread GYRunLoopRef gy_current_loop;

gy_node gy_all_loops = {&gy_all_loops, &gy_all_loops};

static gy_lock registry_lock = GY_LOCK_INIT(GY_RANK_REGISTRY);

void gy_registry_lock(void) { gy_lock_take(&registry_lock); }
void gy_registry_unlock(void) { gy_lock_give(&registry_lock); }

static GYRunLoopRef load(_Atomic(GYRunLoopRef) *where) {
    return atomic_load_explicit(where, memory_order_seq_cst);
}

static GYRunLoopRef retain_foreign(_Atomic(GYRunLoopRef) *where) {
    gy_registry_lock();
    GYRunLoopRef loop = gy_retain(load(where));
    gy_registry_unlock();
    return loop;
}

GYRunLoopRef gy_loop_enter(_Atomic(GYRunLoopRef) *where) {
    for (;;) {
        GYRunLoopRef loop = load(where);
        if (loop == NULL) return NULL;
        loop = gy_loop_is_current(loop) ? gy_retain(loop) : retain_foreign(where);
        if (loop == NULL) return NULL;
        gy_loop_lock(loop);
        if (load(where) == loop) return loop;
        gy_loop_leave(loop);
    }
}

void gy_loop_leave(GYRunLoopRef loop) {
    gy_loop_unlock(loop);
    gy_release(loop);
}
