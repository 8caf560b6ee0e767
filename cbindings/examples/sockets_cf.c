/* sockets_cf.c - a server and its client on one loop, written for CoreFoundation: nothing in it
 * knows of Gyre.
 *
 *     cc sockets_cf.c $(pkg-config --cflags --libs gyre-cf) -o sockets_cf && ./sockets_cf */
#include <CoreFoundation/CFSocket.h>
#include <CoreFoundation/CoreFoundation.h>
#include <netinet/in.h>

static void watch(CFSocketRef s) {
    CFRunLoopSourceRef source = CFSocketCreateRunLoopSource(kCFAllocatorDefault, s, 0);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopCommonModes);
    CFRelease(source);
}

/* ---- the server gives back what it gets, and ends with its peer ---- */

static void echo(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data,
                 void *info) {
    CFDataRef bytes = (CFDataRef)data;
    (void)type, (void)address, (void)info;
    if (CFDataGetLength(bytes) > 0) {
        CFSocketSendData(s, NULL, bytes, 5);
        return;
    }
    printf("the peer of the server has gone\n");
    CFSocketInvalidate(s);
    CFRelease(s);
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void greet(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data,
                  void *info) {
    CFSocketNativeHandle peer = *(const CFSocketNativeHandle *)data;
    (void)s, (void)type, (void)address, (void)info;
    watch(CFSocketCreateWithNative(kCFAllocatorDefault, peer, kCFSocketDataCallBack, echo, NULL));
}

static CFSocketRef serve(void) {
    struct sockaddr_in any;
    memset(&any, 0, sizeof any);
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CFDataRef address = CFDataCreate(kCFAllocatorDefault, (const UInt8 *)&any, sizeof any);
    CFSocketRef s = CFSocketCreate(kCFAllocatorDefault, PF_INET, SOCK_STREAM, IPPROTO_TCP,
                                   kCFSocketAcceptCallBack, greet, NULL);
    if (CFSocketSetAddress(s, address) != kCFSocketSuccess) abort();
    CFRelease(address);
    watch(s);
    return s;
}

/* ---- the client connects in the background, says something, and leaves with the answer ---- */

static void talk(CFSocketRef s, CFSocketCallBackType type, CFDataRef address, const void *data,
                 void *info) {
    const char *word = (const char *)info;
    (void)address;
    if (type == kCFSocketConnectCallBack) {
        printf("connected%s\n", data == NULL ? "" : ", no: refused");
        CFDataRef bytes =
            CFDataCreate(kCFAllocatorDefault, (const UInt8 *)word, (CFIndex)strlen(word));
        CFSocketSendData(s, NULL, bytes, 5);
        CFRelease(bytes);
    } else if (type == kCFSocketDataCallBack) {
        CFDataRef bytes = (CFDataRef)data;
        printf("the client got %.*s\n", (int)CFDataGetLength(bytes),
               (const char *)CFDataGetBytePtr(bytes));
        CFSocketInvalidate(s);
    }
}

int main(void) {
    char word[] = "hello";
    CFSocketContext context = {0, word, NULL, NULL, NULL};
    CFSocketRef server = serve();
    CFSocketSignature signature = {PF_INET, SOCK_STREAM, IPPROTO_TCP, CFSocketCopyAddress(server)};
    CFSocketRef client = CFSocketCreateConnectedToSocketSignature(
        kCFAllocatorDefault, &signature, kCFSocketDataCallBack | kCFSocketConnectCallBack, talk,
        &context, -1);
    if (client == NULL) abort();
    watch(client);
    CFRunLoopRun();
    CFRelease(client);
    CFSocketInvalidate(server);
    CFRelease(server);
    CFRelease(signature.address);
    return 0;
}
