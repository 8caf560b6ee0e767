#include "sources/path_table.h"

#include "base/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t text_hash(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static uint32_t watch_hash(int watch) { return (uint32_t)watch * 2654435769u; }

gy_path *gy_path_find(const gy_path_table *table, const char *text) {
    uint32_t cursor = 0;
    for (gy_path *p; (p = gy_set_candidate(&table->by_text, text_hash(text), &cursor)) != NULL;) {
        if (strcmp(p->text, text) == 0) return p;
    }
    return NULL;
}

gy_path *gy_path_create(const char *text) {
    size_t size = strlen(text) + 1;
    gy_path *path = calloc(1, sizeof *path + size);
    if (path == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    path->references = 1;
    path->hash = text_hash(text);
    memcpy(path->text, text, size);
    return path;
}

void gy_path_release(gy_path *path) {
    if (path != NULL && --path->references == 0) free(path);
}

bool gy_path_insert(gy_path_table *table, gy_path *path, int watch) {
    if (!gy_set_insert(&table->by_text, path, path->hash)) return false;
    if (!gy_set_insert(&table->by_watch, path, watch_hash(watch))) {
        gy_set_remove(&table->by_text, path, path->hash);
        return false;
    }
    path->watch = watch;
    path->number = ++table->last_number;
    path->references++;
    return true;
}

void gy_path_remove(gy_path_table *table, gy_path *path) {
    gy_set_remove(&table->by_text, path, path->hash);
    gy_set_remove(&table->by_watch, path, watch_hash(path->watch));
    gy_path_release(path);
}

void gy_path_move(gy_path_table *table, gy_path *path, int watch) {
    gy_set_remove(&table->by_watch, path, watch_hash(path->watch));
    /* There is room where one has just gone. */
    bool ok = gy_set_insert(&table->by_watch, path, watch_hash(watch));
    gy_assert(ok);
    (void)ok;
    path->watch = watch;
    path->number = ++table->last_number;
}

gy_path *gy_path_next(const gy_path_table *table, int watch, uint32_t events, uint64_t after,
                      uint64_t limit) {
    gy_path *next = NULL;
    uint32_t cursor = 0;
    for (gy_path *p;
         (p = gy_set_candidate(&table->by_watch, watch_hash(watch), &cursor)) != NULL;) {
        if (p->watch != watch || (p->events & events) == 0) continue;
        if (p->number > after && p->number <= limit) {
            next = p;
            limit = p->number;
        }
    }
    return next;
}

void gy_path_remove_watch(gy_path_table *table, int watch) {
    for (gy_path *p; (p = gy_path_next(table, watch, UINT32_MAX, 0, UINT64_MAX)) != NULL;) {
        gy_path_remove(table, p);
    }
}

void gy_path_table_destroy(gy_path_table *table) {
    uint32_t cursor = 0;
    for (gy_path *p; (p = gy_set_next(&table->by_text, &cursor)) != NULL;) gy_path_release(p);
    gy_set_destroy(&table->by_text);
    gy_set_destroy(&table->by_watch);
}
