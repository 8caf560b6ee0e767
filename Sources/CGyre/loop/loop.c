#include "loop/loop.h"

#include "base/name.h"

#include <errno.h>
#include <stdlib.h>

static void destroy_modes(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) gy_mode_destroy(m);
    gy_set_destroy(&loop->modes);
    for (uint32_t i = 0; i < loop->common_name_count; i++) gy_release(loop->common_names[i]);
    free(loop->common_names);
}

void gy_loop_unfollow(GYRunLoopRef loop) {
    if (loop->follow != NULL) gy_sys_close(loop->follow->fd);
    free(loop->follow);
    loop->follow = NULL;
}

/* The loop is dead by now: its thread has ended and its items are gone. */
void gy_loop_finalize(void *object) {
    GYRunLoopRef loop = object;
    destroy_modes(loop);
    gy_set_destroy(&loop->common_sources);
    gy_set_destroy(&loop->common_timers);
    gy_set_destroy(&loop->common_observers);
    gy_wake_end(&loop->wake);
    gy_alarm_end(&loop->alarm);
    gy_poller_end(&loop->base);
    gy_release(loop->clock);
    gy_loop_unfollow(loop);
    free(loop->activations);
    free(loop->spare_firing);
    free(loop->spare_batch);
    gy_lock_destroy(&loop->lock);
    gy_object_free(loop);
}

static bool make_default_mode(GYRunLoopRef loop) {
    loop->default_mode = gy_loop_need_mode(loop, kGYRunLoopDefaultMode);
    if (loop->default_mode != NULL) loop->default_mode->is_given = true;
    return loop->default_mode != NULL && gy_loop_make_name_common(loop, kGYRunLoopDefaultMode);
}

GYRunLoopRef gy_loop_create(const gy_type *type, bool is_main,
                            void (*unwind_to)(GYRunLoopRef loop, gy_mark mark)) {
    GYRunLoopRef loop = gy_object_create(type, sizeof *loop);
    if (loop == NULL) return NULL;
    loop->is_main = is_main;
    loop->unwind_to = unwind_to;
    gy_lock_init(&loop->lock, GY_RANK_LOOP);
    gy_wake_init(&loop->wake);
    gy_alarm_init(&loop->alarm);
    gy_poller_init(&loop->base);
    loop->queue.dispatch = GY_DISPATCH_NONE;
    gy_list_init(&loop->outlets);
    gy_block_queue_init(&loop->blocks);
    gy_list_init(&loop->signalled);
    if (make_default_mode(loop)) return loop;
    gy_release(loop);
    errno = ENOMEM;
    return NULL;
}

gy_mode *gy_loop_find_mode(GYRunLoopRef loop, GYStringRef name) {
    if (name == kGYRunLoopDefaultMode) return loop->default_mode;
    uint32_t cursor = 0;
    for (gy_mode *m;
         (m = gy_set_candidate(&loop->modes, gy_pointer_hash(name), &cursor)) != NULL;) {
        if (m->name == name) return m;
    }
    return NULL;
}

gy_mode *gy_loop_need_mode(GYRunLoopRef loop, GYStringRef name) {
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) return mode;
    mode = gy_mode_create(name, loop);
    if (mode == NULL) return NULL;
    if (!gy_set_insert(&loop->modes, mode, gy_pointer_hash(name))) {
        gy_mode_destroy(mode);
        errno = ENOMEM;
        return NULL;
    }
    mode->is_common = gy_loop_name_is_common(loop, name);
    return mode;
}

bool gy_loop_name_is_common(GYRunLoopRef loop, GYStringRef name) {
    for (uint32_t i = 0; i < loop->common_name_count; i++) {
        if (loop->common_names[i] == name) return true;
    }
    return false;
}

static bool make_room_for_common_name(GYRunLoopRef loop) {
    if (loop->common_name_count < loop->common_name_room) return true;
    uint32_t room = loop->common_name_room == 0 ? 4 : loop->common_name_room * 2;
    GYStringRef *names = realloc(loop->common_names, room * sizeof *names);
    if (names == NULL) {
        errno = ENOMEM;
        return false;
    }
    loop->common_names = names;
    loop->common_name_room = room;
    return true;
}

bool gy_loop_make_name_common(GYRunLoopRef loop, GYStringRef name) {
    if (gy_loop_name_is_common(loop, name)) return true;
    if (!make_room_for_common_name(loop)) return false;
    loop->common_names[loop->common_name_count++] = gy_retain(name);
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) mode->is_common = true;
    return true;
}

void gy_loop_unmake_name_common(GYRunLoopRef loop, GYStringRef name) {
    for (uint32_t i = loop->common_name_count; i-- > 0;) {
        if (loop->common_names[i] != name) continue;
        loop->common_names[i] = loop->common_names[--loop->common_name_count];
        gy_release(name); /* not the last reference: the caller has one */
        break;
    }
    gy_mode *mode = gy_loop_find_mode(loop, name);
    if (mode != NULL) mode->is_common = false;
}

gy_mode *gy_loop_next_common_mode(GYRunLoopRef loop, uint32_t *cursor) {
    while (*cursor < loop->common_name_count) {
        gy_mode *mode = gy_loop_find_mode(loop, loop->common_names[(*cursor)++]);
        if (mode != NULL) return mode;
    }
    return NULL;
}

bool gy_loop_need_common_modes(GYRunLoopRef loop) {
    for (uint32_t i = 0; i < loop->common_name_count; i++) {
        if (gy_loop_need_mode(loop, loop->common_names[i]) == NULL) return false;
    }
    return true;
}

gy_mode *gy_loop_next_mode(GYRunLoopRef loop, uint32_t *cursor) {
    return gy_set_next(&loop->modes, cursor);
}

int gy_loop_watch_clock(GYRunLoopRef loop) {
    uint32_t cursor = 0;
    int error = gy_poller_watch_clock(&loop->base, loop->follow->fd);
    for (gy_mode *m; error == 0 && (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        error = gy_poller_watch_clock(&m->poller, loop->follow->fd);
    }
    return error;
}

/* The sets that exist already learn of a timerfd made later. */
static int tell_pollers(GYRunLoopRef loop, int wake_fd) {
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        if (m->poller.epoll_fd < 0) continue;
        int error = gy_poller_prepare(&m->poller, wake_fd, loop->alarm.fd);
        if (error < 0) return error;
    }
    return gy_poller_prepare(&loop->base, wake_fd, loop->alarm.fd);
}

/* In the child of a fork. Refused: the loop looks from time to time. */
static void remake_clock_watch(GYRunLoopRef loop) {
    if (loop->follow->fd < 0) loop->follow->fd = gy_sys_clock_watch_create();
    gy_loop_watch_clock(loop);
}

bool gy_loop_prepare_wait(GYRunLoopRef loop, bool with_alarm) {
    loop->uses_alarm |= with_alarm;
    if (loop->base.epoll_fd >= 0 && (!with_alarm || loop->base.alarm_fd >= 0)) return true;
    if (!gy_wake_prepare(&loop->wake)) return false;
    if (with_alarm && !gy_alarm_prepare(&loop->alarm)) return false;
    if (loop->follow != NULL) remake_clock_watch(loop);
    int error = tell_pollers(loop, atomic_load_explicit(&loop->wake.fd, memory_order_relaxed));
    if (error == 0) return true;
    errno = -error;
    return false;
}

static bool ask_to_stop(GYRunLoopRef loop) {
    uint32_t word = atomic_load_explicit(&loop->stop, memory_order_relaxed);
    while ((word & GY_STOP_RUNNING) != 0) {
        /* Release: pairs with the acquire where the run looks; what was written before the stop is
         * seen after it (R172). Compare and swap: a run that ends meanwhile takes no stop along. */
        if (atomic_compare_exchange_weak_explicit(&loop->stop, &word, word | GY_STOP_ASKED,
                                                  memory_order_release, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void gy_loop_stop(GYRunLoopRef loop) {
    /* Held: the stop may end the loop's thread before the wake-up is sent. */
    gy_wake_hold(&loop->wake);
    if (ask_to_stop(loop)) gy_wake_innermost(&loop->wake);
    gy_wake_let_go(&loop->wake);
}

/* Whoever looks at the flag has changed the phase before, as with the stop word: either this finds
 * the window of the innermost run open, or that run sees the flag before it sleeps. The runs around
 * it look when it has returned, so nothing is kept for them. */
void gy_loop_wind_down(GYRunLoopRef loop) {
    gy_wake_hold(&loop->wake); /* as in gy_loop_stop */
    /* Release: pairs with the acquire in gy_loop_winds_down (R172). */
    atomic_store_explicit(&loop->winds_down, true, memory_order_release);
    gy_wake_innermost(&loop->wake);
    gy_wake_let_go(&loop->wake);
}
