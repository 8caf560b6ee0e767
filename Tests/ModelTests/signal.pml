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
 * config beside -DSOURCES=2 -DSHARED=0 -DSIGNALLERS=0 -DWAKERS=1 -DREMOVERS=1 -DADDERS=0 -DENDERS=0
 */

#define A 0
#define B 1
#define NO_LOOP 2 /* home: NULL */
#define PARTING 3 /* home: the last one has not let go yet, and there can be no other */
#define NO_SOURCE 0
#define ENDED 255 /* the stack of a loop that is dead */
#define IS_LOOP(home) ((home) <= B)

/* Sources are numbered from 1. Each has a state, whose bits and count change in one step; a home; a
 * place in the home's incoming stack or in its list. */
typedef source {
    bool is_signalled;
    bool is_queued;
    byte signals; /* under way */
    byte home = NO_LOOP;
    byte next;
    byte stack = NO_LOOP; /* to compare with: the loop whose stack it is in */
    byte list = NO_LOOP;  /* the loop whose list it is in */
    bool is_sure;         /* to compare with: the mark is of a signal that has returned */
    byte uses             /* how often the mark was used up */
};
source sources[SOURCES + 1];

typedef loop {
    byte owner; /* of the lock: 0, or the process's number and 1 */
    byte incoming;
    byte queued_count; /* in the list; one more while the stack is being taken in */
    byte under_way;
    bool holds[SOURCES + 1];
    bool is_foreign[SOURCES + 1];
    byte foreign_count;
    bool is_dead;
    byte references;
    bool is_gone;
    bool is_woken;
    bool is_to_end;
    bool owes[SOURCES + 1] /* to compare with: it holds the source, a signal has returned, and a wake-up followed */
};
loop loops[2];

#define S sources[s]
#define MY_LOCK(l) (loops[l].owner == _pid + 1)

/* The object is still there. */
inline touch(l) { assert(!loops[l].is_gone) }

inline lock(l) { atomic { loops[l].owner == 0 -> touch(l); loops[l].owner = _pid + 1 } }
inline unlock(l) { loops[l].owner = 0 }

inline release(l) {
    atomic {
        touch(l);
        loops[l].references--;
        loops[l].is_gone = loops[l].references == 0;
        assert(!loops[l].is_gone || loops[l].under_way == 0)
    }
}

/* ---- from the mark to the queue: any thread ---- */

/* push in signal.c */
inline push(l) {
    top = loops[l].incoming;
    do
    :: top == ENDED -> pushed = false; break
    :: else ->
       S.next = top;
       atomic {
           touch(l);
           if
           :: loops[l].incoming == top ->
              assert(S.stack == NO_LOOP && S.list == NO_LOOP);
              S.stack = l;
              loops[l].incoming = s;
              pushed = true;
              break
           :: else -> top = loops[l].incoming
           fi
       }
    od
}

inline link_to_home(l) {
#ifndef LINKS_UNCOUNTED
    atomic { touch(l); loops[l].under_way++ };
#endif
    atomic { pushed = S.is_queued; S.is_queued = true };
    if
    :: !pushed ->
       push(l);
       if
       :: !pushed -> S.is_queued = false
       :: else
       fi
    :: else
    fi;
#ifndef LINKS_UNCOUNTED
    atomic { touch(l); loops[l].under_way--; top = 0; pushed = false }
#endif
}

/* gy_signal */
inline signal() {
    atomic { /* mark */
        S.is_signalled = true;
#ifndef SIGNALS_UNCOUNTED
        S.signals++;
#endif
        uses = S.uses
    };
    home = S.home;
    if
    :: IS_LOOP(home) -> link_to_home(home)
    :: else
    fi;
    atomic {
#ifndef SIGNALS_UNCOUNTED
        S.signals--;
#endif
        S.is_sure = S.is_sure || uses == S.uses;
        home = 0;
        uses = 0
    }
}

inline note_wake_up(s) {
    loops[l].owes[s] = loops[l].owes[s] || (loops[l].holds[s] && sources[s].is_sure)
}

/* gy_wake_up */
inline wake_up(l) {
    d_step {
        touch(l);
        loops[l].is_woken = true;
        note_wake_up(1);
#if SOURCES > 1
        note_wake_up(2)
#endif
    }
}

/* ---- the queue: its loop's lock ---- */

/* take_in and append_reversed. The sources are counted while they are in neither place. */
inline take_in(l) {
    assert(MY_LOCK(l));
    top = loops[l].incoming;
    if
    :: top != NO_SOURCE && top != ENDED ->
#ifndef COUNTS_LATE
       loops[l].queued_count++;
#endif
       atomic { top = loops[l].incoming; loops[l].incoming = NO_SOURCE };
       append(l);
#ifndef COUNTS_LATE
       loops[l].queued_count--
#endif
    :: else
    fi;
    top = 0
}

inline append(l) {
    d_step {
        do
        :: top != NO_SOURCE ->
           assert(sources[top].stack == l && sources[top].list == NO_LOOP);
           sources[top].stack = NO_LOOP;
           sources[top].list = l;
           loops[l].queued_count++;
           top = sources[top].next
        :: else -> break
        od
    }
}

/* unlink_source: out of the list, then the change of state, of which `uses_up` takes the mark too. */
inline unlink_source(uses_up) {
    atomic {
        assert(MY_LOCK(S.list));
        loops[S.list].queued_count--;
        S.list = NO_LOOP
    };
    atomic { S.is_queued = false; is_marked = S.is_signalled; take_mark(uses_up) }
}

inline take_mark(uses_up) {
    if
    :: uses_up && is_marked ->
       S.is_signalled = false;
       S.is_sure = false;
       S.uses++;
       loops[A].owes[s] = false;
       loops[B].owes[s] = false
    :: else
    fi
}

/* gy_signal_use_up */
inline use_up(l) {
    if
    :: S.home == l && S.list != NO_LOOP -> unlink_source(true)
    :: else -> atomic { is_marked = S.is_signalled; take_mark(true) }
    fi
}

/* ---- homes ---- */

/* gy_signal_adopt; the lock. */
inline adopt(l) {
    atomic {
        if
        :: S.home == NO_LOOP -> S.home = l; loops[l].references++
        :: else
        fi;
        home = S.home
    };
    is_marked = S.is_signalled;
#ifdef ADOPTS_UNMARKED
    is_marked = false;
#endif
    if
    :: home == l && is_marked -> link_to_home(l)
    :: else
    fi
}

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

/* take_out, for which the lock is free. */
inline take_out(l) {
    lock(l);
    take_in(l);
    if
    :: S.list != NO_LOOP -> unlink_source(false)
    :: else -> is_marked = S.is_signalled
    fi;
    unlock(l)
}

/* gy_signal_finish_parting */
inline finish_parting(l) {
    S.signals == 0;
    take_out(l);
#ifdef ADOPTED_WHILE_PARTING
    release(l);
    home = S.home;
    if
    :: IS_LOOP(home) && is_marked -> link_to_home(home)
    :: else
    fi
#else
    S.home = NO_LOOP;
    release(l)
#endif
}

/* leave_mode and finish_leaving. */
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
       atomic {
           parts = !loops[l].holds[s] && S.home == l;
           if
#ifdef ADOPTED_WHILE_PARTING
           :: parts -> S.home = NO_LOOP
#else
           :: parts -> S.home = PARTING
#endif
           :: else
           fi
       };
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

/* gy_signal_is_pending: looks without the lock, in this order. */
inline look_if_pending(l) {
#ifdef QUEUE_FIRST
    is_pending = loops[l].incoming != NO_SOURCE;
    is_pending = is_pending || loops[l].queued_count != 0;
    is_pending = is_pending || loops[l].under_way != 0;
#else
    is_pending = loops[l].under_way != 0;
    is_pending = is_pending || loops[l].incoming != NO_SOURCE;
    is_pending = is_pending || loops[l].queued_count != 0;
#endif
    is_pending = is_pending || loops[l].foreign_count != 0
}

/* gy_signal_collect */
inline collect(l) {
    lock(l);
    looks_at_all = loops[l].under_way != 0;
#ifdef COUNT_UNREAD
    looks_at_all = false;
#endif
    take_in(l);
    looks_at_all = looks_at_all || loops[l].foreign_count > 0;
    s = 1;
    do
    :: s > SOURCES -> break
    :: s <= SOURCES && looks_at_all ->
       is_picked[s] = loops[l].holds[s] && S.is_signalled;
       s++
    :: s <= SOURCES && !looks_at_all && S.list != l -> s++
    :: s <= SOURCES && !looks_at_all && S.list == l ->
       if
       :: !S.is_signalled ->
          unlink_source(false);
          if
          :: is_marked -> link_to_home(l)
          :: else
          fi
       :: else -> is_picked[s] = loops[l].holds[s]
       fi;
       s++
    od;
    unlock(l)
}

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

/* gy_signal_end; the lock. */
inline end_signals(l) {
    atomic { top = loops[l].incoming; loops[l].incoming = ENDED };
    if
    :: top != ENDED -> append(l)
    :: else
    fi;
    top = 0;
    do
    :: s <= SOURCES && S.list == l -> unlink_source(false); s++
    :: s <= SOURCES && S.list != l -> s++
    :: else -> s = 1; break
    od
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
        /* The thread's, the clients', and for each source one of the membership and one of the home. */
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
