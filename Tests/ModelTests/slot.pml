/* The word of a slot in sources/signal_slot.c: handlers that write into a pipe while its source
 * ends, and another takes the slot.
 *
 * Two handlers, each called twice; a thread that opens the slot and gives it up, twice, and another
 * that does so once where the slot is free. A descriptor that is closed may mean another file at
 * once.
 *
 * Properties:
 * - No handler writes to a pipe that is closed.
 * - A pipe is closed once, and before the slot is taken again.
 * - When everybody has come to rest each pipe that was opened is closed.
 * - Giving up waits for nobody: it has no step that blocks but the lock.
 *
 * config two  -DHANDLERS=2 -DOWNERS=2
 *
 * mutant two NO_COUNT        a handler writes without being counted
 * mutant two ENTERS_ENDED    a handler enters a slot that was given up
 * mutant two NOBODY_CLOSES   a handler that is the last leaves the pipe open
 * mutant two ALWAYS_CLOSES   who gives up closes, whoever is writing
 * mutant two FREE_TOO_EARLY  the slot is free before its pipe is closed
 */

#define ROUNDS 2

/* The word */
bool is_active;
bool is_taken;
byte writers;

bool lock;

/* What the rules say. */
byte open_pipes;
bool pipe_is_open;

/* close_slot; the caller found that the word is TAKEN alone. */
inline close_slot() {
#ifdef FREE_TOO_EARLY
    is_taken = false;
#endif
    atomic {
        assert(pipe_is_open && !is_active);
        pipe_is_open = false;
        open_pipes--
    };
#ifndef FREE_TOO_EARLY
    is_taken = false
#endif
}

active [HANDLERS] proctype Handler() {
    byte round;
    bool entered, closes;
    do
    :: round == ROUNDS -> break
    :: else ->
       round++;
       /* enter_slot */
       atomic {
#ifdef ENTERS_ENDED
           entered = is_taken;
#else
           entered = is_active;
#endif
#ifndef NO_COUNT
           writers = writers + entered
#endif
       };
       if
       :: entered ->
          assert(pipe_is_open); /* gy_signal_slot_write */
          /* leave_slot */
          atomic {
#ifdef NO_COUNT
              closes = false;
#else
              writers--;
              closes = writers == 0 && !is_active;
#endif
#ifdef NOBODY_CLOSES
              closes = false
#endif
          };
          if
          :: closes -> close_slot()
          :: else
          fi
       :: else
       fi
    od
}

active [OWNERS] proctype Owner() {
    byte round;
    bool opened, closes;
    do
    :: round == ROUNDS -> break
    :: else ->
       round++;
       /* gy_signal_slot_open, where the slot is free: a new one is made otherwise */
       atomic { !lock -> lock = true };
       opened = !is_taken && !is_active && writers == 0;
       if
       :: opened ->
          atomic { assert(!pipe_is_open); pipe_is_open = true; open_pipes++ };
          atomic { is_active = true; is_taken = true }
       :: else
       fi;
       lock = false;
       if
       :: opened ->
          /* gy_signal_slot_give_up */
          atomic { !lock -> lock = true };
          atomic {
              is_active = false;
              closes = writers == 0;
#ifdef ALWAYS_CLOSES
              closes = true
#endif
          };
          if
          :: closes -> close_slot()
          :: else
          fi;
          lock = false
       :: else
       fi
    od
}

active proctype Observer() {
    timeout -> assert(open_pipes == 0 && !is_taken && !is_active)
}
