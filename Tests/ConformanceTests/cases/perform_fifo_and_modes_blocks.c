/* Blocks run in the order given, once each, only in the modes named (a string, an array of
 * strings, the common modes).
 * Rules: R60 R61 R63 R66 R68 */
#include "case.h"

static void run(const char *what, CFStringRef m) {
    printf("%s: ", what);
    SInt32 r = CFRunLoopRunInMode(m, 0, false);
    printf(" (%s)\n", result_name(r));
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m"), n = CFSTR("gyre.n"), c = CFSTR("gyre.c");
    CFRunLoopAddCommonMode(rl, c);
    const void *both[2] = {m, n};
    CFArrayRef arr = CFArrayCreate(kCFAllocatorDefault, both, 2, NULL);
    const void *nc[2] = {n, kCFRunLoopCommonModes};
    CFArrayRef arr2 = CFArrayCreate(kCFAllocatorDefault, nc, 2, NULL);
    CFRunLoopPerformBlock(rl, m, ^{
      printf("a");
    });
    CFRunLoopPerformBlock(rl, n, ^{
      printf("b");
    });
    CFRunLoopPerformBlock(rl, arr, ^{
      printf("c");
    });
    CFRunLoopPerformBlock(rl, m, ^{
      printf("d");
    });
    CFRunLoopPerformBlock(rl, kCFRunLoopCommonModes, ^{
      printf("e");
    });
    CFRunLoopPerformBlock(rl, arr2, ^{
      printf("f");
    });
    CFRunLoopPerformBlock(rl, n, ^{
      printf("g");
    });
    CFRunLoopPerformBlock(rl, arr2, ^{
      printf("h");
    });
    CFRelease(arr);
    CFRelease(arr2);
    run("m", m);
    run("m", m);
    run("c", c);
    run("n", n);
    run("c", c);
    run("default", kCFRunLoopDefaultMode);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
