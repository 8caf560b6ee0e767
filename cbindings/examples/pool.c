/* pool.c - drain pools: results that their receiver need not free, and a hook that tells when the
 * loop has called what was put off.
 *
 *     cc pool.c $(pkg-config --cflags --libs gyre) -o pool && ./pool */
#include <gyre/gyre.h>
#include <stdio.h>
#include <stdlib.h>

/* Valid until the innermost pool drains; NULL where there is no memory. */
static const char *greeting(int number) {
    char *text = malloc(32);
    if (text == NULL) return NULL;
    snprintf(text, 32, "hello number %d", number);
    if (GYDefer(free, text)) return text;
    free(text);
    return NULL;
}

static void greet(GYRunLoopTimerRef timer, void *info) {
    int *times = info;
    const char *text = greeting(++*times);
    if (text != NULL) puts(text);
    if (*times == 2) GYRunLoopTimerInvalidate(timer);
}

static void tell(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *info) {
    (void)hook;
    (void)info;
    puts(point == kGYDrainExit ? "drained at the end of the run" : "drained before the sleep");
}

int main(void) {
    /* Outside of a run there is no pool but one's own. */
    GYDrainPoolToken pool = GYDrainPoolPush();
    if (pool == 0) return 1;
    const char *text = greeting(0);
    if (text != NULL) puts(text);
    GYDrainPoolPop(pool);

    int times = 0;
    GYRunLoopMode mode = GYSTR("greetings");
    GYRunLoopTimerContext context = {.info = &times};
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(
        kGYAllocatorDefault, GYAbsoluteTimeGetCurrent() + 0.02, 0.02, 0, 0, greet, &context);
    if (timer == NULL) return 1;
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, mode);
    GYRelease(timer); /* the mode keeps it as long as it needs it */
    if (GYRunLoopAddDrainHook(GYRunLoopGetCurrent(), mode, kGYDrainAllPoints, 0, tell, NULL,
                              NULL) == NULL) {
        return 1;
    }
    GYRunLoopRunInMode(mode, 10, false);
    return 0;
}
