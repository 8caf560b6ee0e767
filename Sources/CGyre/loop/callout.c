#include "loop/callout.h"

#include "loop/current.h"

#define NAMED __attribute__((noinline))

static pthread_mutex_t wait_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_condition = PTHREAD_COND_INITIALIZER;

static gy_mark mark_of(const struct GYRunLoop *loop) {
    return (gy_mark){loop->depth, loop->by_hand};
}

/* Nested runs and calls have ended, or their frames are gone. */
static void unwind(GYRunLoopRef loop, gy_mark mark) {
    if (loop->depth != mark.depth || loop->by_hand != mark.by_hand) loop->unwind_to(loop, mark);
}

/* Returns what `end` is to find again. */
static gy_mark begin(GYRunLoopRef loop, enum gy_callout_kind kind, void *item) {
    gy_lock_none_held();
    gy_activation *run = gy_loop_innermost(loop);
    run->item = item;
    run->calling = kind;
    return mark_of(loop);
}

static void end(GYRunLoopRef loop, gy_mark mark) {
    unwind(loop, mark);
    gy_loop_innermost(loop)->calling = GY_CALLOUT_NONE;
}

static NAMED void gyre_calls_out_to_an_observer(GYRunLoopObserverRef observer,
                                                GYRunLoopActivity activity, void *info) {
    observer->callout(observer, activity, info);
    __asm__ volatile(""); /* no tail call: the frame must stay visible */
}

static NAMED void gyre_calls_out_to_a_timer(GYRunLoopTimerRef timer, void *info) {
    timer->callout(timer, info);
    __asm__ volatile("");
}

static NAMED void gyre_calls_out_as_the_clock_was_set(GYRunLoopTimerClockWasSet was_set,
                                                      GYRunLoopTimerRef timer, int64_t change_ns,
                                                      void *info) {
    was_set(timer, change_ns, info);
    __asm__ volatile("");
}

static NAMED void gyre_calls_out_to_a_source(void (*perform)(void *), void *info) {
    perform(info);
    __asm__ volatile("");
}

static NAMED void gyre_calls_out_to_a_port(void (*perform)(void *, uint32_t), void *info,
                                           uint32_t events) {
    perform(info, events);
    __asm__ volatile("");
}

static NAMED void gyre_calls_out_to_performed_work(GYPerformFunction function, void *info) {
    function(info);
    __asm__ volatile("");
}

static NAMED void gyre_calls_out_to_the_main_queue(void (*drain)(void *)) {
    drain(NULL);
    __asm__ volatile("");
}

void gy_callout_observer(GYRunLoopRef loop, GYRunLoopObserverRef observer,
                         GYRunLoopActivity activity, void *info) {
    if (observer->callout == NULL) return;
    gy_mark mark = begin(loop, GY_CALLOUT_OBSERVER, observer);
    gyre_calls_out_to_an_observer(observer, activity, info);
    end(loop, mark);
}

/* R121: with a retain callback, info outlives an invalidation that comes during the callout. What
 * is to be released after it; NULL: nothing. */
static void *hold_info(GYRunLoopTimerRef timer, void *info) {
    const gy_timer_extra *extra = gy_timer_extra_of(timer);
    if (info == NULL || extra == NULL) return NULL;
    if (extra->context.retain == NULL || extra->context.release == NULL) return NULL;
    void *held = (void *)(uintptr_t)gy_callout_retain(extra->context.retain, info);
    gy_item_set(&timer->item, GY_ITEM_HELD);
    return held;
}

void gy_callout_timer(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info) {
    if (timer->callout == NULL) return;
    gy_loop_innermost(loop)->held_info = hold_info(timer, info);
    gy_mark mark = begin(loop, GY_CALLOUT_TIMER, timer);
    gyre_calls_out_to_a_timer(timer, info);
    end(loop, mark);
    gy_callout_let_info_go(timer, gy_loop_innermost(loop)->held_info);
}

void gy_callout_clock_was_set(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info,
                              GYRunLoopTimerClockWasSet was_set, int64_t change_ns) {
    gy_loop_innermost(loop)->held_info = hold_info(timer, info);
    gy_mark mark = begin(loop, GY_CALLOUT_TIMER, timer);
    gyre_calls_out_as_the_clock_was_set(was_set, timer, change_ns, info);
    end(loop, mark);
    gy_callout_let_info_go(timer, gy_loop_innermost(loop)->held_info);
}

void gy_callout_timer_by_hand(GYRunLoopRef loop, GYRunLoopTimerRef timer, void *info,
                              void **held_info) {
    if (timer->callout == NULL) return;
    if (held_info != NULL) *held_info = hold_info(timer, info);
    gy_lock_none_held();
    gy_mark mark = mark_of(loop);
    gyre_calls_out_to_a_timer(timer, info);
    unwind(loop, mark);
}

void gy_callout_let_info_go(GYRunLoopTimerRef timer, void *held_info) {
    if (held_info != NULL) gy_callout_release(gy_timer_release(timer), held_info);
}

void gy_callout_source_returned(GYRunLoopSourceRef source) {
    atomic_fetch_sub_explicit(&source->performing, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&source->is_waited_for, memory_order_seq_cst)) gy_callout_announce();
}

void gy_callout_source(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    void (*perform)(void *) = gy_source_context0(source)->perform;
    gy_mark mark = begin(loop, GY_CALLOUT_SOURCE, source);
    if (perform != NULL) gyre_calls_out_to_a_source(perform, source->info);
    end(loop, mark);
    gy_callout_source_returned(source);
}

void gy_callout_port(GYRunLoopRef loop, GYRunLoopSourceRef source, uint32_t events) {
    const GYRunLoopSourceContext2 *c = source->callbacks;
    gy_mark mark = begin(loop, GY_CALLOUT_SOURCE, source);
    if (c->performEvents != NULL) {
        gyre_calls_out_to_a_port(c->performEvents, source->info, events);
    } else if (c->perform != NULL) {
        gyre_calls_out_to_a_source(c->perform, source->info);
    }
    end(loop, mark);
    gy_callout_source_returned(source);
}

void gy_callout_block(GYRunLoopRef loop, gy_block *block) {
    gy_mark mark = begin(loop, GY_CALLOUT_BLOCK, block);
    gyre_calls_out_to_performed_work(block->function, block->info);
    end(loop, mark);
}

void gy_callout_main_queue(GYRunLoopRef loop) {
    gy_mark mark = begin(loop, GY_CALLOUT_MAIN_QUEUE, NULL);
    gyre_calls_out_to_the_main_queue(loop->queue.dispatch.drain);
    end(loop, mark);
}

const void *gy_callout_retain(const void *(*retain)(const void *), const void *info) {
    gy_lock_none_held();
    return retain(info);
}

void gy_callout_release(void (*release)(const void *), const void *info) {
    gy_lock_none_held();
    release(info);
}

GYStringRef gy_callout_copy_description(GYStringRef (*copy)(const void *), const void *info) {
    gy_lock_none_held();
    return copy(info);
}

bool gy_callout_equal(GYBoolean (*equal)(const void *, const void *), const void *a,
                      const void *b) {
    gy_lock_none_held();
    return equal(a, b) != 0;
}

GYHashCode gy_callout_hash(GYHashCode (*hash)(const void *), const void *info) {
    gy_lock_none_held();
    return hash(info);
}

int gy_callout_get_port(int (*get_port)(void *), void *info) {
    gy_lock_none_held();
    return get_port(info);
}

void gy_callout_schedule(GYRunLoopSourceRef source, GYRunLoopRef loop, GYStringRef mode) {
    const GYRunLoopSourceContext *c = gy_source_context0(source);
    if (gy_source_is_port(source) || c->schedule == NULL) return;
    gy_lock_none_held();
    c->schedule(source->info, loop, mode);
}

void gy_callout_cancel(GYRunLoopSourceRef source, GYRunLoopRef loop, GYStringRef mode) {
    const GYRunLoopSourceContext *c = gy_source_context0(source);
    if (gy_source_is_port(source) || c->cancel == NULL) return;
    gy_lock_none_held();
    c->cancel(source->info, loop, mode);
}

static NAMED void gyre_calls_out_to_a_file_descriptor(GYFileDescriptorCallBack callout,
                                                      GYFileDescriptorRef f, GYOptionFlags types,
                                                      void *info) {
    callout(f, types, info);
    __asm__ volatile("");
}

void gy_callout_file_descriptor(GYFileDescriptorCallBack callout, GYFileDescriptorRef f,
                                GYOptionFlags types, void *info) {
    gy_lock_none_held();
    gyre_calls_out_to_a_file_descriptor(callout, f, types, info);
}

void *gy_callout_file_descriptor_retain(void *(*retain)(void *), void *info) {
    gy_lock_none_held();
    return retain(info);
}

void gy_callout_file_descriptor_release(void (*release)(void *), void *info) {
    gy_lock_none_held();
    release(info);
}

GYStringRef gy_callout_file_descriptor_describe(GYStringRef (*copy)(void *), void *info) {
    gy_lock_none_held();
    return copy(info);
}

static NAMED void gyre_calls_out_to_a_socket(GYSocketCallBack callout, GYSocketRef s,
                                             GYSocketCallBackType type, GYDataRef address,
                                             const void *data, void *info) {
    callout(s, type, address, data, info);
    __asm__ volatile("");
}

void gy_callout_socket(GYSocketCallBack callout, GYSocketRef s, GYSocketCallBackType type,
                       GYDataRef address, const void *data, void *info) {
    gy_lock_none_held();
    gyre_calls_out_to_a_socket(callout, s, type, address, data, info);
}

void gy_callout_perform(GYPerformFunction function, void *info) {
    gy_lock_none_held();
    gyre_calls_out_to_performed_work(function, info);
}

void gy_callout_announce(void) {
    pthread_mutex_lock(&wait_mutex);
    pthread_cond_broadcast(&wait_condition);
    pthread_mutex_unlock(&wait_mutex);
}

void gy_callout_wait(bool (*is_over)(const void *item), const void *item) {
    gy_lock_none_held();
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); /* the mutex would stay locked */
    pthread_mutex_lock(&wait_mutex);
    while (!is_over(item)) pthread_cond_wait(&wait_condition, &wait_mutex);
    pthread_mutex_unlock(&wait_mutex);
    pthread_setcancelstate(old, NULL);
}

bool gy_callout_is_mine(const void *item) {
    GYRunLoopRef loop = gy_current_loop;
    if (loop == NULL) return false;
    for (uint32_t i = 0; i < loop->depth; i++) {
        const gy_activation *run = &loop->activations[i];
        if (run->calling != GY_CALLOUT_NONE && run->item == item) return true;
    }
    return false;
}

/* The threads that waited are gone, and one of them may have held the mutex. */
void gy_callout_reset_in_child(void) {
    pthread_mutex_init(&wait_mutex, NULL);
    pthread_cond_init(&wait_condition, NULL);
}
