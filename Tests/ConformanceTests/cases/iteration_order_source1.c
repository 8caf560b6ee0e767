/* Activity trace around a port source backed by an eventfd; the loop acknowledges the eventfd
 * itself.
 * Rules: R31 R90 R91 R93 */
#include "case.h"

#include <sys/eventfd.h>
#include <unistd.h>

static int fd;

static int port(void *i) {
    (void)i;
    return fd;
}

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static void perform(void *i) {
    (void)i;
    printf("* port perform\n");
}

static void post(void) {
    uint64_t v = 1;
    if (write(fd, &v, sizeof v) != (ssize_t)sizeof v) printf("write failed\n");
}

static void *body(void *a) {
    (void)a;
    fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceContext1 c;
    memset(&c, 0, sizeof c);
    c.version = 1;
    c.getPort = port;
    c.perform = perform;
    CFRunLoopSourceRef s =
        CFRunLoopSourceCreate(kCFAllocatorDefault, 0, (CFRunLoopSourceContext *)&c);
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopAddSource(rl, s, m);
    post();
    post();
    printf("-- ready, return after source\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 1.0, true)));
    printf("-- acknowledged, poll\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    post();
    printf("-- ready, poll\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, true)));
    CFRunLoopSourceInvalidate(s);
    CFRelease(s);
    CFRelease(o);
    close(fd);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
