/* Waking a loop from other threads and from signal handlers.
 *
 * Owns: the sleep state and the eventfd. The state alone says whether a wake-up came (R156); the
 * eventfd, watched edge-triggered and never read, only ends a wait that has begun. So waking a loop
 * that is awake costs no system call.
 * Threads: gy_wake_up and gy_wake_nudge any, also in signal handlers; the rest the loop's own. */
#ifndef GYRE_WAIT_WAKE_H
#define GYRE_WAIT_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The phase is in the low bits of the state. Above them is counted how many callers are about to
 * write to the eventfd: its number is not closed, and so not reused, before they have (R155). */
enum gy_wake_phase {
    GY_WAKE_CLOSED = 0, /* wake-ups are dropped: the loop goes round anyway, or is not running */
    GY_WAKE_OPEN = 1, /* between the start of an iteration and its sleep: remembered */
    GY_WAKE_OPEN_WOKEN = 2,
    GY_WAKE_ASLEEP = 3, /* the only phase in which a wake-up writes */
    GY_WAKE_ASLEEP_WOKEN = 4,
    GY_WAKE_DEAD = 5,
    /* A nested run that drops wake-ups, inside the window of the run around it: kept for that
     * one. */
    GY_WAKE_OUTER = 6,
    GY_WAKE_OUTER_WOKEN = 7,
};

typedef struct gy_wake {
    _Atomic uint32_t state;
    _Atomic int fd; /* -1 until made */
} gy_wake;

void gy_wake_init(gy_wake *wake);
/* Makes the eventfd if there is none; false with errno. */
bool gy_wake_prepare(gy_wake *wake);
/* No wake-up gets through any more; waits for writers under way, then closes. */
void gy_wake_end(gy_wake *wake);
/* In the child of a fork: closes the inherited eventfd and forgets writers that are gone. */
void gy_wake_reset_in_child(gy_wake *wake);

/* In the child of a fork, for the loop of a thread that is not there. */
void gy_wake_kill(gy_wake *wake);

void gy_wake_up(gy_wake *wake);
/* For a stop: the innermost run alone is meant, so nothing is kept for a run around it. */
void gy_wake_innermost(gy_wake *wake);
/* Between the two the loop may end but not go: gy_wake_end waits. For a caller that has to touch it
 * once more after it may have been told to end. */
void gy_wake_hold(gy_wake *wake);
void gy_wake_let_go(gy_wake *wake);
/* Ends the wait without being a wake-up: the loop looks at its deadlines anew and sleeps on. */
void gy_wake_nudge(gy_wake *wake);

/* Opens the window in which wake-ups are remembered. One that is remembered already stays. */
void gy_wake_open(gy_wake *wake);
/* The same for a loop that goes round: what came meanwhile is no wake-up for this run. True if it
 * was kept for a run around this one, which is to get it in the end. */
bool gy_wake_open_anew(gy_wake *wake);
/* False when a wake-up is remembered: do not sleep. */
bool gy_wake_fall_asleep(gy_wake *wake);
/* Back to the window, with the wake-up if one has come: for a loop whose wait is left to somebody
 * else, and that is to do something meanwhile. */
void gy_wake_rouse(gy_wake *wake);

/* The window a run begins in: OPEN, OUTER, or CLOSED where no run around it remembers wake-ups. */
enum gy_wake_phase gy_wake_window(const gy_wake *wake);
/* Ends the sleep, or the window of a pass that did not sleep. `around` is the window the run began
 * in. */
void gy_wake_take(gy_wake *wake, enum gy_wake_phase around);
/* Ends a run: the window it began in is back, with a wake-up that it did not use, or one that it
 * owes to the runs around it. */
void gy_wake_restore(gy_wake *wake, enum gy_wake_phase around, bool is_owed);

bool gy_wake_is_asleep(const gy_wake *wake);
/* While asleep: whether a wake-up has come. */
bool gy_wake_has_come(const gy_wake *wake);

#endif
