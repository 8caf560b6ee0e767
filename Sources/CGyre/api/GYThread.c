/* Threads. No locks. */
#define _GNU_SOURCE /* pthread_setname_np */
#include <gyre/GYThread.h>

#include "base/check.h"
#include "base/utf8.h"

#include <pthread.h>
#include <string.h>

/* Without the NUL; the C library refuses a longer name as a whole. */
#define LONGEST_NAME 15

void GYThreadSetName(const char *name) {
    if (name == NULL) {
        gy_report("GYThreadSetName", "the name is NULL", "R170");
        return;
    }
    char kept[LONGEST_NAME + 1] = "";
    size_t length = strlen(name);
    if (length > LONGEST_NAME) length = gy_utf8_whole((const uint8_t *)name, LONGEST_NAME);
    memcpy(kept, name, length);
    pthread_setname_np(pthread_self(), kept);
}
