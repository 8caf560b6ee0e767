#include "base/manual_clock.h"

#include "base/clock.h"
#include "base/text.h"

_Atomic int64_t gy_manual_clocks_since;

static GYStringRef copy_description(const void *object) {
    const struct GYManualClock *clock = object;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYManualClock %p>{now = %.9f s, advances itself = %s}", object,
                   gy_ns_to_seconds(gy_manual_clock_now_ns(clock)),
                   clock->advances_itself ? "Yes" : "No");
    return gy_text_finish(&text);
}

static const gy_type manual_clock_type = {
    .kind = GY_KIND_MANUAL_CLOCK,
    .name = "GYManualClock",
    .copy_description = copy_description,
};

GYManualClockRef gy_manual_clock_create(GYAbsoluteTime date, bool advances_itself) {
    GYManualClockRef clock = gy_object_create(&manual_clock_type, sizeof *clock);
    if (clock == NULL) return NULL;
    clock->advances_itself = advances_itself;
    clock->epoch_ns = gy_seconds_to_ns(date);
    int64_t none = 0;
    atomic_compare_exchange_strong_explicit(&gy_manual_clocks_since, &none, gy_clock_now_ns(),
                                            memory_order_relaxed, memory_order_relaxed);
    return clock;
}

static int64_t limited(int64_t ns) { return ns < GY_MANUAL_CLOCK_END ? ns : GY_MANUAL_CLOCK_END; }

/* Release: for gy_manual_clock_now_ns. Acquire: for gy_manual_clock_look. */
static bool exchange(GYManualClockRef clock, int64_t *now_ns, int64_t ns) {
    return atomic_compare_exchange_weak_explicit(&clock->now_ns, now_ns, ns, memory_order_acq_rel,
                                                 memory_order_relaxed);
}

bool gy_manual_clock_move_to(GYManualClockRef clock, int64_t ns) {
    int64_t now_ns = atomic_load_explicit(&clock->now_ns, memory_order_relaxed);
    while (now_ns < limited(ns)) {
        if (exchange(clock, &now_ns, limited(ns))) return true;
    }
    return false;
}

/* Each of several that come at once counts. */
bool gy_manual_clock_move_by(GYManualClockRef clock, int64_t ns) {
    int64_t now_ns = atomic_load_explicit(&clock->now_ns, memory_order_relaxed);
    for (;;) {
        int64_t next_ns = limited(gy_ns_add(now_ns, ns));
        if (next_ns <= now_ns) return false;
        if (exchange(clock, &now_ns, next_ns)) return true;
    }
}

GYAbsoluteTime gy_manual_clock_date(const struct GYManualClock *clock, int64_t ns) {
    return gy_ns_to_seconds(gy_ns_add(ns, clock->epoch_ns));
}

int64_t gy_manual_clock_deadline_ns(const struct GYManualClock *clock, GYAbsoluteTime date) {
    return gy_ns_add(gy_seconds_to_ns(date), -clock->epoch_ns);
}
