#include "loop/fork.h"

#include "loop/callout.h"
#include "loop/loose.h"
#include "loop/main_queue.h"
#include "loop/moment.h"
#include "loop/performs.h"
#include "loop/port.h"
#include "loop/signal.h"

/* Its host has to come and look: what it waited for may have gone with the parent's descriptors. */
static void close_outlets(GYRunLoopRef loop) {
    for (gy_node *n = loop->outlets.next; n != &loop->outlets; n = n->next) {
        gy_outlet_close(gy_node_owner(n, gy_outlet, in_loop));
    }
    const gy_activation *run = gy_loop_innermost(loop);
    if (run != NULL && run->outlet != NULL) gy_wake_rouse(&loop->wake);
}

void gy_fork_disinherit(GYRunLoopRef loop) {
    gy_wake_reset_in_child(&loop->wake);
    gy_alarm_end(&loop->alarm);
    if (loop->follow != NULL) {
        gy_sys_close(loop->follow->fd);
        loop->follow->fd = -1;
    }
    close_outlets(loop);
    gy_poller_abandon(&loop->base);
    loop->can_wait = false;
    gy_main_queue_end(loop);
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        gy_poller_abandon(&m->poller);
        gy_port_forget_all(m);
    }
}

/* Free for another loop, and in no callout. What the dead loop still lists is never looked at
 * again. */
static void free_item(gy_item *item) {
    atomic_store_explicit(&item->loop, NULL, memory_order_relaxed);
    item->mode_count = 0;
    gy_item_clear(item,
                  GY_ITEM_COMMON | GY_ITEM_BUSY | GY_ITEM_HELD | GY_ITEM_OWED | GY_ITEM_DATE_SET);
}

static void free_timer(GYRunLoopTimerRef timer) {
    GYRunLoopRef loop = gy_item_loop(&timer->item);
    if (loop != NULL && gy_manual_clocks_are_used()) gy_moment_leave(timer, loop);
    if (gy_item_is(&timer->item, GY_ITEM_ENDS_WITH_LOOP)) {
        void *perform = atomic_load_explicit(&timer->item.info, memory_order_relaxed);
        if (perform != NULL) gy_perform_settle_in_child(perform);
    }
    free_item(&timer->item);
}

static void free_common(const struct GYRunLoop *loop) {
    uint32_t cursor = 0;
    for (GYRunLoopTimerRef t; (t = gy_set_next(&loop->common_timers, &cursor)) != NULL;)
        free_timer(t);
    cursor = 0;
    for (gy_item *o; (o = gy_set_next(&loop->common_observers, &cursor)) != NULL;) free_item(o);
}

static void free_mode(gy_mode *mode) {
    for (uint32_t i = 0; i < mode->timers.count; i++) free_timer(mode->timers.entries[i].item);
    for (GYRunLoopObserverRef o; (o = gy_observer_list_first(&mode->observers)) != NULL;) {
        mode->observers.first++;
        free_item(&o->item);
    }
}

static void end_activation(const gy_activation *run) {
    const gy_firing *f = run->firing;
    if (f != NULL && f->current != NULL) free_timer(f->current);
    for (uint32_t i = f == NULL ? 0 : f->next; f != NULL && i < f->count; i++) {
        free_timer(f->entries[i].item);
    }
    if (run->calling == GY_CALLOUT_BLOCK) gy_perform_settle_block_in_child(run->item);
    for (gy_block *b = run->taken; b != NULL; b = gy_block_next(b))
        gy_perform_settle_block_in_child(b);
}

void gy_fork_begin_generation(GYRunLoopRef own) {
    gy_source_generation += GY_SOURCE_ONE_GENERATION;
    for (uint32_t i = 0; own != NULL && i < own->depth; i++) {
        const gy_activation *run = &own->activations[i];
        if (run->calling == GY_CALLOUT_SOURCE) gy_source_begin_call(run->item);
    }
}

void gy_fork_kill(GYRunLoopRef loop) {
    loop->is_main = false;
    atomic_store_explicit(&loop->is_dead, true, memory_order_release);
    for (uint32_t i = 0; i < loop->depth; i++) end_activation(&loop->activations[i]);
    for (const gy_hand *h = loop->by_hand; h != NULL; h = h->outer) free_timer(h->timer);
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) free_mode(m);
    free_common(loop);
    loop->depth = 0;
    loop->by_hand = NULL;
    atomic_store_explicit(&loop->stop, 0, memory_order_relaxed);
    gy_wake_kill(&loop->wake);
    gy_signal_end(loop);
    gy_perform_end_in_child(loop);
    gy_list_remove(&loop->in_registry);
}
