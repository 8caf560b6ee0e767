/* One mode of one loop: the items that it holds.
 *
 * Owns: the sets and lists of items and the order of its timers; a reference to each item for each
 * mode is taken and given up by the functions of sources.c, timers.c and observers.c.
 * Relies on: the loop's lock, for every function and field but the atomic ones. */
#ifndef GYRE_LOOP_MODE_H
#define GYRE_LOOP_MODE_H

#include "base/heap.h"
#include "base/set.h"
#include "base/tally.h"
#include "items/observer.h"
#include "items/source.h"
#include "items/timer.h"
#include "wait/poller.h"

#include <gyre/GYDrainPool.h>

typedef struct gy_mode {
    GYStringRef name; /* interned, retained */
    GYRunLoopRef loop;
    bool is_common;
    bool is_given; /* something has been given to it: it counts as a mode from then on (R10) */
    /* Sources and timers held; what emptiness means (R13). The loop's own thread reads it without
     * the lock, which is as good as having asked a moment earlier. */
    gy_tally item_count;
    gy_set sources; /* by R82's hash */
    gy_tally foreign_count; /* sources whose signals go to another loop's queue; likewise */
    gy_observer_list observers;
    _Atomic GYDrainPolicy drain_policy; /* set under the lock; the run reads it without */
    gy_tally timer_count; /* loose ones included; read as item_count is */
    gy_heap timers; /* those that wait, by deadline */
    int64_t wake_ns; /* the latest moment to wake up for a timer; valid while wake_is_known */
    bool wake_is_known;
    gy_poller poller; /* epoll_fd is -1 until the first descriptor comes */
    gy_tally port_count; /* read as item_count is */
    gy_node ready; /* ports whose turn has come (R33) */
    gy_node files; /* ports that epoll refuses: always ready */
    gy_tally ready_count, file_count; /* of the two lists; read as item_count is */
} gy_mode;

gy_mode *gy_mode_create(GYStringRef name, GYRunLoopRef loop);
void gy_mode_destroy(gy_mode *mode);

static inline bool gy_mode_has_items(const gy_mode *mode) {
    return gy_tally_now(&mode->item_count) != 0;
}

static inline bool gy_mode_has_timers(const gy_mode *mode) {
    return gy_tally_now(&mode->timer_count) != 0;
}
static inline bool gy_mode_has_ports(const gy_mode *mode) {
    return gy_tally_now(&mode->port_count) != 0;
}

static inline bool gy_mode_has_foreign(const gy_mode *mode) {
    return gy_tally_now(&mode->foreign_count) != 0;
}
static inline bool gy_mode_has_files(const gy_mode *mode) {
    return gy_tally_now(&mode->file_count) != 0;
}
static inline bool gy_mode_has_ready_ports(const gy_mode *mode) {
    return gy_tally_now(&mode->ready_count) != 0;
}

/* Room for one timer more to wait; false, with errno, where memory is out. */
bool gy_mode_reserve_timer(gy_mode *mode);
/* Puts a loose timer among those that wait. */
void gy_mode_start_timer(gy_mode *mode, GYRunLoopTimerRef timer);
/* Takes it from them; it stays in the mode. Loose already: nothing happens. */
void gy_mode_stop_timer(gy_mode *mode, gy_timer_slot *slot);
/* Its deadline or tolerance has changed. */
void gy_mode_reorder_timer(gy_mode *mode, GYRunLoopTimerRef timer, gy_timer_slot *slot);
/* The one with the earliest deadline of those that wait; NULL without. */
GYRunLoopTimerRef gy_mode_first_timer(const gy_mode *mode);
/* The deadline of the first timer that waits, INT64_MIN where one has to be told something;
 * GY_NEVER without. */
int64_t gy_mode_first_deadline(const gy_mode *mode);
/* When to wake up at the latest, so that no timer is later than its tolerance allows. */
int64_t gy_mode_wake_ns(gy_mode *mode);
/* Makes up to `room` timers that are due loose and lists them. */
uint32_t gy_mode_take_due(gy_mode *mode, int64_t now_ns, gy_heap_entry *out, uint32_t room);

#endif
