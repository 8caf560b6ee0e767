/* A port source over a pipe: readiness is reported and the bytes are left for the callback.
 * Rules: R92
 *
 * [linux-bug] CoreFoundation on Linux treats every port as an eventfd and reads eight bytes from
 * it before the callback, so a pipe or socket loses data (and a short message looks like an
 * error). The loop must not consume anything from a descriptor that is neither an eventfd nor a
 * timerfd; the callback reads it. */
#include "case.h"

#include <fcntl.h>
#include <unistd.h>

static int fds[2], performed;

static int port(void *i) {
    (void)i;
    return fds[0];
}

static void perform(void *i) {
    (void)i;
    char buf[64];
    ssize_t n = read(fds[0], buf, sizeof buf - 1);
    if (n < 0) n = 0;
    buf[n] = 0;
    performed++;
    printf("read %ld [%s]\n", (long)n, buf);
}

static void *body(void *a) {
    (void)a;
    if (pipe(fds) != 0) return NULL;
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceContext1 c;
    memset(&c, 0, sizeof c);
    c.version = 1;
    c.getPort = port;
    c.perform = perform;
    CFRunLoopSourceRef s =
        CFRunLoopSourceCreate(kCFAllocatorDefault, 0, (CFRunLoopSourceContext *)&c);
    CFRunLoopAddSource(rl, s, m);
    if (write(fds[1], "hello, pipe world", 17) != 17) return NULL;
    printf("first: %s\n", result_name(CFRunLoopRunInMode(m, 0.3, true)));
    if (write(fds[1], "abc", 3) != 3) return NULL;
    printf("second: %s\n", result_name(CFRunLoopRunInMode(m, 0.3, true)));
    SInt32 idle = CFRunLoopRunInMode(m, 0.02, true);
    printf("idle: %s, performed %d\n", result_name(idle), performed);
    CFRunLoopSourceInvalidate(s);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
