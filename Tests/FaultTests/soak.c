/* soak.c - a bounded piece of run-loop work that checks itself, for faultmatrix.sh.
 *
 * Written against CFRunLoop, so that it builds with any library that offers that. The work: a timer
 * every 3 ms fires five times; a second thread signals a source and enqueues a block, five times;
 * then the loop is stopped.
 *
 * Status: 0 all of it was seen; 2 the library reported a failure; 1 work was lost in silence. */
#include <CoreFoundation/CoreFoundation.h>
#include <pthread.h>
#include <time.h>

enum { ROUNDS = 5 };
enum status { DONE = 0, LOST = 1, REPORTED = 2 };

static CFRunLoopRef loop;
static CFRunLoopSourceRef source;
/* Counted on the loop's thread alone. */
static int ticks, performs, blocks;

static void stop_when_done(void) {
    if (ticks >= ROUNDS && performs >= 1 && blocks >= ROUNDS) CFRunLoopStop(loop);
}

static void count_tick(CFRunLoopTimerRef timer, void *info) {
    (void)timer;
    (void)info;
    ticks++;
    stop_when_done();
}

static void count_perform(void *info) {
    (void)info;
    performs++;
    stop_when_done();
}

static void *produce(void *unused) {
    struct timespec pause = {0, 4000000};
    for (int i = 0; i < ROUNDS; i++) {
        nanosleep(&pause, NULL);
        CFRunLoopSourceSignal(source);
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode, ^{
          blocks++;
          stop_when_done();
        });
        CFRunLoopWakeUp(loop);
    }
    return unused;
}

static bool add_timer(void) {
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() + 0.003, 0.003,
                                                   0, 0, count_tick, NULL);
    if (timer == NULL) return false;
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
    return CFRunLoopContainsTimer(loop, timer, kCFRunLoopDefaultMode);
}

static bool add_source(void) {
    CFRunLoopSourceContext context = {0};
    context.perform = count_perform;
    source = CFRunLoopSourceCreate(NULL, 0, &context);
    if (source == NULL) return false;
    CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode);
    return CFRunLoopContainsSource(loop, source, kCFRunLoopDefaultMode);
}

int main(void) {
    pthread_t producer;
    loop = CFRunLoopGetCurrent();
    if (loop == NULL || !add_timer() || !add_source()) return REPORTED;
    if (pthread_create(&producer, NULL, produce, NULL) != 0) return REPORTED;
    SInt32 result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0, false);
    pthread_join(producer, NULL);
    bool all = ticks >= ROUNDS && performs >= 1 && blocks == ROUNDS;
    return result == kCFRunLoopRunStopped && all ? DONE : LOST;
}
