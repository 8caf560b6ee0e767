#define _GNU_SOURCE /* syscall, __WALL */
#include "sources/process_source.h"

#include "loop/sources.h"
#include "sources/signal_watch.h"
#include "wait/sys.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* on every architecture */
#endif

/* waitid's P_PIDFD, which older headers do not have. */
enum { BY_PIDFD = 3 };

typedef struct process_source {
    gy_own own; /* first */
    int pid_fd; /* -1: by SIGCHLD */
    int32_t pid;
    bool leaves_status;
    bool is_told; /* the lock */
    gy_signal_watch children; /* valid where there is no pidfd */
    GYProcessCallBack callout;
} process_source;

/* The raw call: waitid() is a cancellation point, and a lock is held. */
static int wait_for(int by, int id, siginfo_t *info, int how) {
    return (int)syscall(SYS_waitid, by, id, info, how, NULL);
}

/* What waitid says without waiting: 0 and the status, or a pid of 0 where it has not ended; -1. */
static int ask(const process_source *p, int options, siginfo_t *info) {
    const int how = WEXITED | WNOHANG | __WALL | options;
    *info = (siginfo_t){0};
    if (p->pid_fd >= 0) {
        int result = wait_for(BY_PIDFD, p->pid_fd, info, how);
        if (result == 0 || errno != EINVAL) return result;
        /* Before Linux 5.4. The number cannot be another's: a child's is kept for its parent. */
    }
    return wait_for(P_PID, p->pid, info, how);
}

static GYProcessEnd end_of(int32_t pid, const siginfo_t *info) {
    GYProcessEnd end = {.pid = pid, .code = info->si_status};
    end.outcome = info->si_code == CLD_EXITED ? kGYProcessExited : kGYProcessSignalled;
    end.dumpedCore = info->si_code == CLD_DUMPED;
    return end;
}

/* True if it has ended; the status is taken. */
static bool find_end(const process_source *p, GYProcessEnd *end) {
    siginfo_t info;
    if (ask(p, p->leaves_status ? WNOWAIT : 0, &info) != 0) {
        /* No child, whose descriptor is readable; or one whose status somebody else has taken. */
        *end = (GYProcessEnd){.pid = p->pid, .outcome = kGYProcessEnded};
        return true;
    }
    if (info.si_pid == 0) return false;
    *end = end_of(p->pid, &info);
    return true;
}

static void forget_signals(process_source *p) {
    gy_signal_record record;
    while (p->pid_fd < 0 && gy_signal_watch_read(&p->children, &record)) {
    }
}

/* Once, whoever else has the source in a loop. */
static bool is_to_be_told(process_source *p, GYProcessEnd *end) {
    if (!gy_own_enter(&p->own)) return false;
    int saved = errno;
    forget_signals(p);
    bool tells = !p->is_told && find_end(p, end);
    if (tells) p->is_told = true;
    errno = saved;
    gy_own_leave(&p->own);
    return tells;
}

static void perform(void *object) {
    process_source *p = object;
    GYProcessEnd end;
    if (!is_to_be_told(p, &end)) return;
    /* Before the callout: its descriptor stays readable, and a nested run, or another loop, would
     * go round and round. */
    gy_source_invalidate(p->own.source);
    if (p->callout != NULL) p->callout(p->own.source, &end, p->own.client.info);
}

static void end(gy_own *own) {
    process_source *p = (process_source *)(void *)own;
    if (p->pid_fd >= 0) {
        gy_sys_close(p->pid_fd);
    } else {
        gy_signal_watch_end(&p->children);
    }
}

static const gy_own_kind kind = {perform, end, NULL};

/* ---- making ---- */

/* A number that has become free is no process; one may be there that is another user's. */
static bool is_there(int32_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

/* A signal that came before this one watched is made up for: the first turn looks in any case. */
static bool watch_children(process_source *p) {
    siginfo_t info;
    if (ask(p, WNOWAIT, &info) != 0) {
        errno = is_there(p->pid) ? ENOSYS : ESRCH;
        return false;
    }
    if (!gy_signal_watch_begin(&p->children, SIGCHLD)) return false;
    const gy_signal_record look = {.signal = SIGCHLD};
    gy_signal_slot_write(p->children.slot, &look);
    p->own.port = p->children.port;
    return true;
}

/* False with errno. Close-on-exec without being asked to be. A filter may refuse it with EPERM. */
static bool watch(process_source *p) {
    p->pid_fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    p->own.port = p->pid_fd;
    if (p->pid_fd >= 0) return true;
    return (errno == ENOSYS || errno == EPERM) && watch_children(p);
}

GYRunLoopSourceRef gy_process_source_create(int32_t pid, GYOptionFlags options, GYIndex order,
                                            GYProcessCallBack callout, gy_client client) {
    process_source *p = gy_own_create(sizeof *p, &kind);
    if (p == NULL) return NULL;
    p->pid = pid;
    p->leaves_status = (options & kGYProcessLeaveStatus) != 0;
    p->callout = callout;
    if (watch(p)) {
        GYRunLoopSourceRef source = gy_own_make_source(&p->own, order, client);
        if (source != NULL) return source;
        end(&p->own);
    }
    int saved = errno;
    gy_own_discard(&p->own);
    errno = saved;
    return NULL;
}
