/* embed_libuv.c - a mode of this thread's run loop inside libuv's: a prepare handle, which libuv
 * calls before it waits, and a poll handle for the descriptor. */
#include "embed_guest.h"

#include <uv.h>

typedef struct {
    uv_loop_t loop;
    uv_prepare_t prepare;
    uv_poll_t poll;
    GYRunLoopEmbeddingRef embedding;
    uv_poll_t pipe;
    uv_timer_t timer;
    guest guest;
} host;

static void close_handle(uv_handle_t *handle, void *unused) {
    (void)unused;
    if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void go_on(host *h, GYRunLoopRunResult result) {
    if (result == kGYRunLoopEmbeddingGoesOn) return;
    printf("host: the guest has %s\n", result == kGYRunLoopRunStopped ? "stopped" : "finished");
    uv_walk(&h->loop, close_handle, NULL);
}

static void prepare(uv_prepare_t *handle) {
    host *h = handle->data;
    go_on(h, GYRunLoopEmbeddingPrepare(h->embedding));
}

static void dispatch(uv_poll_t *handle, int status, int events) {
    (void)events;
    if (status < 0) abort();
    host *h = handle->data;
    go_on(h, GYRunLoopEmbeddingDispatch(h->embedding));
}

static void timer_fires(uv_timer_t *handle) {
    host *h = handle->data;
    printf("host: its timer fires\n");
    guest_ask_for_the_end(&h->guest);
}

static void pipe_is_readable(uv_poll_t *handle, int status, int events) {
    (void)events;
    if (status < 0) abort();
    host *h = handle->data;
    guest_say("host", h->guest.host_pipe[0]);
    uv_timer_start(&h->timer, timer_fires, 5, 0);
}

static void begin(host *h) {
    h->prepare.data = h->poll.data = h->pipe.data = h->timer.data = h;
    uv_prepare_init(&h->loop, &h->prepare);
    uv_prepare_start(&h->prepare, prepare);
    uv_poll_init(&h->loop, &h->poll, GYRunLoopEmbeddingGetDescriptor(h->embedding));
    uv_poll_start(&h->poll, UV_READABLE, dispatch);
    uv_poll_init(&h->loop, &h->pipe, h->guest.host_pipe[0]);
    uv_poll_start(&h->pipe, UV_READABLE, pipe_is_readable);
    uv_timer_init(&h->loop, &h->timer);
}

int main(void) {
    host h;
    guest_begin(&h.guest);
    h.embedding = GYRunLoopEmbeddingCreate(h.guest.loop, kGYRunLoopDefaultMode);
    if (h.embedding == NULL || uv_loop_init(&h.loop) != 0) return 1;
    begin(&h);
    uv_run(&h.loop, UV_RUN_DEFAULT); /* until all handles are closed */
    uv_loop_close(&h.loop);
    GYRunLoopEmbeddingInvalidate(h.embedding);
    GYRelease(h.embedding);
    guest_end(&h.guest);
    return 0;
}
