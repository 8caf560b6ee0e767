/* Pending blocks keep a mode non-empty; a block for another mode does not.
 * Rules: R13 R60 R61 R63 */
#include "case.h"

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n");
    CFRunLoopPerformBlock(rl, m, ^{
      printf("  block m\n");
    });
    printf("n: %s\n", result_name(CFRunLoopRunInMode(n, 0.05, false)));
    printf("m: %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    printf("m again: %s\n", result_name(CFRunLoopRunInMode(m, 0.05, false)));
    CFRunLoopPerformBlock(rl, kCFRunLoopCommonModes, ^{
      printf("  block common\n");
    });
    printf("m: %s\n", result_name(CFRunLoopRunInMode(m, 0.05, false)));
    printf("default: %s\n", result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false)));
    printf("default again: %s\n",
           result_name(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.05, false)));
    CFRunLoopPerformBlock(rl, kCFRunLoopCommonModes, ^{
      printf("  block common 2\n");
    });
    CFRunLoopAddCommonMode(rl, m);
    printf("m made common: %s\n", result_name(CFRunLoopRunInMode(m, 0, false)));
    CFRunLoopPerformBlock(rl, m, ^{
      printf("  block m 2\n");
      CFRunLoopStop(CFRunLoopGetCurrent());
    });
    CFRunLoopWakeUp(rl);
    printf("m block stops: %s\n", result_name(CFRunLoopRunInMode(m, 0.5, false)));
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
