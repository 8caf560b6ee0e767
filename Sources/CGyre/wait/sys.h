/* Thin calls into the kernel: only this folder names epoll, eventfd and timerfd.
 *
 * Owns: nothing. Every descriptor made here is close-on-exec and non-blocking. A call that fails
 * returns a negative errno, or -1 with errno where it makes a descriptor. Threads: any. */
#ifndef GYRE_WAIT_SYS_H
#define GYRE_WAIT_SYS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

int gy_sys_epoll_create(void);
int gy_sys_eventfd_create(void);
int gy_sys_timerfd_create(void);
/* Becomes readable each time the wall clock is set, and when the machine has been suspended. */
int gy_sys_clock_watch_create(void);
void gy_sys_close(int fd);
bool gy_sys_is_open(int fd);

int gy_sys_epoll_add(int epoll_fd, int fd, uint32_t events, uint64_t data);
int gy_sys_epoll_modify(int epoll_fd, int fd, uint32_t events, uint64_t data);
int gy_sys_epoll_delete(int epoll_fd, int fd);

/* Waits for events; `timeout_ns` below zero: for ever. An interrupted wait returns 0. */
int gy_sys_epoll_wait(int epoll_fd, struct epoll_event *events, int room, int64_t timeout_ns);
int gy_sys_poll(struct pollfd *fds, unsigned count, int64_t timeout_ns);
/* For a wait that is refused altogether. */
void gy_sys_nap(int64_t ns);

/* Expires at `deadline_ns` of CLOCK_MONOTONIC. What has expired before is forgotten. */
int gy_sys_timerfd_set(int fd, int64_t deadline_ns);
int gy_sys_timerfd_disarm(int fd);

/* Makes an edge on an eventfd. Async-signal-safe; not a cancellation point; keeps errno. */
void gy_sys_eventfd_ring(int fd);

/* Empties an eventfd: only where it is polled, for then its level counts. */
void gy_sys_eventfd_clear(int fd);
/* The same; true if there was anything in it. Not a cancellation point; keeps errno. */
bool gy_sys_eventfd_take(int fd);

/* How many bytes wait to be read, 0 where that has no meaning. */
int gy_sys_pending_bytes(int fd);
/* Which of `events` and the hang-up events hold at this moment. */
uint32_t gy_sys_ready_now(int fd, uint32_t events);
/* Whether a descriptor is an eventfd that is not a semaphore, or a timerfd: what /proc tells. */
bool gy_sys_is_counter(int fd);

#endif
