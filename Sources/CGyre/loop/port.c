#include "loop/port.h"

#include "base/check.h"
#include "loop/current.h"

#include <errno.h>
#include <stdlib.h>

#define HANG_UP (EPOLLHUP | EPOLLRDHUP | EPOLLERR)
/* What the kernel reports of every descriptor that is watched. */
#define UNASKED (EPOLLHUP | EPOLLERR)

static void take_off_ready(gy_port *port) {
    if (!gy_node_is_linked(&port->ready)) return;
    gy_list_remove(&port->ready);
    gy_tally_add(&port->mode->ready_count, -1);
    gy_tally_add(&port->mode->loop->ready_total, -1);
}

static bool is_called_now(GYRunLoopRef loop, GYRunLoopSourceRef source) {
    for (uint32_t i = 0; i < loop->depth; i++) {
        const gy_activation *run = &loop->activations[i];
        if (run->calling == GY_CALLOUT_SOURCE && run->item == source) return true;
    }
    return false;
}

static bool is_edge(const gy_port *port) {
    return port->is_counter && (port->wanted & EPOLLIN) != 0;
}

static uint32_t reported_to(const gy_port *port) {
    return port->wanted == 0 ? 0 : port->wanted | UNASKED;
}

/* What a watch has to report for all its ports; 0 when all are silent. */
static uint32_t events_of(const gy_watch *watch) {
    uint32_t events = 0, edge = EPOLLET;
    for (gy_node *n = watch->members.next; n != &watch->members; n = n->next) {
        const gy_port *port = gy_node_owner(n, gy_port, member);
        if (port->is_silent || port->wanted == 0) continue;
        events |= port->wanted;
        if (!is_edge(port)) edge = 0;
    }
    return events == 0 ? 0 : events | edge;
}

static int refresh(gy_watch *watch, gy_poller *poller) {
    uint32_t events = events_of(watch);
    return events == watch->events ? 0 : gy_poller_change(poller, watch, events);
}

/* The number means another file by now: the ports of the old one stay in their modes and are never
 * ready again (F72). */
static void orphan_members(gy_mode *mode, gy_watch *watch) {
    while (!gy_list_is_empty(&watch->members)) {
        gy_port *port = gy_node_owner(watch->members.next, gy_port, member);
        gy_list_remove(&port->member);
        take_off_ready(port);
        port->watch = NULL;
    }
    watch->events = 0; /* the kernel dropped the registration with the file, unless that lives on */
    mode->poller.may_echo = true;
    gy_poller_unwatch(&mode->poller, watch);
}

static int join_watch(gy_mode *mode, gy_watch *watch, gy_port *port) {
    gy_list_append(&watch->members, &port->member);
    /* Asked also when nothing changes: the answer tells whether the number is still the same file,
     * and an edge-triggered descriptor that is ready is reported to the newcomer. */
    int error = gy_poller_change(&mode->poller, watch, events_of(watch));
    if (error == 0) {
        port->watch = watch;
        return 0;
    }
    gy_list_remove(&port->member);
    if (error == -ENOENT || error == -EBADF) orphan_members(mode, watch);
    return error;
}

static int open_watch(gy_mode *mode, gy_port *port, int fd) {
    /* Where nothing is wanted yet, the kernel still has to say what the descriptor is. */
    uint32_t events = port->wanted | (is_edge(port) ? EPOLLET : 0) | EPOLLERR;
    gy_watch *watch = gy_poller_watch(&mode->poller, fd, events);
    if (watch == NULL) return -errno;
    port->watch = watch;
    gy_list_append(&watch->members, &port->member);
    return 0;
}

/* A file counts as always ready only while something is wanted of it. */
static void count_file(gy_port *port) {
    bool counts = port->is_file && (port->wanted & (EPOLLIN | EPOLLOUT)) != 0;
    if (counts == port->is_counted) return;
    gy_tally_add(&port->mode->file_count, counts ? 1 : -1);
    port->is_counted = counts;
}

static int register_port(GYRunLoopRef loop, gy_mode *mode, gy_port *port, int fd) {
    int error = gy_poller_watch_clock(&mode->poller, loop->base.clock_fd);
    if (error < 0) return error;
    error = gy_poller_prepare(&mode->poller, loop->base.wake_fd, loop->base.alarm_fd);
    if (error < 0) return error;
    gy_watch *watch = gy_poller_find(&mode->poller, fd);
    error = watch == NULL ? -ENOENT : join_watch(mode, watch, port);
    if (error == -ENOENT) error = open_watch(mode, port, fd);
    if (error != -EPERM) return error;
    port->is_file = true;
    gy_list_append(&mode->files, &port->member);
    count_file(port);
    return 0;
}

uint32_t gy_port_events(uint32_t events) {
    return (events & (EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP)) | EPOLLERR;
}

/* What has to be watched for. */
static uint32_t watched_for(uint32_t asked) {
    if (asked == 0) return 0;
    /* Without it a socket whose peer has shut down would be readable for ever, unrecognised. */
    return (asked & EPOLLIN) != 0 ? asked | EPOLLRDHUP | EPOLLERR : asked | EPOLLERR;
}

/* What was not asked for before is told anew, its end too (R97). Returns that. */
static uint32_t look_at_asked(gy_port *port) {
    GYRunLoopSourceRef source = port->source;
    uint32_t change = gy_port_change_of(source);
    /* Relaxed: ordered after the number, which may be that of a later word than this one. */
    uint32_t asked = atomic_load_explicit(source->asked, memory_order_relaxed);
    uint32_t more = asked & ~port->asked;
    atomic_store_explicit(&port->seen_change, change, memory_order_relaxed);
    port->asked = asked;
    port->told &= ~watched_for(more);
    port->wanted = watched_for(asked) & ~port->told;
    if (more != 0) port->is_silent = false;
    return more;
}

gy_port *gy_port_create(GYRunLoopRef loop, gy_mode *mode, GYRunLoopSourceRef source, int fd) {
    gy_port *port = calloc(1, sizeof *port);
    if (port == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    port->source = source;
    port->mode = mode;
    port->fd = fd;
    look_at_asked(port);
    /* A loop that waits in another set, or without one, has to come and look; a file is ready. */
    bool is_unseen = mode->poller.epoll_fd < 0 || !gy_mode_has_ports(mode);
    if (fd >= 0) {
        port->is_counter = !source->is_level && gy_sys_is_counter(fd);
        int error = register_port(loop, mode, port, fd);
        if (error < 0) {
            free(port);
            errno = -error;
            return NULL;
        }
    }
    gy_tally_add(&mode->port_count, 1);
    if (is_unseen || port->is_file) gy_loop_nudge(loop);
    return port;
}

/* Readiness that was fetched and is wanted no more gets no turn (R95). */
static void trim_ready(gy_port *port) {
    if (!gy_node_is_linked(&port->ready)) return;
    port->came &= reported_to(port);
    if (port->came == 0) take_off_ready(port);
}

/* While a callout of the descriptor's runs, a nested run may have made it edge-triggered (R98). */
static bool is_nested_edge(GYRunLoopRef loop, const gy_watch *watch) {
    if ((watch->events & EPOLLET) == 0 || loop->nested_edge_count == 0) return false;
    for (gy_node *n = watch->members.next; n != &watch->members; n = n->next) {
        if (gy_source_is_performing(gy_node_owner(n, gy_port, member)->source)) return true;
    }
    return false;
}

static int widen(GYRunLoopRef loop, gy_mode *mode, gy_watch *watch, bool is_more) {
    uint32_t events = events_of(watch), had = watch->events;
    if (events == 0) return 0;
    if (is_nested_edge(loop, watch)) events |= EPOLLET;
    bool is_covered = (events & ~had) == 0 && ((events ^ had) & EPOLLET) == 0;
    /* What came earlier is no edge any more: for who asks only now the kernel has to look anew. */
    if (is_covered && !(is_more && (had & EPOLLET) != 0)) return 0;
    int error = gy_poller_change(&mode->poller, watch, events);
    if (error == -ENOENT || error == -EBADF) orphan_members(mode, watch);
    return error;
}

int gy_port_want(GYRunLoopRef loop, gy_port *port) {
    gy_mode *mode = port->mode;
    bool was_counted = port->is_counted;
    uint32_t more = look_at_asked(port);
    int error = 0;
    port->anew |= more;
    trim_ready(port);
    count_file(port);
    if (port->watch != NULL) error = widen(loop, mode, port->watch, more != 0);
    /* A set tells a loop that sleeps in it by itself. */
    if (port->is_counted != was_counted || mode->poller.epoll_fd < 0) gy_loop_nudge(loop);
    return error;
}

/* Removed, and in no turn any more. */
static void free_port(gy_port *port) {
    if (port->owns_source) gy_release(port->source);
    free(port);
}

/* The lock. In a turn, it stays until that is over, and so does its source, which leaves its
 * mode. */
static void mark_removed(gy_port *port) {
    bool in_turn = (atomic_load_explicit(&port->uses, memory_order_relaxed) & GY_PORT_TURNS) != 0;
    if (in_turn) {
        gy_retain(port->source);
        port->owns_source = true;
    }
    /* Acquire and release: pairs with gy_port_end_turn; one of the two frees it. */
    if (atomic_fetch_or_explicit(&port->uses, GY_PORT_REMOVED, memory_order_acq_rel) != 0) return;
    if (in_turn) gy_release(port->source); /* the turn has just ended: not the last reference */
    port->owns_source = false;
    free_port(port);
}

void gy_port_remove(GYRunLoopRef loop, gy_port *port) {
    gy_mode *mode = port->mode;
    if (loop->last_port == port) loop->last_port = NULL;
    take_off_ready(port);
    if (gy_node_is_linked(&port->member)) gy_list_remove(&port->member);
    if (port->watch != NULL) {
        if (gy_list_is_empty(&port->watch->members)) {
            gy_poller_unwatch(&mode->poller, port->watch);
        } else {
            refresh(port->watch, &mode->poller);
        }
        port->watch = NULL;
    }
    port->wanted = 0;
    count_file(port);
    gy_tally_add(&mode->port_count, -1);
    mark_removed(port);
}

void gy_port_give_set_back(GYRunLoopRef loop, gy_mode *mode) {
    /* Asleep, and here: the wait is a host's. */
    if (!gy_loop_is_current(loop) || gy_wake_is_asleep(&loop->wake)) return;
    if (!gy_mode_has_ports(mode)) gy_poller_end(&mode->poller);
}

void gy_port_forget_ready(gy_mode *mode) {
    for (gy_node *n = mode->ready.next, *next; n != &mode->ready; n = next) {
        next = n->next;
        gy_port *port = gy_node_owner(n, gy_port, ready);
        if (!is_edge(port)) take_off_ready(port);
    }
}

void gy_port_forget_all(gy_mode *mode) {
    while (!gy_list_is_empty(&mode->ready)) {
        take_off_ready(gy_node_owner(mode->ready.next, gy_port, ready));
    }
}

static void make_ready(gy_mode *mode, gy_port *port, uint32_t events) {
    if (gy_node_is_linked(&port->ready)) {
        port->came |= events;
        return;
    }
    port->came = events;
    /* Behind all whose last turn is longer ago. What the kernel hands out comes nearly in that
     * order. */
    gy_node *before = mode->ready.previous;
    while (before != &mode->ready &&
           gy_node_owner(before, gy_port, ready)->last_turn > port->last_turn) {
        before = before->previous;
    }
    gy_list_append(before->next, &port->ready);
    gy_tally_add(&mode->ready_count, 1);
    gy_tally_add(&mode->loop->ready_total, 1);
}

/* R98: a level-triggered port whose callout is running is reported edge by edge. The change makes
 * the kernel report once what is there; this report, of the level, is not passed on. */
static bool turned_into_edge(GYRunLoopRef loop, gy_mode *mode, gy_watch *watch) {
    if ((watch->events & EPOLLET) != 0) return false;
    for (gy_node *n = watch->members.next; n != &watch->members; n = n->next) {
        const gy_port *port = gy_node_owner(n, gy_port, member);
        if (port->wanted == 0 || !is_called_now(loop, port->source)) continue;
        loop->nested_edge_count++;
        return gy_poller_change(&mode->poller, watch, watch->events | EPOLLET) == 0;
    }
    return false;
}

/* Something came that nobody wants any more, or not yet again: it is not to come again. False where
 * the registration turned out to be gone. */
static bool stop_unwanted(gy_mode *mode, gy_watch *watch, uint32_t events) {
    uint32_t wanted = events_of(watch);
    if (wanted != 0) wanted |= UNASKED;
    if ((events & ~wanted) == 0) return true;
    int error = refresh(watch, &mode->poller);
    if (error == -ENOENT || error == -EBADF) orphan_members(mode, watch);
    return error == 0;
}

/* True if the report is still to come, as that of an edge. */
static bool report_watch(GYRunLoopRef loop, gy_mode *mode, gy_watch *watch, uint32_t events) {
    if (!stop_unwanted(mode, watch, events)) return false;
    if (turned_into_edge(loop, mode, watch)) return true;
    for (gy_node *n = watch->members.next; n != &watch->members; n = n->next) {
        gy_port *port = gy_node_owner(n, gy_port, member);
        uint32_t mine = events & reported_to(port);
        if (mine != 0 && !port->is_silent) make_ready(mode, port, mine);
    }
    return false;
}

static void report_files(GYRunLoopRef loop, gy_mode *mode) {
    for (gy_node *n = mode->files.next; n != &mode->files; n = n->next) {
        gy_port *port = gy_node_owner(n, gy_port, member);
        if (port->is_told_inside || !port->is_counted) continue;
        if (is_called_now(loop, port->source)) port->is_told_inside = true;
        make_ready(mode, port, port->wanted & (EPOLLIN | EPOLLOUT));
    }
}

static void drop_echo(GYRunLoopRef loop, gy_mode *mode) {
    static const char text[] = "a watched descriptor was closed before its source was removed; "
                               "the mode's epoll set is made anew";
    /* Refused: the old set would report the echo again and again. */
    if (gy_poller_remake(&mode->poller) < 0) gy_poller_abandon(&mode->poller);
    gy_loop_unlock(loop);
    static _Atomic bool told;
    gy_report_once(&told, "GYRunLoopRunInMode", text, "R99");
    gy_loop_lock(loop);
}

bool gy_port_take_in(GYRunLoopRef loop, gy_mode *mode, const struct epoll_event *events,
                     int count) {
    bool again = false;
    for (int i = 0; i < count; i++) {
        gy_watch *watch = gy_poller_resolve(&mode->poller, &events[i]);
        if (watch != NULL) again |= report_watch(loop, mode, watch, events[i].events);
    }
    report_files(loop, mode);
    if (mode->poller.has_echo) drop_echo(loop, mode);
    return again;
}

/* A port that comes round again and again may be a closed descriptor whose file lives on in a
 * duplicate: its callout can take nothing from it. Asked ever more seldom, for it costs a call. */
static bool is_closed_by_client(GYRunLoopRef loop, gy_port *port) {
    if (loop->last_port != port) loop->turns_in_a_row = 0;
    loop->last_port = port;
    uint32_t turns = ++loop->turns_in_a_row;
    bool asks = turns >= 8 && ((turns & (turns - 1)) == 0 || turns % 64 == 0);
    return asks && !port->is_file && port->watch != NULL && !gy_sys_is_open(port->fd);
}

static gy_port *first_ready(gy_mode *mode) {
    if (gy_list_is_empty(&mode->ready)) return NULL;
    gy_port *port = gy_node_owner(mode->ready.next, gy_port, ready);
    take_off_ready(port);
    return port;
}

gy_port *gy_port_begin_turn(GYRunLoopRef loop, gy_mode *mode, uint32_t *events) {
    gy_port *port = first_ready(mode);
    if (port == NULL) return NULL;
    if (is_closed_by_client(loop, port)) {
        orphan_members(mode, port->watch);
        drop_echo(loop, mode);
        return NULL;
    }
    port->last_turn = ++loop->sequence;
    port->anew = 0;
    *events = port->came;
    atomic_fetch_add_explicit(&port->uses, 1,
                              memory_order_relaxed); /* under the lock, as a removal is */
    gy_source_begin_call(port->source);
    return port;
}

/* The hang-up has been told, and nothing is left to read: the port falls silent (R97), unless the
 * callout has asked for more. What can still be waited for on a socket that is only half closed is
 * the room to write. */
static void silence(gy_mode *mode, gy_port *port, uint32_t events) {
    if ((port->anew & ~(uint32_t)EPOLLOUT) != 0 || port->wanted == 0) return;
    if (port->anew != 0 || ((events & UNASKED) == 0 && (port->wanted & EPOLLOUT) != 0)) {
        port->told |= EPOLLIN | EPOLLRDHUP;
        port->wanted &= ~port->told;
    } else {
        port->is_silent = true;
    }
    refresh(port->watch, &mode->poller);
}

/* Level-triggered again once no callout of the descriptor's sources is in progress. */
static void restore_levels(GYRunLoopRef loop) {
    loop->nested_edge_count = 0;
    uint32_t cursor = 0;
    for (gy_mode *m; (m = gy_loop_next_mode(loop, &cursor)) != NULL;) {
        uint32_t i = 0;
        for (gy_watch *w; (w = gy_set_next(&m->poller.watches, &i)) != NULL;) {
            bool busy = false;
            for (gy_node *n = w->members.next; n != &w->members; n = n->next) {
                busy |= is_called_now(loop, gy_node_owner(n, gy_port, member)->source);
            }
            if (!busy) {
                refresh(w, &m->poller);
            } else {
                loop->nested_edge_count++;
            }
        }
    }
}

static void settle_turn(GYRunLoopRef loop, gy_port *port, uint32_t events, bool took_bytes) {
    gy_loop_lock(loop);
    uint32_t turns = atomic_load_explicit(&port->uses, memory_order_relaxed) & GY_PORT_TURNS;
    if (turns == 1) port->is_told_inside = false;
    if (loop->nested_edge_count > 0) restore_levels(loop);
    bool hung_up = (events & HANG_UP) != 0 && !is_edge(port) && port->watch != NULL;
    if (hung_up && !took_bytes) silence(port->mode, port, events);
    gy_loop_unlock(loop);
}

void gy_port_end_turn(GYRunLoopRef loop, gy_port *port, uint32_t events, bool took_bytes) {
    /* Nothing but the own thread changes the two that are read here without the lock. */
    if ((events & HANG_UP) != 0 || port->is_file || loop->nested_edge_count > 0) {
        settle_turn(loop, port, events, took_bytes);
    }
    uint32_t uses = atomic_fetch_sub_explicit(&port->uses, 1, memory_order_acq_rel);
    if (uses == (GY_PORT_REMOVED | 1)) free_port(port);
}
