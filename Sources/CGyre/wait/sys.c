/* The traps of this boundary, which the callers above rely on being met here or in poller.c:
 *
 * - epoll watches the open file, not the number: closing a number that has a duplicate leaves the
 *   registration behind, and it can no longer be deleted (poller.c makes a new set).
 * - EPOLL_CTL_ADD refuses regular files and directories with EPERM: they are always ready.
 * - EPOLL_CTL_MOD reports an edge-triggered descriptor anew if it is ready.
 * - An eventfd whose counter is full refuses a write with EAGAIN and makes no edge.
 * - timerfd_settime with zero disarms; a moment in the past expires at once.
 * - epoll_wait rounds to milliseconds; epoll_pwait2 does not, and came with Linux 5.11.
 * - write(), open(), read() and ppoll() are cancellation points: a thread cancelled in one would
 *   leave a loop marked as woken without the edge that wakes it, or its lock taken. The raw system
 *   calls are not; the wait alone is meant to be one. */
#define _GNU_SOURCE /* ppoll, epoll_pwait2 */
#include "wait/sys.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int gy_sys_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
int gy_sys_eventfd_create(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
int gy_sys_timerfd_create(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Armed for a moment that does not come: setting the clock cancels that, and a cancellation is an
 * event, the next one too though nobody has read the first. */
int gy_sys_clock_watch_create(void) {
    struct itimerspec far = {.it_value.tv_sec = INT64_C(9000000000)}; /* the year 2255 */
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) return -1;
    int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    /* ECANCELED: it was set just now, and the timer is armed. */
    if (timerfd_settime(fd, flags, &far, NULL) == 0 || errno == ECANCELED) return fd;
    gy_sys_close(fd);
    return -1;
}

/* Linux frees the number before it can fail: never tried again. The raw call, since close() is a
 * cancellation point and callers are in the middle of something. */
void gy_sys_close(int fd) {
    int saved = errno;
    if (fd >= 0) syscall(SYS_close, fd);
    errno = saved;
}

bool gy_sys_is_open(int fd) {
    int saved = errno;
    bool is_open = fcntl(fd, F_GETFD) >= 0;
    errno = saved;
    return is_open;
}

static int control(int epoll_fd, int operation, int fd, uint32_t events, uint64_t data) {
    struct epoll_event e = {.events = events, .data.u64 = data};
    return epoll_ctl(epoll_fd, operation, fd, &e) == 0 ? 0 : -errno;
}

int gy_sys_epoll_add(int epoll_fd, int fd, uint32_t events, uint64_t data) {
    return control(epoll_fd, EPOLL_CTL_ADD, fd, events, data);
}

int gy_sys_epoll_modify(int epoll_fd, int fd, uint32_t events, uint64_t data) {
    return control(epoll_fd, EPOLL_CTL_MOD, fd, events, data);
}

int gy_sys_epoll_delete(int epoll_fd, int fd) { return control(epoll_fd, EPOLL_CTL_DEL, fd, 0, 0); }

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){(time_t)(ns / GY_NS_PER_SECOND), (long)(ns % GY_NS_PER_SECOND)};
}

/* Rounded up: a wait may be long, never short. */
static int milliseconds_of(int64_t ns) {
    int64_t ms = ns / 1000000 + (ns % 1000000 != 0);
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* Weak: glibc has it since 2.35, musl not yet. A library call, for the wait is a cancellation
 * point whichever call makes it. */
extern int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *)
    __attribute__((weak));

/* Set by the first refusal (ENOSYS, or EPERM from a filter). Relaxed: each thread may find out. */
static _Atomic bool pwait2_refused;

static int wait_precisely(int epoll_fd, struct epoll_event *events, int room, int64_t timeout_ns) {
    struct timespec t = timespec_of(timeout_ns);
    int n = epoll_pwait2(epoll_fd, events, room, &t, NULL);
    if (n < 0 && (errno == ENOSYS || errno == EPERM)) {
        atomic_store_explicit(&pwait2_refused, true, memory_order_relaxed);
        return epoll_wait(epoll_fd, events, room, milliseconds_of(timeout_ns));
    }
    return n;
}

int gy_sys_epoll_wait(int epoll_fd, struct epoll_event *events, int room, int64_t timeout_ns) {
    int n;
    if (timeout_ns <= 0) {
        n = epoll_wait(epoll_fd, events, room, timeout_ns < 0 ? -1 : 0);
    } else if (epoll_pwait2 != NULL &&
               !atomic_load_explicit(&pwait2_refused, memory_order_relaxed)) {
        n = wait_precisely(epoll_fd, events, room, timeout_ns);
    } else {
        n = epoll_wait(epoll_fd, events, room, milliseconds_of(timeout_ns));
    }
    if (n >= 0) return n;
    return errno == EINTR ? 0 : -errno;
}

int gy_sys_poll(struct pollfd *fds, unsigned count, int64_t timeout_ns) {
    struct timespec t = timespec_of(timeout_ns < 0 ? 0 : timeout_ns);
    int n = ppoll(fds, count, timeout_ns < 0 ? NULL : &t, NULL);
    if (n >= 0) return n;
    return errno == EINTR ? 0 : -errno;
}

void gy_sys_nap(int64_t ns) {
    struct timespec t = timespec_of(ns);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL); /* may be interrupted: the caller looks again */
}

int gy_sys_timerfd_set(int fd, int64_t deadline_ns) {
    struct itimerspec spec = {.it_value = timespec_of(deadline_ns < 1 ? 1 : deadline_ns)};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : -errno;
}

int gy_sys_timerfd_disarm(int fd) {
    struct itimerspec spec = {.it_value = {0, 0}};
    return timerfd_settime(fd, 0, &spec, NULL) == 0 ? 0 : -errno;
}

bool gy_sys_eventfd_take(int fd) {
    int saved = errno;
    uint64_t count;
    long n;
    while ((n = syscall(SYS_read, fd, &count, sizeof count)) < 0 && errno == EINTR) {
    }
    errno = saved;
    return n == (long)sizeof count;
}

void gy_sys_eventfd_clear(int fd) { gy_sys_eventfd_take(fd); }

/* A refused write makes no edge: the counter is emptied, and the next write makes one. The number
 * of tries only bounds what another writer, who fills it again each time, could do. */
void gy_sys_eventfd_ring(int fd) {
    int saved = errno;
    uint64_t one = 1;
    for (int tries = 0; tries < 16; tries++) {
        if (syscall(SYS_write, fd, &one, sizeof one) >= 0) break;
        if (errno == EAGAIN)
            gy_sys_eventfd_clear(fd);
        else if (errno != EINTR)
            break;
    }
    errno = saved;
}

int gy_sys_pending_bytes(int fd) {
    int count = 0;
    return ioctl(fd, FIONREAD, &count) == 0 && count > 0 ? count : 0;
}

uint32_t gy_sys_ready_now(int fd, uint32_t events) {
    /* The bits of poll and epoll are the same numbers on Linux. */
    struct pollfd p = {.fd = fd, .events = (short)events};
    struct timespec none = {0, 0};
    long n = syscall(SYS_ppoll, &p, 1, &none, NULL, 0);
    return n > 0 ? (uint32_t)(unsigned short)p.revents : 0;
}

/* The link's text, or what stands in a small file, NUL-terminated; false where there is none. */
static bool read_proc_link(int fd, char *text, size_t room) {
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, text, room - 1);
    if (n < 0) return false;
    text[n] = '\0';
    return true;
}

static bool is_semaphore(int fd) {
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    int info = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (info < 0) return false;
    long n = syscall(SYS_read, info, text, sizeof text - 1);
    gy_sys_close(info);
    if (n < 0) return false;
    text[n] = '\0';
    const char *field = strstr(text, "eventfd-semaphore:");
    return field != NULL && strchr(field + 18, '1') != NULL;
}

bool gy_sys_is_counter(int fd) {
    char link[64];
    int saved = errno;
    bool counter = false;
    if (read_proc_link(fd, link, sizeof link)) {
        counter = strcmp(link, "anon_inode:[timerfd]") == 0 ||
                  (strcmp(link, "anon_inode:[eventfd]") == 0 && !is_semaphore(fd));
    }
    errno = saved;
    return counter;
}
