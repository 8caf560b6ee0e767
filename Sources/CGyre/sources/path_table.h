/* The paths of a file watcher, found by their text and by the number of their watch.
 *
 * Owns: the paths. Several may have one watch, for they may lead to one file. Relies on: base/set.
 * Threads: any, under the lock of the watcher. */
#ifndef GYRE_SOURCES_PATH_TABLE_H
#define GYRE_SOURCES_PATH_TABLE_H

#include "base/set.h"

typedef struct gy_path {
    uint32_t references; /* the table's, and those of callouts */
    uint32_t hash;       /* of the text */
    int watch;           /* as inotify numbers it */
    uint32_t events;     /* GYFileEvents that are asked for */
    uint64_t number;     /* in the order of adding */
    char text[];
} gy_path;

typedef struct gy_path_table {
    gy_set by_text, by_watch;
    uint64_t last_number;
} gy_path_table;

gy_path *gy_path_find(const gy_path_table *table, const char *text);
/* A new one, which is not in the table; NULL with errno. */
gy_path *gy_path_create(const char *text);
void gy_path_release(gy_path *path);

/* Puts it in, with its watch and number, and takes a reference. False with errno. */
bool gy_path_insert(gy_path_table *table, gy_path *path, int watch);
/* The table's reference is given up. */
void gy_path_remove(gy_path_table *table, gy_path *path);
/* It has another watch, and a new number. */
void gy_path_move(gy_path_table *table, gy_path *path, int watch);

/* The one with the least number above `after`, up to `limit`, that asks for any of `events`; NULL:
 * none. */
gy_path *gy_path_next(const gy_path_table *table, int watch, uint32_t events, uint64_t after,
                      uint64_t limit);

/* Takes all out that have the watch. */
void gy_path_remove_watch(gy_path_table *table, int watch);
void gy_path_table_destroy(gy_path_table *table);

#endif
