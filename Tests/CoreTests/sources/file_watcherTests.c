/* Files and directories as sources: what is told of which path, moves, what is lost, and limits. */
#include "api/misuse.h"
#include "items/source.h"
#include "support/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <gyre/GYFileWatcher.h>
#include <gyre/GYString.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each case works in a folder of its own, which is the current one. */
static char folder[] = "/tmp/gyre-XXXXXX";

static void remove_folder(void) {
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    EXPECT_INT(system(command), 0);
}

static void enter_folder(void) {
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    REQUIRE(mkdir("in", 0700) == 0 && mkdir("out", 0700) == 0 && mkdir("other", 0700) == 0);
}

#define FOLDER_TEST(sentence)                                                                      \
    static void in_folder_##sentence(void);                                                        \
    LOOP_TEST(sentence) {                                                                          \
        enter_folder();                                                                            \
        in_folder_##sentence();                                                                    \
        remove_folder();                                                                           \
    }                                                                                              \
    static void in_folder_##sentence(void)

static void touch(const char *path) {
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    close(fd);
}

static void append(const char *path) {
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    REQUIRE(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
}

static void move(const char *from, const char *to) { REQUIRE(rename(from, to) == 0); }

/* ---- events as words ---- */

static const char *word_of(GYFileEvents event) {
    static const char *const words[] = {"created",  "modified",  "written",   "attributes",
                                        "deleted",  "moved",     "out",       "in",
                                        "selfgone", "selfmoved", "unmounted", "overflow"};
    for (int i = 0; i < 12; i++) {
        if (event == 1UL << i) return words[i];
    }
    return "?";
}

static const char *or_dash(const char *text) { return text == NULL ? "-" : text; }

static void traces(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    if (e->event == kGYFileMoved) {
        test_trace("moved:%s/%s>%s/%s", or_dash(e->oldPath), or_dash(e->oldName), or_dash(e->path),
                   or_dash(e->name));
    } else {
        test_trace("%s:%s/%s", word_of(e->event), or_dash(e->path), or_dash(e->name));
    }
}

static GYRunLoopSourceRef watcher_of(GYFileWatcherCallBack callout, void *info) {
    GYCallBackContext context = {.info = info};
    GYRunLoopSourceRef source = GYFileWatcherCreateRunLoopSource(NULL, 0, callout, &context);
    REQUIRE(source != NULL);
    return loop_in(kGYRunLoopDefaultMode, source);
}

static GYRunLoopSourceRef watch(const char *path, GYFileEvents events) {
    GYRunLoopSourceRef source = watcher_of(traces, NULL);
    REQUIRE(GYFileWatcherAddPath(source, path, events));
    return source;
}

/* What happened in this process is queued by the time that it returns. */
static const char *told(void) {
    while (GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true) == kGYRunLoopRunHandledSource) {
    }
    return test_trace_take();
}

/* ---- what is told ---- */

/* R251 */
FOLDER_TEST(what_happens_to_the_entries_of_a_directory_is_told_in_order) {
    GYRunLoopSourceRef source = watch("in", kGYFileAllEvents);
    touch("in/a");
    append("in/a");
    REQUIRE(chmod("in/a", 0644) == 0);
    REQUIRE(unlink("in/a") == 0);
    EXPECT_STR(told(), "created:in/a written:in/a modified:in/a written:in/a attributes:in/a "
                       "deleted:in/a");
    loop_drop(source);
}

/* R251 */
FOLDER_TEST(what_happens_to_a_file_is_told_without_a_name) {
    touch("in/a");
    GYRunLoopSourceRef source = watch("in/a", kGYFileAllEvents);
    append("in/a");
    move("in/a", "in/b");
    append("in/b");
    REQUIRE(unlink("in/b") == 0);
    EXPECT_STR(told(), "modified:in/a/- written:in/a/- selfmoved:in/a/- modified:in/a/- "
                       "written:in/a/- attributes:in/a/- selfgone:in/a/-");
    EXPECT(!GYFileWatcherRemovePath(source, "in/a")); /* it went by itself */
    loop_drop(source);
}

/* R251 */
FOLDER_TEST(only_what_is_asked_for_is_told) {
    GYRunLoopSourceRef source = watch("in", kGYFileDeleted);
    touch("in/a");
    append("in/a");
    REQUIRE(unlink("in/a") == 0);
    EXPECT_STR(told(), "deleted:in/a");
    loop_drop(source);
}

static bool was_directory;

static void keeps_kind(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    was_directory = e->isDirectory != 0;
}

/* R251 */
FOLDER_TEST(a_directory_is_told_from_a_file) {
    GYRunLoopSourceRef source = watcher_of(keeps_kind, NULL);
    REQUIRE(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    REQUIRE(mkdir("in/d", 0700) == 0);
    told();
    EXPECT(was_directory);
    touch("in/a");
    told();
    EXPECT(!was_directory);
    loop_drop(source);
}

/* R251, F62 */
FOLDER_TEST(a_loop_that_runs_a_mode_of_its_own_alone_is_served) {
    GYRunLoopSourceRef source = GYFileWatcherCreateRunLoopSource(NULL, 0, traces, NULL);
    REQUIRE(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/a"); /* kept until the source is in a mode */
    loop_in(GYSTR("my.mode"), source);
    EXPECT_INT(GYRunLoopRunInMode(GYSTR("my.mode"), 10, true), kGYRunLoopRunHandledSource);
    EXPECT_STR(test_trace_take(), "created:in/a");
    loop_drop(source);
}

static void touches(void *path) { touch(path); }

/* R251 */
FOLDER_TEST(a_sleeping_loop_is_woken) {
    GYRunLoopSourceRef source = watch("in", kGYFileCreated);
    pthread_t thread = test_thread_start(touches, "in/a");
    EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    test_thread_join(thread);
    EXPECT_STR(test_trace_take(), "created:in/a");
    loop_drop(source);
}

/* ---- paths ---- */

/* R252 */
FOLDER_TEST(a_path_that_is_added_twice_is_told_once_and_as_asked_last) {
    GYRunLoopSourceRef source = watch("in", kGYFileCreated | kGYFileDeleted);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/a");
    REQUIRE(unlink("in/a") == 0);
    EXPECT_STR(told(), "created:in/a");
    EXPECT(GYFileWatcherRemovePath(source, "in"));
    EXPECT(!GYFileWatcherRemovePath(source, "in"));
    touch("in/b");
    EXPECT_STR(told(), "");
    loop_drop(source);
}

/* R252 */
FOLDER_TEST(two_names_of_one_file_are_told_each) {
    touch("in/a");
    REQUIRE(link("in/a", "in/b") == 0 && symlink("a", "in/c") == 0);
    GYRunLoopSourceRef source = watch("in/a", kGYFileModified);
    EXPECT(GYFileWatcherAddPath(source, "in/b", kGYFileWritten));
    EXPECT(GYFileWatcherAddPath(source, "in/c", kGYFileModified | kGYFileWritten));
    append("in/a");
    EXPECT_STR(told(), "modified:in/a/- modified:in/c/- written:in/b/- written:in/c/-");
    EXPECT(GYFileWatcherRemovePath(source, "in/a"));
    EXPECT(GYFileWatcherRemovePath(source, "in/c"));
    append("in/a");
    EXPECT_STR(told(), "written:in/b/-");
    loop_drop(source);
}

/* R252 */
FOLDER_TEST(a_name_that_leads_to_another_file_is_watched_anew_when_it_is_added_again) {
    touch("in/a");
    GYRunLoopSourceRef source = watch("in/a", kGYFileModified);
    touch("in/new");
    move("in/a", "in/old");
    move("in/new", "in/a");
    append("in/a");
    EXPECT_STR(told(), "");
    EXPECT(GYFileWatcherAddPath(source, "in/a", kGYFileModified));
    append("in/old");
    EXPECT_STR(told(), "");
    append("in/a");
    EXPECT_STR(told(), "modified:in/a/-");
    loop_drop(source);
}

/* R252 */
FOLDER_TEST(what_is_queued_of_a_path_that_is_removed_is_not_told) {
    GYRunLoopSourceRef source = watch("in", kGYFileCreated);
    EXPECT(GYFileWatcherAddPath(source, "out", kGYFileCreated));
    touch("in/a");
    touch("out/b");
    EXPECT(GYFileWatcherRemovePath(source, "in"));
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/c");
    EXPECT_STR(told(), "created:out/b created:in/c");
    loop_drop(source);
}

static void removes(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    traces(source, e, unused);
    EXPECT(GYFileWatcherRemovePath(source, e->path));
    EXPECT_STR(e->path, "in"); /* still there */
}

/* R252 */
FOLDER_TEST(a_path_that_is_removed_in_the_callout_is_told_no_more) {
    GYRunLoopSourceRef source = watcher_of(removes, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/a");
    touch("in/b");
    EXPECT_STR(told(), "created:in/a");
    loop_drop(source);
}

static void adds_links(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    traces(source, e, unused);
    char name[8] = "in/";
    snprintf(name + 3, sizeof name - 3, "%d", rand() % 1000);
    if (link("in/a", name) == 0) GYFileWatcherAddPath(source, name, kGYFileModified);
}

/* R252 */
FOLDER_TEST(a_path_that_is_added_in_the_callout_is_told_of_what_comes_after) {
    touch("in/a");
    GYRunLoopSourceRef source = watcher_of(adds_links, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in/a", kGYFileModified));
    append("in/a");
    EXPECT_STR(told(), "modified:in/a/-");
    loop_drop(source);
}

static void ends(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    traces(source, e, unused);
    GYRunLoopSourceInvalidate(source);
}

/* R255 */
FOLDER_TEST(a_source_that_ends_in_its_callout_tells_nothing_more) {
    GYRunLoopSourceRef source = watcher_of(ends, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/a");
    touch("in/b");
    EXPECT_INT(loop_run(10), kGYRunLoopRunFinished);
    EXPECT_STR(test_trace_take(), "created:in/a");
    errno = 0;
    EXPECT(!GYFileWatcherAddPath(source, "in", kGYFileCreated));
    EXPECT_INT(errno, EINVAL);
    EXPECT(!GYFileWatcherRemovePath(source, "in"));
    GYRelease(source);
}

static void runs_nested(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    traces(source, e, unused);
    if (strcmp(or_dash(e->name), "a") != 0) return;
    touch("in/c");
    GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, true);
    EXPECT_STR(e->name, "a"); /* still there */
}

/* R255 */
FOLDER_TEST(a_run_in_the_callout_goes_on_where_that_is) {
    GYRunLoopSourceRef source = watcher_of(runs_nested, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileCreated));
    touch("in/a");
    touch("in/b");
    EXPECT_STR(told(), "created:in/a created:in/b created:in/c");
    loop_drop(source);
}

/* ---- moves ---- */

/* R253 */
FOLDER_TEST(a_move_is_one_event_with_both_names) {
    touch("in/a");
    GYRunLoopSourceRef source = watch("in", kGYFileMoved);
    EXPECT(GYFileWatcherAddPath(source, "out", kGYFileMoved));
    move("in/a", "in/b");
    move("in/b", "out/c");
    EXPECT_STR(told(), "moved:in/a>in/b moved:in/b>out/c");
    loop_drop(source);
}

/* R253 */
FOLDER_TEST(half_a_move_is_told_as_going_out_or_coming_in) {
    touch("in/a");
    GYRunLoopSourceRef source = watch("in", kGYFileMoved);
    move("in/a", "other/a");
    EXPECT_STR(told(), "out:in/a");
    move("other/a", "in/b");
    EXPECT_STR(told(), "in:in/b");
    move("in/b", "other/b");
    touch("in/c"); /* not asked for */
    move("in/c", "in/d");
    EXPECT_STR(told(), "out:in/b moved:in/c>in/d");
    loop_drop(source);
}

/* R253 */
FOLDER_TEST(a_move_between_paths_that_are_not_watched_any_more_is_told_by_half) {
    touch("in/a");
    touch("in/b");
    GYRunLoopSourceRef source = watch("in", kGYFileMoved);
    EXPECT(GYFileWatcherAddPath(source, "out", kGYFileMoved));
    move("in/a", "out/a");
    EXPECT(GYFileWatcherRemovePath(source, "out"));
    EXPECT_STR(told(), "out:in/a");
    EXPECT(GYFileWatcherAddPath(source, "out", kGYFileMoved));
    move("in/b", "out/b");
    EXPECT(GYFileWatcherRemovePath(source, "in"));
    EXPECT_STR(told(), "in:out/b");
    loop_drop(source);
}

static atomic_int outs;

static void counts_outs(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    if (e->event == kGYFileMovedOut) atomic_fetch_add(&outs, 1);
}

static void performs_while_cancelled(void *source) {
    pthread_cancel(pthread_self());
    GYRunLoopSourceRef s = source;
    s->callbacks->perform(s->info); /* a turn, without the wait before it, which ends the thread */
}

/* A lock is held while the second half is waited for: the thread must not end there. */
FOLDER_TEST(waiting_for_half_a_move_is_no_cancellation_point) {
    touch("in/a");
    GYRunLoopSourceRef source = watcher_of(counts_outs, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileMoved));
    move("in/a", "other/a");
    test_thread_join(test_thread_start(performs_while_cancelled, source));
    EXPECT_INT(atomic_load(&outs), 1);
    loop_drop(source);
}

static uint32_t cookies[2];
static int moves;

static void keeps_cookies(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    if (moves < 2) cookies[moves] = e->cookie;
    moves++;
}

/* R253 */
FOLDER_TEST(the_halves_that_two_sources_hear_have_one_cookie) {
    touch("in/a");
    GYRunLoopSourceRef a = watcher_of(keeps_cookies, NULL), b = watcher_of(keeps_cookies, NULL);
    EXPECT(GYFileWatcherAddPath(a, "in", kGYFileMoved));
    EXPECT(GYFileWatcherAddPath(b, "out", kGYFileMoved));
    move("in/a", "out/a");
    told();
    EXPECT_INT(moves, 2);
    EXPECT(cookies[0] != 0);
    EXPECT_INT(cookies[0], cookies[1]);
    loop_drop(a);
    loop_drop(b);
}

enum { MOVED = 2000 };
static atomic_int whole, halves;

static void counts_moves(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    atomic_fetch_add(e->event == kGYFileMoved ? &whole : &halves, 1);
}

static void moves_to_and_fro(void *unused) {
    (void)unused;
    for (int i = 0; i < MOVED; i++) {
        move(i % 2 == 0 ? "in/a" : "out/a", i % 2 == 0 ? "out/a" : "in/a");
    }
}

/* R253. A read may end between the halves: no half is lost, and those that were read together, or
 * one shortly after the other, are one event. */
FOLDER_TEST(moves_that_happen_meanwhile_are_put_together) {
    touch("in/a");
    GYRunLoopSourceRef source = watcher_of(counts_moves, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileMoved));
    EXPECT(GYFileWatcherAddPath(source, "out", kGYFileMoved));
    pthread_t thread = test_thread_start(moves_to_and_fro, NULL);
    while (2 * atomic_load(&whole) + atomic_load(&halves) < 2 * MOVED) {
        EXPECT_INT(GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true), kGYRunLoopRunHandledSource);
    }
    test_thread_join(thread);
    EXPECT_INT(2 * atomic_load(&whole) + atomic_load(&halves), 2 * MOVED);
    EXPECT(atomic_load(&whole) > atomic_load(&halves));
    loop_drop(source);
}

/* ---- limits ---- */

static int events_told, overflows;

static void counts_events(GYRunLoopSourceRef source, const GYFileEvent *e, void *unused) {
    (void)source;
    (void)unused;
    if (e->event != kGYFileOverflowed) {
        events_told++;
        return;
    }
    EXPECT(e->path == NULL && e->name == NULL);
    overflows++;
}

static int limit_of(const char *name) {
    char path[64], text[16] = "0";
    snprintf(path, sizeof path, "/proc/sys/fs/inotify/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) text[0] = '0';
    if (fd >= 0) close(fd);
    return atoi(text);
}

/* R254 */
FOLDER_TEST(what_the_kernel_had_no_room_for_is_told_as_an_overflow) {
    int limit = limit_of("max_queued_events");
    TEST_SKIP_IF(limit <= 0 || limit > 200000, "the queue is too long to be filled");
    GYRunLoopSourceRef source = watcher_of(counts_events, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileAttributes));
    touch("in/a");
    touch("in/b");
    for (int i = 0; i < limit + 100; i++) chmod(i % 2 == 0 ? "in/a" : "in/b", 0600);
    told();
    EXPECT_INT(overflows, 1);
    EXPECT_INT(events_told, limit);
    chmod("in/a", 0644);
    told();
    EXPECT_INT(events_told, limit + 1);
    loop_drop(source);
}

static void stops_after(GYRunLoopTimerRef timer, void *unused) {
    (void)timer;
    (void)unused;
    GYRunLoopStop(GYRunLoopGetCurrent());
}

/* R255: a turn is bounded, so a timer has its turn between two of a long queue. */
FOLDER_TEST(a_long_queue_does_not_keep_the_loop_in_one_turn) {
    GYRunLoopSourceRef source = watcher_of(counts_events, NULL);
    EXPECT(GYFileWatcherAddPath(source, "in", kGYFileAttributes));
    touch("in/a");
    touch("in/b");
    for (int i = 0; i < 4000; i++) chmod(i % 2 == 0 ? "in/a" : "in/b", 0600);
    GYRunLoopTimerRef timer = loop_in(kGYRunLoopDefaultMode, loop_timer(0, 0, stops_after, NULL));
    EXPECT_INT(loop_run(10), kGYRunLoopRunStopped);
    EXPECT(events_told < 4000);
    told();
    EXPECT_INT(events_told, 4000);
    loop_drop(timer);
    loop_drop(source);
}

/* Makes the kernel refuse a system call in this process. */
static void refuse(int number, int error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* R250 */
FOLDER_TEST(a_watch_too_many_is_refused_and_the_others_go_on) {
    GYRunLoopSourceRef source = watch("in", kGYFileCreated);
    refuse(SYS_inotify_add_watch, ENOSPC);
    EXPECT(!GYFileWatcherAddPath(source, "out", kGYFileCreated));
    EXPECT_INT(errno, ENOSPC);
    EXPECT(!GYFileWatcherAddPath(source, "in", kGYFileDeleted));
    EXPECT_INT(errno, ENOSPC);
    touch("out/b");
    touch("in/a");
    EXPECT_STR(told(), "created:in/a");
    loop_drop(source);
}

static void released(const void *info) { test_trace("released %s", (const char *)info); }

/* R250 */
LOOP_TEST(a_watcher_too_many_is_refused) {
    GYCallBackContext context = {.info = "info", .release = released};
    struct rlimit limit, none;
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    EXPECT(GYFileWatcherCreateRunLoopSource(NULL, 0, traces, &context) == NULL);
    EXPECT_INT(errno, EMFILE);
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_STR(test_trace_take(), "released info");
}

/* R83 */
LOOP_TEST(the_context_is_released_with_the_source) {
    GYCallBackContext context = {.info = "info", .release = released};
    GYRunLoopSourceRef source = GYFileWatcherCreateRunLoopSource(NULL, 5, traces, &context);
    EXPECT_INT(GYRunLoopSourceGetOrder(source), 5);
    GYRunLoopSourceInvalidate(source);
    EXPECT_STR(test_trace_take(), "");
    GYRelease(source);
    EXPECT_STR(test_trace_take(), "released info");
}

/* R250 */
FOLDER_TEST(what_the_system_refuses_is_told_by_errno_alone) {
    test_capture_log();
    GYRunLoopSourceRef source = watch("in", kGYFileCreated);
    errno = 0;
    EXPECT(!GYFileWatcherAddPath(source, "nowhere", kGYFileCreated));
    EXPECT_INT(errno, ENOENT);
    EXPECT_STR(test_log(), "");
    loop_drop(source);
}

/* R250 */
LOOP_TEST(bad_arguments_are_refused) {
    test_capture_log();
    GYCallBackContext newer = {.version = 1};
    EXPECT(GYFileWatcherCreateRunLoopSource(NULL, 0, traces, &newer) == NULL);
    EXPECT_REPORTED("GYFileWatcherCreateRunLoopSource");
    GYRunLoopSourceRef plain = loop_source0(0, NULL, NULL), source = watcher_of(traces, NULL);
    EXPECT(!GYFileWatcherAddPath(NULL, "/", kGYFileCreated));
    EXPECT_REPORTED("GYFileWatcherAddPath");
    EXPECT(!GYFileWatcherAddPath(plain, "/", kGYFileCreated));
    EXPECT_REPORTED("GYFileWatcherAddPath");
    EXPECT(!GYFileWatcherAddPath(source, NULL, kGYFileCreated));
    EXPECT_REPORTED("GYFileWatcherAddPath");
    EXPECT(!GYFileWatcherAddPath(source, "/", kGYFileOverflowed));
    EXPECT_REPORTED("GYFileWatcherAddPath");
    EXPECT_INT(errno, EINVAL);
    EXPECT(!GYFileWatcherRemovePath(plain, "/"));
    EXPECT_REPORTED("GYFileWatcherRemovePath");
    EXPECT(!GYFileWatcherRemovePath(source, NULL));
    EXPECT_REPORTED("GYFileWatcherRemovePath");
    loop_drop(source);
    loop_drop(plain);
}

/* R250. More paths than a set begins with, removed in another order. */
FOLDER_TEST(many_paths_come_and_go) {
    GYRunLoopSourceRef source = watcher_of(traces, NULL);
    char path[16];
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "in/%d", i);
        touch(path);
        REQUIRE(GYFileWatcherAddPath(source, path, kGYFileModified));
    }
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "in/%d", (i * 7) % 300);
        if (i != 43) REQUIRE(GYFileWatcherRemovePath(source, path));
    }
    append("in/0");
    append("in/1"); /* 43 * 7 % 300 */
    EXPECT_STR(told(), "modified:in/1/-");
    loop_drop(source);
}

/* ---- fork ---- */

/* R7 */
FOLDER_TEST(in_the_child_of_a_fork_the_source_is_invalid) {
    GYRunLoopSourceRef source = watch("in", kGYFileCreated);
    touch("in/a");
    pid_t child = fork();
    if (child == 0) {
        EXPECT(!GYRunLoopSourceIsValid(source));
        EXPECT(!GYFileWatcherAddPath(source, "out", kGYFileCreated));
        EXPECT_STR(told(), "");
        _exit(test_failures() == 0 ? 0 : 1);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    EXPECT_INT(status, 0);
    EXPECT_STR(told(), "created:in/a");
    loop_drop(source);
}

TEST_MAIN()
