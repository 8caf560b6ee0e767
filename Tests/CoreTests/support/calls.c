/* Running a scene under strace, and counting what it tells. */
#define _GNU_SOURCE 1
#include "support/calls.h"

#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Files that are asked for and not there: what is counted lies between. */
#define BEGIN_MARK "counting-begins"
#define END_MARK "counting-ends"

void calls_begin(void) {
    struct stat unused;
    stat(BEGIN_MARK, &unused);
}

void calls_end(void) {
    struct stat unused;
    stat(END_MARK, &unused);
}

static void trace_scene(const char *scene, const char *output, bool without_reads_and_writes) {
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        char program[512];
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        if (length < 0) _exit(126);
        program[length] = '\0';
        int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(quiet, STDERR_FILENO);
        const char *traced = without_reads_and_writes ? "trace=!read,write" : "trace=all";
        execlp("strace", "strace", "-f", "-qq", "--seccomp-bpf", "-e", traced, "-s", "64", "-o",
               output, program, "--scene", scene, (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
}

/* A line of strace's that begins a call, and not the rest of one or a signal. */
static bool is_call(const char *line) {
    return strchr(line, '(') != NULL && strstr(line, " resumed>") == NULL &&
           strstr(line, "---") == NULL && strstr(line, "+++") == NULL;
}

/* The calls between the marks; below zero: there was nothing to count. */
static int count_calls(const char *output) {
    char line[1024];
    int count = -1;
    bool counts = false;
    FILE *file = fopen(output, "re");
    if (file == NULL) return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        bool begins = strstr(line, BEGIN_MARK) != NULL;
        if (begins && count < 0) count = 0;
        counts = begins || (counts && strstr(line, END_MARK) == NULL);
        if (counts && !begins && is_call(line)) count++;
    }
    fclose(file);
    return count;
}

/* Sanitizers make some of their own, and refuse to be traced. */
void calls_expect_at_most(const char *scene, int limit, bool without_reads_and_writes) {
    char output[64];
    TEST_SKIP_IF(test_is_sanitized(), "a sanitizer makes system calls of its own");
    snprintf(output, sizeof output, "/tmp/gyre-calls-%d", (int)getpid());
    trace_scene(scene, output, without_reads_and_writes);
    int count = count_calls(output);
    unlink(output);
    TEST_SKIP_IF(count < 0, "strace is not there or cannot trace");
    if (count > limit) test_fail(__FILE__, __LINE__, "%s: %d calls, not %d", scene, count, limit);
}

static int play_scene(const calls_scene *scenes, const char *name) {
    for (const calls_scene *s = scenes; s->name != NULL; s++) {
        if (strcmp(name, s->name) != 0) continue;
        s->play();
        _exit(0);
    }
    return 1;
}

int calls_main(int argc, char **argv, const calls_scene *scenes) {
    if (argc == 3 && strcmp(argv[1], "--scene") == 0) return play_scene(scenes, argv[2]);
    return test_main(argc, argv);
}
