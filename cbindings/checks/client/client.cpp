// A C++ client: a function performed on the loop stops it. The mode name is initialised before
// main, and the callback is a lambda.
#include <cstdio>
#include <gyre/gyre.h>

static const GYStringRef mode = GYSTR("client");

int main() {
    GYRunLoopRef loop = GYRunLoopGetCurrent();
    GYRunLoopPerform(
        loop, mode, [](void *info) { GYRunLoopStop(static_cast<GYRunLoopRef>(info)); }, loop,
        nullptr);
    if (GYRunLoopRunInMode(mode, 10, false) == kGYRunLoopRunStopped) std::puts("done");
}
