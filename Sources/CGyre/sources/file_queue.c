#define _GNU_SOURCE /* syscall */
#include "sources/file_queue.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How long the second half of a move is waited for. It is under way when the first half is there,
 * unless the file has left what is watched. */
enum { HALF_MOVE_NS = 1000000 };

/* A half that has been put together with the other: skipped. No watch has the number. */
enum { SPENT = -2 };

static struct inotify_event *event_at(gy_file_queue *queue, uint32_t at) {
    return (struct inotify_event *)(void *)&queue->bytes[at];
}

static uint32_t size_of(const struct inotify_event *event) {
    return (uint32_t)sizeof *event + event->len;
}

/* Behind what is left, which moves to the front. False: nothing came. */
static bool read_more(gy_file_queue *queue, gy_file_turn *turn) {
    if (turn->reads == 0) return false;
    turn->reads--;
    memmove(queue->bytes, &queue->bytes[queue->at], queue->end - queue->at);
    queue->end -= queue->at;
    queue->at = 0;
    int saved = errno;
    long n =
        syscall(SYS_read, queue->fd, &queue->bytes[queue->end], sizeof queue->bytes - queue->end);
    errno = saved;
    if (n <= 0) return false;
    queue->end += (uint32_t)n;
    return true;
}

static struct inotify_event *find_other_half(gy_file_queue *queue, uint32_t cookie) {
    for (uint32_t at = queue->at; at < queue->end; at += size_of(event_at(queue, at))) {
        struct inotify_event *event = event_at(queue, at);
        if ((event->mask & IN_MOVED_TO) != 0 && event->cookie == cookie) return event;
    }
    return NULL;
}

static bool is_half_move(const struct inotify_event *event) {
    return (event->mask & IN_MOVED_FROM) != 0 && event->cookie != 0;
}

/* True if there is more to read. The raw call: ppoll() is a cancellation point, and a lock is
 * held. */
static bool waits_for_half(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec t = {0, HALF_MOVE_NS};
    int saved = errno;
    long n = syscall(SYS_ppoll, &p, 1, &t, NULL, 0);
    errno = saved;
    return n > 0;
}

/* The first half of a move that is the last event of what has been read. True if the event can be
 * told, with or without its other half. */
static bool complete(gy_file_queue *queue, gy_file_turn *turn) {
    const struct inotify_event *event = event_at(queue, queue->at);
    bool is_last = queue->at + size_of(event) == queue->end;
    if (!is_half_move(event) || !is_last || !waits_for_half(queue->fd)) return true;
    return read_more(queue, turn); /* false: the descriptor can be read, so there is a next turn */
}

static void copy_name(char *to, const struct inotify_event *event) {
    size_t size = event->len == 0 ? 0 : strnlen(event->name, event->len);
    if (size >= GY_FILE_NAME_ROOM) size = GY_FILE_NAME_ROOM - 1;
    memcpy(to, event->name, size);
    to[size] = '\0';
}

static void fill(gy_file_record *record, const struct inotify_event *event) {
    record->watch = event->wd;
    record->mask = event->mask;
    record->cookie = event->cookie;
    record->old_watch = -1;
    record->old_name[0] = '\0';
    copy_name(record->name, event);
}

static void take(gy_file_queue *queue, gy_file_record *record) {
    struct inotify_event *event = event_at(queue, queue->at);
    queue->at += size_of(event);
    fill(record, event);
    struct inotify_event *other =
        is_half_move(event) ? find_other_half(queue, event->cookie) : NULL;
    if (other == NULL) return;
    fill(record, other);
    record->mask |= IN_MOVED_FROM;
    record->old_watch = event->wd;
    copy_name(record->old_name, event);
    other->wd = SPENT;
    other->mask = 0;
    other->cookie = 0;
}

bool gy_file_queue_take(gy_file_queue *queue, gy_file_turn *turn, gy_file_record *record) {
    do {
        if (queue->at == queue->end && !read_more(queue, turn)) return false;
        if (!complete(queue, turn)) return false;
        take(queue, record);
    } while (record->watch == SPENT);
    return true;
}
