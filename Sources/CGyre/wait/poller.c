#include "wait/poller.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>

#define WAKE_DATA UINT64_MAX
#define ALARM_DATA (UINT64_MAX - 1)

static uint32_t hash_of(int fd) { return (uint32_t)fd * 2654435769u; }

static uint64_t data_of(const gy_watch *watch) {
    return (uint64_t)watch->generation << 32 | (uint32_t)watch->fd;
}

void gy_poller_init(gy_poller *poller) {
    *poller = (gy_poller){.epoll_fd = -1, .wake_fd = -1, .alarm_fd = -1};
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

static int make_set(int wake_fd, int alarm_fd) {
    int epoll_fd = gy_sys_epoll_create();
    if (epoll_fd < 0) return -errno;
    int error = watch_along(epoll_fd, wake_fd, WAKE_DATA);
    if (error == 0) error = watch_along(epoll_fd, alarm_fd, ALARM_DATA);
    if (error == 0) return epoll_fd;
    gy_sys_close(epoll_fd);
    return error;
}

int gy_poller_prepare(gy_poller *poller, int wake_fd, int alarm_fd) {
    if (poller->epoll_fd < 0 &&
        poller->watches.count > 0) { /* given up by a fork, or after a failure */
        poller->wake_fd = wake_fd;
        poller->alarm_fd = alarm_fd;
        return gy_poller_remake(poller);
    }
    if (poller->epoll_fd < 0) {
        int epoll_fd = make_set(wake_fd, alarm_fd);
        if (epoll_fd < 0) return epoll_fd;
        poller->epoll_fd = epoll_fd;
    } else if (poller->alarm_fd < 0 && alarm_fd >= 0) {
        int error = watch_along(poller->epoll_fd, alarm_fd, ALARM_DATA);
        if (error < 0) return error;
    }
    poller->wake_fd = wake_fd;
    poller->alarm_fd = alarm_fd;
    return 0;
}

void gy_poller_abandon(gy_poller *poller) {
    gy_sys_close(poller->epoll_fd);
    poller->epoll_fd = poller->wake_fd = poller->alarm_fd = -1;
    poller->was_remade = false;
}

int gy_poller_remake(gy_poller *poller) {
    int epoll_fd = make_set(poller->wake_fd, poller->alarm_fd);
    if (epoll_fd < 0) return epoll_fd;
    gy_sys_close(poller->epoll_fd);
    poller->epoll_fd = epoll_fd;
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

int gy_poller_change(gy_poller *poller, gy_watch *watch, uint32_t events) {
    int error;
    if (events == 0) {
        error = watch->events == 0 ? 0 : gy_sys_epoll_delete(poller->epoll_fd, watch->fd);
    } else if (watch->events == 0) {
        watch->generation = ++poller->next_generation;
        error = gy_sys_epoll_add(poller->epoll_fd, watch->fd, events, data_of(watch));
    } else {
        error = gy_sys_epoll_modify(poller->epoll_fd, watch->fd, events, data_of(watch));
    }
    if (error == 0) watch->events = events;
    return error;
}

void gy_poller_unwatch(gy_poller *poller, gy_watch *watch) {
    /* A refusal means that the client closed the number first. If the file lives on in a duplicate
     * its events keep coming and are taken for echoes. */
    if (watch->events != 0 && gy_sys_epoll_delete(poller->epoll_fd, watch->fd) < 0) {
        poller->may_echo = true;
    }
    gy_set_remove(&poller->watches, watch, hash_of(watch->fd));
    free(watch);
}

int gy_poller_wait(const gy_poller *poller, struct epoll_event *events, int room,
                   int64_t timeout_ns) {
    return gy_sys_epoll_wait(poller->epoll_fd, events, room, timeout_ns);
}

gy_watch *gy_poller_resolve(gy_poller *poller, const struct epoll_event *event) {
    uint64_t data = event->data.u64;
    if (data == WAKE_DATA || data == ALARM_DATA) return NULL;
    gy_watch *watch = gy_poller_find(poller, (int)(uint32_t)data);
    if (watch != NULL && watch->generation == (uint32_t)(data >> 32) && watch->events != 0)
        return watch;
    /* Otherwise it was fetched just before its registration ended. */
    poller->has_echo = poller->may_echo;
    return NULL;
}

unsigned gy_poller_fill(const gy_poller *poller, int wake_fd, struct pollfd *fds, unsigned room) {
    unsigned count = 0;
    if (wake_fd >= 0) fds[count++] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
    uint32_t cursor = 0;
    for (gy_watch *w; count < room && (w = gy_set_next(&poller->watches, &cursor)) != NULL;) {
        if (w->events == 0) continue;
        fds[count++] = (struct pollfd){.fd = w->fd, .events = (short)(w->events & 0x7fff)};
    }
    return count;
}

int gy_poller_collect(const gy_poller *poller, const struct pollfd *fds, unsigned count,
                      struct epoll_event *events, int room) {
    int found = 0;
    for (unsigned i = 0; i < count && found < room; i++) {
        if (fds[i].revents == 0 || fds[i].revents == POLLNVAL) continue;
        gy_watch *w = gy_poller_find((gy_poller *)(uintptr_t)poller, fds[i].fd);
        if (w == NULL) continue;
        events[found++] =
            (struct epoll_event){.events = (uint16_t)fds[i].revents, .data.u64 = data_of(w)};
    }
    return found;
}
