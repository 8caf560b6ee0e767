/* supervisor.c - children that are started, told of when they end, and ended by a signal.
 *
 * A child that fails is started again, up to three times; SIGTERM, which the program sends to itself
 * when that is over, ends the one that would run for ever. */
#include <gyre/gyre.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

typedef struct {
    const char *name, *script;
    pid_t pid;
    int starts;
} job;

static job failing = {.name = "failing", .script = "exit 3"};
static job endless = {.name = "endless", .script = "exec sleep 1000"};

static bool start(job *j);

static void has_ended(GYRunLoopSourceRef source, const GYProcessEnd *end, void *info) {
    job *j = info;
    (void)source;
    if (end->outcome == kGYProcessExited) {
        printf("%s: exit code %d\n", j->name, end->code);
    } else {
        printf("%s: ended by signal %d\n", j->name, end->code);
    }
    if (j == &endless) {
        GYRunLoopStop(GYRunLoopGetCurrent());
    } else if (j->starts == 3 || !start(j)) {
        kill(getpid(), SIGTERM);
    }
}

static bool start(job *j) {
    char *arguments[] = {"sh", "-c", (char *)(uintptr_t)j->script, NULL};
    if (posix_spawn(&j->pid, "/bin/sh", NULL, NULL, arguments, environ) != 0) return false;
    j->starts++;
    GYCallBackContext context = {.info = j};
    GYRunLoopSourceRef source =
        GYProcessCreateRunLoopSource(kGYAllocatorDefault, j->pid, 0, 0, has_ended, &context);
    if (source == NULL) return false;
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    GYRelease(source); /* the mode keeps it until the child has ended */
    return true;
}

static void is_asked_to_end(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *info) {
    printf("asked to end by %s\n", signal->pid == getpid() ? "itself" : "another");
    kill(endless.pid, SIGTERM);
    GYRunLoopSourceInvalidate(source); /* a second one ends this program at once */
    (void)info;
}

int main(void) {
    GYRunLoopMode mode = kGYRunLoopDefaultMode;
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopSourceRef ends =
        GYSignalCreateRunLoopSource(kGYAllocatorDefault, SIGTERM, 0, is_asked_to_end, NULL);
    if (ends == NULL) return 1;
    GYRunLoopAddSource(loop, ends, mode);
    if (!start(&endless) || !start(&failing)) return 1;
    /* The default mode of the main loop is never empty (R14): the last child ends the run. */
    GYRunLoopRun();
    GYRelease(ends);
    return 0;
}
