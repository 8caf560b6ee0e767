/* The balance of open descriptors over a case. */
#include "runner.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int allowed;

void test_allow_descriptors(int count) { atomic_store(&allowed, count); }

static void append_descriptor(test_descriptor_list *list, int descriptor) {
    char link[64], target[256];
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%d -> %s\n", descriptor, target);
}

/* Through thread-self: once the first thread has ended, /proc/self/fd shows nothing. */
void test_descriptors_read(test_descriptor_list *list) {
    list->count = 0;
    list->text[0] = '\0';
    DIR *folder = opendir("/proc/thread-self/fd");
    if (folder == NULL) return;
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || descriptor == dirfd(folder)) continue;
        list->count++;
        append_descriptor(list, descriptor);
    }
    closedir(folder);
}

int test_descriptor_count(void) {
    test_descriptor_list *list = malloc(sizeof *list);
    if (list == NULL) return -1;
    test_descriptors_read(list);
    int count = list->count;
    free(list);
    return count;
}

int test_descriptors_balance(const test_descriptor_list *before, int only_ask) {
    static test_descriptor_list after;
    test_descriptors_read(&after);
    int change = after.count - before->count;
    if (change == atomic_load(&allowed)) return 1;
    if (only_ask) return 0;
    test_fail(__FILE__, __LINE__,
              "descriptors: %+d at the end, allowed %+d\n at the beginning:\n%s at the end:\n%s",
              change, atomic_load(&allowed), before->text, after.text);
    return 0;
}
