/* lines.c - a descriptor as a source: numbers the lines of standard input, and gives up when none
 * has come for ten seconds.
 *
 * The loop says that there is something to read and reads nothing itself. The callback reads once
 * and returns: what it leaves makes the loop call it again. */
#include <gyre/gyre.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char text[4096];
    size_t count; /* bytes of a line whose end has not come yet */
    int lines;
    bool is_at_end;
} reader;

static void number_line(reader *r, const char *line, size_t count) {
    printf("%d: %.*s\n", ++r->lines, (int)count, line);
}

static void take_lines(reader *r) {
    char *line = r->text, *newline;
    while ((newline = memchr(line, '\n', r->count)) != NULL) {
        number_line(r, line, (size_t)(newline - line));
        r->count -= (size_t)(newline + 1 - line);
        line = newline + 1;
    }
    memmove(r->text, line, r->count);
    if (r->count == sizeof r->text) { /* longer than the buffer: cut it here */
        number_line(r, r->text, r->count);
        r->count = 0;
    }
}

static int standard_input(void *info) {
    (void)info;
    return STDIN_FILENO;
}

static void read_some(void *info) {
    reader *r = info;
    ssize_t n = read(STDIN_FILENO, r->text + r->count, sizeof r->text - r->count);
    if (n > 0) {
        r->count += (size_t)n;
        take_lines(r);
        return;
    }
    if (r->count > 0) number_line(r, r->text, r->count);
    r->is_at_end = true;
}

int main(void) {
    reader input = {.count = 0};
    GYRunLoopSourceContext1 context = {
        .version = 1, .info = &input, .getPort = standard_input, .perform = read_some};
    GYRunLoopSourceRef source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopAddSource(loop, source, kGYRunLoopDefaultMode);
    if (!GYRunLoopContainsSource(loop, source, kGYRunLoopDefaultMode)) {
        perror("standard input");
        return 1;
    }
    GYRunLoopRunResult result;
    do { /* each line that comes gives another ten seconds */
        result = GYRunLoopRunInMode(kGYRunLoopDefaultMode, 10, true);
    } while (result == kGYRunLoopRunHandledSource && !input.is_at_end);
    printf("%d lines\n", input.lines);
    GYRunLoopSourceInvalidate(source);
    GYRelease(source);
    return 0;
}
