/* unload LIBRARY: loads the shared library at run time, closes it with a loop alive, and ends the
 * loop's thread after that, which runs code of the library: it must have stayed. */
#include <dlfcn.h>
#include <gyre/gyre.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int calls, releases;

static void call(void *info) {
    (void)info;
    calls++;
}

static void release(void *info) {
    (void)info;
    releases++;
}

/* A function is found as an object pointer, which C does not convert. */
#define FIND(name)                                                                                 \
    __typeof__(name) *name##_found;                                                                \
    *(void **)&name##_found = dlsym(library, #name);                                               \
    if (name##_found == NULL) return "no " #name

static void *use(void *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    FIND(GYRunLoopGetCurrent);
    FIND(GYRunLoopPerform);
    FIND(GYRunLoopRunInMode);
    static const GYStringRef run = GYSTR("run"), never = GYSTR("never");
    GYRunLoopRef rl = GYRunLoopGetCurrent_found();
    GYRunLoopPerform_found(rl, run, call, NULL, release);
    GYRunLoopRunInMode_found(run, 0, false);
    GYRunLoopPerform_found(rl, never, call, NULL, release);
    if (dlclose(library) != 0) return dlerror();
    GYRunLoopPerform_found(rl, run, call, NULL, release);
    GYRunLoopRunInMode_found(run, 0, false);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    void *failure;
    if (argc != 2 || pthread_create(&thread, NULL, use, argv[1]) != 0) return 2;
    pthread_join(thread, &failure);
    if (failure != NULL) fprintf(stderr, "%s\n", (const char *)failure);
    if (failure != NULL || calls != 2) return 1;
    return releases == 3 ? 0 : 1; /* one by the end of the thread */
}
