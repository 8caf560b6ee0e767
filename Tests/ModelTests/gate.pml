/* Which run a stop of the Swift module is for: the word of StopWord.swift and the two observers of
 * StopGate.swift, on top of a C library that stops the innermost run and drops the stop of a loop
 * that does not run (stop.pml).
 *
 * One thread that calls several runs one after the other, with another nested in any of them, in a
 * mode that exists or in one that comes into being at any moment; threads that stop the loop.
 *
 * Properties:
 * - A run does not stay asleep when a stop was made while it was the innermost one, from its
 *   announcement on; nor the first one that is called after a stop of a loop at rest.
 * - No stop ends two runs.
 *
 * config flat   -DRUNS=3 -DNESTED_RUNS=0 -DSTOPPERS=2 -DMAKERS=0
 * config nested -DRUNS=2 -DNESTED_RUNS=1 -DSTOPPERS=2 -DMAKERS=0
 * config new    -DRUNS=2 -DNESTED_RUNS=1 -DSTOPPERS=2 -DMAKERS=1
 *
 * mutant flat   NO_WORD           leaves a stop to the C library alone
 * mutant flat   NO_WAIT           announces a run while a stopper is between its two calls
 * mutant flat   NOT_ANNOUNCED     runs without an announcement
 * mutant flat   BEGINS_UNSTOPPED  does not pass the stop on that waited for the run
 * mutant flat   KEEPS_STOP        a call that ends leaves a stop that waits to the next run
 * mutant flat   NOT_ENDED         the end of a run is not told
 * mutant nested NO_WAIT           as above
 * mutant nested NOT_ENDED         as above
 * mutant new    RUNS_NEW_MODE     runs a mode although it did not exist when it was to be watched
 */

#define DEPTHS 2
#define ALL_RUNS (RUNS + NESTED_RUNS)

/* StopWord */
bool is_waiting;
bool is_announced;
byte stoppers;
byte told; /* runs that have begun and not ended */

/* The C library: the stop word of the innermost run. */
byte running;
bool is_asked;

bool new_mode_exists;
bool new_mode_is_watched;

/* What the rules say. */
byte innermost;          /* the call in progress, numbered from 1; 0: none */
byte changes;            /* calls that have begun or ended */
bool has_to_end[ALL_RUNS + 1];
bool next_has_to_end;
byte begun;              /* stops */
byte ended;              /* runs, by a stop */

/* ---- the other threads ---- */

active [MAKERS] proctype Maker() { new_mode_exists = true }

/* GYRunLoopStop */
inline stop_innermost() {
    if
    :: running > 0 -> is_asked = true
    :: else
    fi
}

/* A stop that began and returned while one call was the innermost is for that one. */
inline stop_is_over() {
    if
    :: changes == since && innermost != 0 -> has_to_end[innermost] = true
    :: changes == since && innermost == 0 -> next_has_to_end = true
    :: else
    fi
}

/* StopWord.stop */
active [STOPPERS] proctype Stopper() {
    bool stops, is_stopper;
    byte since;
    atomic { begun++; since = changes };
#ifdef NO_WORD
    stops = true;
#else
    atomic {
        if
        :: !is_announced && told > 0 -> stops = true
        :: !is_announced && told == 0 ->
           is_waiting = true; stoppers++; stops = true; is_stopper = true
        :: is_announced -> is_waiting = true
        fi
    };
#endif
    if
    :: stops -> atomic { stop_innermost() }
    :: else
    fi;
    atomic {
        stoppers = stoppers - is_stopper;
        stop_is_over()
    }
}

/* ---- the loop's thread ---- */

/* The calls in progress, the innermost last. */
byte depth;
byte number[DEPTHS];
bool outer_asked[DEPTHS];
bool is_new[DEPTHS];    /* it is of the mode that may be new */
bool is_stopped[DEPTHS]; /* its result */
byte calls;

inline begin_call() {
    calls++;
    changes++;
    number[depth] = calls;
    innermost = calls;
    has_to_end[calls] = next_has_to_end;
    next_has_to_end = false
}

inline end_call() {
    changes++;
    if
    :: is_stopped[depth] -> ended++; assert(ended <= begun)
    :: else
    fi;
    number[depth] = 0;
    is_stopped[depth] = false;
    is_new[depth] = false;
    innermost = (depth == 0 -> 0 : number[depth - 1])
}

/* StopWord.conclude */
inline conclude() {
    is_stopped[depth] = is_stopped[depth] || (is_announced && is_waiting);
    is_announced = false;
#ifndef KEEPS_STOP
    is_waiting = false
#endif
}

/* StopWord.begin, in the Entry observer; `passes` the stop on. */
inline begin_word() {
    passes = is_announced && is_waiting;
    if
    :: is_announced -> is_announced = false; is_waiting = false
    :: else
    fi;
    told++
}

active proctype Loop() {
    bool passes, is_watched, is_patient;
    byte nested_runs;

call:
    atomic { /* StopGate.watch */
        if
        :: is_new[depth] = false; is_watched = true
        :: is_new[depth] = true; is_watched = new_mode_exists
        fi;
        if
        :: is_new[depth] -> new_mode_is_watched = is_watched
        :: else
        fi
    };
    atomic { /* StopWord.announce */
#ifndef NO_WAIT
        stoppers == 0;
#endif
#ifndef NOT_ANNOUNCED
        is_announced = true;
#endif
        begin_call()
    };
#ifndef RUNS_NEW_MODE
    if
    :: !is_watched -> goto conclude_call
    :: else
    fi;
#endif

    /* gy_run_in_mode: the mode may be empty, and does not exist if nobody has made it. */
    atomic {
        if
        :: is_new[depth] && !new_mode_exists -> goto conclude_call
        :: !is_new[depth] || new_mode_exists ->
           outer_asked[depth] = is_asked; running++; is_asked = false
        :: goto conclude_call
        fi
    };
    if
    :: is_new[depth] && !new_mode_is_watched -> goto sleep
    :: else
    fi;
    atomic { begin_word() };
#ifndef BEGINS_UNSTOPPED
    if
    :: passes -> atomic { stop_innermost() }
    :: else
    fi;
#endif
sleep:
    if
    :: nested_runs < NESTED_RUNS && depth + 1 < DEPTHS ->
       atomic { nested_runs++; depth++; goto call }
    :: true
    fi;
after_nested:
    atomic {
        if
        :: is_patient = true
        :: is_patient = false
        fi
    };
    if
    :: is_patient ->
       if
       :: is_asked
       :: timeout -> assert(!has_to_end[number[depth]])
       fi
    :: else
    fi;
    is_stopped[depth] = is_asked; /* step 12 */
#ifndef NOT_ENDED
    atomic {
        /* StopWord.end, in the Exit observer. */
        if
        :: (!is_new[depth] || new_mode_is_watched) && told > 0 -> told--
        :: else
        fi
    };
#endif
    /* gy_activation_end */
    atomic { is_asked = outer_asked[depth]; running--; outer_asked[depth] = false };

conclude_call:
    atomic { conclude() };
    atomic {
        end_call();
        if
        :: depth > 0 -> depth--; goto after_nested
        :: depth == 0 && calls < RUNS + nested_runs -> goto call
        :: else
        fi
    }
}
