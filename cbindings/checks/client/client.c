/* A C client: a timer stops the loop. */
#include <gyre/gyre.h>
#include <stdio.h>

static void stop(GYRunLoopTimerRef timer, void *info) {
    (void)timer;
    GYRunLoopStop(info);
}

int main(void) {
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopTimerContext context = {.info = loop};
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent(),
                                                   0, 0, 0, stop, &context);
    GYRunLoopAddTimer(loop, timer, kGYRunLoopDefaultMode);
    GYRelease(timer);
    if (GYRunLoopRunInMode(GYSTR("kCFRunLoopDefaultMode"), 10, false) == kGYRunLoopRunStopped) {
        puts("done");
    }
    return 0;
}
