#include "allocations.h"

#include <errno.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_ALLOCATOR
#endif
#endif
#ifndef __GLIBC__
#define HAS_OTHER_ALLOCATOR
#endif

#ifdef HAS_OTHER_ALLOCATOR

bool allocations_are_counted(void) { return false; }
long allocations_made(void) { return 0; }
long allocations_refused(void) { return 0; }
void allocations_refuse(long number) { (void)number; }

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* Initial-exec: to reach them allocates nothing. */
#define HERE static __thread __attribute__((tls_model("initial-exec")))
HERE long made, refused;
HERE long to_refuse; /* how many allocations from now; 0: none */

bool allocations_are_counted(void) { return true; }
long allocations_made(void) { return made; }
long allocations_refused(void) { return refused; }
void allocations_refuse(long number) { to_refuse = number; }

static bool is_refused(void) {
    made++;
    if (to_refuse == 0 || --to_refuse > 0) return false;
    refused++;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return is_refused() ? NULL : __libc_calloc(count, size); }

void *realloc(void *old, size_t size) { return is_refused() ? NULL : __libc_realloc(old, size); }

void *memalign(size_t alignment, size_t size) {
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *aligned = memalign(alignment, size);
    if (aligned == NULL) return ENOMEM;
    *memory = aligned;
    return 0;
}

#endif
