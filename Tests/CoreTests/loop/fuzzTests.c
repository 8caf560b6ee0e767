/* Random valid calls from several threads at once (F13): no trap, no hang, nothing leaked. The
 * runner's time limit is the watchdog. */
#include "support/loop.h"
#include "support/test.h"

#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYString.h>
#include <gyre/GYTime.h>
#include <stdlib.h>

enum { THREADS = 4, ITEMS = 12, MODES = 4 };

/* What all threads draw from. A reference is taken under the mutex and used without it. */
static struct {
    pthread_mutex_t mutex;
    GYRunLoopRef loops[THREADS];
    const void *items[ITEMS];
    int64_t end_ns;
    pthread_barrier_t loops_known;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static GYRunLoopMode mode_at(unsigned i) {
    GYRunLoopMode modes[MODES] = {kGYRunLoopDefaultMode, kGYRunLoopCommonModes, GYSTR("a"),
                                  GYSTR("b")};
    return modes[i % MODES];
}

/* xorshift: the sequence depends on the thread's seed alone. */
static unsigned draw(unsigned *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state >> 3;
}

static void do_nothing(void *info) { (void)info; }

/* Adding what belongs to another loop is reported, very often. */
static void ignore_line(const char *line, void *info) {
    (void)line;
    (void)info;
}

static void signal_random(void *info);

static const void *make_item(unsigned kind, unsigned salt) {
    static char marks[64];
    switch (kind % 3) {
    case 0: return loop_source0((GYIndex)(salt % 3), signal_random, &marks[salt % 64]);
    case 1: return loop_timer((double)(salt % 5) / 1000 - 0.001, salt % 2 ? 0.001 : 0, NULL, NULL);
    default: return loop_observer(1UL << (salt % 8), salt % 2, 0, NULL, NULL);
    }
}

static const void *take_item(unsigned i) {
    pthread_mutex_lock(&shared.mutex);
    const void *item = GYRetain(shared.items[i % ITEMS]);
    pthread_mutex_unlock(&shared.mutex);
    return item;
}

static void replace_item(unsigned i, unsigned salt) {
    const void *made = make_item(i % ITEMS, salt);
    pthread_mutex_lock(&shared.mutex);
    const void *old = shared.items[i % ITEMS];
    shared.items[i % ITEMS] = made;
    pthread_mutex_unlock(&shared.mutex);
    loop_drop(old);
}

/* Item i is of kind i % 3 throughout. */
static void signal_random(void *mark) {
    const void *item = take_item(3 * ((unsigned)(uintptr_t)mark % (ITEMS / 3)));
    GYRunLoopSourceSignal((GYRunLoopSourceRef)item);
    GYRelease(item);
}

static void change_source(GYRunLoopRef rl, GYRunLoopSourceRef source, GYRunLoopMode mode,
                          unsigned what) {
    switch (what % 5) {
    case 0: GYRunLoopRemoveSource(rl, source, mode); break;
    case 1: GYRunLoopContainsSource(rl, source, mode); break;
    case 2: GYRunLoopSourceSignal(source); break;
    default: GYRunLoopAddSource(rl, source, mode);
    }
}

static void change_timer(GYRunLoopRef rl, GYRunLoopTimerRef timer, GYRunLoopMode mode,
                         unsigned what) {
    switch (what % 7) {
    case 0: GYRunLoopRemoveTimer(rl, timer, mode); break;
    case 1: GYRunLoopContainsTimer(rl, timer, mode); break;
    case 2: GYRunLoopTimerSetNextFireAt(timer, test_now_ns() + what % 1000 * 1000); break;
    case 3: GYRunLoopTimerSetNextFireDate(timer, GYAbsoluteTimeGetCurrent() - 1); break;
    case 4: GYRunLoopTimerSetTolerance(timer, (double)(what % 100) / 1000); break;
    default: GYRunLoopAddTimer(rl, timer, mode);
    }
}

static void change_observer(GYRunLoopRef rl, GYRunLoopObserverRef observer, GYRunLoopMode mode,
                            unsigned what) {
    switch (what % 4) {
    case 0: GYRunLoopRemoveObserver(rl, observer, mode); break;
    case 1: GYRunLoopContainsObserver(rl, observer, mode); break;
    default: GYRunLoopAddObserver(rl, observer, mode);
    }
}

static void change_item(GYRunLoopRef rl, unsigned i, GYRunLoopMode mode, unsigned what) {
    const void *item = take_item(i);
    switch (i % ITEMS % 3) {
    case 0: change_source(rl, (GYRunLoopSourceRef)item, mode, what); break;
    case 1: change_timer(rl, (GYRunLoopTimerRef)item, mode, what); break;
    default: change_observer(rl, (GYRunLoopObserverRef)item, mode, what);
    }
    GYRelease(item);
}

static void perform_random(GYRunLoopRef rl, GYRunLoopMode mode, unsigned what) {
    if (what % 2 == 0) {
        GYRunLoopPerform(rl, mode, do_nothing, NULL, do_nothing);
        return;
    }
    GYRunLoopPerformRef work = GYRunLoopPerformCreate(rl, mode, (int64_t)(what % 3) * 100000,
                                                      do_nothing, NULL, do_nothing);
    if (work == NULL) return;
    if (what % 4 == 1) GYRunLoopPerformCancelAndWait(work);
    GYRelease(work);
}

static void ask_random(GYRunLoopRef rl, GYRunLoopMode mode, unsigned what) {
    const void *made = NULL;
    switch (what % 4) {
    case 0: made = GYRunLoopCopyAllModes(rl); break;
    case 1: made = GYRunLoopCopyCurrentMode(rl); break;
    case 2: made = GYCopyDescription(rl); break;
    default: GYRunLoopGetNextTimerFireDate(rl, mode);
    }
    if (made != NULL) GYRelease(made);
}

static void call_something(unsigned *state) {
    GYRunLoopRef rl = shared.loops[draw(state) % THREADS];
    GYRunLoopMode mode = mode_at(draw(state));
    unsigned what = draw(state);
    switch (draw(state) % 10) {
    case 0: GYRunLoopWakeUp(rl); break;
    case 1: GYRunLoopStop(rl); break;
    case 2: perform_random(rl, mode, what); break;
    case 3: ask_random(rl, mode, what); break;
    case 4: replace_item(what, draw(state)); break;
    case 5: GYRunLoopAddCommonMode(rl, what % 2 ? GYSTR("a") : kGYRunLoopDefaultMode); break;
    case 6:
        GYRunLoopRunInMode(what % 2 ? kGYRunLoopDefaultMode : GYSTR("b"), what % 3 ? 0 : 0.0005,
                           what % 2);
        break;
    default: change_item(rl, what, mode, draw(state));
    }
}

static void call_until_the_end(void *number) {
    unsigned state = 2463534242U + 77777U * *(unsigned *)number;
    shared.loops[*(unsigned *)number] = (GYRunLoopRef)GYRetain(GYRunLoopGetCurrent());
    pthread_barrier_wait(&shared.loops_known);
    while (test_now_ns() < shared.end_ns) call_something(&state);
}

/* F13 */
TEST(random_calls_from_four_threads_neither_trap_nor_hang) {
    static unsigned numbers[THREADS] = {0, 1, 2, 3};
    pthread_t threads[THREADS];
    GYSetLogHandler(ignore_line, NULL);
    pthread_barrier_init(&shared.loops_known, NULL, THREADS);
    shared.end_ns = test_now_ns() + 2000000000;
    for (unsigned i = 0; i < ITEMS; i++) shared.items[i] = make_item(i, i * 7);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = test_thread_start(call_until_the_end, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) test_thread_join(threads[i]);
    for (int i = 0; i < THREADS; i++) GYRelease(shared.loops[i]);
    for (int i = 0; i < ITEMS; i++) loop_drop(shared.items[i]);
    pthread_barrier_destroy(&shared.loops_known);
}

TEST_MAIN()
