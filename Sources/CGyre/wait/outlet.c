#include "wait/outlet.h"

#include "base/clock.h"

#include <errno.h>

/* Without a set: how long an event may have to wait. */
#define BLIND_NS INT64_C(10000000)

void gy_outlet_init(gy_outlet *outlet) {
    *outlet =
        (gy_outlet){.fd = -1, .timer_fd = -1, .bell_fd = -1, .set_fd = -1, .armed_ns = GY_NEVER};
}

static bool make(gy_outlet *outlet) {
    outlet->fd = gy_sys_epoll_create();
    if (outlet->fd < 0) return false;
    outlet->timer_fd = gy_sys_timerfd_create();
    if (outlet->timer_fd < 0) return false;
    outlet->bell_fd = gy_sys_eventfd_create();
    if (outlet->bell_fd < 0) return false;
    int error = gy_sys_epoll_add(outlet->fd, outlet->timer_fd, EPOLLIN, 0);
    if (error == 0) error = gy_sys_epoll_add(outlet->fd, outlet->bell_fd, EPOLLIN, 0);
    errno = -error;
    return error == 0;
}

bool gy_outlet_make(gy_outlet *outlet) {
    if (make(outlet)) {
        gy_outlet_ring(outlet);
        return true;
    }
    int saved = errno;
    gy_outlet_close(outlet);
    errno = saved;
    return false;
}

void gy_outlet_close(gy_outlet *outlet) {
    gy_node in_loop = outlet->in_loop;
    gy_sys_close(outlet->fd);
    gy_sys_close(outlet->timer_fd);
    gy_sys_close(outlet->bell_fd);
    gy_outlet_init(outlet);
    outlet->in_loop = in_loop;
}

void gy_outlet_ring(gy_outlet *outlet) {
    if (outlet->is_rung || outlet->bell_fd < 0) return;
    outlet->is_rung = true;
    gy_sys_eventfd_ring(outlet->bell_fd);
}

static void hush(gy_outlet *outlet) {
    if (!outlet->is_rung) return;
    outlet->is_rung = false;
    gy_sys_eventfd_clear(outlet->bell_fd);
}

/* A refusal means that the set was closed, which has ended the registration. */
static void unwatch(gy_outlet *outlet) {
    if (outlet->set != 0) gy_sys_epoll_delete(outlet->fd, outlet->set_fd);
    outlet->set = 0;
}

/* By number, not by descriptor: another set may have got that of one that was closed. */
static bool watch(gy_outlet *outlet, int epoll_fd, uint64_t set) {
    if (epoll_fd >= 0 && outlet->set == set) return true;
    unwatch(outlet);
    if (epoll_fd < 0 || gy_sys_epoll_add(outlet->fd, epoll_fd, EPOLLIN, 0) < 0) return false;
    outlet->set_fd = epoll_fd;
    outlet->set = set;
    return true;
}

/* Only an earlier moment has to be told; a later one costs the host one look for nothing. But once
 * it has expired the timerfd stays readable until it is set. */
static bool arm(gy_outlet *outlet, int64_t from_ns, int64_t now_ns) {
    bool has_expired = outlet->armed_ns <= now_ns;
    if (!has_expired && outlet->armed_ns <= from_ns) return true;
    int error = from_ns == GY_NEVER ? gy_sys_timerfd_disarm(outlet->timer_fd)
                                    : gy_sys_timerfd_set(outlet->timer_fd, from_ns);
    if (error < 0) return false;
    outlet->armed_ns = from_ns;
    return true;
}

void gy_outlet_wait(gy_outlet *outlet, int epoll_fd, uint64_t set, int64_t until_ns) {
    int64_t now_ns = gy_clock_now_ns();
    int64_t blind_ns = gy_ns_add(now_ns, BLIND_NS);
    bool sees = watch(outlet, epoll_fd, set);
    int64_t from_ns = sees || until_ns < blind_ns ? until_ns : blind_ns;
    /* The timerfd would be readable in a moment only, and the host may look at once. */
    if (from_ns > now_ns && arm(outlet, from_ns, now_ns)) {
        hush(outlet);
    } else {
        gy_outlet_ring(outlet);
    }
}

void gy_outlet_rest(gy_outlet *outlet) {
    unwatch(outlet);
    arm(outlet, GY_NEVER, outlet->armed_ns);
    hush(outlet);
}
