/* What inotify has queued, one event at a time, with the halves of a move put together.
 *
 * Owns: a buffer with what has been read and not been told. Relies on: a descriptor of the
 * watcher's. Threads: any, under the lock of the watcher.
 *
 * The kernel queues the two halves of a move one after the other, but not at once: they share a
 * cookie, others may come in between, and a read may end between them. So the second half is looked
 * for in all that has been read; where the first is the last event of it, a little is waited. */
#ifndef GYRE_SOURCES_FILE_QUEUE_H
#define GYRE_SOURCES_FILE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GY_FILE_NAME_ROOM = 256 }; /* NAME_MAX and the terminator */

/* The mask has IN_MOVED_FROM and IN_MOVED_TO where both halves have come. */
typedef struct gy_file_record {
    int watch;
    uint32_t mask, cookie;
    char name[GY_FILE_NAME_ROOM]; /* empty: none */
    int old_watch;                /* of a whole move, as all that is old */
    char old_name[GY_FILE_NAME_ROOM];
} gy_file_record;

typedef struct gy_file_queue {
    int fd;
    uint32_t at, end; /* what is left in the buffer */
    _Alignas(8) char bytes[4096];
} gy_file_queue;

/* How often a turn may still read: a flood must not keep the loop in one turn. */
typedef struct gy_file_turn {
    int reads;
} gy_file_turn;

/* The oldest; false: there is none, or it has to wait for the next turn, which will come. */
bool gy_file_queue_take(gy_file_queue *queue, gy_file_turn *turn, gy_file_record *record);

#endif
