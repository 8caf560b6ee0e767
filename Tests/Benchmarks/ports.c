/* Message ports beside a bare socket pair: messages a second and round trips, within a process and
 * between two. One table; a figure is the median of the rounds, which take turns.
 *
 *     ports [ROUNDS]
 *
 * Beside each figure stands that of the same work over socketpair(SOCK_SEQPACKET) with blocking
 * calls: the smallest program that can be written for it. A ratio within one run means something,
 * a figure alone does not. */
#define _GNU_SOURCE 1
#include <gyre/GYData.h>
#include <gyre/GYMessagePort.h>
#include <gyre/GYObject.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 64
#define MESSAGES 200000
#define TRIPS 20000
#define ROUNDS_MAX 101

enum { PLAIN, LAST, QUIT };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double seconds_since(int64_t begin_ns) {
    return (double)(GYMonotonicNow() - begin_ns) / 1e9;
}

/* ---- a side that receives: in a thread or in a process ---- */

typedef struct side {
    void (*body)(struct side *side);
    int ends[2];
    GYStringRef name;
    pthread_t thread;
    pid_t pid;
} side;

static void *run_thread(void *info) {
    side *s = info;
    s->body(s);
    return NULL;
}

static void start(side *s, bool in_process) {
    if (!in_process) {
        if (pthread_create(&s->thread, NULL, run_thread, s) != 0) fail("pthread_create");
        return;
    }
    s->pid = fork();
    if (s->pid != 0) return;
    s->body(s);
    _exit(0);
}

static void join(side *s, bool in_process) {
    if (in_process) {
        waitpid(s->pid, NULL, 0);
    } else {
        pthread_join(s->thread, NULL);
    }
}

/* ---- the bare socket pair ---- */

static void socket_body(side *s) {
    char bytes[SIZE];
    for (;;) {
        if (read(s->ends[1], bytes, SIZE) != SIZE || bytes[0] == QUIT) return;
        if (bytes[0] == LAST && write(s->ends[1], bytes, SIZE) != SIZE) return;
    }
}

static double socket_run(bool in_process, bool is_trips) {
    side s = {.body = socket_body};
    char bytes[SIZE] = {PLAIN};
    int count = is_trips ? TRIPS : MESSAGES;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s.ends) != 0) fail("socketpair");
    start(&s, in_process);
    int64_t begin_ns = 0;
    for (int i = -100; i < count; i++) {
        if (i == 0) begin_ns = GYMonotonicNow();
        bytes[0] = is_trips || i < 0 || i == count - 1 ? LAST : PLAIN;
        if (write(s.ends[0], bytes, SIZE) != SIZE) fail("write");
        if (bytes[0] == LAST && read(s.ends[0], bytes, SIZE) != SIZE) fail("read");
    }
    double seconds = seconds_since(begin_ns);
    bytes[0] = QUIT;
    if (write(s.ends[0], bytes, SIZE) != SIZE) fail("write");
    join(&s, in_process);
    close(s.ends[0]);
    close(s.ends[1]);
    return seconds / count;
}

/* ---- ports ---- */

static GYDataRef receive(GYMessagePortRef local, int32_t id, GYDataRef data, void *info) {
    (void)local, (void)info;
    if (id == QUIT) GYRunLoopStop(GYRunLoopGetCurrent());
    return id == LAST ? GYRetain(data) : NULL;
}

static void port_body(side *s) {
    GYMessagePortRef local = GYMessagePortCreateLocal(NULL, s->name, receive, NULL, NULL);
    if (local == NULL) fail("a local port");
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, local, 0);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    GYRelease(source);
    if (write(s->ends[1], "r", 1) != 1) fail("write");
    GYRunLoopRun();
    GYMessagePortInvalidate(local);
    GYRelease(local);
}

static void send_one(GYMessagePortRef remote, int32_t id) {
    uint8_t bytes[SIZE] = {0};
    GYDataRef data = GYDataCreate(NULL, bytes, SIZE), reply = NULL;
    GYRunLoopMode mode = id == LAST ? GYSTR("a reply") : NULL;
    if (GYMessagePortSendRequest(remote, id, data, 60, 60, mode, &reply) != 0) fail("a request");
    if (reply != NULL) GYRelease(reply);
    GYRelease(data);
}

static double port_run(bool in_process, bool is_trips) {
    char name[64], byte;
    static int runs;
    side s = {.body = port_body};
    int count = is_trips ? TRIPS : MESSAGES;
    snprintf(name, sizeof name, "benchmark.%d.%d", (int)getpid(), ++runs);
    s.name = GYStringCreateWithCString(NULL, name, kGYStringEncodingUTF8);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s.ends) != 0) fail("socketpair");
    start(&s, in_process);
    if (read(s.ends[0], &byte, 1) != 1) fail("read");
    GYMessagePortRef remote = GYMessagePortCreateRemote(NULL, s.name);
    if (remote == NULL) fail("a remote port");
    int64_t begin_ns = 0;
    for (int i = -100; i < count; i++) {
        if (i == 0) begin_ns = GYMonotonicNow();
        send_one(remote, is_trips || i < 0 || i == count - 1 ? LAST : PLAIN);
    }
    double seconds = seconds_since(begin_ns);
    send_one(remote, QUIT);
    join(&s, in_process);
    GYRelease(remote);
    GYRelease(s.name);
    close(s.ends[0]);
    close(s.ends[1]);
    return seconds / count;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void print_row(const char *what, bool is_trips, double port, double bare) {
    if (is_trips) {
        printf("| %s, µs | %.2f | %.2f | %.2f × the time |\n", what, bare * 1e6, port * 1e6,
               port / bare);
    } else {
        printf("| %s | %.0f | %.0f | %.2f × the rate |\n", what, 1 / bare, 1 / port, bare / port);
    }
}

int main(int argc, char **argv) {
    static const char *const names[2][2] = {
        {"messages a second within a process", "round trip within a process"},
        {"messages a second between processes", "round trip between processes"}};
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    if (rounds < 1 || rounds > ROUNDS_MAX) rounds = 5;
    printf("| | bare socket pair | ports | ports / bare |\n| --- | ---: | ---: | ---: |\n");
    for (int p = 0; p < 2; p++) {
        for (int t = 0; t < 2; t++) {
            double port[ROUNDS_MAX], bare[ROUNDS_MAX];
            for (int i = 0; i < rounds; i++) {
                bare[i] = socket_run(p, t);
                port[i] = port_run(p, t);
            }
            print_row(names[p][t], t, median(port, rounds), median(bare, rounds));
        }
    }
    return 0;
}
