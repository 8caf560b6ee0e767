/* worker.c - a thread that owns a loop and does what other threads hand it, one thing after the
 * other, until it is told to stop. */
#include <gyre/gyre.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    GYRunLoopRef loop;
    sem_t is_known; /* posted when `loop` is */
    int sum;        /* the worker's alone while it runs */
} worker;

static void *work(void *argument) {
    worker *w = argument;
    w->loop = GYRunLoopGetCurrent();
    /* A loop with nothing to wait for would return at once. This source is never signalled. */
    GYRunLoopSourceContext idle = {.version = 0};
    GYRunLoopSourceRef keep_alive = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &idle);
    GYRunLoopAddSource(w->loop, keep_alive, kGYRunLoopDefaultMode);
    sem_post(&w->is_known);
    GYRunLoopRun();
    GYRelease(keep_alive);
    return NULL;
}

typedef struct {
    worker *for_whom;
    int number;
} job;

static void add(void *info) {
    job *j = info;
    j->for_whom->sum += j->number;
    printf("worker: added %d\n", j->number);
}

static void hand_over(worker *w, int number) {
    job *j = malloc(sizeof *j);
    if (j == NULL) return;
    *j = (job){w, number};
    /* `free` is called when the job is no longer needed, done or not. */
    if (!GYRunLoopPerform(w->loop, kGYRunLoopCommonModes, add, j, free)) free(j);
    GYRunLoopWakeUp(w->loop);
}

static void show_sum(void *info) {
    worker *w = info;
    printf("worker: the sum is %d\n", w->sum);
}

int main(void) {
    worker w = {.sum = 0};
    pthread_t thread;
    sem_init(&w.is_known, 0, 0);
    if (pthread_create(&thread, NULL, work, &w) != 0) return 1;
    sem_wait(&w.is_known);

    for (int number = 1; number <= 4; number++) hand_over(&w, number);
    GYRunLoopPerformAndWait(w.loop, kGYRunLoopCommonModes, show_sum, &w);
    /* Only a loop that runs can be stopped; this one does, for it has just performed something. */
    GYRunLoopStop(w.loop);
    pthread_join(thread, NULL);
    printf("main: the worker has ended\n");
    sem_destroy(&w.is_known);
    return 0;
}
