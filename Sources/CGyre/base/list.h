/* An intrusive, circular, doubly linked list. A node that is in no list points to itself or is
 * zeroed. Owns nothing; the lock that protects a list is its user's. */
#ifndef GYRE_BASE_LIST_H
#define GYRE_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gy_node {
    struct gy_node *next, *previous;
} gy_node;

#define gy_node_owner(node, type, member)                                                          \
    ((type *)(void *)((char *)(node) - offsetof(type, member)))

static inline void gy_list_init(gy_node *list) { list->next = list->previous = list; }

static inline bool gy_list_is_empty(const gy_node *list) { return list->next == list; }

static inline void gy_list_append(gy_node *list, gy_node *node) {
    node->previous = list->previous;
    node->next = list;
    list->previous->next = node;
    list->previous = node;
}

static inline void gy_list_remove(gy_node *node) {
    node->previous->next = node->next;
    node->next->previous = node->previous;
    node->next = node->previous = NULL;
}

static inline bool gy_node_is_linked(const gy_node *node) { return node->next != NULL; }

#endif
