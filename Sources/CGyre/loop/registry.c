#define _GNU_SOURCE /* syscall */
#include "loop/registry.h"

#include "base/check.h"
#include "base/name.h"
#include "base/pool.h"
#include "loop/callbacks.h"
#include "loop/callout.h"
#include "loop/current.h"
#include "loop/describe.h"
#include "loop/embed.h"
#include "loop/fork.h"
#include "loop/main_queue.h"
#include "loop/membership.h"
#include "loop/observers.h"
#include "loop/performs.h"
#include "loop/schedule.h"
#include "loop/signal.h"
#include "loop/sources.h"
#include "loop/timers.h"
#include "loop/unwind.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The registry's lock protects all of these. */
static GYRunLoopRef main_loop; /* retained until it ends; still named, as dead, after that */
static bool is_set_up;
static pthread_key_t exit_key;
static gy_fork_hooks *fork_hooks;

/* How often the destructor of the key has been called on this thread, and whether the loop is gone.
 * Destructors that give their key a new value are called again, PTHREAD_DESTRUCTOR_ITERATIONS times
 * in all, which POSIX says is at least four: the loop is torn down in the third round, when those
 * of others have had their turn and may still have used it. One that comes later gets no loop, for
 * nothing would tear down a new one. */
static __thread int exit_round __attribute__((tls_model("initial-exec")));
static __thread bool has_ended __attribute__((tls_model("initial-exec")));

static bool is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* ---- the end of a thread ---- */

static void let_items_go(GYRunLoopRef loop) {
    gy_source_leave_all(loop);
    gy_timer_leave_all(loop);
    gy_observer_leave_all(loop);
    gy_perform_end(loop);
}

static void set_dead(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    /* Release: pairs with the acquire in gy_loop_is_dead. */
    atomic_store_explicit(&loop->is_dead, true, memory_order_release);
    gy_signal_end(loop);
    gy_loop_unlock(loop);
}

static void close_descriptors(GYRunLoopRef loop) {
    gy_wake_end(&loop->wake);
    gy_loop_lock(loop);
    gy_alarm_end(&loop->alarm);
    gy_loop_unfollow(loop);
    gy_poller_end(&loop->base);
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) gy_poller_end(&m->poller);
    gy_loop_unlock(loop);
}

static void begin_to_end(GYRunLoopRef loop) {
    gy_loop_lock(loop);
    loop->is_ending = true;
    gy_loop_unlock(loop);
}

/* R4. Callbacks on this thread may add what they please until the loop is dead: that goes in the
 * second round. What the thread's pools still hold is called while the loop can be used; the
 * callbacks have a pool of their own. */
static void tear_down(GYRunLoopRef loop) {
    gy_unwind_all(loop);
    gy_pool_end_thread();
    gy_pool_push(false);
    begin_to_end(loop);
    gy_embed_end_all(loop);
    let_items_go(loop);
    set_dead(loop);
    let_items_go(loop);
    close_descriptors(loop);
    gy_observer_release_late(loop);
    gy_registry_lock(); /* nobody is left between reading an item's loop and retaining it */
    gy_list_remove(&loop->in_registry);
    gy_registry_unlock();
    gy_pool_end_thread();
}

static void thread_exits(void *value) {
    GYRunLoopRef loop = value;
    gy_main_queue_end(loop);
    if (++exit_round < 3) {
        pthread_setspecific(exit_key, loop);
        return;
    }
    tear_down(loop);
    gy_current_loop = NULL;
    has_ended = true;
    if (!loop->is_main) gy_release(loop); /* the main loop is named for ever */
}

/* ---- fork ---- */

/* Every lock is held across a fork, so that the child finds nothing half-done. */
static void before_fork(void) {
    gy_registry_lock();
    for (gy_node *n = gy_all_loops.next; n != &gy_all_loops; n = n->next) {
        gy_lock_take_unranked(&gy_node_owner(n, struct GYRunLoop, in_registry)->lock);
    }
    gy_name_table_lock_for_fork();
    gy_membership_lock_for_fork();
    gy_callbacks_lock_for_fork();
    gy_schedule_lock_for_fork();
    for (gy_fork_hooks *h = fork_hooks; h != NULL; h = h->next) h->before();
}

static void unlock_all(void) {
    for (gy_fork_hooks *h = fork_hooks; h != NULL; h = h->next) h->after();
    gy_schedule_unlock_after_fork();
    gy_callbacks_unlock_after_fork();
    gy_membership_unlock_after_fork();
    gy_name_table_unlock_after_fork();
    for (gy_node *n = gy_all_loops.next; n != &gy_all_loops; n = n->next) {
        gy_lock_give_unranked(&gy_node_owner(n, struct GYRunLoop, in_registry)->lock);
    }
    gy_registry_unlock();
}

/* R7: the calling thread is the child's main thread; the loops of the others are dead. */
static void after_fork_in_child(void) {
    unlock_all();
    gy_check_reset_in_child();
    gy_callout_reset_in_child();
    gy_dispatch_give_up();
    GYRunLoopRef own = gy_current_loop;
    gy_fork_begin_generation(own);
    for (gy_node *n = gy_all_loops.next, *next; n != &gy_all_loops; n = next) {
        next = n->next;
        GYRunLoopRef loop = gy_node_owner(n, struct GYRunLoop, in_registry);
        gy_fork_disinherit(loop);
        if (loop == own) {
            gy_signal_reset_in_child(loop);
        } else {
            gy_fork_kill(loop);
        }
    }
    main_loop = own;
    if (own != NULL) own->is_main = true;
    for (gy_fork_hooks *h = fork_hooks; h != NULL; h = h->next) h->in_child();
}

/* ---- making loops ---- */

/* The registry's lock. False with errno. */
static bool set_up(void) {
    if (is_set_up) return true;
    int error = pthread_key_create(&exit_key, thread_exits);
    if (error == 0) error = pthread_atfork(before_fork, unlock_all, after_fork_in_child);
    is_set_up = error == 0;
    if (error != 0) errno = error;
    return is_set_up;
}

bool gy_registry_at_fork(gy_fork_hooks *hooks) {
    gy_registry_lock();
    bool ok = set_up();
    const gy_fork_hooks *h = fork_hooks;
    while (h != NULL && h != hooks) h = h->next;
    if (ok && h == NULL) {
        hooks->next = fork_hooks;
        fork_hooks = hooks;
    }
    gy_registry_unlock();
    return ok;
}

static const gy_type loop_type = {
    .kind = GY_KIND_RUN_LOOP,
    .name = "GYRunLoop",
    .finalize = gy_loop_finalize,
    .copy_description = gy_describe_loop,
};

static GYRunLoopRef make_loop(bool is_main) {
    if (!set_up()) return NULL;
    GYRunLoopRef loop = gy_loop_create(&loop_type, is_main, gy_unwind_to);
    if (loop != NULL) gy_list_append(&gy_all_loops, &loop->in_registry);
    return loop;
}

/* The registry's lock. */
static GYRunLoopRef need_main(void) {
    if (main_loop == NULL) main_loop = make_loop(true);
    return main_loop;
}

static void forget(GYRunLoopRef loop) {
    gy_registry_lock();
    gy_list_remove(&loop->in_registry);
    if (main_loop == loop) main_loop = NULL;
    gy_registry_unlock();
    gy_release(loop);
}

static GYRunLoopRef adopt(GYRunLoopRef loop) {
    if (loop == NULL) return NULL;
    int error = pthread_setspecific(exit_key, loop);
    if (error != 0) {
        if (!loop->is_main) forget(loop);
        errno = error;
        return NULL;
    }
    gy_current_loop = loop;
    return loop;
}

GYRunLoopRef gy_registry_current(void) {
    if (gy_current_loop != NULL) return gy_current_loop;
    if (has_ended) {
        errno = ESRCH;
        return NULL;
    }
    gy_registry_lock();
    GYRunLoopRef loop = is_main_thread() ? need_main() : make_loop(false);
    gy_registry_unlock();
    return adopt(loop);
}

/* The main thread's may have been made by another. */
GYRunLoopRef gy_registry_current_if_made(void) {
    if (gy_current_loop != NULL || has_ended || !is_main_thread()) return gy_current_loop;
    gy_registry_lock();
    bool is_made = main_loop != NULL;
    gy_registry_unlock();
    return is_made ? gy_registry_current() : NULL;
}

bool gy_registry_is_own(GYRunLoopRef loop) {
    if (gy_loop_is_current(loop)) return true;
    return loop->is_main && loop == gy_registry_current_if_made();
}

GYRunLoopRef gy_registry_main(void) {
    gy_registry_lock();
    GYRunLoopRef loop = need_main();
    gy_registry_unlock();
    return loop;
}
