/* What a source asks of its descriptor: changed by any thread, while the port enters a mode and
 * while the loop is told of readiness, with callbacks that are called once each time.
 *
 * One source with one port; a thread that adds it; threads that ask for input and one that takes
 * that back; a writer; the loop. What the kernel is told less of, it is told when it reports what
 * nobody wants.
 *
 * Properties:
 * - When all have come to rest, what is asked for and there has been told (R220, R221).
 * - What nobody wants is reported once for each change, so no loop spins.
 *
 * config one -DASKERS=1 -DDROPPERS=1 -DWRITES=2
 * config two -DASKERS=2 -DDROPPERS=1 -DWRITES=1
 *
 * mutant one NO_SECOND_LOOK  adds the port without a look at what has changed meanwhile
 * mutant one NUMBER_FIRST    counts a change, then makes it
 * mutant one WORD_FIRST      a port reads the word, then the number
 * mutant one KEEPS           what nobody wants stays registered
 * mutant two FORGETS         takes what the kernel was told to stop for registered
 * mutant two NO_SECOND_LOOK  as above
 * mutant two NUMBER_FIRST    as above
 * mutant two WORD_FIRST      as above
 */

bool asked;   /* the word of the source */
byte changes; /* asked_changes */

/* The port: its loop's lock, but `is_listed`, which the memberships' lock protects. */
bool is_listed;
byte seen_change;
bool wanted;
bool registered; /* what the watch says of the kernel's set */

bool kernel_reports; /* the kernel's set */
bool level;          /* there is something to read */
bool lock;

/* What the rules say. */
byte rested; /* threads that are done */
byte reports_for_nothing;

inline take_lock() { atomic { !lock -> lock = true } }
inline give_lock() { lock = false }

/* gy_port_want, under the lock: look_at_asked and widen. */
inline port_want() {
#ifdef WORD_FIRST
    wanted = asked;
    seen_change = changes;
#else
    seen_change = changes;
    wanted = asked;
#endif
    if
    :: wanted && !registered -> atomic { registered = true; kernel_reports = true }
    :: else
    fi
}

/* gy_want_changed after the word was changed: `mine` is this change's number. */
inline want_changed(mine) {
    do
    :: atomic { is_listed && seen_change < mine } ->
       take_lock();
       if
       :: is_listed && seen_change < mine -> port_want()
       :: else
       fi;
       give_lock()
    :: atomic { else -> break }
    od
}

inline change(value, mine) {
#ifdef NUMBER_FIRST
    atomic { changes++; mine = changes };
    asked = value;
#else
    asked = value;
    atomic { changes++; mine = changes };
#endif
    want_changed(mine)
}

active [ASKERS] proctype asks() {
    byte mine;
    change(true, mine);
    rested++
}

active [DROPPERS] proctype drops() {
    byte mine;
    change(false, mine);
    rested++
}

/* insert_into_mode, after gy_port_create. */
active proctype adds() {
    take_lock();
    port_want(); /* the same look; where nothing is wanted, nothing that matters is registered */
    is_listed = true;
#ifndef NO_SECOND_LOOK
    if
    :: seen_change < changes -> port_want()
    :: else
    fi;
#endif
    give_lock();
    rested++
}

active proctype writes() {
    byte left = WRITES;
    do
    :: left > 0 -> level = true; left--
    :: else -> break
    od;
    rested++
}

/* The callback of a one-shot object: gy_watched_take, then the client reads. */
inline perform(mine, taken) {
    atomic { taken = asked; asked = false };
    if
    :: taken ->
       atomic { changes++; mine = changes };
       want_changed(mine);
       level = false
    :: else
    fi
}

active proctype loop() {
    byte mine;
    bool is_mine, taken;
    do
    :: kernel_reports && level -> /* the wait ends */
       take_lock();
       is_mine = wanted;
       if
       :: !wanted ->
          reports_for_nothing++;
          assert(reports_for_nothing <= changes + 1);
#ifndef KEEPS
          atomic {
              kernel_reports = false;
#ifndef FORGETS
              registered = false
#endif
          }
#endif
       :: else
       fi;
       give_lock();
       if
       :: is_mine -> perform(mine, taken)
       :: else
       fi
    :: timeout ->
       assert(rested == ASKERS + DROPPERS + 2);
       assert(!(asked && level && is_listed));
       break
    od
}
