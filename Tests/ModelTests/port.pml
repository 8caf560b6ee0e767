/* The mailbox of a message port (sources/message_queue.c, message_receive.c), and the answer that a
 * request waits for (sources/message.c), on top of sources and wake-ups that are never lost (signal.pml,
 * wake.pml).
 *
 * Senders with one message each, which wait for room; one loop that receives, several messages in a
 * pass, and may run nested in a callout; one request whose answer another thread gives.
 *
 * Properties:
 * - No message stays in the mailbox while the loop sleeps, and no sender waits while there is room.
 * - A request does not stay asleep when its answer was given.
 *
 * config queue  -DSENDERS=3 -DLOOPS=1 -DROOM=2 -DBATCH=2 -DREQUESTS=0
 * config one    -DSENDERS=3 -DLOOPS=1 -DROOM=1 -DBATCH=1 -DREQUESTS=0
 * config answer -DSENDERS=0 -DLOOPS=0 -DROOM=1 -DBATCH=1 -DREQUESTS=1
 *
 * mutant queue  NO_MORE         who takes one of several does not mark the source again
 * mutant queue  COUNTS_FIRST    counts a message before it is in the list
 * mutant queue  NO_LAST_LOOK    takes the mark back and does not look whether a message has come
 * mutant one    WAITS_UNTOLD    looks for room before it says that it waits
 * mutant one    NO_TELLING      who takes one tells no sender
 * mutant answer LOOKS_FIRST     looks for the answer before the source can be seen
 */

/* The mailbox. A section under a lock is one step where nothing of it is visible without. */
byte count;
byte newest;
byte first;
byte waiting;
bool is_locked;   /* the senders' lock */
byte broadcasts;  /* of the condition */

/* The loop. */
bool is_marked;
bool is_woken;
bool is_asleep;

/* What the rules say. */
byte received;

inline lock() { atomic { !is_locked -> is_locked = true } }
inline unlock() { is_locked = false }

/* gy_mailbox_announce */
inline announce() { is_marked = true; is_woken = true }

/* gy_mailbox_post */
active [SENDERS] proctype Sender() {
    bool was_empty;
    byte seen;
    lock();
    if
    :: count < ROOM
    :: else ->
#ifndef WAITS_UNTOLD
       waiting++;
#endif
       do
       :: count < ROOM -> break
       :: else ->
#ifdef WAITS_UNTOLD
          waiting++;
#endif
          atomic { seen = broadcasts; unlock() };
          broadcasts != seen;
#ifdef WAITS_UNTOLD
          waiting--;
#endif
          lock()
       od;
#ifndef WAITS_UNTOLD
       waiting--
#endif
    fi;
#ifdef COUNTS_FIRST
    atomic { was_empty = (count == 0); count++ };
    unlock(); lock();
    newest++;
#else
    newest++;
    atomic { was_empty = (count == 0); count++ };
#endif
    unlock();
    if
    :: was_empty -> announce()
    :: else
    fi
}

/* gy_mailbox_take, whose own lock nobody else wants here. */
inline take() {
    is_more = false;
    has_taken = false;
    if
    :: first == 0 -> lock(); first = newest; newest = 0; unlock()
    :: else
    fi;
    if
    :: first > 0 ->
       first--;
       has_taken = true;
       atomic { is_more = (count > 1); count-- }
    :: else
    fi;
#ifndef NO_TELLING
    if
    :: waiting > 0 -> lock(); broadcasts++; unlock()
    :: else
    fi
#endif
}

/* gy_message_deliver with the mark of message_receive.c */
inline deliver() {
    take();
#ifndef NO_MORE
    if
    :: is_more && !has_mark -> is_marked = true; has_mark = true
    :: else
    fi;
#endif
    if
    :: has_taken -> received++
    :: else
    fi
}

/* receive in message_receive.c */
inline perform() {
    left = BATCH;
    has_mark = false;
    is_more = true;
    do
    :: left > 0 && is_more -> deliver(); left--
    :: else -> break
    od;
    if
    :: !is_more && has_mark ->
       is_marked = false;
#ifndef NO_LAST_LOOK
       if
       :: count > 0 -> is_marked = true
       :: else
       fi
#endif
    :: else
    fi
}

active [LOOPS] proctype Loop() {
    bool is_more, has_taken, has_mark;
    byte left;
    do
    :: is_marked -> is_marked = false; perform()
    :: !is_marked ->
       if
       :: atomic { is_woken -> is_woken = false }
       :: timeout ->
          assert(received == SENDERS && count == 0 && newest == 0 && first == 0 && waiting == 0);
          break
       fi
    od
}

/* ---- the answer ---- */

bool is_given;
bool has_source;
bool is_signalled;

/* gy_answer_begin_wait, then await in message_send.c */
active [REQUESTS] proctype Requester() {
#ifdef LOOKS_FIRST
    bool given = is_given;
    has_source = true;
#else
    has_source = true;
    bool given = is_given;
#endif
    if
    :: given
    :: else ->
       if
       :: is_signalled
       :: timeout -> assert(false)
       fi
    fi;
    assert(is_given)
}

/* gy_answer_give */
active [REQUESTS] proctype Giver() {
    is_given = true;
    if
    :: has_source -> is_signalled = true
    :: else
    fi
}
