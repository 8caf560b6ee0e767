/* A block enqueued by a running block waits for the next time blocks are run.
 * Rules: R60 R64 R62 */
#include "case.h"

static void trace(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    (void)i;
    printf("%s\n", activity_name(a));
}

static void fire(CFRunLoopTimerRef t, void *i) {
    (void)t;
    (void)i;
    printf("* timer\n");
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopObserverRef o = make_observer(kCFRunLoopAllActivities, true, 0, trace, NULL);
    CFRunLoopAddObserver(rl, o, m);
    CFRunLoopPerformBlock(rl, m, ^{
      printf("* one\n");
      CFRunLoopPerformBlock(rl, m, ^{
        printf("* three\n");
        CFRunLoopPerformBlock(rl, m, ^{
          printf("* four\n");
        });
      });
    });
    CFRunLoopPerformBlock(rl, m, ^{
      printf("* two\n");
    });
    printf("-- poll: blocks run twice in a pass, at the top and at the end\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    printf("-- poll again\n");
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    printf("-- enqueueing does not wake: five waits for the timer\n");
    CFRunLoopTimerRef t = make_timer(0.03, 0, fire, NULL);
    CFRunLoopAddTimer(rl, t, m);
    CFRunLoopPerformBlock(rl, m, ^{
      CFRunLoopPerformBlock(rl, m, ^{
        printf("* five\n");
      });
    });
    printf("-> %s\n", result_name(CFRunLoopRunInMode(m, 1, false)));
    CFRelease(o);
    CFRelease(t);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
