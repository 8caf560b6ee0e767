#include "loop/main_queue.h"

#define PASSES_PER_SEARCH 64u

void gy_main_queue_look_for(GYRunLoopRef loop, const gy_mode *mode, bool sleeps) {
    if (!loop->is_main || !mode->is_common) return;
    if (loop->queue.dispatch.handle >= 0 || loop->queue.has_ended) return;
    if (sleeps || loop->queue.passes++ % PASSES_PER_SEARCH == 0) {
        loop->queue.dispatch = gy_dispatch_find();
    }
}

/* Told by what the runs in progress are calling, so a drain whose frame is gone is over. */
bool gy_main_queue_is_draining(GYRunLoopRef loop) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        if (loop->activations[i].calling == GY_CALLOUT_MAIN_QUEUE) return true;
    }
    return false;
}

bool gy_main_queue_look(GYRunLoopRef loop) {
    if (!loop->queue.is_ready) {
        loop->queue.is_ready = gy_sys_ready_now(loop->queue.dispatch.handle, EPOLLIN) != 0;
    }
    return loop->queue.is_ready;
}

/* Before the drain: what is queued from here on makes an edge of its own. */
bool gy_main_queue_take(GYRunLoopRef loop) {
    loop->queue.is_ready = false;
    return gy_sys_eventfd_take(loop->queue.dispatch.handle);
}

void gy_main_queue_end(GYRunLoopRef loop) {
    loop->queue.dispatch = GY_DISPATCH_NONE;
    loop->queue.has_ended = true;
}
