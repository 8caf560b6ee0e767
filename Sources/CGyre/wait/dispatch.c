#define _GNU_SOURCE /* dl_iterate_phdr */
#include "wait/dispatch.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define PATH_ROOM 4096
#define FILE_NAME "/libdispatch.so"

/* What libdispatch exports for run loops, declared by no header, and two public names. */
#define HANDLE_NAME "_dispatch_get_main_queue_handle_4CF"
#define DRAIN_NAME "_dispatch_main_queue_callback_4CF"
#define LABEL_NAME "dispatch_queue_get_label"
#define QUEUE_NAME "_dispatch_main_q"

/* A program that is linked statically has them by these references or not at all: dlsym would not
 * see them there. */
extern int weak_handle(void) __asm__(HANDLE_NAME) __attribute__((weak));
extern void weak_drain(void *unused) __asm__(DRAIN_NAME) __attribute__((weak));
extern const char *weak_label(const void *queue) __asm__(LABEL_NAME) __attribute__((weak));
extern const char weak_queue[] __asm__(QUEUE_NAME) __attribute__((weak));

typedef struct hooks {
    int (*handle)(void);
    void (*drain)(void *unused);
    const char *(*label)(const void *queue); /* NULL: of the calling thread's queue */
    const void *queue;
} hooks;

static hooks found;
static bool has_given_up;
static unsigned long long objects_seen; /* loaded so far, when they were last looked at */

static bool is_complete(const hooks *h) {
    return h->handle != NULL && h->drain != NULL && h->label != NULL && h->queue != NULL;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *count) {
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

static bool has_new_objects(void) {
    unsigned long long objects = 0;
    if (dl_iterate_phdr(count_objects, &objects) == 0) return false;
    bool has_new = objects != objects_seen;
    objects_seen = objects;
    return has_new;
}

/* The path of the first object whose file has libdispatch's name. */
static int find_path(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    const char *name = info->dlpi_name == NULL ? NULL : strrchr(info->dlpi_name, '/');
    if (name == NULL || strncmp(name, FILE_NAME, sizeof FILE_NAME - 1) != 0) return 0;
    if (strlen(info->dlpi_name) >= PATH_ROOM) return 0;
    strcpy(path, info->dlpi_name);
    return 1;
}

/* Through the object itself: its names need not be in the global scope, as when a plugin brought it
 * along; and a lookup that fails would leave its text for the program's dlerror. It stays open, for
 * its code is called from now on. */
static void search_loaded(void) {
    char path[PATH_ROOM];
    if (dl_iterate_phdr(find_path, path) == 0) return;
    /* Not by its name: where a program is linked statically the linker would warn of it. */
    void *(*open_object)(const char *path, int flags);
    *(void **)&open_object = dlsym(RTLD_DEFAULT, "dlopen");
    void *object = open_object == NULL ? NULL : open_object(path, RTLD_LAZY | RTLD_NOLOAD);
    if (object == NULL) return;
    *(void **)&found.handle = dlsym(object, HANDLE_NAME);
    *(void **)&found.drain = dlsym(object, DRAIN_NAME);
    *(void **)&found.label = dlsym(object, LABEL_NAME);
    found.queue = dlsym(object, QUEUE_NAME);
}

static void search(void) {
    found = (hooks){weak_handle, weak_drain, weak_label, weak_queue};
    if (!is_complete(&found) && has_new_objects()) search_loaded();
}

/* libdispatch takes the thread that loads it for the main one, and a drain on another ends the
 * process. The queue that a thread is bound to is its current one, unless it is in the middle of
 * another's work: then the next look tells. */
static bool is_bound_to_this_thread(void) { return found.label(NULL) == found.label(found.queue); }

gy_dispatch gy_dispatch_find(void) {
    if (has_given_up) return GY_DISPATCH_NONE;
    if (!is_complete(&found)) search();
    if (!is_complete(&found) || !is_bound_to_this_thread()) return GY_DISPATCH_NONE;
    return (gy_dispatch){.handle = found.handle(), .drain = found.drain};
}

void gy_dispatch_give_up(void) { has_given_up = true; }
