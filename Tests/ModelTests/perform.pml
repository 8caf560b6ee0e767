/* Performed work: the queue that brings blocks to a loop's thread.
 *
 * Threads that push blocks, and wake the loop or leave that to others; one that takes the first
 * block back; the loop, which looks once per wake-up, and may end at any moment. The wake-up itself
 * is one flag (wake.pml).
 *
 * Properties:
 * - Each block comes to one end, and one only: it is run, taken back, released by the end of the
 *   loop, or refused and so still the caller's. Its memory is given back once.
 * - The blocks of one thread run in the order in which they were pushed (R60).
 * - The loop does not come to rest with a block in the queue if a wake-up came after its push had
 *   returned (R62).
 *
 * config run -DPUSHERS=2 -DEACH=2 -DENDS=0
 * config end -DPUSHERS=2 -DEACH=1 -DENDS=1
 *
 * mutant run PUSH_STORES     pushes by a load and a store
 * mutant run TAKE_STORES     takes the stack by a load and a store
 * mutant run NEWEST_FIRST    takes the stack as it lies
 * mutant run COUNTS_LATE     counts a block after it was pushed
 * mutant run KEPT_LAST       runs what has come in before what was kept
 * mutant run TAKES_UNLOCKED  takes a block back without the lock
 * mutant run RUNS_UNASKED    runs a block without asking whether it was taken back
 * mutant end END_EMPTIES     leaves an empty stack behind at the end, not the sentinel
 * mutant end PUSH_UNCHECKED  pushes without looking for the sentinel
 */

/* EACH: how many blocks a pusher pushes. */
#define BLOCKS (PUSHERS * EACH)
#define ENDED 255 /* the sentinel */
#define NONE 0

/* Blocks are numbered from 1, and those of a pusher in the order in which it pushes them. */
#define PUSHER(block) (((block) - 1) / EACH)

/* struct gy_block_queue */
byte incoming; /* the newest block */
byte count;
byte pending[BLOCKS]; /* oldest first; the lock */
byte kept;            /* how many those are */

byte next[BLOCKS + 1]; /* of each block, in the stack or in a chain */
bool is_locked;

/* The perform that block 1 belongs to. */
mtype = { PENDING, RUNNING, CANCELLED, LOOP_ENDED };
mtype perform_state = PENDING;
bool has_block = true; /* GYRunLoopPerform.block */
bool is_given;         /* the client has the perform */

bool is_woken;
bool is_to_end;

/* ---- what may come of a block ---- */

mtype = { RUN, TAKEN_BACK, RELEASED, REFUSED };
mtype fate[BLOCKS + 1];
bool is_given_back[BLOCKS + 1];
bool has_returned[BLOCKS + 1]; /* the push */
bool is_owed[BLOCKS + 1];      /* a wake-up came after that */
byte newest_run[PUSHERS];

inline settle(block, what) {
    atomic { assert(fate[block] == 0); fate[block] = what }
}

inline give_back(block) {
    atomic { assert(!is_given_back[block]); is_given_back[block] = true }
}

/* gy_wake_up */
inline wake_up() {
    d_step {
        is_woken = true;
        i = 1;
        do
        :: i <= BLOCKS -> is_owed[i] = has_returned[i]; i++
        :: else -> i = 0; break
        od
    }
}

/* ---- items/block.c ---- */

inline lock() { atomic { !is_locked -> is_locked = true } }
inline unlock() { is_locked = false }

#ifdef PUSH_UNCHECKED
#define HAS_ENDED false
#else
#define HAS_ENDED (top == ENDED)
#endif

/* gy_block_queue_push */
inline push(block) {
#ifndef COUNTS_LATE
    count++;
#endif
    top = incoming;
    do
    :: HAS_ENDED -> count--; pushed = false; break
    :: !HAS_ENDED ->
       next[block] = top;
       atomic {
           pushed = incoming == top;
#ifdef PUSH_STORES
           pushed = true;
#endif
           if
           :: pushed -> incoming = block; break
           :: else -> top = incoming
           fi
       }
    od;
#ifdef COUNTS_LATE
    count++
#endif
}

/* reversed: `top` is the newest of a chain, and then the oldest. */
inline reverse() {
#ifdef NEWEST_FIRST
    skip
#else
    d_step {
        do
        :: top != NONE -> after = next[top]; next[top] = first; first = top; top = after
        :: else -> break
        od;
        top = first; first = NONE; after = NONE
    }
#endif
}

/* gy_block_queue_take_incoming: `top` is the oldest, or NONE. The lock. */
inline take_incoming() {
    top = incoming;
    if
    :: top == NONE || top == ENDED -> top = NONE
    :: else ->
#ifdef TAKE_STORES
       incoming = NONE;
#else
       atomic { top = incoming; incoming = NONE };
#endif
       reverse()
    fi
}

/* keep_all; the lock. */
inline keep_all() {
    d_step {
        do
        :: top != NONE -> pending[kept] = top; kept++; top = next[top]
        :: else -> break
        od
    }
}

/* gy_block_queue_end; the lock. */
inline end_queue() {
#ifdef END_EMPTIES
    atomic { top = incoming; incoming = NONE };
#else
    atomic { top = incoming; incoming = ENDED };
#endif
    if
    :: top != ENDED -> reverse(); keep_all()
    :: else
    fi;
    top = NONE
}

/* gy_block_queue_remove of pending[i]; the lock. */
inline remove() {
    d_step {
        do
        :: i + 1 < kept -> pending[i] = pending[i + 1]; i++
        :: else -> break
        od;
        kept--;
        pending[kept] = NONE;
        i = 0
    }
}

/* ---- loop/performs.c ---- */

/* leave_pending */
inline leave_pending(state, moved) {
    atomic {
        moved = perform_state == PENDING;
        if
        :: moved -> perform_state = state
        :: else
        fi
    }
}

proctype Pusher(byte first_block) {
    byte block = first_block, top, i;
    bool pushed;
    do
    :: block < first_block + EACH ->
       push(block);
       if
       :: pushed -> atomic { has_returned[block] = true; is_given = is_given || block == 1 }
       :: else -> settle(block, REFUSED); give_back(block)
       fi;
       atomic { pushed = false; top = NONE };
       if
       :: wake_up()
       :: true
       fi;
       block++
    :: else -> break
    od
}

/* gy_perform_cancel of block 1 */
active proctype Canceller() {
    byte top, first, after, i;
    bool moved;
end_not_given:
    is_given;
    leave_pending(CANCELLED, moved);
    if
    :: moved ->
#ifndef TAKES_UNLOCKED
       lock(); /* unqueue */
#endif
       take_incoming();
       keep_all();
       atomic { moved = has_block; has_block = false };
       if
       :: moved ->
          d_step {
              do
              :: pending[i] == 1 -> break
              :: else -> i++
              od
          };
          remove();
          count--
       :: else
       fi;
       unlock();
       settle(1, TAKEN_BACK);
       if
       :: moved -> give_back(1)
       :: else
       fi
    :: else
    fi
}

active [ENDS] proctype Ender() { is_to_end = true }

/* run_block */
inline run_block(block) {
    moved = true;
#ifndef RUNS_UNASKED
    if
    :: block == 1 -> leave_pending(RUNNING, moved)
    :: else
    fi;
#endif
    if
    :: moved ->
       settle(block, RUN);
       d_step {
           assert(!is_given_back[block] && block > newest_run[PUSHER(block)]);
           newest_run[PUSHER(block)] = block
       }
    :: else
    fi;
    give_back(block)
}

inline pick(block) {
    taken[picked] = block;
    picked++;
    has_block = has_block && block != 1
}

inline pick_kept() {
    d_step {
        do
        :: i < kept -> pick(pending[i]); pending[i] = NONE; i++
        :: else -> break
        od;
        kept = 0; i = 0
    }
}

inline pick_incoming() {
    take_incoming();
    d_step {
        do
        :: top != NONE -> pick(top); top = next[top]
        :: else -> break
        od
    }
}

/* gy_perform_run_step; every block runs in the mode. */
inline run_step() {
    if
    :: count != 0 -> /* gy_block_queue_is_empty */
       lock(); /* pick_all */
#ifdef KEPT_LAST
       pick_incoming();
       pick_kept();
#else
       pick_kept();
       pick_incoming();
#endif
       count = count - picked;
       unlock();
       do
       :: i < picked -> run_block(taken[i]); taken[i] = NONE; i++
       :: else -> break
       od;
       atomic { i = 0; picked = 0 }
    :: else
    fi
}

/* gy_perform_end */
inline end_performs() {
    do
    :: lock(); /* take_any */
       end_queue();
       if
       :: kept == 0 -> unlock(); break
       :: else -> atomic { pick(pending[0]); picked = 0; remove(); count-- }
       fi;
       unlock();
       moved = true;
       if
       :: taken[0] == 1 -> leave_pending(LOOP_ENDED, moved)
       :: else
       fi;
       if
       :: moved -> settle(taken[0], RELEASED)
       :: else
       fi;
       give_back(taken[0])
    od
}

active proctype Loop() {
    byte top, first, after, i, taken[BLOCKS], picked;
    bool moved;
    do
    :: i < PUSHERS -> run Pusher(1 + i * EACH); i++
    :: else -> i = 0; break
    od;
    do
    :: atomic { is_woken -> is_woken = false }; run_step()
    :: is_to_end -> break
    :: timeout -> break
    od;
    if
    :: is_to_end -> end_performs(); timeout; assert(count == 0)
    :: else
    fi;
    d_step {
        i = 1;
        do
        :: i <= BLOCKS && (is_owed[i] || is_to_end) -> assert(fate[i] != 0 && is_given_back[i]); i++
        :: i <= BLOCKS && !(is_owed[i] || is_to_end) -> i++
        :: else -> break
        od
    }
}
