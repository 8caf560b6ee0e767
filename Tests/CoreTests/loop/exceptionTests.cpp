// A C++ exception leaves a run from each kind of callout, and the next run goes on as it should.
#include <cstdio>
#include <cstdlib>
#include <gyre/gyre.h>
#include <stdexcept>
#include <unistd.h>

namespace {

const GYStringRef inner_mode = GYSTR("inner");
int failures;

#define EXPECT(x)                                                                                  \
    do {                                                                                           \
        if (!(x)) failures++, std::printf("%s:%d: expected: %s\n", __FILE__, __LINE__, #x);        \
    } while (0)

// Throws in its first call, and counts.
struct Thrower {
    int calls = 0;
    int descriptor = -1;

    void call() {
        if (calls++ == 0) throw std::runtime_error("thrown");
    }

    static void perform(void *info) { static_cast<Thrower *>(info)->call(); }
    static void fire(GYRunLoopTimerRef, void *info) { perform(info); }
    static void observe(GYRunLoopObserverRef, GYRunLoopActivity, void *info) { perform(info); }
    static int getPort(void *info) { return static_cast<Thrower *>(info)->descriptor; }
};

// Deeper in the stack than the runs that come afterwards, which is how a run that is gone is told.
__attribute__((noinline)) void runBelow(GYStringRef mode, int frames) {
    if (frames > 0) {
        runBelow(mode, frames - 1);
    } else {
        GYRunLoopRunInMode(mode, 10, false);
    }
    asm volatile("");
}

__attribute__((noinline)) bool throwsOut(GYStringRef mode) {
    try {
        runBelow(mode, 32);
    } catch (const std::runtime_error &) {
        return true;
    }
    return false;
}

void runUntilCalled(const Thrower &thrower, int calls) {
    for (int i = 0; thrower.calls < calls && i < 1000; i++) {
        GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.01, true);
    }
    EXPECT(thrower.calls == calls);
}

GYRunLoopSourceRef makeSource(Thrower &thrower) {
    GYRunLoopSourceContext context = {};
    context.info = &thrower;
    context.perform = Thrower::perform;
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(kGYAllocatorDefault, 0, &context);
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    GYRunLoopSourceSignal(source);
    return source;
}

void drop(GYRunLoopSourceRef source) {
    GYRunLoopSourceInvalidate(source);
    GYRelease(source);
}

void throwOutOfSource() {
    Thrower thrower;
    GYRunLoopSourceRef source = makeSource(thrower);
    EXPECT(throwsOut(kGYRunLoopDefaultMode));
    GYRunLoopSourceSignal(source);
    runUntilCalled(thrower, 2);
    drop(source);
}

void throwOutOfPort() {
    Thrower thrower;
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) std::abort();
    thrower.descriptor = ends[0];
    GYRunLoopSourceContext1 context = {};
    context.version = 1;
    context.info = &thrower;
    context.getPort = Thrower::getPort;
    context.perform = Thrower::perform;
    GYRunLoopSourceRef source = GYRunLoopSourceCreate(
        kGYAllocatorDefault, 0, reinterpret_cast<GYRunLoopSourceContext *>(&context));
    GYRunLoopAddSource(GYRunLoopGetCurrent(), source, kGYRunLoopDefaultMode);
    EXPECT(throwsOut(kGYRunLoopDefaultMode));
    runUntilCalled(thrower, 2);
    drop(source);
    close(ends[0]);
    close(ends[1]);
}

void throwOutOfTimer() {
    Thrower thrower;
    GYRunLoopTimerContext context = {};
    context.info = &thrower;
    GYRunLoopTimerRef timer = GYRunLoopTimerCreate(kGYAllocatorDefault, GYAbsoluteTimeGetCurrent(),
                                                   0.001, 0, 0, Thrower::fire, &context);
    GYRunLoopAddTimer(GYRunLoopGetCurrent(), timer, kGYRunLoopDefaultMode);
    EXPECT(throwsOut(kGYRunLoopDefaultMode));
    while (thrower.calls < 2) GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0.01, false);
    GYRunLoopTimerInvalidate(timer);
    GYRelease(timer);
}

void throwOutOfObserver() {
    Thrower thrower, quiet{1};
    GYRunLoopObserverContext context = {};
    context.info = &thrower;
    GYRunLoopSourceRef source = makeSource(quiet);
    GYRunLoopObserverRef observer = GYRunLoopObserverCreate(kGYAllocatorDefault, kGYRunLoopEntry,
                                                            true, 0, Thrower::observe, &context);
    GYRunLoopAddObserver(GYRunLoopGetCurrent(), observer, kGYRunLoopDefaultMode);
    EXPECT(throwsOut(kGYRunLoopDefaultMode));
    GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false);
    EXPECT(thrower.calls == 2);
    EXPECT(quiet.calls == 2);
    GYRunLoopObserverInvalidate(observer);
    GYRelease(observer);
    drop(source);
}

void throwOutOfWork() {
    Thrower thrower, quiet{1};
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopPerform(loop, kGYRunLoopDefaultMode, Thrower::perform, &thrower, nullptr);
    GYRunLoopPerform(loop, kGYRunLoopDefaultMode, Thrower::perform, &quiet, nullptr);
    EXPECT(throwsOut(kGYRunLoopDefaultMode));
    GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false);
    EXPECT(thrower.calls == 1);
    EXPECT(quiet.calls == 2);
}

// The exception is caught in a callout, around the run nested in it.
void throwOutOfNestedRun() {
    static Thrower thrower;
    static bool caught;
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopPerform(loop, inner_mode, Thrower::perform, &thrower, nullptr);
    GYRunLoopPerform(
        loop, kGYRunLoopDefaultMode, [](void *) { caught = throwsOut(inner_mode); }, nullptr,
        nullptr);
    GYRunLoopRunInMode(kGYRunLoopDefaultMode, 0, false);
    EXPECT(caught);
    EXPECT(GYRunLoopCopyCurrentMode(loop) == nullptr);
}

__attribute__((noinline)) GYRunLoopRunResult turnBelow(GYRunLoopEmbeddingRef embedding,
                                                       int frames) {
    GYRunLoopRunResult result =
        frames > 0 ? turnBelow(embedding, frames - 1) : GYRunLoopEmbeddingDispatch(embedding);
    asm volatile("");
    return result;
}

// The host catches it, and goes on.
void throwOutOfEmbeddedRun() {
    Thrower thrower;
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopSourceRef source = makeSource(thrower);
    GYRunLoopEmbeddingRef embedding = GYRunLoopEmbeddingCreate(loop, kGYRunLoopDefaultMode);
    bool caught = false;
    try {
        turnBelow(embedding, 32);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    EXPECT(caught);
    GYRunLoopSourceSignal(source);
    EXPECT(GYRunLoopEmbeddingDispatch(embedding) == kGYRunLoopEmbeddingGoesOn);
    EXPECT(thrower.calls == 2);
    EXPECT(GYRunLoopEmbeddingInvalidate(embedding));
    EXPECT(GYRunLoopCopyCurrentMode(loop) == nullptr);
    GYRelease(embedding);
    drop(source);
}

} // namespace

int main() {
    throwOutOfSource();
    throwOutOfPort();
    throwOutOfTimer();
    throwOutOfObserver();
    throwOutOfWork();
    throwOutOfNestedRun();
    throwOutOfEmbeddedRun();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
