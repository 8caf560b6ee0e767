/* Signalled sources are performed by ascending order number; equal orders by the time of the
 * signal.
 * Rules: R71 R74 R75 */
#include "case.h"

static void perform(void *i) { printf(" %s", (const char *)i); }

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    const CFIndex order[6] = {5, -3, 0, 5, 1000000, 0};
    const char *name[6] = {"five/1", "minus3", "zero/1", "five/2", "million", "zero/2"};
    const int sig[6] = {4, 3, 5, 0, 2, 1};
    CFRunLoopSourceRef s[6];
    for (int k = 0; k < 6; k++) {
        s[k] = make_source(order[k], perform, (void *)name[k]);
        CFRunLoopAddSource(rl, s[k], m);
    }
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 6; k++) {
            CFRunLoopSourceSignal(s[round ? 5 - sig[k] : sig[k]]);
            pause_ms(1);
        }
        printf("round %d:", round);
        SInt32 r = CFRunLoopRunInMode(m, 0, false);
        printf(" (%s)\n", result_name(r));
    }
    printf("orders:");
    for (int k = 0; k < 6; k++) printf(" %ld", (long)CFRunLoopSourceGetOrder(s[k]));
    printf("\n");
    for (int k = 0; k < 6; k++) {
        CFRunLoopSourceInvalidate(s[k]);
        CFRelease(s[k]);
    }
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
