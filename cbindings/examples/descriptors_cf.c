/* descriptors_cf.c - three ways in which programs written for CoreFoundation watch descriptors;
 * nothing in it knows of Gyre.
 *
 *     cc descriptors_cf.c $(pkg-config --cflags --libs gyre-cf) -o descriptors_cf && ./descriptors_cf */
#include <CoreFoundation/CFFileDescriptor.h>
#include <CoreFoundation/CoreFoundation.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- a handler that is asked for reading and writing, and asks again by itself ---- */

typedef struct {
    const char *text; /* what is left to be written */
    char got[16];
    size_t length;
} connection;

static void handle_io(CFFileDescriptorRef f, CFOptionFlags types, void *info) {
    connection *c = (connection *)info;
    int fd = CFFileDescriptorGetNativeDescriptor(f);
    if ((types & kCFFileDescriptorWriteCallBack) != 0 && *c->text != '\0') {
        if (write(fd, c->text, 1) == 1) c->text++;
    }
    if ((types & kCFFileDescriptorReadCallBack) != 0) {
        ssize_t count = read(fd, c->got + c->length, sizeof c->got - 1 - c->length);
        if (count > 0) c->length += (size_t)count;
    }
    if (strcmp(c->got, "pong") == 0) CFRunLoopStop(CFRunLoopGetCurrent());
    CFFileDescriptorEnableCallBacks(f, kCFFileDescriptorReadCallBack);
    if (*c->text != '\0') CFFileDescriptorEnableCallBacks(f, kCFFileDescriptorWriteCallBack);
}

static CFFileDescriptorRef watch(int fd, CFFileDescriptorCallBack callback, void *info,
                                 CFOptionFlags types, CFStringRef mode) {
    CFFileDescriptorContext context = {0, info, NULL, NULL, NULL};
    CFFileDescriptorRef f =
        CFFileDescriptorCreate(kCFAllocatorDefault, fd, true, callback, &context);
    CFRunLoopSourceRef source = CFFileDescriptorCreateRunLoopSource(kCFAllocatorDefault, f, 0);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode);
    CFRelease(source);
    CFFileDescriptorEnableCallBacks(f, types);
    return f;
}

static void *answer(void *end) {
    char got[5] = "";
    size_t length = 0;
    while (length < 4) {
        ssize_t count = read(*(int *)end, got + length, 4 - length);
        if (count <= 0) return NULL;
        length += (size_t)count;
    }
    printf("the peer got %s\n", got);
    return write(*(int *)end, "pong", 4) == 4 ? end : NULL;
}

static void talk(void) {
    int ends[2];
    pthread_t peer;
    connection c = {"ping", "", 0};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pthread_create(&peer, NULL, answer, &ends[1]);
    CFFileDescriptorRef f = watch(ends[0], handle_io, &c,
                                  kCFFileDescriptorReadCallBack | kCFFileDescriptorWriteCallBack,
                                  kCFRunLoopCommonModes);
    CFRunLoopRun();
    pthread_join(peer, NULL);
    printf("we got %s\n", c.got);
    CFFileDescriptorInvalidate(f);
    CFRelease(f);
    close(ends[1]);
}

/* ---- to run the loop until there is input: the callback ends what called it ---- */

static void stop_for_input(CFFileDescriptorRef f, CFOptionFlags types, void *info) {
    (void)types;
    CFFileDescriptorInvalidate(f);
    CFRelease(f);
    CFRunLoopStop((CFRunLoopRef)info);
}

static void wait_for_input(void) {
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "line\n", 5) != 5) abort();
    watch(dup(ends[0]), stop_for_input, CFRunLoopGetCurrent(), kCFFileDescriptorReadCallBack,
          kCFRunLoopDefaultMode);
    CFRunLoopRun();
    char line[8] = "";
    if (read(ends[0], line, 5) != 5) abort();
    printf("input: %s", line);
    close(ends[0]);
    close(ends[1]);
}

/* ---- a pipe that tells a thread's loop to end ---- */

static int bell[2];

static void end_thread(CFFileDescriptorRef f, CFOptionFlags types, void *info) {
    (void)types;
    (void)info;
    CFRunLoopStop(CFRunLoopGetCurrent());
    CFFileDescriptorInvalidate(f); /* closes the pipe's end too */
}

static void *worker(void *unused) {
    CFFileDescriptorRef f =
        watch(bell[0], end_thread, NULL, kCFFileDescriptorReadCallBack, kCFRunLoopDefaultMode);
    CFRunLoopRun();
    printf("the thread ends, its descriptor is %s\n",
           CFFileDescriptorIsValid(f) ? "open" : "closed");
    CFRelease(f);
    return unused;
}

static void ring(void) {
    pthread_t thread;
    if (pipe(bell) != 0) abort();
    pthread_create(&thread, NULL, worker, NULL);
    if (write(bell[1], "X", 1) != 1) abort();
    pthread_join(thread, NULL);
    close(bell[1]);
}

int main(void) {
    talk();
    wait_for_input();
    ring();
    return 0;
}
