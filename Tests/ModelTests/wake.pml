/* Waking a loop: the sleep state, and the eventfd that is watched edge-triggered and never read.
 *
 * One loop, whose run may have runs nested in it, in another mode with an epoll set of its own;
 * threads that leave work and wake it; one that moves a deadline and nudges it; its end.
 *
 * Properties:
 * - A wake-up that a run remembers (R153), or that finds it asleep, ends its sleep: R48, R150.
 * - A sleep ends as by a wake-up only if one came: an edge alone is not seen (R156).
 * - No run stays asleep with work of its mode pending that a wake-up followed.
 * - No run stays asleep with a deadline that it has not looked at (R105, R111).
 * - The eventfd is written to only while its number is the loop's (R155).
 *
 * config edge
 * config poll -DPOLL
 * mutant edge NO_RECHECK         falls asleep over a wake-up that is remembered
 * mutant edge WRITE_FIRST        writes, then changes the state
 * mutant edge NO_WRITER_COUNT    closes the eventfd without waiting for writers
 * mutant edge REFUSAL_IGNORED    does not write again after EAGAIN
 * mutant edge EDGE_IS_WAKE_UP    takes every return from the wait for a wake-up
 * mutant edge RESTORE_FORGETS    a nested run that ends drops the wake-up that it did not use
 * mutant edge TAKE_CLOSES        a nested run that has slept drops wake-ups of the run around it
 * mutant edge SLEEPS_AFTER_NEST  sleeps although a run was nested in step 7
 * mutant edge OPENS_LATE         remembers wake-ups only from step 7 on
 * mutant edge NUDGES_FIRST       nudges, then moves the deadline
 * mutant poll POLL_UNCHECKED     polls without asking whether a wake-up came
 * mutant poll EMPTIES_LATE       empties the eventfd between looking at deadlines and polling
 */

#define ITERATIONS 2  /* of each run */
#define DEPTHS 3
#define FULL 1        /* the count at which the eventfd refuses a write */

/* The kernel's side. */
byte counter;         /* of the eventfd */
bool edge[2];         /* the set has an edge of it to report */
bool is_ours = true;  /* the number of the eventfd has not been closed */
byte writers;         /* the upper bits of the state */
bool has_other_event; /* a port is ready once */

/* What the loop is to look at: signalled sources by mode, and the earliest deadline. */
bool work[2];
byte deadline;

/* What the rules say, to compare with. A run's window is open from its begin, or the begin of its
 * iteration, until its sleep ends. */
bool window_is_open[DEPTHS];
bool is_owed; /* a wake-up came while a window was open, and no run has used it since */

#define ANY_WINDOW (window_is_open[0] || window_is_open[1] || window_is_open[2])
#define NOTE_WINDOW window_is_open[depth] = true
#include "phase.inc"

/* ---- the other threads ---- */

/* gy_sys_eventfd_ring, and the end of ring in wake.c. */
inline ring() {
    do
    :: atomic {
           assert(is_ours);
           if
           :: counter < FULL -> counter++; edge[0] = true; edge[1] = true; break
           :: else /* EAGAIN */
           fi
       };
#ifdef REFUSAL_IGNORED
       break;
#endif
       atomic { assert(is_ours); counter = 0 } /* gy_sys_eventfd_clear */
    od;
#ifndef NO_WRITER_COUNT
    writers--
#endif
}

/* gy_wake_up. */
inline wake_up() {
    atomic {
#ifdef WRITE_FIRST
        rings = phase == ASLEEP;
        if :: rings -> writers++ :: else fi
    };
    if :: rings -> ring() :: else fi;
    atomic {
#endif
        wake_change(false, rings);
        is_owed = is_owed || ANY_WINDOW;
#ifdef WRITE_FIRST
        rings = false
#endif
#ifndef NO_WRITER_COUNT
        if :: rings -> writers++ :: else fi
#endif
    };
    if :: rings -> ring() :: else fi;
    rings = false
}

/* gy_wake_nudge. */
inline nudge() {
    atomic {
        rings = phase == ASLEEP;
#ifndef NO_WRITER_COUNT
        if :: rings -> writers++ :: else fi
#endif
    };
    if :: rings -> ring() :: else fi
}

active [WAKERS] proctype Waker() {
    bool rings;
    if
    :: work[0] = true
    :: work[1] = true
    fi;
    wake_up()
}

active [NUDGERS] proctype Nudger() {
    bool rings;
#ifdef NUDGES_FIRST
    nudge();
    deadline++
#else
    deadline++;
    nudge()
#endif
}

active [PORTS] proctype Port() { has_other_event = true }

/* ---- the loop ---- */

mtype = { EARLY, AT_SOURCE, BEFORE_WAITING, LATE };

/* The runs in progress, the innermost last. */
byte depth;
mtype around[DEPTHS];    /* gy_activation.around */
mtype nested_in[DEPTHS]; /* the step of the run around it that it is nested in */
byte iterations[DEPTHS]; /* left to do */
byte runs;               /* begun so far */

#define MODE (depth % 2)

/* A callout of this step may run the loop. */
#define MAY_NEST(step)                                                                             \
    if                                                                                             \
    :: runs <= NESTED_RUNS && depth + 1 < DEPTHS ->                                                \
       atomic { depth++; nested_in[depth] = step; goto begin }                                     \
    :: skip                                                                                        \
    fi

/* All else has come to rest while the loop sleeps, so nothing will ever end the sleep but the run's
 * time-out. */
inline stay_asleep() {
    assert(phase == ASLEEP && !is_owed);
    assert(!work[MODE]);
    assert(planned == deadline);
    ends = true
}

/* fetch: epoll_wait, or poll_instead where there is no set. */
inline fetch() {
    do
#ifdef POLL
    :: atomic { counter > 0 -> counter = 0; break } /* readable, then empty_bell */
#ifndef POLL_UNCHECKED
    :: atomic { phase == ASLEEP_WOKEN -> break } /* the time-out is zero */
#endif
#else
    :: atomic {
           edge[MODE] -> edge[MODE] = false;
           if
           :: counter > 0 -> break
           :: else /* emptied since: epoll looks, and reports nothing */
           fi
       }
#endif
    :: atomic { has_other_event -> has_other_event = false; is_served = true; break }
    :: atomic { timeout -> stay_asleep(); break }
    od
}

inline sleep_until_event() {
    do
    :: planned = deadline; /* make_plan */
#ifdef EMPTIES_LATE
       counter = 0;
#endif
       fetch();
       atomic {
           if
#ifndef EDGE_IS_WAKE_UP
           :: phase != ASLEEP_WOKEN && !is_served && !ends /* a nudge, an old edge: sleep on */
#endif
           :: else -> assert(is_owed || is_served || ends); break
           fi
       }
    od;
    atomic { planned = 0; is_served = false }
}

active proctype Loop() {
    bool handled, nested, sleeps, is_served, ends, is_remembered;
    byte planned;

begin: /* gy_activation_begin, run_activated */
    atomic { runs++; wake_window(around[depth]) };
    if
    :: counter > 0 -> edge[MODE] = true /* a set that is made only now finds the old count */
    :: skip
    fi;
    wake_open();
    iterations[depth] = ITERATIONS;

iterate:
    MAY_NEST(EARLY); /* Entry, steps 1 to 3 */
after_early:
    atomic { handled = work[MODE]; work[MODE] = false }; /* step 4 */
    if
    :: handled -> MAY_NEST(AT_SOURCE); goto step_8
    :: else
    fi;
    nested = false;
    MAY_NEST(BEFORE_WAITING); /* step 7 */

step_8: /* gy_sleep */
    sleeps = false;
#ifdef SLEEPS_AFTER_NEST
    nested = false;
#endif
#ifdef OPENS_LATE
    atomic { move_phase(CLOSED, OPEN); move_phase(OUTER, OPEN) };
#endif
    if
    :: !handled && !nested -> atomic { wake_fall_asleep(sleeps); assert(sleeps == !is_owed) }
    :: else
    fi;
    if
    :: sleeps -> sleep_until_event()
    :: else
    fi;
    atomic { wake_take(around[depth]); window_is_open[depth] = false; is_owed = false };

    MAY_NEST(LATE); /* steps 9 to 11 */
after_late:
    if /* step 12 */
    :: iterations[depth] > 1 && !ends ->
       iterations[depth]--;
       atomic {
#ifndef OPENS_LATE
           phase = OPEN; /* gy_wake_open_anew */
#endif
           window_is_open[depth] = true;
           is_owed = false
       };
       goto iterate
    :: true
    fi;

    /* gy_activation_end */
    atomic { ends = false; handled = false; nested = false; iterations[depth] = 0 };
    wake_restore(around[depth]);
    atomic {
        window_is_open[depth] = false;
        is_owed = is_owed && ANY_WINDOW;
        assert(is_owed == IS_WOKEN)
    };
    atomic {
        around[depth] = 0;
        if
        :: depth == 0
        :: depth > 0 && nested_in[depth] == EARLY -> depth--; goto after_early
        :: depth > 0 && nested_in[depth] == AT_SOURCE -> depth--; handled = true; goto step_8
        :: depth > 0 && nested_in[depth] == BEFORE_WAITING -> depth--; nested = true; goto step_8
        :: depth > 0 && nested_in[depth] == LATE -> depth--; goto after_late
        fi
    };

    /* close_descriptors: gy_wake_end */
    phase = DEAD;
    writers == 0;
    is_ours = false
}
