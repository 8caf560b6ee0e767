/* One instance of a program at a time, the way programs for CoreFoundation do it: the first to run
 * takes a port's name; a later one finds the port, hands over what it was asked to do, and ends. */
#include <CoreFoundation/CFMessagePort.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kOpen = 1, kQuit = 2 };

static CFStringRef copy_name(void) {
    return CFStringCreateWithFormat(NULL, NULL, CFSTR("example.instance.%d"), (int)getpid());
}

static CFDataRef handle_message(CFMessagePortRef local, SInt32 id, CFDataRef data, void *info) {
    (void)local;
    if (id == kQuit) {
        CFRunLoopStop(CFRunLoopGetCurrent());
        return NULL;
    }
    printf("%s: open %.*s\n", (const char *)info, (int)CFDataGetLength(data),
           (const char *)CFDataGetBytePtr(data));
    return CFDataCreate(NULL, (const UInt8 *)"opened", 6);
}

static void was_invalidated(CFMessagePortRef port, void *info) {
    (void)port, (void)info;
    printf("the first instance has ended\n");
}

/* The later instance: a process of its own. */
static void hand_over(CFStringRef name, const char *file) {
    CFMessagePortRef remote = CFMessagePortCreateRemote(NULL, name);
    CFDataRef data = CFDataCreate(NULL, (const UInt8 *)file, 5), reply = NULL;
    SInt32 result =
        CFMessagePortSendRequest(remote, kOpen, data, 5, 5, kCFRunLoopDefaultMode, &reply);
    printf("later: %d %.*s\n", (int)result, (int)CFDataGetLength(reply),
           (const char *)CFDataGetBytePtr(reply));
    CFMessagePortSetInvalidationCallBack(remote, was_invalidated);
    CFMessagePortSendRequest(remote, kQuit, NULL, 5, 0, NULL, NULL);
    while (CFMessagePortIsValid(remote)) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, true);
    CFRelease(reply);
    CFRelease(data);
    CFRelease(remote);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    CFStringRef name = copy_name();
    CFMessagePortContext context = {0, "first", NULL, NULL, NULL};
    Boolean should_free;
    CFMessagePortRef local =
        CFMessagePortCreateLocal(NULL, name, handle_message, &context, &should_free);
    pid_t later = fork();
    if (later == 0) {
        hand_over(name, "a.txt");
        _exit(0);
    }
    CFRunLoopSourceRef source = CFMessagePortCreateRunLoopSource(NULL, local, 0);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopCommonModes);
    CFRelease(source);
    CFRunLoopRun();
    CFMessagePortInvalidate(local);
    CFRelease(local);
    CFRelease(name);
    return waitpid(later, NULL, 0) == later ? 0 : 1;
}
