/* embed_epoll.c - a loop around epoll that has a descriptor of its own to watch, and a mode of this
 * thread's run loop as a guest: with a timer, a pipe, and work from another thread. */
#include <gyre/gyre.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ---- the guest ---- */

static int pipe_ends[2];

static void hear(void *info) {
    (void)info;
    char text[16];
    ssize_t length = read(pipe_ends[0], text, sizeof text);
    if (length > 0) printf("guest: the pipe says %.*s\n", (int)length, text);
    GYRunLoopStop(GYRunLoopGetCurrent());
}

static int descriptor_of(void *info) { return *(int *)info; }

static void say(void *word) {
    printf("guest: work from another thread\n");
    if (write(pipe_ends[1], word, 5) < 0) perror("write");
}

static void *hand_over(void *loop) {
    if (GYRunLoopPerform(loop, kGYRunLoopDefaultMode, say, "hello", NULL)) GYRunLoopWakeUp(loop);
    return NULL;
}

static pthread_t thread;

static void fire(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    printf("guest: the timer fires\n");
    if (pthread_create(&thread, NULL, hand_over, GYRunLoopGetCurrent()) != 0) abort();
}

static GYRunLoopSourceRef watch_pipe(GYRunLoopRef loop) {
    if (pipe(pipe_ends) != 0) abort();
    GYRunLoopSourceContext1 context = {
        .version = 1, .info = &pipe_ends[0], .getPort = descriptor_of, .perform = hear};
    GYRunLoopSourceRef source =
        GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&context);
    GYRunLoopAddSource(loop, source, kGYRunLoopDefaultMode);
    return source;
}

/* ---- the host ---- */

static void watch(int epoll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) abort();
}

static void tick(int timer) {
    uint64_t times;
    if (read(timer, &times, sizeof times) > 0) printf("host: its own timer\n");
}

static GYRunLoopRunResult serve(int epoll, int timer, GYRunLoopEmbeddingRef guest) {
    for (;;) {
        GYRunLoopRunResult result = GYRunLoopEmbeddingPrepare(guest);
        if (result != kGYRunLoopEmbeddingGoesOn) return result;
        struct epoll_event event;
        if (epoll_wait(epoll, &event, 1, -1) < 1) continue;
        if (event.data.fd == timer) {
            tick(timer);
        } else {
            result = GYRunLoopEmbeddingDispatch(guest);
        }
        if (result != kGYRunLoopEmbeddingGoesOn) return result;
    }
}

int main(void) {
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(
        kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 0.05, 0, 0, 0, fire, NULL);
    GYRunLoopAddTimer(loop, timer, kGYRunLoopDefaultMode);
    GYRunLoopSourceRef source = watch_pipe(loop);

    GYRunLoopEmbeddingRef guest = GYRunLoopEmbeddingCreate(loop, kGYRunLoopDefaultMode);
    if (guest == NULL) return 1;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int ticks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    timerfd_settime(ticks, 0, &soon, NULL);
    watch(epoll, ticks);
    watch(epoll, GYRunLoopEmbeddingGetDescriptor(guest));

    GYRunLoopRunResult result = serve(epoll, ticks, guest);
    printf("host: the guest has %s\n", result == kGYRunLoopRunStopped ? "stopped" : "finished");
    pthread_join(thread, NULL);
    close(epoll);
    GYRunLoopEmbeddingInvalidate(guest);
    GYRelease(guest);
    GYRunLoopSourceInvalidate(source);
    GYRelease(source);
    GYRelease(timer);
    close(ticks);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return 0;
}
