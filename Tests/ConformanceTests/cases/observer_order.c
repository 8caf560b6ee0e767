/* Observers of one activity are called by ascending order number, equal numbers in the order
 * added; each sees only its activities.
 * Rules: R130 R131 R132 */
#include "case.h"

static void ob(CFRunLoopObserverRef o, CFRunLoopActivity a, void *i) {
    (void)o;
    printf(" %s:%s", (const char *)i, activity_name(a));
}

static void noop(void *i) { (void)i; }

static void *body(void *x) {
    (void)x;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    CFStringRef m = CFSTR("gyre.m");
    CFRunLoopSourceRef s = make_source(0, noop, NULL);
    CFRunLoopAddSource(rl, s, m);
    const CFIndex order[5] = {0, 2147483647, -2147483647, 0, -1};
    const char *name[5] = {"zero1", "max", "min", "zero2", "minus1"};
    CFRunLoopObserverRef o[5];
    for (int k = 0; k < 5; k++) {
        o[k] = make_observer(kCFRunLoopEntry | kCFRunLoopExit, true, order[k], ob, (void *)name[k]);
        CFRunLoopAddObserver(rl, o[k], m);
    }
    CFRunLoopAddObserver(rl, o[0], m);
    CFRunLoopRunInMode(m, 0, false);
    printf("\n");
    CFRunLoopRemoveObserver(rl, o[0], m);
    CFRunLoopAddObserver(rl, o[0], m);
    CFRunLoopRunInMode(m, 0, false);
    printf("\n");
    CFRunLoopObserverRef some = make_observer(kCFRunLoopBeforeSources, true, 0, ob, (void *)"some"),
                         none = make_observer(0, true, 0, ob, (void *)"none");
    CFRunLoopAddObserver(rl, some, m);
    CFRunLoopAddObserver(rl, none, m);
    for (int k = 0; k < 5; k++) CFRunLoopObserverInvalidate(o[k]);
    CFRunLoopRunInMode(m, 0, false);
    printf("\n");
    printf("orders %ld %ld, activities %lx %lx, repeats %s\n",
           (long)CFRunLoopObserverGetOrder(o[1]), (long)CFRunLoopObserverGetOrder(o[2]),
           (unsigned long)CFRunLoopObserverGetActivities(o[1]),
           (unsigned long)CFRunLoopObserverGetActivities(some),
           yes_no(CFRunLoopObserverDoesRepeat(some)));
    printf("all activities %lx\n", (unsigned long)kCFRunLoopAllActivities);
    CFRunLoopObserverInvalidate(some);
    CFRunLoopObserverInvalidate(none);
    for (int k = 0; k < 5; k++) CFRelease(o[k]);
    CFRelease(some);
    CFRelease(none);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
