#define _GNU_SOURCE /* syscall */
#include "sources/signal_watch.h"

#include "wait/sys.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_blocked_here(int signal) {
    sigset_t mask;
    return pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, signal) == 1;
}

/* False with errno; what was made is closed by the caller. */
static bool make_set(gy_signal_watch *watch, int signal) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, signal);
    watch->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    watch->set_fd = watch->signal_fd < 0 ? -1 : gy_sys_epoll_create();
    if (watch->set_fd < 0) return false;
    int error = gy_sys_epoll_add(watch->set_fd, gy_signal_slot_fd(watch->slot), POLLIN, 0);
    if (error == 0) error = gy_sys_epoll_add(watch->set_fd, watch->signal_fd, POLLIN, 1);
    if (error < 0) errno = -error;
    watch->port = watch->set_fd;
    return error == 0;
}

bool gy_signal_watch_begin(gy_signal_watch *watch, int signal) {
    *watch = (gy_signal_watch){.signal_fd = -1, .set_fd = -1};
    watch->slot = gy_signal_listen(signal);
    if (watch->slot == NULL) return false;
    watch->port = gy_signal_slot_fd(watch->slot);
    if (!is_blocked_here(signal) || make_set(watch, signal)) return true;
    gy_signal_watch_end(watch);
    return false;
}

void gy_signal_watch_end(gy_signal_watch *watch) {
    gy_sys_close(watch->set_fd);
    gy_sys_close(watch->signal_fd);
    gy_signal_unlisten(watch->slot);
}

static gy_signal_record record_of(const struct signalfd_siginfo *info) {
    gy_signal_record record = {.signal = (int32_t)info->ssi_signo, .code = info->ssi_code};
    record.pid = (int32_t)info->ssi_pid;
    record.uid = info->ssi_uid;
    record.value = info->ssi_ptr;
    record.status = info->ssi_status;
    return record;
}

/* What was pending is everybody's who watches the signal, as if the handler had been called. */
static bool take_pending(const gy_signal_watch *watch) {
    struct signalfd_siginfo info;
    int saved = errno;
    long n = syscall(SYS_read, watch->signal_fd, &info, sizeof info);
    errno = saved;
    if (n != (long)sizeof info) return false;
    gy_signal_record record = record_of(&info);
    gy_signal_tell(&record);
    return true;
}

bool gy_signal_watch_read(gy_signal_watch *watch, gy_signal_record *record) {
    if (gy_signal_slot_read(watch->slot, record)) return true;
    if (watch->signal_fd < 0 || !take_pending(watch)) return false;
    return gy_signal_slot_read(watch->slot, record);
}
