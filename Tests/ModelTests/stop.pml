/* Stopping: the stop word across nested runs, the flag that ends all of them for good, and the
 * wake-up that goes with either.
 *
 * One thread that runs its loop twice, with runs nested in any step; threads that stop the loop at
 * any moment, or wind it down, and whose reference to it may be gone once the loop can be told. The
 * eventfd is not shown: a sleep ends when the phase says so (wake.pml).
 *
 * Properties:
 * - A run that looks at its stop word sees a stop if one was made while it was the innermost run in
 *   progress, and only then: no stop reaches a run around it, nested in it or after it, and none
 *   that was made outside a run reaches any (R43 to R46).
 * - No run stays asleep when it has been stopped (R48), nor any when the loop has been wound down,
 *   and then none begins (R49).
 * - The loop does not go while a stop still has to touch it.
 *
 * config flat   -DNESTED_RUNS=0 -DSTOPPERS=3 -DWINDERS=0
 * config nested -DNESTED_RUNS=2 -DSTOPPERS=2 -DWINDERS=0
 * config down   -DNESTED_RUNS=2 -DSTOPPERS=1 -DWINDERS=1
 * config twice  -DNESTED_RUNS=1 -DSTOPPERS=0 -DWINDERS=2
 *
 * mutant flat   NO_LOOK_BEFORE_SLEEP  falls asleep without a look at the stop word
 * mutant nested NO_LOOK_BEFORE_SLEEP  as above
 * mutant nested NO_WAKE_UP            stops without a wake-up
 * mutant nested WAKES_FIRST           wakes the loop, then changes the word
 * mutant nested STORES                reads the word, then stores it: no compare and swap
 * mutant nested KEEPS_WORD            a run begins with the stop word of the run around it
 * mutant nested FORGETS_WORD          a run that ends leaves a fresh word to the run around it
 * mutant flat   NO_HOLD               does not hold the loop between the stop and the wake-up
 * mutant down   NO_LOOK_BEFORE_SLEEP  as above
 * mutant down   NO_WAKE_UP            as above
 * mutant down   WAKES_FIRST           wakes the loop, then sets the flag
 * mutant down   WORD_ALONE            looks at the stop word alone before it sleeps
 * mutant down   RUNS_ALL_THE_SAME     begins a run without a look at the flag
 * mutant twice  NO_HOLD               as above
 */

#include "phase.inc"

#define TOP_RUNS 2 /* one after the other */
#define DEPTHS 3
#define ALL_RUNS (TOP_RUNS + NESTED_RUNS)

/* gy_stop_word; 0: not running. */
#define RUNNING 1
#define ASKED 2
byte stop;

bool winds_down; /* for good */

/* What the rules say: runs are numbered from 1 in the order in which they begin. */
byte innermost;               /* the run in progress that a stop is for */
bool is_stopped[ALL_RUNS + 1]; /* a stop was made while this run was the innermost */

byte holders; /* gy_wake_hold: counted in the upper bits of the wake state */
byte begun;   /* stops, and windings down */
bool is_gone; /* the loop's memory */

/* ---- the other threads ---- */

/* The stop lands on the innermost run, and there is one. */
inline mark_word(word) {
    assert(innermost != 0);
    stop = word | ASKED;
    is_stopped[innermost] = true;
    asks = true
}

/* ask_to_stop */
inline ask() {
#ifdef STORES
    byte word = stop;
    if
    :: (word & RUNNING) != 0 -> atomic { mark_word(word) }
    :: else
    fi
#else
    atomic {
        assert(!is_gone);
        if
        :: (stop & RUNNING) != 0 -> mark_word(stop)
        :: else
        fi
    }
#endif
}

inline wake_innermost() {
    atomic { assert(!is_gone); wake_change(true, rings); rings = false }
}

/* gy_loop_stop */
active [STOPPERS] proctype Stopper() {
    bool asks, rings;
    atomic { begun++; holders++ };
#ifdef NO_HOLD
    holders--;
#endif
#ifdef WAKES_FIRST
    wake_innermost();
#endif
    ask();
#if !defined(WAKES_FIRST) && !defined(NO_WAKE_UP)
    if
    :: asks -> wake_innermost()
    :: else
    fi;
#endif
#ifndef NO_HOLD
    atomic { assert(!is_gone); holders-- }
#endif
}

inline set_flag() { atomic { assert(!is_gone); winds_down = true } }

/* gy_loop_wind_down */
active [WINDERS] proctype Winder() {
    bool rings;
    atomic { begun++; holders++ };
#ifdef NO_HOLD
    holders--;
#endif
#ifdef WAKES_FIRST
    wake_innermost();
#endif
    set_flag();
#if !defined(WAKES_FIRST) && !defined(NO_WAKE_UP)
    wake_innermost();
#endif
#ifndef NO_HOLD
    atomic { assert(!is_gone); holders-- }
#endif
}

/* ---- the loop's thread ---- */

mtype = { AT_ENTRY, EARLY, BEFORE_WAITING, LATE, AT_EXIT };

/* The runs in progress, the innermost last. */
byte depth;
byte number[DEPTHS];
byte outer_stop[DEPTHS]; /* gy_activation.outer_stop */
mtype around[DEPTHS];    /* gy_activation.around */
bool owes_wake_up[DEPTHS];
mtype nested_in[DEPTHS]; /* the step of the run around it that it is nested in */
bool is_second[DEPTHS];  /* the iteration; there are no more than two */
byte runs;               /* begun so far */

/* A callout of this step may run the loop. */
#define MAY_NEST(step)                                                                             \
    if                                                                                             \
    :: nested_runs < NESTED_RUNS && depth + 1 < DEPTHS ->                                          \
       atomic { nested_runs++; depth++; nested_in[depth] = step; goto begin }                      \
    :: true                                                                                        \
    fi

/* gy_loop_is_stopped */
inline look_at_word() {
    atomic {
        is_asked = (stop & ASKED) != 0;
        assert(is_asked == is_stopped[number[depth]])
    }
}

/* gy_loop_has_to_end_run */
inline look() {
    look_at_word();
    is_asked = is_asked || winds_down
}

/* push in activation.c. */
inline begin_activation() {
    atomic {
        outer_stop[depth] = stop;
#ifdef KEEPS_WORD
        stop = stop | RUNNING;
#else
        stop = RUNNING;
#endif
        runs++;
        number[depth] = runs;
        innermost = runs
    };
    atomic { wake_window(around[depth]) }
}

/* gy_activation_end. */
inline end_activation() {
    atomic {
#ifdef FORGETS_WORD
        stop = (outer_stop[depth] == 0 -> 0 : RUNNING);
#else
        stop = outer_stop[depth];
#endif
        innermost = (depth == 0 -> 0 : number[depth - 1])
    };
    wake_restore(around[depth], owes_wake_up[depth]);
    atomic { outer_stop[depth] = 0; around[depth] = 0; number[depth] = 0; is_second[depth] = false }
}

/* gy_sleep. */
inline step_8() {
#ifdef WORD_ALONE
    look_at_word();
#elif !defined(NO_LOOK_BEFORE_SLEEP)
    look();
#endif
    if
    :: !polls && !is_asked -> atomic { wake_fall_asleep(sleeps) }
    :: else
    fi;
    if
    :: sleeps ->
       if
       :: phase == ASLEEP_WOKEN
       :: timeout -> assert(!is_stopped[number[depth]] && !winds_down); ends = true
       fi
    :: else
    fi;
    atomic { wake_take(around[depth]); sleeps = false; polls = false }
}

active proctype Loop() {
    bool is_asked, polls, sleeps, ends, is_remembered;
    bool is_refused;
    bool was_down; /* what the rules say: when this run was called */
    byte nested_runs;

begin:
    was_down = winds_down;
#ifndef RUNS_ALL_THE_SAME
    atomic { /* gy_run_in_mode */
        is_refused = winds_down;
        if
        :: is_refused -> runs++; goto returned
        :: else
        fi
    };
#endif
    assert(!was_down);
    begin_activation();
    wake_open();
    MAY_NEST(AT_ENTRY);
after_entry:
    look();
    if
    :: is_asked -> goto leave
    :: else
    fi;

iterate:
    MAY_NEST(EARLY); /* steps 1 to 4 */
after_early:
    MAY_NEST(BEFORE_WAITING); /* step 7 */
after_waiting:
    step_8();
    MAY_NEST(LATE); /* steps 9 to 11 */
after_late:
    look(); /* step 12 */
    if
    :: !is_asked && !ends && !is_second[depth] ->
       is_second[depth] = true;
       atomic { wake_open_anew(owes_wake_up[depth]) };
       goto iterate
    :: true /* stopped, or for another reason */
    fi;

leave:
    ends = false;
    MAY_NEST(AT_EXIT);
after_exit:
    end_activation();
returned:
    atomic {
        is_asked = false;
        if
        :: depth == 0 && runs < TOP_RUNS + nested_runs -> goto begin
        :: depth == 0 && runs == TOP_RUNS + nested_runs
        :: depth > 0 && nested_in[depth] == AT_ENTRY -> depth--; goto after_entry
        :: depth > 0 && nested_in[depth] == EARLY -> depth--; goto after_early
        :: depth > 0 && nested_in[depth] == BEFORE_WAITING ->
           depth--; polls = !is_refused; goto after_waiting
        :: depth > 0 && nested_in[depth] == LATE -> depth--; goto after_late
        :: depth > 0 && nested_in[depth] == AT_EXIT -> depth--; goto after_exit
        fi
    };

    begun == STOPPERS + WINDERS; /* until then there are references to the loop */
    holders == 0;      /* gy_wake_end */
    is_gone = true
}
