/* Recycled nodes: a thread's store, to which others send nodes home in runs (base/recycler.c).
 *
 * A thread that takes nodes, hands them over and ends; others that use them and give them back, one
 * by one or two at a time.
 *
 * Properties:
 * - A node is in one place at a time, and is freed once.
 * - The store is freed once, when its thread has ended and no node belongs to it, and nothing
 *   touches it after that.
 *
 * config two   -DGIVERS=2 -DTAKES=4
 * config three -DGIVERS=3 -DTAKES=2
 *
 * mutant two COUNTS_AFTER   counts what came home after it was sent, not before
 * mutant two SEND_STORES    sends by a load and a store
 * mutant two TAKE_STORES    takes what came home by a load and a store
 * mutant two LEFT_OPEN      a thread that ends leaves an empty list behind, not the sentinel
 * mutant two KEEPS_ITS_OWN  a thread that ends does not drop its own reference
 * mutant two DROPS_FIRST    drops the references of a run, then looks whether the store is closed
 */

#define NONE 0
#define CLOSED 255

/* struct gy_store */
byte mine; /* own thread */
byte back;
byte back_count;
byte references = 1;
bool is_freed;

/* Nodes are numbered from 1. */
mtype = { UNBORN, IN_USE, AT_HOME, FREED };
mtype place[TAKES + 1] = UNBORN;
byte next[TAKES + 1];
byte born;

/* Nodes on their way to those who give them back; NONE: there will be no more. */
chan handed = [TAKES + GIVERS] of { byte };

inline touch() { assert(!is_freed) }

inline drop(number) {
    atomic {
        touch();
        assert(references >= (number));
        references = references - (number);
        is_freed = references == 0
    }
}

/* free_list of `node`; counts in `freed`. */
inline free_list() {
    d_step {
        do
        :: node != NONE ->
           assert(place[node] != FREED);
           place[node] = FREED;
           node = next[node];
           freed++
        :: else -> break
        od
    }
}

/* ---- those who give back ---- */

/* The count of what has come home is about right: it may say at any time that there is enough. */
inline count_as_home() {
    atomic {
        touch();
        back_count = back_count + count;
        if
        :: is_enough = true
        :: is_enough = false
        fi
    }
}

/* send_home */
inline send_home() {
#ifndef COUNTS_AFTER
    count_as_home();
#endif
    atomic { touch(); top = back };
    do
    :: is_enough || top == CLOSED ->
       atomic { touch(); back_count = back_count - count };
       is_sent = false;
       break
    :: else ->
       next[last] = top;
       atomic {
           touch();
           is_sent = back == top;
#ifdef SEND_STORES
           is_sent = true;
#endif
           if
           :: is_sent -> back = first; break
           :: else -> top = back
           fi
       }
    od;
#ifdef COUNTS_AFTER
    if
    :: is_sent -> count_as_home(); is_enough = false
    :: else
    fi
#endif
}

/* gy_recycled_flush */
inline flush() {
    next[last] = NONE;
#ifdef DROPS_FIRST
    drop(count);
#endif
    send_home();
    if
    :: !is_sent ->
       next[last] = NONE;
       node = first;
       free_list();
#ifndef DROPS_FIRST
       drop(count)
#endif
    :: else
    fi;
    atomic {
        first = NONE; last = NONE; count = 0;
        top = NONE; node = NONE; freed = 0; is_sent = false; is_enough = false
    }
}

/* gy_recycled_give */
inline give(given) {
    atomic {
        assert(place[given] == IN_USE);
        place[given] = AT_HOME;
        next[given] = first;
        last = (first == NONE -> given : last);
        first = given;
        count++
    }
}

active [GIVERS] proctype Giver() {
    byte given, first, last, count, top, node, freed;
    bool is_sent, is_enough;
    do
    :: handed ? given ->
       if
       :: given == NONE -> break
       :: else -> give(given)
       fi;
       if
       :: flush()
       :: count < 2
       fi
    od;
    if
    :: count > 0 -> flush()
    :: else
    fi
}

/* ---- the thread that takes ---- */

/* gy_recycled_take */
inline take() {
    if
    :: mine == NONE && back != NONE ->
#ifdef TAKE_STORES
       mine = back;
       back = NONE;
#else
       atomic { mine = back; back = NONE };
#endif
       back_count = 0
    :: else
    fi;
    atomic {
        if
        :: mine != NONE ->
           node = mine;
           mine = next[node];
           assert(place[node] == AT_HOME)
        :: else -> born++; node = born; references++
        fi;
        place[node] = IN_USE
    }
}

/* thread_ends */
inline thread_ends() {
    node = mine;
    mine = NONE;
    free_list();
#ifdef LEFT_OPEN
    atomic { touch(); node = back; back = NONE };
#else
    atomic { touch(); node = back; back = CLOSED };
#endif
    free_list();
#ifdef KEEPS_ITS_OWN
    drop(freed)
#else
    drop(freed + 1)
#endif
}

active proctype Taker() {
    byte node, taken, freed;
    do
    :: taken < TAKES -> take(); handed ! node; taken++
    :: else -> break
    od;
    taken = 0;
    do
    :: taken < GIVERS -> handed ! NONE; taken++
    :: else -> break
    od;
    thread_ends();
    timeout;
    assert(is_freed);
    do
    :: born > 0 -> assert(place[born] == FREED); born--
    :: else -> break
    od
}
