/* embed_guest.h - what the run loop has to do in the examples that embed it.
 *
 * A timer fires and starts a thread; the thread hands over work; the work writes to a pipe that the
 * loop watches; what it says goes to a pipe that the host watches. The host, after a timer of its
 * own, asks for the end. */
#ifndef EMBED_GUEST_H
#define EMBED_GUEST_H

#include <gyre/gyre.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    GYRunLoopRef loop;
    GYRunLoopTimerRef timer;
    GYRunLoopSourceRef source;
    int own_pipe[2], host_pipe[2];
    pthread_t thread;
} guest;

/* Reads what a pipe has, and says it. */
static void guest_say(const char *who, int pipe) {
    char text[16];
    ssize_t length = read(pipe, text, sizeof text);
    if (length > 0) printf("%s: the pipe says %.*s\n", who, (int)length, text);
}

static void guest_hear(void *info) {
    guest *g = info;
    guest_say("guest", g->own_pipe[0]);
    if (write(g->host_pipe[1], "pong", 4) != 4) abort();
}

static int guest_pipe(void *info) { return ((guest *)info)->own_pipe[0]; }

static void guest_work(void *info) {
    guest *g = info;
    printf("guest: work from another thread\n");
    if (write(g->own_pipe[1], "ping", 4) != 4) abort();
}

static void *guest_hand_over(void *info) {
    guest *g = info;
    if (!GYRunLoopPerform(g->loop, kGYRunLoopDefaultMode, guest_work, g, NULL)) abort();
    GYRunLoopWakeUp(g->loop);
    return NULL;
}

static void guest_fire(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    guest *g = info;
    printf("guest: the timer fires\n");
    if (pthread_create(&g->thread, NULL, guest_hand_over, g) != 0) abort();
}

static void guest_begin(guest *g) {
    g->loop = GYRunLoopGetCurrent();
    if (pipe(g->own_pipe) != 0 || pipe(g->host_pipe) != 0) abort();
    GYRunLoopTimerContext of_timer = {.info = g};
    g->timer = GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 0.01, 0, 0, 0,
                                    guest_fire, &of_timer);
    GYRunLoopAddTimer(g->loop, g->timer, kGYRunLoopDefaultMode);
    GYRunLoopSourceContext1 of_source = {
        .version = 1, .info = g, .getPort = guest_pipe, .perform = guest_hear};
    g->source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, (GYRunLoopSourceContext *)&of_source);
    GYRunLoopAddSource(g->loop, g->source, kGYRunLoopDefaultMode);
}

static void guest_stop(void *info) {
    printf("guest: the host asks for the end\n");
    GYRunLoopStop(((guest *)info)->loop);
}

/* For the host, on any thread. */
static void guest_ask_for_the_end(guest *g) {
    if (!GYRunLoopPerform(g->loop, kGYRunLoopDefaultMode, guest_stop, g, NULL)) abort();
    GYRunLoopWakeUp(g->loop);
}

static void guest_end(guest *g) {
    pthread_join(g->thread, NULL);
    GYRunLoopSourceInvalidate(g->source);
    GYRelease(g->source);
    GYRelease(g->timer);
    for (int i = 0; i < 2; i++) {
        close(g->own_pipe[i]);
        close(g->host_pipe[i]);
    }
}

#endif
