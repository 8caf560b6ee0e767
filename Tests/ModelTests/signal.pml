/* Signalled sources: the mark, the queue of the home, and the change of homes.
 *
 * Two loops that perform what they hold when they are woken, and may end; threads that signal, with
 * or without a wake-up after it; threads that add a source to a loop or take it out. The wake-up
 * itself is one flag (wake.pml).
 *
 * Properties:
 * - A loop does not come to rest while it holds a marked source, and was woken after the signal had
 *   returned (R72, R85, R170).
 * - A source is in one queue at most, once, and a list is changed under its loop's lock alone.
 * - Nothing touches a home that is gone: the last reference is given up when no signal can use it.
 *
 * config held   -DSOURCES=1 -DSHARED=1 -DSIGNALLERS=1 -DWAKERS=2 -DREMOVERS=0 -DADDERS=0 -DENDERS=0
 * config moved  -DSOURCES=1 -DSHARED=0 -DSIGNALLERS=1 -DWAKERS=1 -DREMOVERS=1 -DADDERS=1 -DENDERS=0
 * config ended  -DSOURCES=1 -DSHARED=0 -DSIGNALLERS=1 -DWAKERS=0 -DREMOVERS=1 -DADDERS=1 -DENDERS=1
 * config beside -DSOURCES=2 -DSHARED=0 -DSIGNALLERS=0 -DWAKERS=2 -DREMOVERS=1 -DADDERS=0 -DENDERS=0
 *
 * mutant held   LINKS_UNCOUNTED        does not count links under way
 * mutant held   QUEUE_FIRST            looks at the queue, then for links under way
 * mutant held   COUNT_UNREAD           trusts the queue while links are under way
 * mutant moved  ADOPTS_UNMARKED        a new home does not look for a mark that is there already
 * mutant moved  SIGNALS_UNCOUNTED      a home is let go while signals are under way
 * mutant ended  SIGNALS_UNCOUNTED      as above
 * mutant moved  ADOPTED_WHILE_PARTING  has a new home before the last one has let go
 * mutant ended  ADOPTED_WHILE_PARTING  as above
 * mutant beside COUNTS_IN_LIST         looks at the stack, then counts what is in the list alone
 */

#include "signal.inc"

/* ---- loop/sources.c ---- */

/* gy_source_add, down to insert_into_mode. */
inline add(l) {
    lock(l);
    if
    :: !loops[l].is_dead && !loops[l].holds[s] ->
       atomic { loops[l].holds[s] = true; loops[l].references++ };
       adopt(l);
       if
       :: home != l -> loops[l].is_foreign[s] = true; loops[l].foreign_count++
       :: else
       fi
    :: else
    fi;
    unlock(l);
    atomic { home = 0; is_marked = false }
}

/* leave_mode, and then finish_leaving. */
inline remove(l) {
    lock(l);
    is_held = loops[l].holds[s];
    atomic {
        loops[l].holds[s] = false;
        loops[l].owes[s] = false;
        loops[l].foreign_count = loops[l].foreign_count - loops[l].is_foreign[s];
        loops[l].is_foreign[s] = false
    };
    unlock(l);
    if
    :: is_held ->
       lock(l); /* part_from_home */
       if
       :: !loops[l].holds[s] -> part(l)
       :: else
       fi;
       unlock(l);
       if
       :: parts -> finish_parting(l)
       :: else
       fi;
       release(l)
    :: else
    fi;
    atomic { is_held = false; parts = false; home = 0; is_marked = false }
}

/* ---- the loops ---- */

/* gy_batch_run: step 4. */
inline perform_sources(l) {
    look_if_pending(l);
    if
    :: is_pending ->
       collect(l);
       s = 1;
       do
       :: s > SOURCES -> break
       :: s <= SOURCES && is_picked[s] ->
          lock(l); /* is_to_be_performed */
          if
          :: loops[l].holds[s] -> use_up(l)
          :: else
          fi;
          unlock(l);
          is_picked[s] = false;
          s++
       :: else -> s++
       od
    :: else
    fi;
    atomic { is_pending = false; looks_at_all = false; is_marked = false; s = 1 }
}

inline leave_all(l) {
    do
    :: s <= SOURCES -> remove(l); s++
    :: else -> s = 1; break
    od
}

proctype Loop(byte l) {
    byte s = 1, top, home;
    bool is_pending, looks_at_all, is_picked[SOURCES + 1], is_marked, pushed, is_held, parts;
    do
    :: atomic { loops[l].is_woken -> loops[l].is_woken = false }; perform_sources(l)
    :: loops[l].is_to_end -> break
    :: timeout ->
       assert(!loops[l].owes[1]);
#if SOURCES > 1
       assert(!loops[l].owes[2]);
#endif
       break
    od;
#if ENDERS
    leave_all(l); /* tear_down */
    lock(l);
    loops[l].is_dead = true;
    end_signals(l);
    unlock(l);
    leave_all(l);
    release(l)
#endif
}

/* ---- the other threads; each holds references to the loops that it names ---- */

proctype Signaller() {
    byte s = 1, top, home, uses;
    bool pushed;
    signal()
}

proctype Waker() {
    byte s = SOURCES, l, top, home, uses;
    bool pushed;
    if
    :: l = A
    :: l = B
    fi;
    signal();
    atomic { wake_up(l); release(A); release(B) }
}

proctype Remover() {
    byte s = 1, top, home;
    bool is_held, parts, is_marked, pushed;
    remove(A);
    release(A)
}

proctype Adder() {
    byte s = 1, l, top, home;
    bool is_held, parts, is_marked, pushed;
    if
    :: l = A
    :: l = B
    fi;
    add(l);
    wake_up(l);
#if ENDERS
    remove(l);
#endif
    atomic { release(A); release(B) }
}

proctype Ender() {
    if
    :: loops[A].is_to_end = true
    :: loops[B].is_to_end = true
    fi
}

#define START(count, what)                                                                         \
    i = 0;                                                                                         \
    do                                                                                             \
    :: i < count -> run what(); i++                                                                \
    :: else -> break                                                                               \
    od

init {
    byte i = 1;
    atomic {
        /* The thread's, the clients', and for each source the membership's and the home's. */
        loops[A].references = 1 + WAKERS + ADDERS + REMOVERS + 2 * SOURCES;
        loops[B].references = 1 + WAKERS + ADDERS + SHARED;
        do
        :: i <= SOURCES -> loops[A].holds[i] = true; sources[i].home = A; i++
        :: else -> break
        od;
        loops[B].holds[1] = SHARED;
        loops[B].is_foreign[1] = SHARED;
        loops[B].foreign_count = SHARED;
        START(SIGNALLERS, Signaller);
        START(WAKERS, Waker);
        START(REMOVERS, Remover);
        START(ADDERS, Adder);
        START(ENDERS, Ender);
        run Loop(A);
        run Loop(B)
    }
}
