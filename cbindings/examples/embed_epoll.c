/* embed_epoll.c - a mode of this thread's run loop inside a loop around epoll, which has a pipe and
 * a timerfd of its own to watch. */
#include "embed_guest.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

typedef struct {
    int epoll, timer;
    guest guest;
} host;

static void watch(const host *h, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(h->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) abort();
}

static void serve_own(host *h, int descriptor) {
    if (descriptor == h->timer) {
        uint64_t times;
        if (read(h->timer, &times, sizeof times) > 0) printf("host: its timer fires\n");
        guest_ask_for_the_end(&h->guest);
    } else {
        guest_say("host", descriptor);
        struct itimerspec soon = {.it_value.tv_nsec = 5000000};
        timerfd_settime(h->timer, 0, &soon, NULL);
    }
}

static GYRunLoopRunResult serve(host *h, GYRunLoopEmbeddingRef embedding) {
    for (;;) {
        GYRunLoopRunResult result = GYRunLoopEmbeddingPrepare(embedding);
        if (result != kGYRunLoopEmbeddingGoesOn) return result;
        struct epoll_event event;
        if (epoll_wait(h->epoll, &event, 1, -1) < 1) continue;
        if (event.data.fd != GYRunLoopEmbeddingGetDescriptor(embedding)) {
            serve_own(h, event.data.fd);
            continue;
        }
        result = GYRunLoopEmbeddingDispatch(embedding);
        if (result != kGYRunLoopEmbeddingGoesOn) return result;
    }
}

int main(void) {
    host h = {.epoll = epoll_create1(EPOLL_CLOEXEC),
              .timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
    guest_begin(&h.guest);
    GYRunLoopEmbeddingRef embedding = GYRunLoopEmbeddingCreate(h.guest.loop, kGYRunLoopDefaultMode);
    if (embedding == NULL) return 1;
    watch(&h, h.timer);
    watch(&h, h.guest.host_pipe[0]);
    watch(&h, GYRunLoopEmbeddingGetDescriptor(embedding));

    GYRunLoopRunResult result = serve(&h, embedding);
    printf("host: the guest has %s\n", result == kGYRunLoopRunStopped ? "stopped" : "finished");

    close(h.epoll);
    close(h.timer);
    GYRunLoopEmbeddingInvalidate(embedding);
    GYRelease(embedding);
    guest_end(&h.guest);
    return 0;
}
