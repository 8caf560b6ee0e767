/* Performed work: the queue that brings blocks to a loop's thread.
 *
 * Threads that push blocks and wake the loop; one that takes the first block back; the loop, which
 * looks once per wake-up, and may end at any moment. The wake-up itself is one flag (wake.pml).
 *
 * Properties:
 * - Each block comes to one end, and one only: it is run, taken back, released by the end of the
 *   loop, or refused and so still the caller's. Its memory is freed once.
 * - The blocks of one thread run in the order in which they were pushed (R60).
 * - The loop does not come to rest with a block in the queue that was pushed before a wake-up.
 *
 * config run  -DENDS=0
 * config end  -DENDS=1
 * mutant run  PUSH_STORES     pushes by a load and a store
 * mutant run  TAKE_STORES     takes the stack by a load and a store
 * mutant run  NEWEST_FIRST    appends the stack as it lies
 * mutant run  COUNTS_LATE     takes the stack before it counts, so that the queue looks empty
 * mutant run  COUNT_FIRST     looks at the count before the stack
 * mutant run  TAKES_UNLOCKED  takes a block back without the lock
 * mutant run  RUNS_UNASKED    runs a block without asking whether it was taken back
 * mutant end  END_EMPTIES     leaves an empty stack behind at the end, not the sentinel
 * mutant end  PUSH_UNCHECKED  pushes without looking for the sentinel
 */

/* EACH: the blocks of one pusher. */
#define BLOCKS (PUSHERS * EACH)
#define ENDED 255 /* GY_BLOCKS_ENDED */
#define NONE 0

/* Blocks are numbered from 1, and those of a pusher in the order in which it pushes them. */
#define PUSHER(block) (((block) - 1) / EACH)

/* struct gy_block_queue */
byte incoming;        /* the newest block */
byte pending_count;   /* also read without the lock */
byte pending[BLOCKS]; /* oldest first; the lock */
byte length;

byte next_incoming[BLOCKS + 1];
bool is_locked;

/* The perform that block 1 belongs to. */
mtype = { PENDING, RUNNING, CANCELLED, LOOP_ENDED };
mtype perform_state = PENDING;
bool has_block = true; /* GYRunLoopPerform.block */
bool is_given;         /* the client has the perform */

bool is_woken;
bool is_to_end;

/* ---- what may happen to a block ---- */

mtype = { RUN, TAKEN_BACK, RELEASED, REFUSED };
mtype fate[BLOCKS + 1];
bool is_freed[BLOCKS + 1];
byte newest_run[PUSHERS];

inline settle(block, what) {
    atomic { assert(fate[block] == 0); fate[block] = what }
}

inline free_block(block) {
    atomic { assert(!is_freed[block]); is_freed[block] = true }
}

/* ---- items/block.c ---- */

inline lock() { atomic { !is_locked -> is_locked = true } }
inline unlock() { is_locked = false }

/* gy_block_queue_push */
inline push(block) {
    top = incoming;
    do
#ifndef PUSH_UNCHECKED
    :: top == ENDED -> break
    :: top != ENDED ->
#else
    ::
#endif
       next_incoming[block] = top;
       atomic {
#ifdef PUSH_STORES
           incoming = block; break
#else
           if
           :: incoming == top -> incoming = block; break
           :: else -> top = incoming
           fi
#endif
       }
    od
}

/* append_reversed; the lock. `newest` is the top of a chain. */
inline append_reversed(newest, guard) {
    d_step {
        count = 0;
        block = newest;
        do
        :: block != NONE -> count++; block = next_incoming[block]
        :: else -> break
        od;
        length = length + count;
        pending_count = pending_count + count - guard;
        block = newest;
        i = 1;
        do
        :: i <= count ->
#ifdef NEWEST_FIRST
           pending[length - count + i - 1] = block;
#else
           pending[length - i] = block;
#endif
           block = next_incoming[block];
           i++
        :: else -> break
        od;
        block = NONE; count = 0; i = 0
    }
}

/* gy_block_queue_take_in; the lock. Counted while the blocks are in neither place. */
inline take_in() {
    top = incoming;
    if
    :: top != NONE && top != ENDED ->
#ifdef TAKE_STORES
       pending_count++;
       incoming = NONE;
#else
#ifndef COUNTS_LATE
       pending_count++;
#endif
       atomic { top = incoming; incoming = NONE };
#endif
#ifdef COUNTS_LATE
       append_reversed(top, 0)
#else
       append_reversed(top, 1)
#endif
    :: else
    fi;
    top = NONE
}

/* gy_block_queue_end; the lock. */
inline end_queue() {
#ifdef END_EMPTIES
    atomic { top = incoming; incoming = NONE };
#else
    atomic { top = incoming; incoming = ENDED };
#endif
    if
    :: top != ENDED -> append_reversed(top, 0)
    :: else
    fi;
    top = NONE
}

/* gy_block_queue_is_empty: two looks, without the lock. */
inline look_if_empty() {
#ifdef COUNT_FIRST
    is_empty = pending_count == 0;
    is_empty = is_empty && (incoming == NONE || incoming == ENDED)
#else
    is_empty = incoming == NONE || incoming == ENDED;
    is_empty = is_empty && pending_count == 0
#endif
}

/* gy_block_queue_remove of the i-th; the lock. */
inline remove(i) {
    d_step {
        position = i;
        do
        :: position + 1 < length ->
           pending[position] = pending[position + 1];
           position++
        :: else -> break
        od;
        length--;
        pending[length] = NONE;
        pending_count--;
        position = 0
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

/* gy_perform_enqueue, then gy_wake_up. */
proctype Pusher(byte first) {
    byte block = first, top;
    do
    :: block < first + EACH ->
       push(block);
       if
       :: top == ENDED -> settle(block, REFUSED); free_block(block)
       :: else -> is_given = is_given || block == 1
       fi;
       is_woken = true;
       block++
    :: else -> break
    od
}

/* gy_perform_cancel of block 1 */
active proctype Canceller() {
    byte top, block, count, i, position;
    bool moved;
end_not_given:
    is_given;
    leave_pending(CANCELLED, moved);
    if
    :: moved ->
#ifndef TAKES_UNLOCKED
       lock(); /* unqueue */
#endif
       take_in();
       moved = has_block;
       has_block = false;
       if
       :: moved ->
          d_step {
              do
              :: pending[i] == 1 -> break
              :: else -> i++
              od
          };
          remove(i)
       :: else
       fi;
       unlock();
       settle(1, TAKEN_BACK);
       if
       :: moved -> free_block(1)
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
           assert(!is_freed[block]);
           assert(block > newest_run[PUSHER(block)]);
           newest_run[PUSHER(block)] = block
       }
    :: else
    fi;
    free_block(block)
}

/* gy_perform_run_step; every block runs in the mode. */
inline run_step() {
    look_if_empty();
    if
    :: !is_empty ->
       lock();
       take_in();
       d_step { /* take_matching */
           do
           :: taken_count < length ->
              taken[taken_count] = pending[taken_count];
              has_block = has_block && taken[taken_count] != 1;
              pending[taken_count] = NONE;
              taken_count++
           :: else -> break
           od;
           pending_count = pending_count - length;
           length = 0
       };
       unlock();
       do
       :: i < taken_count -> run_block(taken[i]); taken[i] = NONE; i++
       :: else -> break
       od;
       atomic { i = 0; taken_count = 0 }
    :: else
    fi
}

/* gy_perform_end */
inline end_performs() {
    do
    :: lock(); /* take_any */
       end_queue();
       if
       :: length == 0 -> unlock(); break
       :: else -> taken[0] = pending[0]; remove(0); has_block = has_block && taken[0] != 1
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
       free_block(taken[0])
    od
}

active proctype Loop() {
    byte top, block, count, i, position, taken[BLOCKS], taken_count;
    bool moved, is_empty;
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
    :: is_to_end -> end_performs(); timeout
    :: else
    fi;
    d_step {
        i = 1;
        do
        :: i <= BLOCKS -> assert(fate[i] != 0 && is_freed[i]); i++
        :: else -> break
        od
    }
}
