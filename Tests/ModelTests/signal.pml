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
