/* Every allocation fails once: each call fails clean, nothing is lost or left, a retry works.
 *
 * The allocator of this program counts, and refuses where it is told to. */
#include "support/drain.h"
#include "support/embed.h"

#include <errno.h>
#include <gyre/GYClock.h>
#include <gyre/GYData.h>
#include <gyre/GYFileDescriptor.h>
#include <gyre/GYFileWatcher.h>
#include <gyre/GYProcess.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYSocket.h>
#include <gyre/GYSignal.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT kGYRunLoopDefaultMode

/* The sanitizers have allocators of their own, and other libraries no names behind malloc. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_OTHER_ALLOCATOR
#endif

#ifndef HAS_OTHER_ALLOCATOR

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

static atomic_long in_use; /* allocations that have not been freed */
/* How many allocations the thread gets before one fails; below zero: all. */
static _Thread_local long allowed = -1;
static _Thread_local bool has_failed;
/* Refuses the thread everything from when this is true; NULL: nothing. */
static _Thread_local const atomic_bool *refuses_when;

static bool is_refused(void) {
    if (refuses_when != NULL && atomic_load(refuses_when)) {
        errno = ENOMEM;
        return true;
    }
    if (allowed < 0) return false;
    if (allowed-- > 0) return false;
    has_failed = true;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    if (is_refused()) return NULL;
    atomic_fetch_add(&in_use, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (is_refused()) return NULL;
    atomic_fetch_add(&in_use, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (is_refused()) return NULL;
    if (old == NULL) atomic_fetch_add(&in_use, 1);
    return __libc_realloc(old, size);
}

void free(void *memory) {
    if (memory != NULL) atomic_fetch_sub(&in_use, 1);
    __libc_free(memory);
}

/* One of each, and what became of it. */
typedef struct {
    GYRunLoopRef rl;
    GYRunLoopMode mode; /* made by name */
    GYRunLoopSourceRef source, port;
    GYRunLoopTimerRef timer;
    GYRunLoopObserverRef observer;
    bool has_source, has_port, has_timer, has_observer, has_call;
    atomic_int performs, port_performs, firings, observed, calls;
    int fd;
} scene;

static void observes(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *count) {
    (void)observer;
    (void)activity;
    loop_counts(count);
}

/* A result that is missing has its reason. */
static bool made(const void *object) {
    if (object == NULL) EXPECT_INT(errno, ENOMEM);
    return object != NULL;
}

static void make_port(scene *s) { s->port = loop_port(s->fd, loop_counts, &s->port_performs); }

static bool make_items(scene *s) {
    errno = 0;
    s->rl = GYRunLoopGetCurrent();
    if (!made(s->rl)) return false;
    s->mode = GYRunLoopModeNamed("a mode of the scene");
    if (!made(s->mode)) return false;
    s->source = loop_source0(0, loop_counts, &s->performs);
    if (!made(s->source)) return false;
    s->timer = loop_timer(-1, 3600, loop_timer_counts, &s->firings);
    if (!made(s->timer)) return false;
    bool is_set = GYRunLoopTimerSetOverrunPolicy(s->timer, kGYTimerCatchUp, 1) != 0;
    if (!is_set) EXPECT_INT(errno, ENOMEM);
    EXPECT_INT(GYRunLoopTimerGetOverrunPolicy(s->timer, NULL),
               is_set ? kGYTimerCatchUp : kGYTimerSkip);
    s->observer = loop_observer(kGYRunLoopBeforeTimers, true, 0, observes, &s->observed);
    return made(s->observer);
}

/* R89: there with errno 0, or not there with ENOMEM. */
static bool there(bool contains, int error) {
    EXPECT_INT(error, contains ? 0 : ENOMEM);
    return contains;
}

static bool add_all(scene *s) {
    GYRunLoopAddSource(s->rl, s->source, s->mode);
    int error = errno;
    s->has_source = there(GYRunLoopContainsSource(s->rl, s->source, s->mode), error);
    GYRunLoopAddSource(s->rl, s->port, kGYRunLoopCommonModes);
    error = errno;
    s->has_port = there(GYRunLoopContainsSource(s->rl, s->port, kGYRunLoopCommonModes), error);
    EXPECT_INT(GYRunLoopContainsSource(s->rl, s->port, DEFAULT), s->has_port);
    EXPECT_INT(GYRunLoopContainsSource(s->rl, s->port, s->mode), false);
    GYRunLoopAddTimer(s->rl, s->timer, s->mode);
    error = errno;
    s->has_timer = there(GYRunLoopContainsTimer(s->rl, s->timer, s->mode), error);
    errno = 0;
    GYRunLoopAddObserver(s->rl, s->observer, s->mode);
    error = errno;
    s->has_observer = there(GYRunLoopContainsObserver(s->rl, s->observer, s->mode), error);
    s->has_call = GYRunLoopPerform(s->rl, s->mode, loop_counts, &s->calls, NULL);
    if (!s->has_call) EXPECT_INT(errno, ENOMEM);
    return s->has_source && s->has_port && s->has_timer && s->has_observer && s->has_call;
}

static void run_all(scene *s) {
    GYRunLoopSourceSignal(s->source);
    for (int i = 0; i < 3; i++) GYRunLoopRunInMode(s->mode, 0, false);
    GYRunLoopRunInMode(DEFAULT, 0, false);
    GYRunLoopRunInMode(s->mode, 1e-6, false);
}

/* What the loop took is served, sooner or later. */
static void expect_served(scene *s) {
    EXPECT_INT(atomic_load(&s->performs) > 0, s->has_source);
    EXPECT_INT(atomic_load(&s->port_performs) > 0, s->has_port);
    EXPECT_INT(atomic_load(&s->firings) > 0, s->has_timer);
    EXPECT_INT(atomic_load(&s->observed) > 0, s->has_observer && (s->has_source || s->has_timer));
    EXPECT_INT(atomic_load(&s->calls) > 0, s->has_call);
}

static void drop_items(scene *s) {
    if (s->source != NULL) loop_drop(s->source);
    if (s->timer != NULL) loop_drop(s->timer);
    if (s->observer != NULL) loop_drop(s->observer);
    if (s->mode != NULL) GYRelease(s->mode);
    s->source = NULL;
    s->timer = NULL;
    s->observer = NULL;
    s->mode = NULL;
}

/* The whole scene; gives whether every call went well. */
static bool play(scene *s) {
    bool whole = make_items(s) && add_all(s);
    if (s->rl != NULL && s->observer != NULL) run_all(s);
    return whole;
}

typedef struct {
    long allowed;
    bool has_failed;
} attempt;

/* Plays with one failure, and again without; the thread's end takes the loop down. */
static void play_with_failure(void *given) {
    attempt *this = given;
    scene s = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
    make_port(&s);
    has_failed = false;
    allowed = this->allowed;
    bool whole = play(&s);
    allowed = -1;
    this->has_failed = has_failed;
    if (!has_failed) EXPECT(whole);
    if (s.observer != NULL) {
        run_all(&s);
        expect_served(&s);
    }
    drop_items(&s);
    eventfd_write(s.fd, 1);
    EXPECT(play(&s));
    run_all(&s);
    expect_served(&s);
    drop_items(&s);
    loop_drop(s.port);
    close(s.fd);
}

static attempt play_on_thread(long allowance) {
    attempt this = {.allowed = allowance};
    test_thread(play_with_failure, &this);
    return this;
}

/* R89: for every n, until the scene needs no more than n. */
TEST(every_call_survives_the_failure_of_any_allocation) {
    for (int i = 0; i < 3; i++) play_on_thread(-1);
    long before = atomic_load(&in_use), n = 0;
    while (test_failures() == 0) {
        attempt this = play_on_thread(n);
        EXPECT_INT(atomic_load(&in_use), before);
        if (test_failures() > 0) test_fail(__FILE__, __LINE__, "with allocation %ld failing", n);
        if (!this.has_failed) break;
        n++;
    }
    EXPECT(n > 5);
}

static void describe_with_failure(void *given) {
    attempt *this = given;
    GYRunLoopTimerRef timer = loop_in(DEFAULT, loop_timer(3600, 1, NULL, NULL));
    GYRunLoopSourceRef source = loop_keep(GYSTR("other"));
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    has_failed = false;
    allowed = this->allowed;
    GYStringRef text = GYCopyDescription(rl);
    GYArrayRef modes = GYRunLoopCopyAllModes(rl);
    allowed = -1;
    this->has_failed = has_failed;
    if (!has_failed) EXPECT(text != NULL && modes != NULL);
    if (text != NULL) GYRelease(text);
    if (modes != NULL) GYRelease(modes);
    loop_drop(timer);
    loop_drop(source);
}

/* R164: no memory: NULL. */
TEST(describing_and_listing_survive_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(describe_with_failure, &this);
    long before = atomic_load(&in_use);
    this.allowed = 0;
    do {
        test_thread(describe_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
}

static void counts_and_enables(GYFileDescriptorRef f, GYOptionFlags types, void *count) {
    GYFileDescriptorEnableCallBacks(f, types);
    loop_counts(count);
}

/* False: something was refused, and nothing has happened. */
static bool watch_file_descriptor(GYFileDescriptorRef f) {
    GYRunLoopSourceRef source = GYFileDescriptorCreateRunLoopSource(NULL, f, 0);
    if (!made(source)) return false;
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, DEFAULT);
    int error = errno;
    bool is_there = GYRunLoopContainsSource(GYRunLoopGetCurrent(), source, DEFAULT);
    GYRelease(source);
    return there(is_there, error);
}

static void watch_with_failure(void *given) {
    attempt *this = given;
    atomic_int calls = 0;
    int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    GYFileDescriptorContext context = {.info = &calls};
    GYRunLoopGetCurrent();
    has_failed = false;
    allowed = this->allowed;
    GYFileDescriptorRef f = GYFileDescriptorCreate(NULL, fd, true, counts_and_enables, &context);
    bool is_made = made(f), is_watched = is_made && watch_file_descriptor(f);
    allowed = -1;
    this->has_failed = has_failed;
    EXPECT_INT(is_watched, !has_failed);
    if (!is_made) f = GYFileDescriptorCreate(NULL, fd, true, counts_and_enables, &context);
    EXPECT(watch_file_descriptor(f));
    GYFileDescriptorEnableCallBacks(f, kGYFileDescriptorReadCallBack);
    loop_poll(DEFAULT);
    allowed = 0;
    loop_poll(DEFAULT);
    allowed = -1;
    EXPECT_INT(atomic_load(&calls), 2);
    GYFileDescriptorInvalidate(f);
    GYRelease(f);
}

/* R221, R89: a callback, too, is called and enabled again without memory. */
TEST(watching_a_file_descriptor_survives_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(watch_with_failure, &this);
    long before = atomic_load(&in_use);
    this.allowed = 0;
    do {
        test_thread(watch_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
    EXPECT(this.allowed > 3);
}

static void counts_bytes(GYSocketRef s, GYSocketCallBackType type, GYDataRef address,
                         const void *data, void *count) {
    (void)s, (void)type, (void)address;
    *(GYIndex *)count += GYDataGetLength(data);
}

static void talk_with_failure(void *given) {
    attempt *this = given;
    int ends[2];
    GYIndex count = 0;
    GYSocketContext context = {.info = &count};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    GYRunLoopGetCurrent();
    has_failed = false;
    allowed = this->allowed;
    GYSocketRef s =
        GYSocketCreateWithNative(NULL, ends[0], kGYSocketDataCallBack, counts_bytes, &context);
    GYRunLoopSourceRef source = made(s) ? GYSocketCreateRunLoopSource(NULL, s, 0) : NULL;
    if (s != NULL && made(source)) GYRunLoopAddSource(GYRunLoopGetCurrent(), source, DEFAULT);
    REQUIRE(write(ends[1], "x", 1) == 1);
    loop_poll(DEFAULT);
    allowed = -1;
    this->has_failed = has_failed;
    if (source != NULL) GYRunLoopAddSource(GYRunLoopGetCurrent(), source, DEFAULT);
    if (source != NULL) loop_poll(DEFAULT); /* what there was no memory for has stayed there */
    EXPECT_INT(count, source == NULL ? 0 : 1);
    if (source != NULL) GYRelease(source);
    if (s == NULL) close(ends[0]);
    if (s != NULL) GYSocketInvalidate(s);
    if (s != NULL) GYRelease(s);
    close(ends[1]);
}

/* R290, R292 */
TEST(a_socket_survives_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(talk_with_failure, &this);
    long before = atomic_load(&in_use);
    this.allowed = 0;
    do {
        test_thread(talk_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
    EXPECT(this.allowed > 4);
}

static atomic_int signals_told, events_told;

static void counts_signals(GYRunLoopSourceRef source, const GYSignalInfo *signal, void *unused) {
    (void)source;
    (void)signal;
    (void)unused;
    atomic_fetch_add(&signals_told, 1);
}

static void counts_events(GYRunLoopSourceRef source, const GYFileEvent *event, void *unused) {
    (void)source;
    (void)event;
    (void)unused;
    atomic_fetch_add(&events_told, 1);
}

/* What is there may be asked for again, and what is not has left nothing behind. */
typedef struct {
    int signal;
    GYRunLoopSourceRef on_signal, on_end, on_files;
    bool is_path_there;
} kinds;

static bool make_kinds(kinds *k) {
    if (k->on_signal == NULL) {
        k->on_signal = GYSignalCreateRunLoopSource(NULL, k->signal, 0, counts_signals, NULL);
        if (!made(k->on_signal)) return false;
    }
    if (k->on_end == NULL) {
        k->on_end = GYProcessCreateRunLoopSource(NULL, getpid(), 0, 0, NULL, NULL);
        if (!made(k->on_end)) return false;
    }
    if (k->on_files == NULL) {
        k->on_files = GYFileWatcherCreateRunLoopSource(NULL, 0, counts_events, NULL);
        if (!made(k->on_files)) return false;
    }
    errno = 0;
    k->is_path_there = GYFileWatcherAddPath(k->on_files, "/dev/null", kGYFileAttributes);
    if (!k->is_path_there) EXPECT_INT(errno, ENOMEM);
    return k->is_path_there;
}

static void make_kinds_with_failure(void *given) {
    attempt *this = given;
    kinds k = {.signal = this->allowed < 0 ? SIGUSR1 : SIGRTMIN + (int)(this->allowed % 20)};
    GYRunLoopGetCurrent();
    has_failed = false;
    allowed = this->allowed;
    bool are_made = make_kinds(&k);
    allowed = -1;
    this->has_failed = has_failed;
    EXPECT_INT(are_made, !has_failed);
    EXPECT(make_kinds(&k));
    GYRunLoopAddSource(GYRunLoopGetCurrent(), k.on_signal, DEFAULT);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), k.on_files, DEFAULT);
    int before = atomic_load(&signals_told);
    loop_poll(DEFAULT);
    raise(k.signal);
    allowed = 0; /* neither the handler nor telling takes memory */
    loop_poll(DEFAULT);
    allowed = -1;
    EXPECT_INT(atomic_load(&signals_told), before + 1);
    loop_drop(k.on_signal);
    loop_drop(k.on_end);
    loop_drop(k.on_files);
}

/* R230, R240, R250 */
TEST(signals_processes_and_files_survive_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(make_kinds_with_failure, &this);
    int count = test_descriptor_count();
    this.allowed = 0;
    do {
        long before = atomic_load(&in_use);
        test_thread(make_kinds_with_failure, &this);
        EXPECT(atomic_load(&in_use) <= before + 1); /* the slot of a signal stays */
        EXPECT_INT(test_descriptor_count(), count);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
    EXPECT(this.allowed > 6);
}

static void embed_with_failure(void *given) {
    attempt *this = given;
    atomic_int calls = 0;
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, loop_counts, &calls));
    GYRunLoopSourceSignal(source);
    has_failed = false;
    allowed = this->allowed;
    GYRunLoopEmbeddingRef e = GYRunLoopEmbeddingCreate(GYRunLoopGetCurrent(), DEFAULT);
    bool is_made = made(e);
    GYRunLoopRunResult result = is_made ? GYRunLoopEmbeddingDispatch(e) : 0;
    bool is_ended = is_made && GYRunLoopEmbeddingInvalidate(e);
    allowed = -1;
    this->has_failed = has_failed;
    if (!has_failed) EXPECT(result == kGYRunLoopEmbeddingGoesOn && is_ended);
    if (!is_made) e = embed(DEFAULT);
    while (!is_ended && atomic_load(&calls) == 0) EMBED_GOES_ON(embed_turn(e));
    loop_poll(DEFAULT);
    EXPECT_INT(atomic_load(&calls), 1);
    if (!is_ended) EXPECT(GYRunLoopEmbeddingInvalidate(e));
    GYRelease(e);
    loop_drop(source);
}

/* R300 to R308 */
TEST(embedding_a_mode_survives_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(embed_with_failure, &this);
    long before = atomic_load(&in_use);
    this.allowed = 0;
    do {
        test_thread(embed_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
    EXPECT(this.allowed > 3);
}

/* A timer by the wall clock, and one for a loop on a manual clock. False: something was refused. */
static bool use_clocks(GYManualClockRef *clock, GYRunLoopTimerRef timers[2]) {
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    *clock = GYManualClockCreate(NULL, 0, true);
    if (!made(*clock) || !GYRunLoopSetClock(rl, *clock)) return false;
    for (int i = 0; i < 2; i++) {
        timers[i] = GYRunLoopTimerCreateAfter(1000, 0, 0, NULL, NULL);
        if (!made(timers[i])) return false;
    }
    if (!GYRunLoopTimerSetClock(timers[0], kGYTimerWall, NULL)) return there(false, errno);
    for (int i = 0; i < 2; i++) {
        GYRunLoopAddTimer(rl, timers[i], DEFAULT);
        int error = errno;
        if (!there(GYRunLoopContainsTimer(rl, timers[i], DEFAULT), error)) return false;
    }
    if (!GYRunLoopTimerSetClock(timers[1], kGYTimerBoot, NULL)) return there(false, errno);
    return true;
}

static void use_clocks_with_failure(void *given) {
    attempt *this = given;
    GYManualClockRef clock = NULL;
    GYRunLoopTimerRef timers[2] = {NULL, NULL};
    GYRunLoopGetCurrent();
    has_failed = false;
    allowed = this->allowed;
    bool is_used = use_clocks(&clock, timers);
    allowed = -1;
    this->has_failed = has_failed;
    EXPECT_INT(is_used, !has_failed);
    GYRunLoopRunInMode(DEFAULT, 1, false);
    for (int i = 0; i < 2; i++) {
        if (is_used) EXPECT(!GYRunLoopTimerIsValid(timers[i]));
        if (timers[i] != NULL) loop_drop(timers[i]);
    }
    if (clock != NULL) GYRelease(clock);
}

/* R89, R310, R315 */
TEST(clocks_survive_the_failure_of_any_allocation) {
    attempt this = {.allowed = -1};
    for (int i = 0; i < 3; i++) test_thread(use_clocks_with_failure, &this);
    long before = atomic_load(&in_use);
    this.allowed = 0;
    do {
        test_thread(use_clocks_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.allowed++;
    } while (this.has_failed && test_failures() == 0);
    EXPECT(this.allowed > 6);
}

/* A pass of a loop that has what it needs takes no memory at all. */
LOOP_TEST(passes_of_a_busy_loop_allocate_nothing) {
    scene s = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
    make_port(&s);
    EXPECT(play(&s));
    GYRunLoopAddSource(s.rl, s.port, s.mode);
    run_all(&s);
    has_failed = false;
    allowed = 0;
    for (int i = 0; i < 1000; i++) {
        GYRunLoopSourceSignal(s.source);
        GYRunLoopTimerSetNextFireAt(s.timer, 0);
        eventfd_write(s.fd, 1);
        GYRunLoopRunInMode(s.mode, 0, false);
    }
    allowed = -1;
    EXPECT(!has_failed);
    EXPECT(atomic_load(&s.performs) >= 1000);
    EXPECT(atomic_load(&s.firings) >= 500);
    drop_items(&s);
    loop_drop(s.port);
    close(s.fd);
}

enum { MODES = 5000 };

/* A delayed call that its loop makes while it is still being handed over. */
typedef struct {
    atomic_bool has_begun;
    atomic_int released;
    test_event may_return;
} early;

static void begins(void *info) {
    early *self = info;
    atomic_store(&self->has_begun, true);
    test_event_wait(&self->may_return);
}

static void counts_as_released(void *info) { atomic_fetch_add(&((early *)info)->released, 1); }

static GYArrayRef many_modes(void) {
    static const void *names[MODES];
    names[0] = DEFAULT;
    for (int i = 1; i < MODES; i++) {
        char name[32];
        snprintf(name, sizeof name, "mode %d", i);
        names[i] = GYRunLoopModeNamed(name);
    }
    GYArrayRef modes = GYArrayCreate(NULL, names, MODES, &kGYTypeArrayCallBacks);
    for (int i = 1; i < MODES; i++) GYRelease(names[i]);
    return modes;
}

/* A later mode refuses the timer; an earlier one has fired it. */
TEST(a_delayed_call_that_has_begun_is_kept_when_a_later_mode_has_no_memory) {
    early self = {0};
    test_event_init(&self.may_return);
    loop_worker worker;
    loop_worker_start(&worker, DEFAULT);
    GYArrayRef modes = many_modes();
    refuses_when = &self.has_begun;
    GYRunLoopPerformRef perform =
        GYRunLoopPerformCreate(worker.rl, modes, 1, begins, &self, counts_as_released);
    refuses_when = NULL;
    REQUIRE(perform != NULL);
    test_event_signal(&self.may_return);
    EXPECT_INT(GYRunLoopPerformCancelAndWait(perform), kGYRunLoopPerformDone);
    loop_worker_drop(&worker);
    EXPECT_INT(atomic_load(&self.released), 1);
    GYRelease(perform);
    GYRelease(modes);
}

/* Drain pools: what is refused is not called, not released and not kept. */

typedef struct {
    attempt attempt;
    atomic_int calls;
} drain_attempt;

static atomic_int hook_releases;

static void release_hook(const void *unused) {
    (void)unused;
    atomic_fetch_add(&hook_releases, 1);
}

static void do_nothing(GYRunLoopObserverRef hook, GYRunLoopActivity point, void *unused) {
    (void)hook;
    (void)point;
    (void)unused;
}

/* True, or false for want of memory. */
static bool done(bool result) {
    if (!result) EXPECT_INT(errno, ENOMEM);
    return result;
}

static void defer_some(atomic_int *calls, const void *object) {
    int taken = 0, before = atomic_load(calls);
    GYIndex references = GYGetRetainCount(object);
    GYDrainPoolToken pool = GYDrainPoolPush();
    if (!done(pool != 0)) return;
    for (int i = 0; i < 600; i++) taken += done(GYDefer(loop_counts, calls));
    GYRetain(object);
    if (!done(GYAutorelease(object) != NULL)) GYRelease(object);
    GYDrainPoolPop(pool);
    EXPECT_INT(atomic_load(calls) - before, taken);
    EXPECT_INT(GYGetRetainCount(object), references);
}

static void hook_some(GYRunLoopRef rl) {
    int before = atomic_load(&hook_releases);
    GYRunLoopObserverRef hook = GYRunLoopAddDrainHook(rl, GYSTR("hooked"), kGYDrainExit, 0,
                                                      do_nothing, &hook_releases, release_hook);
    EXPECT_INT(atomic_load(&hook_releases), before);
    if (done(hook != NULL)) GYRunLoopObserverInvalidate(hook);
    bool is_set = done(GYRunLoopSetDrainPolicy(rl, GYSTR("quiet"), kGYDrainPolicyOnExit));
    EXPECT_INT(GYRunLoopGetDrainPolicy(rl, GYSTR("quiet")),
               is_set ? kGYDrainPolicyOnExit : kGYDrainPolicyEveryIteration);
}

/* A run begins with its pool, or not at all. */
static void run_once(atomic_int *calls) {
    int before = atomic_load(calls);
    errno = 0;
    bool has_run = GYRunLoopRunInMode(DEFAULT, 0, false) == kGYRunLoopRunTimedOut;
    if (!has_run) EXPECT_INT(errno, ENOMEM);
    EXPECT(atomic_load(calls) - before <= has_run);
}

static void deferring(GYRunLoopObserverRef observer, GYRunLoopActivity activity, void *calls) {
    (void)observer;
    (void)activity;
    done(GYDefer(loop_counts, calls));
}

static void drain_with_failure(void *given) {
    drain_attempt *this = given;
    GYRunLoopRef rl = GYRunLoopGetCurrent();
    GYRunLoopSourceRef keep = loop_keep(DEFAULT);
    GYRunLoopObserverRef entry =
        loop_in(DEFAULT, loop_observer(kGYRunLoopEntry, true, 0, deferring, &this->calls));
    has_failed = false;
    allowed = this->attempt.allowed;
    run_once(&this->calls);
    defer_some(&this->calls, keep);
    hook_some(rl);
    allowed = -1;
    this->attempt.has_failed = has_failed;
    run_once(&this->calls);
    defer_some(&this->calls, keep);
    hook_some(rl);
    loop_drop(entry);
    loop_drop(keep);
}

/* R89 */
TEST(drain_pools_survive_the_failure_of_any_allocation) {
    drain_attempt this = {.attempt = {.allowed = -1}};
    for (int i = 0; i < 3; i++) test_thread(drain_with_failure, &this);
    long before = atomic_load(&in_use);
    this.attempt.allowed = 0;
    do {
        test_thread(drain_with_failure, &this);
        EXPECT_INT(atomic_load(&in_use), before);
        this.attempt.allowed++;
    } while (this.attempt.has_failed && test_failures() == 0);
    EXPECT(this.attempt.allowed > 8);
}

static void defers_many(void *calls) {
    for (int i = 0; i < 200; i++) GYDefer(loop_counts, calls);
}

/* Neither an empty pool nor one that is filled again and again. */
LOOP_TEST(draining_allocates_nothing_once_it_has_what_it_needs) {
    atomic_int calls = 0;
    GYRunLoopSourceRef source = loop_in(DEFAULT, loop_source0(0, defers_many, &calls));
    for (int i = 0; i < 2000; i++) {
        if (i == 10) {
            has_failed = false;
            allowed = 0;
        }
        if (i % 2 == 0) GYRunLoopSourceSignal(source);
        loop_poll(DEFAULT);
    }
    allowed = -1;
    EXPECT(!has_failed);
    EXPECT_INT(atomic_load(&calls), 1000 * 200);
    loop_drop(source);
}

#else

TEST(every_call_survives_the_failure_of_any_allocation) {
    TEST_SKIP_IF(true, "the allocator cannot be replaced here");
}

#endif

TEST_MAIN()
