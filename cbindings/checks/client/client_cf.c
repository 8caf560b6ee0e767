/* A client written for CoreFoundation. It declares the type that its own header names before it
 * includes CoreFoundation, and makes CFRunLoopStop itself the callback of a source. */
typedef struct __CFRunLoop *CFRunLoopRef;
struct client {
    CFRunLoopRef loop;
};

#include <CoreFoundation/CoreFoundation.h>

int main(void) {
    struct client client = {CFRunLoopGetCurrent()};
    CFRunLoopSourceContext context = {0};
    context.info = client.loop;
    context.perform = (void (*)(void *))CFRunLoopStop;
    CFRunLoopSourceRef source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context);
    CFRunLoopAddSource(client.loop, source, kCFRunLoopCommonModes);
    CFRunLoopSourceSignal(source);
    CFRunLoopRun();
    CFRunLoopRemoveSource(client.loop, source, kCFRunLoopDefaultMode);
    CFRelease(source);
    puts("done");
    return 0;
}
