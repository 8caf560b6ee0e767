/* hello.c - the smallest loop that does something: a repeating timer, which stops the loop when it
 * has fired three times.
 *
 *     cc hello.c $(pkg-config --cflags --libs gyre) -o hello && ./hello */
#include <gyre/gyre.h>
#include <stdio.h>

static void greet(GYRunLoopTimerRef timer, void *info) {
    int *times = info;
    printf("hello number %d\n", ++*times);
    if (*times == 3) {
        GYRunLoopTimerInvalidate(timer);
        GYRunLoopStop(GYRunLoopGetCurrent());
    }
}

int main(void) {
    int times = 0;
    GYRunLoopTimerContext context = {.info = &times};
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(
        kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 0.05, 0.05, 0, 0, greet, &context);
    if (timer == NULL) {
        perror("timer");
        return 1;
    }
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, kGYRunLoopDefaultMode);
    GYRelease(timer); /* the loop keeps it as long as it needs it */
    GYRunLoopRun();
    printf("done\n");
    return 0;
}
