/* The main queue where a CoreFoundation is in the process too, whose main loop serves it as well:
 * each loop does while it is the one that runs (R210, R211). */
#define _GNU_SOURCE 1
#include "support/dispatch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* CoreFoundation's functions, by name: its headers are not there to be compiled with these. */
static struct {
    int32_t (*run_in_mode)(const void *mode, double seconds, unsigned char returns_after_source);
    void (*stop)(void *loop);
    void *(*get_main)(void);
    const void **default_mode;
} cf;

/* Foundation has it inside, and lies beside libdispatch. */
static bool load_foundation(void) {
    Dl_info info;
    char path[4096];
    if (dladdr(&_dispatch_main_q, &info) == 0) return false;
    snprintf(path, sizeof path, "%s", info.dli_fname);
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash + sizeof "/libFoundation.so" > path + sizeof path) return false;
    strcpy(slash, "/libFoundation.so");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return false;
    *(void **)&cf.run_in_mode = dlsym(library, "CFRunLoopRunInMode");
    *(void **)&cf.stop = dlsym(library, "CFRunLoopStop");
    *(void **)&cf.get_main = dlsym(library, "CFRunLoopGetMain");
    cf.default_mode = dlsym(library, "kCFRunLoopDefaultMode");
    return cf.run_in_mode != NULL && cf.stop != NULL && cf.get_main != NULL &&
           cf.default_mode != NULL;
}

/* It takes seconds to load under a sanitizer, which finds leaks of its own in it. */
#define FOUNDATION_TEST(sentence)                                                                  \
    static void beside_##sentence(void);                                                           \
    MAIN_QUEUE_TEST(sentence) {                                                                    \
        TEST_SKIP_IF(test_is_sanitized(), "Foundation is not loaded under a sanitizer");           \
        TEST_SKIP_IF(!load_foundation(), "there is no Foundation");                                \
        beside_##sentence();                                                                       \
    }                                                                                              \
    static void beside_##sentence(void)

static void run_cf(void) { cf.run_in_mode(*cf.default_mode, 10, false); }

static void stop_cf(void *word) {
    loop_traces(word);
    cf.stop(cf.get_main());
}

/* R210 */
FOUNDATION_TEST(work_is_done_by_the_loop_that_runs) {
    for (int i = 0; i < 3; i++) {
        queue_work(loop_stops, "gyre");
        EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
        queue_work(stop_cf, "cf");
        run_cf();
    }
    EXPECT_STR(test_trace_take(), "gyre cf gyre cf gyre cf");
}

static void run_cf_inside(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    queue_work(stop_cf, "inner");
    run_cf();
    queue_work(loop_stops, "outer");
}

/* R210 */
FOUNDATION_TEST(a_loop_that_is_run_in_a_callout_of_the_other_does_it) {
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, run_cf_inside, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "inner outer");
    loop_drop(timer);
}

static void run_gyre_inside(void *unused) {
    (void)unused;
    queue_work(stop_cf, "queued-inside");
    loop_run(0.02);
    test_trace("block");
}

static void run_cf_briefly(void *unused) {
    (void)unused;
    queue_work(loop_stops, "queued-inside");
    cf.run_in_mode(*cf.default_mode, 0.02, false);
    test_trace("block");
}

/* R211: libdispatch does not drain a queue in one of its own blocks, and tells of what is left. */
FOUNDATION_TEST(what_is_queued_in_a_block_that_runs_the_other_loop_is_not_lost) {
    queue_work(run_gyre_inside, NULL);
    run_cf();
    EXPECT_STR(test_trace_take(), "block queued-inside");
    queue_work(run_cf_briefly, NULL);
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT_STR(test_trace_take(), "block queued-inside");
}

TEST_MAIN()
