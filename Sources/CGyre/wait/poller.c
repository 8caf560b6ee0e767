#include "wait/poller.h"

#include "base/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define WAKE_DATA UINT64_MAX
#define ALARM_DATA (UINT64_MAX - 1)
#define QUEUE_DATA (UINT64_MAX - 2)
#define CLOCK_DATA (UINT64_MAX - 3)

/* How long a wait without a set may last that does not see all it should: an eventfd is missing, or
 * descriptors are left out. Where it takes several waits to ask all they share the time. */
#define BLIND_WAIT_NS INT64_C(10000000)
#define SHORTEST_WAIT_NS INT64_C(1000000)

static uint32_t hash_of(int fd) { return (uint32_t)fd * 2654435769u; }

static uint64_t data_of(const gy_watch *watch) {
    return (uint64_t)watch->generation << 32 | (uint32_t)watch->fd;
}

void gy_poller_init(gy_poller *poller) {
    *poller =
        (gy_poller){.epoll_fd = -1, .wake_fd = -1, .alarm_fd = -1, .queue_fd = -1, .clock_fd = -1};
}

void gy_poller_end(gy_poller *poller) {
    gy_sys_close(poller->epoll_fd);
    uint32_t cursor = 0;
    for (void *w; (w = gy_set_next(&poller->watches, &cursor)) != NULL;) free(w);
    gy_set_destroy(&poller->watches);
    gy_poller_init(poller);
}

static int watch_along(int epoll_fd, int fd, uint64_t data) {
    return fd < 0 ? 0 : gy_sys_epoll_add(epoll_fd, fd, EPOLLIN | EPOLLET, data);
}

static int make_set(const gy_poller *poller, int wake_fd, int alarm_fd) {
    int epoll_fd = gy_sys_epoll_create();
    if (epoll_fd < 0) return -errno;
    int error = watch_along(epoll_fd, wake_fd, WAKE_DATA);
    if (error == 0) error = watch_along(epoll_fd, alarm_fd, ALARM_DATA);
    if (error == 0) error = watch_along(epoll_fd, poller->queue_fd, QUEUE_DATA);
    if (error == 0) error = watch_along(epoll_fd, poller->clock_fd, CLOCK_DATA);
    if (error == 0) return epoll_fd;
    gy_sys_close(epoll_fd);
    return error;
}

/* In place of one that is closed by now, or was lost. */
static void adopt_set(gy_poller *poller, int epoll_fd) {
    static _Atomic uint64_t sets_made;
    poller->epoll_fd = epoll_fd;
    /* Relaxed: only that no two are the same. */
    poller->set = 1 + atomic_fetch_add_explicit(&sets_made, 1, memory_order_relaxed);
}

int gy_poller_prepare(gy_poller *poller, int wake_fd, int alarm_fd) {
    if (poller->epoll_fd < 0 &&
        poller->watches.count > 0) { /* given up by a fork, or after a failure */
        poller->wake_fd = wake_fd;
        poller->alarm_fd = alarm_fd;
        return gy_poller_remake(poller);
    }
    if (poller->epoll_fd < 0) {
        int epoll_fd = make_set(poller, wake_fd, alarm_fd);
        if (epoll_fd < 0) return epoll_fd;
        adopt_set(poller, epoll_fd);
    } else if (poller->alarm_fd < 0 && alarm_fd >= 0) {
        int error = watch_along(poller->epoll_fd, alarm_fd, ALARM_DATA);
        if (error < 0) return error;
    }
    poller->wake_fd = wake_fd;
    poller->alarm_fd = alarm_fd;
    return 0;
}

int gy_poller_watch_queue(gy_poller *poller, int queue_fd) {
    if (poller->queue_fd == queue_fd) return 0;
    int error = watch_along(poller->epoll_fd, queue_fd, QUEUE_DATA);
    if (error == 0) poller->queue_fd = queue_fd;
    return error;
}

int gy_poller_watch_clock(gy_poller *poller, int clock_fd) {
    bool is_new = poller->clock_fd < 0 && clock_fd >= 0;
    if (is_new && poller->epoll_fd >= 0) {
        int error = watch_along(poller->epoll_fd, clock_fd, CLOCK_DATA);
        if (error < 0) return error;
    }
    poller->clock_fd = clock_fd;
    return 0;
}

void gy_poller_abandon(gy_poller *poller) {
    gy_sys_close(poller->epoll_fd);
    poller->epoll_fd = poller->wake_fd = poller->alarm_fd = -1;
    poller->queue_fd = poller->clock_fd = -1;
    poller->has_echo = poller->may_echo = poller->was_remade = false;
}

int gy_poller_remake(gy_poller *poller) {
    int epoll_fd = make_set(poller, poller->wake_fd, poller->alarm_fd);
    if (epoll_fd < 0) return epoll_fd;
    gy_sys_close(poller->epoll_fd);
    adopt_set(poller, epoll_fd);
    poller->has_echo = poller->may_echo = false;
    uint32_t cursor = 0;
    for (gy_watch *w; (w = gy_set_next(&poller->watches, &cursor)) != NULL;) {
        w->generation = ++poller->next_generation;
        if (w->events != 0 && gy_sys_epoll_add(epoll_fd, w->fd, w->events, data_of(w)) < 0) {
            w->events = 0;
        }
    }
    return 0;
}

gy_watch *gy_poller_find(gy_poller *poller, int fd) {
    uint32_t cursor = 0;
    for (gy_watch *w; (w = gy_set_candidate(&poller->watches, hash_of(fd), &cursor)) != NULL;) {
        if (w->fd == fd) return w;
    }
    return NULL;
}

gy_watch *gy_poller_watch(gy_poller *poller, int fd, uint32_t events) {
    gy_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL || !gy_set_insert(&poller->watches, watch, hash_of(fd))) {
        free(watch);
        errno = ENOMEM;
        return NULL;
    }
    watch->fd = fd;
    watch->generation = ++poller->next_generation;
    watch->events = events;
    gy_list_init(&watch->members);
    int error = gy_sys_epoll_add(poller->epoll_fd, fd, events, data_of(watch));
    if (error == 0) return watch;
    gy_set_remove(&poller->watches, watch, hash_of(fd));
    free(watch);
    errno = -error;
    return NULL;
}

static int change_in_set(gy_poller *poller, gy_watch *watch, uint32_t events) {
    if (events == 0) {
        return watch->events == 0 ? 0 : gy_sys_epoll_delete(poller->epoll_fd, watch->fd);
    }
    if (watch->events != 0) {
        return gy_sys_epoll_modify(poller->epoll_fd, watch->fd, events, data_of(watch));
    }
    watch->generation = ++poller->next_generation;
    return gy_sys_epoll_add(poller->epoll_fd, watch->fd, events, data_of(watch));
}

int gy_poller_change(gy_poller *poller, gy_watch *watch, uint32_t events) {
    int error = poller->epoll_fd < 0 ? 0 : change_in_set(poller, watch, events);
    if (error < 0) return error;
    watch->events = events;
    watch->told_ns = 0;
    return 0;
}

void gy_poller_unwatch(gy_poller *poller, gy_watch *watch) {
    /* A refusal means that the client closed the number first. If the file lives on in a duplicate
     * its events keep coming and are taken for echoes. */
    bool is_in_set = watch->events != 0 && poller->epoll_fd >= 0;
    if (is_in_set && gy_sys_epoll_delete(poller->epoll_fd, watch->fd) < 0) poller->may_echo = true;
    gy_set_remove(&poller->watches, watch, hash_of(watch->fd));
    free(watch);
}

/* NULL: its registration has ended. */
static gy_watch *watch_of(gy_poller *poller, uint64_t data) {
    gy_watch *watch = gy_poller_find(poller, (int)(uint32_t)data);
    if (watch == NULL || watch->generation != (uint32_t)(data >> 32)) return NULL;
    return watch->events == 0 ? NULL : watch;
}

gy_watch *gy_poller_resolve(gy_poller *poller, const struct epoll_event *event) {
    uint64_t data = event->data.u64;
    if (data >= CLOCK_DATA) return NULL;
    gy_watch *watch = watch_of(poller, data);
    /* Without one it was fetched just before its registration ended. */
    if (watch == NULL) poller->has_echo = poller->may_echo;
    return watch;
}

bool gy_poller_tells_of_queue(const struct epoll_event *events, int count) {
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 == QUEUE_DATA) return true;
    }
    return false;
}

/* ---- without a set ---- */

/* Poll knows no edges. An edge that was told and not taken is told again after a while, for whether
 * it is the same one cannot be seen: so none is lost, and one that is never taken makes no loop
 * spin. */
static bool rests(gy_watch *watch, int64_t now_ns) {
    if (watch->told_ns == 0) return false;
    bool is_over = now_ns - watch->told_ns >= BLIND_WAIT_NS;
    if (!is_over && gy_sys_ready_now(watch->fd, watch->events) != 0) return true;
    watch->told_ns = 0;
    return false;
}

static gy_watch *next_in_turn(gy_poller *poller) {
    gy_watch *watch = gy_set_next(&poller->watches, &poller->poll_cursor);
    if (watch != NULL) return watch;
    poller->poll_cursor = 0;
    return gy_set_next(&poller->watches, &poller->poll_cursor);
}

static void ask(gy_poll *poll, int fd, uint32_t events, uint64_t data) {
    /* The bits of poll and epoll are the same numbers on Linux. */
    poll->fds[poll->count] = (struct pollfd){.fd = fd, .events = (short)(events & 0x7fff)};
    poll->data[poll->count++] = data;
}

static int64_t share_of(uint32_t others) {
    int64_t share_ns = BLIND_WAIT_NS / (1 + others);
    return share_ns < SHORTEST_WAIT_NS ? SHORTEST_WAIT_NS : share_ns;
}

void gy_poller_fill(gy_poller *poller, int wake_fd, int queue_fd, gy_poll *poll) {
    int64_t now_ns = gy_clock_now_ns();
    unsigned room = poller->poll_room == 0 ? GY_POLL_ROOM : poller->poll_room;
    if (queue_fd >= 0 && room < GY_POLL_ROOM) room++;
    uint32_t left = poller->watches.count;
    bool sees_all = wake_fd >= 0;
    poll->count = 0;
    if (wake_fd >= 0) ask(poll, wake_fd, POLLIN, WAKE_DATA);
    if (queue_fd >= 0) ask(poll, queue_fd, POLLIN, QUEUE_DATA);
    for (; left > 0 && poll->count < room; left--) {
        gy_watch *watch = next_in_turn(poller);
        if (watch->events == 0) continue;
        if (rests(watch, now_ns)) {
            sees_all = false;
        } else {
            ask(poll, watch->fd, watch->events, data_of(watch));
        }
    }
    poll->longest_ns = sees_all && left == 0 ? -1 : share_of(poller->watches.count / room);
}

bool gy_poller_fill_less(gy_poller *poller, const gy_poll *poll) {
    /* The eventfds and one more. */
    if (poll->count <= 2 || poller->poll_room == 2) return false;
    poller->poll_room = poll->count <= 4 ? 2 : poll->count / 2;
    return true;
}

static bool is_still_watched(gy_poller *poller, uint64_t data, uint32_t came, int64_t now_ns) {
    gy_watch *watch = watch_of(poller, data);
    if (watch == NULL) return false;
    if ((came & POLLNVAL) != 0) {
        watch->events = 0; /* closed by the client: a set would have lost it too */
        return false;
    }
    if ((watch->events & EPOLLET) != 0) watch->told_ns = now_ns;
    return true;
}

int gy_poller_collect(gy_poller *poller, const gy_poll *poll, struct epoll_event *events) {
    int found = 0;
    int64_t now_ns = gy_clock_now_ns();
    for (unsigned i = 0; i < poll->count; i++) {
        uint32_t came = (uint16_t)poll->fds[i].revents;
        uint64_t data = poll->data[i];
        if (came == 0 || data == WAKE_DATA) continue;
        if (data != QUEUE_DATA && !is_still_watched(poller, data, came, now_ns)) continue;
        events[found++] = (struct epoll_event){.events = came, .data.u64 = data};
    }
    return found;
}
