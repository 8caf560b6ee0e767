/* Waking a loop: the sleep state, and the eventfd that is watched edge-triggered and never read.
 *
 * A loop whose run may have runs nested in it, in another mode with an epoll set of its own;
 * threads that leave work and wake it; one that moves a deadline and nudges it; one that moves the
 * clock that the loop goes by, and does the same; a port that becomes ready; and the end of the
 * loop, when its thread returns or is cancelled in its sleep. Or the outermost run is an embedded
 * one, whose sleep is left to a host.
 *
 * Properties:
 * - A wake-up that a run remembers, or that finds it asleep, ends its sleep (R48, R150, R153).
 * - A sleep ends as by a wake-up only if one came: an edge alone is not seen (R156).
 * - No run stays asleep with work of its mode pending that a wake-up followed.
 * - No run stays asleep without having looked at the last deadline (R105, R111).
 * - No run stays asleep without having looked at where its clock was last moved to (R312).
 * - The eventfd is written to only while its number is the loop's (R155).
 *
 * config flat   -DNESTED_RUNS=0 -DWAKERS=3 -DNUDGERS=1 -DPORTS=1 -DCANCELLERS=0
 * config cancel -DNESTED_RUNS=1 -DWAKERS=2 -DNUDGERS=0 -DPORTS=0 -DCANCELLERS=1
 * config nested -DNESTED_RUNS=1 -DWAKERS=2 -DNUDGERS=1 -DPORTS=0 -DCANCELLERS=0
 * config deep   -DNESTED_RUNS=2 -DWAKERS=2 -DNUDGERS=0 -DPORTS=0 -DCANCELLERS=0
 * config clock  -DNESTED_RUNS=0 -DWAKERS=1 -DNUDGERS=1 -DPORTS=0 -DCANCELLERS=0 -DMOVERS=2
 * config poll   -DNESTED_RUNS=0 -DWAKERS=2 -DNUDGERS=1 -DPORTS=1 -DCANCELLERS=0 -DPOLL
 * config host   -DNESTED_RUNS=1 -DWAKERS=2 -DNUDGERS=1 -DPORTS=0 -DCANCELLERS=0 -DEMBEDDED
 * config guest  -DNESTED_RUNS=0 -DWAKERS=2 -DNUDGERS=1 -DPORTS=1 -DCANCELLERS=0 -DEMBEDDED -DMOVERS=1
 *
 * mutant flat   NO_RECHECK         falls asleep over a wake-up that is remembered
 * mutant flat   WRITES_FIRST       writes, then changes the state
 * mutant flat   NO_WRITER_COUNT    closes the eventfd without waiting for writers
 * mutant flat   REFUSAL_IGNORED    does not write again after EAGAIN
 * mutant flat   EDGE_IS_WAKE_UP    takes every return from the wait for a wake-up
 * mutant flat   OPENS_LATE         remembers wake-ups only from step 8 on
 * mutant flat   NUDGES_FIRST       nudges, then moves the deadline
 * mutant clock  TELLS_FIRST        nudges, then moves the clock
 * mutant clock  LOOKS_AWAKE        looks at the clock before it says that it is asleep
 * mutant cancel NO_WRITER_COUNT    as above
 * mutant nested RESTORE_FORGETS    a nested run that ends drops the wake-up that it did not use
 * mutant nested ROUND_FORGETS      so does one that goes round
 * mutant nested TAKE_CLOSES        a nested run that has slept drops wake-ups of the run around it
 * mutant nested SLEEPS_AFTER_NEST  sleeps although a run was nested in step 7
 * mutant host   NO_ROUSE           a run nested in the wait of the host leaves the loop asleep
 * mutant host   NO_BELL            and does not tell the host
 * mutant guest  PLANS_FIRST        looks at deadlines, then falls asleep
 * mutant guest  EDGE_IS_WAKE_UP    takes every visit of the host for a wake-up
 * mutant poll   EMPTIES_LATE       empties the eventfd between the look at deadlines and the poll
 */

#define ITERATIONS 2 /* of each run */
#define DEPTHS 3
#define FULL 1 /* the count at which the eventfd refuses a write */

/* The kernel's side. */
byte counter;        /* of the eventfd */
bool edge[2];        /* the set has an edge of it to report */
bool is_ours = true; /* the number of the eventfd has not been closed */
bool port_is_ready;  /* once */

byte writers; /* the upper bits of the state */

/* What the loop is to look at: signalled sources by mode, and the earliest deadline. */
bool work[2];
byte deadline;
#ifndef MOVERS
#define MOVERS 0
#endif
byte clock; /* how often it was moved */

/* What the rules say, to compare with. A run's window is open from its begin, or the begin of an
 * iteration, until the sleep ends. */
bool window_is_open[DEPTHS];
bool is_owed; /* a wake-up came while a window was open, and no run has used it up */
bool is_kept[DEPTHS]; /* the same, of a run that has gone round since: for those around it */

#define ANY_WINDOW (window_is_open[0] || window_is_open[1] || window_is_open[2])
#define NOTE_WINDOW window_is_open[depth] = true
#include "phase.inc"

/* ---- the other threads ---- */

#ifdef NO_WRITER_COUNT
#define IS_COUNTED false
#else
#define IS_COUNTED rings /* this thread, as a writer */
#endif

/* gy_sys_eventfd_ring, and the end of ring in wake.c. */
inline ring() {
    do
    :: !rings -> break
    :: rings -> atomic {
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
    atomic { writers = writers - IS_COUNTED; rings = false }
}

/* gy_wake_up */
inline wake_up() {
#ifdef WRITES_FIRST
    atomic { rings = phase == ASLEEP; writers = writers + IS_COUNTED };
    ring();
    atomic { wake_change(false, rings); rings = false; is_owed = is_owed || ANY_WINDOW }
#else
    atomic {
        wake_change(false, rings);
        writers = writers + IS_COUNTED;
        is_owed = is_owed || ANY_WINDOW
    };
    ring()
#endif
}

/* gy_wake_nudge */
inline nudge() {
    atomic { rings = phase == ASLEEP; writers = writers + IS_COUNTED };
    ring()
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

/* GYManualClockAdvance: gy_manual_clock_move_by, gy_reclock_tell. */
active [MOVERS] proctype Mover() {
    bool rings;
#ifdef TELLS_FIRST
    nudge();
    clock++
#else
    clock++;
    nudge()
#endif
}

active [PORTS] proctype Port() { port_is_ready = true }

/* ---- the loop's thread ---- */

mtype = { EARLY, AT_SOURCE, BEFORE_WAITING, IN_HOST, LATE };

/* The runs in progress, the innermost last. */
byte depth;
mtype around[DEPTHS];    /* gy_activation.around */
bool owes_wake_up[DEPTHS];
mtype nested_in[DEPTHS]; /* the step of the run around it that it is nested in */
byte iterations[DEPTHS]; /* left to do */
byte runs;               /* begun so far */
bool is_cancelled;

#define MODE (depth % 2)

active [CANCELLERS] proctype Canceller() { is_cancelled = true }

/* A callout of this step may run the loop. */
#define MAY_NEST(step)                                                                             \
    if                                                                                             \
    :: runs <= NESTED_RUNS && depth + 1 < DEPTHS ->                                                \
       atomic { depth++; nested_in[depth] = step; goto begin }                                     \
    :: true                                                                                        \
    fi

/* Where a nested run returns to. */
inline return_to_the_run_around() {
    if
    :: nested_in[depth] == EARLY -> depth--; goto after_early
    :: nested_in[depth] == AT_SOURCE -> depth--; handled = true; goto step_8
    :: nested_in[depth] == BEFORE_WAITING -> depth--; nested = true; goto step_8
#ifdef EMBEDDED
    :: nested_in[depth] == IN_HOST -> depth--; goto host
#endif
    :: nested_in[depth] == LATE -> depth--; goto after_late
    fi
}

/* All else has come to rest while the loop sleeps: nothing will ever end the sleep but the run's
 * time-out. */
inline stay_asleep() {
    assert(phase == ASLEEP && !is_owed);
    assert(!work[MODE]);
    assert(planned == deadline && shown == clock);
    ends = true
}

/* fetch: epoll_wait, or poll_instead where there is no set. */
inline fetch() {
    do
#ifdef POLL
    :: atomic { counter > 0 -> counter = 0; break } /* readable, then empty_bell */
    :: atomic { phase == ASLEEP_WOKEN -> break }    /* the time-out is zero */
#else
    :: atomic {
           edge[MODE] -> edge[MODE] = false;
           if
           :: counter > 0 -> break
           :: else /* emptied since: epoll looks, and reports nothing */
           fi
       }
#endif
    :: atomic { port_is_ready -> port_is_ready = false; is_served = true; break }
    :: atomic { is_cancelled -> planned = 0; shown = 0; goto unwind }
    :: atomic { timeout -> stay_asleep(); break }
    od
}

inline sleep_until_event() {
    do
    :: planned = deadline; /* make_plan */
#ifndef LOOKS_AWAKE
       shown = clock; /* gy_manual_clock_look */
#endif
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
    atomic { planned = 0; shown = 0; is_served = false }
}

active proctype Loop() {
    bool handled, nested, sleeps, is_served, ends, is_remembered;
    byte planned, shown;
#ifdef EMBEDDED
    bool is_rung;    /* the bell of the outlet */
    bool has_called; /* the host has dispatched for nothing: once is enough */
#endif

begin: /* gy_run_begin */
    atomic { runs++; wake_window(around[depth]) };
    if
    :: counter > 0 -> edge[MODE] = true /* a set that is made only now finds the old count */
    :: true
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
#ifdef LOOKS_AWAKE
    shown = clock;
#endif
#ifdef OPENS_LATE
    atomic { move_phase(CLOSED, OPEN); move_phase(OUTER, OPEN) };
#endif
#ifdef PLANS_FIRST
    planned = deadline;
#endif
    if
    :: !handled && !nested -> atomic { wake_fall_asleep(sleeps); assert(sleeps == !is_owed) }
    :: else
    fi;
#ifdef EMBEDDED
    if
    :: sleeps && depth == 0 -> goto leave_wait
    :: else
    fi;
#endif
    if
    :: sleeps -> sleep_until_event()
    :: else
    fi;
take:
    atomic { wake_take(around[depth]); window_is_open[depth] = false; is_owed = false };

    MAY_NEST(LATE); /* steps 9 to 11 */
after_late:
    if /* step 12 */
    :: iterations[depth] > 1 && !ends ->
       iterations[depth]--;
       atomic {
#ifndef OPENS_LATE
           wake_open_anew(owes_wake_up[depth]);
#endif
           window_is_open[depth] = true;
           is_kept[depth] = is_kept[depth] || is_owed;
           is_owed = false
       };
       goto iterate
    :: true
    fi;

    /* gy_activation_end */
    atomic { ends = false; handled = false; nested = false; iterations[depth] = 0 };
    wake_restore(around[depth], owes_wake_up[depth]);
    atomic {
        window_is_open[depth] = false;
        is_owed = (is_owed && ANY_WINDOW) || is_kept[depth];
        is_kept[depth] = false;
        assert(is_owed == IS_WOKEN);
        around[depth] = 0;
        if
        :: depth > 0 -> return_to_the_run_around()
        :: else -> goto close
        fi
    };

#ifdef EMBEDDED
leave_wait: /* leave_wait_to_host */
#ifndef PLANS_FIRST
    planned = deadline;
#endif
    shown = clock; /* gy_manual_clock_look */
host: /* It waits for the outlet, level-triggered: what it sees it does not take. */
    if
    :: is_rung -> atomic { is_rung = false; planned = 0; shown = 0; goto take }
    :: runs <= NESTED_RUNS && !is_rung -> /* end_wait_of_host, in gy_activation_begin */
       wake_rouse();
#ifndef NO_BELL
       is_rung = true;
#endif
       atomic { depth++; nested_in[depth] = IN_HOST; goto begin }
    :: edge[MODE] && counter > 0
    :: port_is_ready
    :: !has_called -> has_called = true
    :: atomic { timeout -> stay_asleep(); planned = 0; shown = 0; goto take }
    fi;
    /* gy_embed_dispatch, gy_sleep_is_over */
    atomic { edge[MODE] = false; is_served = port_is_ready; port_is_ready = false };
    atomic {
        if
#ifndef EDGE_IS_WAKE_UP
        :: phase != ASLEEP_WOKEN && !is_served -> goto leave_wait
#endif
        :: else ->
           assert(is_owed || is_served);
           is_served = false;
           planned = 0;
           shown = 0;
           goto take
        fi
    };
#endif

unwind: /* gy_unwind_all, with the thread's end */
    wake_restore(around[depth], owes_wake_up[depth]);
    if
    :: depth > 0 -> depth--; goto unwind
    :: else
    fi;

close: /* gy_wake_end */
    phase = DEAD;
    writers == 0;
    is_ours = false
}
