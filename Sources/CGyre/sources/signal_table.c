#define _GNU_SOURCE /* SA_ flags, SIGRTMAX */
#include "sources/signal_table.h"

#include "base/lock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEVELS = 8 };

/* A handler that was there before ours. Kept for good, and shared by all that found the same. */
typedef struct earlier {
    struct earlier *next;
    void (*plain)(int);
    void (*full)(int, siginfo_t *, void *); /* or NULL */
    bool is_for_once;                       /* SA_RESETHAND */
} earlier;

/* The lock, but for the atomics, which the handler reads.
 *
 * Somebody may install a handler over ours and call ours from it; if ours were installed once more,
 * over that one, the two would call each other for ever. So there are several, one above the other:
 * each calls what it found, and only the one that is installed last, the active one, tells the
 * slots. */
typedef struct signal_state {
    _Atomic(earlier *) earlier[LEVELS]; /* NULL: the default, or the signal was ignored */
    struct sigaction found[LEVELS];
    _Atomic int active; /* level + 1; 0: none */
    int depth;          /* levels that are installed, or that a foreign handler may call */
    uint32_t users;
} signal_state;

static gy_lock lock = GY_LOCK_INIT(GY_RANK_TABLE);
static signal_state states[GY_SIGNALS];
static earlier *all_earlier;
/* The process that the slots belong to: in the child of a vfork, or of a fork until its handlers
 * have run, the handler must not write to the parent's pipes. */
static _Atomic int owner;

bool gy_signal_is_watchable(int signal) {
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL: return false;
    default: return signal > 0 && (signal < 32 || (signal >= SIGRTMIN && signal <= SIGRTMAX));
    }
}

/* ---- the handler ---- */

/* Which members are valid depends on who sent it; the others hold parts of something else. */
static gy_signal_record record_of(int signal, const siginfo_t *info) {
    gy_signal_record record = {.signal = signal, .code = info->si_code};
    switch (info->si_code) {
    case SI_QUEUE:
    case SI_MESGQ: record.value = (uint64_t)(uintptr_t)info->si_value.sival_ptr; /* fallthrough */
    case SI_USER:
    case SI_TKILL:
        record.pid = info->si_pid;
        record.uid = info->si_uid;
        break;
    case SI_TIMER: record.value = (uint64_t)(uintptr_t)info->si_value.sival_ptr; break;
    default:
        if (signal != SIGCHLD || info->si_code < 0) break;
        record.pid = info->si_pid;
        record.uid = info->si_uid;
        record.status = info->si_status;
    }
    return record;
}

static void call_earlier(signal_state *state, int level, int signal, siginfo_t *info, void *frame) {
    /* Acquire: pairs with the release in install. */
    earlier *e = atomic_load_explicit(&state->earlier[level], memory_order_acquire);
    if (e == NULL) return;
    /* Relaxed: who wins calls it. */
    if (e->is_for_once &&
        !atomic_compare_exchange_strong_explicit(&state->earlier[level], &e, NULL,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        return;
    }
    if (e->full != NULL) {
        e->full(signal, info, frame);
    } else {
        e->plain(signal);
    }
}

static void handle(int level, int signal, siginfo_t *info, void *frame) {
    int saved = errno;
    signal_state *state = &states[signal];
    /* Relaxed: a signal that comes while handlers change hands may be told by either. */
    if (atomic_load_explicit(&state->active, memory_order_relaxed) == level + 1 &&
        atomic_load_explicit(&owner, memory_order_relaxed) == getpid()) {
        gy_signal_record record = record_of(signal, info);
        gy_signal_tell(&record);
    }
    errno = saved;
    call_earlier(state, level, signal, info, frame);
    errno = saved;
}

#define HANDLER(level)                                                                             \
    static void handle_##level(int signal, siginfo_t *info, void *frame) {                         \
        handle(level, signal, info, frame);                                                        \
    }
HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
HANDLER(4)
HANDLER(5)
HANDLER(6)
HANDLER(7)

static void (*const handlers[LEVELS])(int, siginfo_t *, void *) = {
    handle_0, handle_1, handle_2, handle_3, handle_4, handle_5, handle_6, handle_7,
};

/* ---- installing, and giving back ---- */

/* -1: not one of ours. */
static int level_of(const struct sigaction *action) {
    int level = LEVELS - 1;
    if ((action->sa_flags & SA_SIGINFO) == 0) return -1;
    while (level >= 0 && action->sa_sigaction != handlers[level]) level--;
    return level;
}

static bool calls_nothing(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) == 0 &&
           (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN);
}

static bool is_of(const earlier *e, const struct sigaction *action) {
    bool is_full = (action->sa_flags & SA_SIGINFO) != 0;
    bool is_for_once = (action->sa_flags & (int)SA_RESETHAND) != 0;
    if (e->is_for_once != is_for_once || (e->full != NULL) != is_full) return false;
    return is_full ? e->full == action->sa_sigaction : e->plain == action->sa_handler;
}

/* The lock. False for want of memory. */
static bool find_earlier(const struct sigaction *action, earlier **out) {
    *out = NULL;
    if (calls_nothing(action)) return true;
    for (*out = all_earlier; *out != NULL && !is_of(*out, action);) *out = (*out)->next;
    if (*out != NULL) return true;
    earlier *made = calloc(1, sizeof *made);
    if (made == NULL) return false;
    if ((action->sa_flags & SA_SIGINFO) != 0) {
        made->full = action->sa_sigaction;
    } else {
        made->plain = action->sa_handler;
    }
    made->is_for_once = (action->sa_flags & (int)SA_RESETHAND) != 0;
    made->next = all_earlier;
    all_earlier = *out = made;
    return true;
}

/* What a program notices besides the handler stays as it was: its mask, whether calls are
 * interrupted, whether children that end are waited for. */
static struct sigaction action_of(int level, const struct sigaction *found) {
    struct sigaction action = *found;
    bool had_none = calls_nothing(found);
    action.sa_flags &= SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT;
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    if (had_none) {
        sigemptyset(&action.sa_mask);
        action.sa_flags |= SA_RESTART;
        if (found->sa_handler == SIG_IGN) action.sa_flags |= SA_NOCLDWAIT;
    }
    action.sa_sigaction = handlers[level];
    return action;
}

/* What is called has to be known before the handler is there. The lock. */
static bool install(int signal, int level, struct sigaction found) {
    signal_state *state = &states[signal];
    earlier *e;
    if (!find_earlier(&found, &e)) return false;
    atomic_store_explicit(&state->earlier[level], e, memory_order_release); /* call_earlier */
    atomic_store_explicit(&state->active, level + 1, memory_order_relaxed);
    struct sigaction action = action_of(level, &found);
    if (sigaction(signal, &action, &state->found[level]) != 0) return false;
    state->depth = level + 1;
    /* Somebody else was quicker than this, in between. */
    if (find_earlier(&state->found[level], &e)) {
        atomic_store_explicit(&state->earlier[level], e, memory_order_release);
    }
    return true;
}

/* One of our handlers is installed, and the active one. The lock. */
static bool need_handler(int signal) {
    signal_state *state = &states[signal];
    struct sigaction current;
    if (sigaction(signal, NULL, &current) != 0) return false;
    int level = level_of(&current);
    if (level >= 0) {
        state->depth = level + 1;
        atomic_store_explicit(&state->active, level + 1, memory_order_relaxed);
        return true;
    }
    if (state->depth < LEVELS) return install(signal, state->depth, current);
    errno = EBUSY;
    return false;
}

/* The lock. What was replaced since stays in the hands of who replaced it: ours, if it is still
 * called from there, calls what it found. */
static void give_handler_back(int signal) {
    signal_state *state = &states[signal];
    struct sigaction current;
    if (sigaction(signal, NULL, &current) != 0) return;
    int level = level_of(&current);
    if (level < 0) return;
    struct sigaction found = state->found[level];
    bool has_run = (found.sa_flags & (int)SA_RESETHAND) != 0 &&
                   atomic_load_explicit(&state->earlier[level], memory_order_relaxed) == NULL;
    if (has_run && !calls_nothing(&found)) {
        found.sa_flags &= ~SA_SIGINFO;
        found.sa_handler = SIG_DFL;
    }
    sigaction(signal, &found, NULL);
    state->depth = level;
}

gy_signal_slot *gy_signal_listen(int signal) {
    gy_lock_take(&lock);
    atomic_store_explicit(&owner, getpid(), memory_order_relaxed);
    gy_signal_slot *slot = gy_signal_slot_open(signal);
    if (slot != NULL && !need_handler(signal)) {
        int saved = errno;
        gy_signal_slot_give_up(slot);
        slot = NULL;
        errno = saved;
    }
    if (slot != NULL) states[signal].users++;
    gy_lock_give(&lock);
    return slot;
}

void gy_signal_unlisten(gy_signal_slot *slot) {
    int saved = errno, signal = gy_signal_slot_signal(slot);
    gy_lock_take(&lock);
    gy_signal_slot_give_up(slot);
    if (--states[signal].users == 0) give_handler_back(signal);
    gy_lock_give(&lock);
    errno = saved;
}

/* ---- fork ---- */

void gy_signal_lock_for_fork(void) { gy_lock_take_unranked(&lock); }
void gy_signal_unlock_after_fork(void) { gy_lock_give_unranked(&lock); }
