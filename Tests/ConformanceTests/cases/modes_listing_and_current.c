/* Modes come into being when something is added, never vanish, and compare by name.
 * Rules: R10 R11 R12 */
#include "case.h"

static CFStringRef m1;

static void listing(const char *what, CFRunLoopRef rl) {
    CFArrayRef all = CFRunLoopCopyAllModes(rl);
    int d = 0, m = 0, other = 0;
    for (CFIndex i = 0; i < CFArrayGetCount(all); i++) {
        CFStringRef n = (CFStringRef)CFArrayGetValueAtIndex(all, i);
        if (CFEqual(n, kCFRunLoopDefaultMode))
            d++;
        else if (CFEqual(n, m1))
            m++;
        else
            other++;
    }
    printf("%s: default %d m %d other %d\n", what, d, m, other);
    CFRelease(all);
}

static void perform(void *i) {
    (void)i;
    CFStringRef c = CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent());
    printf("perform in %s\n", text_of(c));
    CFRelease(c);
}

static void *body(void *a) {
    (void)a;
    CFRunLoopRef rl = CFRunLoopGetCurrent();
    m1 = CFSTR("gyre.m");
    listing("start", rl);
    CFRunLoopAddCommonMode(rl, m1);
    listing("after AddCommonMode", rl);
    CFRunLoopRunInMode(CFSTR("gyre.x"), 0, false);
    listing("after running an unknown mode", rl);
    CFRunLoopSourceRef s = make_source(0, perform, NULL);
    printf("contains in unknown mode: %s\n",
           yes_no(CFRunLoopContainsSource(rl, s, CFSTR("gyre.y"))));
    CFRunLoopRemoveSource(rl, s, CFSTR("gyre.y"));
    listing("after asking and removing", rl);
    CFRunLoopAddSource(rl, s, m1);
    listing("after adding a source", rl);
    /* the same name in another string object is the same mode */
    char name[] = "gyre.m";
    CFStringRef parts = CFStringCreateWithCString(kCFAllocatorDefault, name, kCFStringEncodingUTF8);
    printf("same mode by name: %s\n", yes_no(CFRunLoopContainsSource(rl, s, parts)));
    CFRunLoopSourceSignal(s);
    CFRunLoopRunInMode(parts, 0, true);
    CFRunLoopRemoveSource(rl, s, parts);
    listing("after removing it", rl);
    CFStringRef c = CFRunLoopCopyCurrentMode(rl);
    printf("current when idle: %s\n", text_of(c));
    CFRelease(parts);
    CFRelease(s);
    return NULL;
}

int main(void) {
    run_on_thread(body, NULL);
    return 0;
}
