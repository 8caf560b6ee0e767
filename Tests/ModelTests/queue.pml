/* The main queue of libdispatch: its eventfd, watched edge-triggered in more than one epoll set, and
 * read before each drain.
 *
 * The main loop in a common mode, whose descriptors may move it to a set of its own; runs nested in
 * its callouts and in its drains, some of which do not serve the queue; threads that queue work.
 *
 * Properties:
 * - No work stays queued while a run that serves the queue sleeps (R210).
 * - A run does not go round for an edge alone: it drains only what can be read (R212).
 *
 * config flat   -DQUEUERS=3 -DNESTED_RUNS=0
 * config nested -DQUEUERS=2 -DNESTED_RUNS=2
 *
 * mutant flat   READS_LATE       drains, then reads
 * mutant flat   NOT_TOLD_AT_ONCE does not learn of what was there when the set began to watch
 * mutant nested LEAVES_NO_MARK   a run that does not serve the queue forgets the edge
 * mutant nested SLEEPS_ON_A_MARK waits for an edge although one has left its mark
 * mutant nested DRAINS_BY_LOOK   takes what step 6 has seen for work, without a read
 */

#define ITERATIONS 3 /* that serve the queue, before the run waits for the end of all */

/* libdispatch's side. Each push is followed by a write; a drain takes what is there when it begins,
 * and writes once more if something is left. */
byte queued;
byte counter;

/* The kernel's side: an edge is told of only while there is something to read. */
bool is_watched[2];
bool edge[2];

inline write() {
    atomic {
        counter = 1;
        edge[0] = is_watched[0];
        edge[1] = is_watched[1]
    }
}

active [QUEUERS] proctype Queuer() {
    queued++;
    write()
}

/* gy_served_queue.is_ready */
bool is_ready;

/* gy_poller_watch_queue: EPOLL_CTL_ADD tells of what can be read already. */
inline watch(set) {
    atomic {
        if
        :: !is_watched[set] ->
           is_watched[set] = true;
#ifndef NOT_TOLD_AT_ONCE
           edge[set] = true
#endif
        :: else
        fi
    }
}

/* fetch in sleep.c, for a wait that has an edge to look at. */
inline fetch(set, serves) {
    edge[set] = false;
    if
    :: counter > 0 ->
#ifdef LEAVES_NO_MARK
       is_ready = serves
#else
       is_ready = true
#endif
    :: else
    fi
}

/* A run in a private mode, or inside a drain. It ends whenever it likes. */
inline run_unserved(set) {
    watch(set);
    do
    :: atomic { edge[set] -> fetch(set, false) }
    :: break
    od
}

/* gy_main_queue_take and the drain; what is queued inside stays for the next. */
inline drain() {
    is_ready = false;
#ifdef READS_LATE
    has_work = counter > 0;
#else
    atomic { has_work = counter > 0; counter = 0 };
#endif
#ifdef DRAINS_BY_LOOK
    assert(has_work);
#endif
    if
    :: has_work ->
       count = queued;
       if
       :: nested_runs < NESTED_RUNS -> nested_runs++; run_unserved(set)
       :: true
       fi;
       atomic { queued = queued - count; count = 0 };
       if
       :: queued > 0 -> write()
       :: else
       fi
    :: else
    fi;
#ifdef READS_LATE
    counter = 0;
#endif
    has_work = false
}

/* A nested run that serves the queue, and polls. */
inline run_served() {
    watch(set);
    if
    :: atomic { edge[set] -> fetch(set, true) }
    :: atomic { !edge[set] -> skip }
    fi;
    if
    :: is_ready -> drain()
    :: else
    fi
}

active proctype Loop() {
    byte count, nested_runs, iterations, set;
    bool has_work;

iterate:
    /* The mode's first descriptor, or its last, came or went. */
    if
    :: set = 0
    :: set = 1
    fi;
    /* A callout. */
    if
    :: nested_runs < NESTED_RUNS -> nested_runs++; run_unserved(0)
    :: nested_runs < NESTED_RUNS -> nested_runs++; run_unserved(1)
    :: nested_runs < NESTED_RUNS -> nested_runs++; run_served()
    :: true
    fi;
    /* Step 6: gy_main_queue_look, or not. */
    if
    :: is_ready = is_ready || counter > 0;
       if
       :: is_ready ->
          if /* a drain hook */
          :: nested_runs < NESTED_RUNS -> nested_runs++; run_served()
          :: true
          fi;
          drain();
          goto iterate_again
       :: else
       fi
    :: true
    fi;
    /* Step 8. */
    watch(set);
#ifdef SLEEPS_ON_A_MARK
    is_ready = false;
#endif
    do
    :: is_ready -> break
    :: atomic { !is_ready && edge[set] -> fetch(set, true) }
    :: timeout -> assert(queued == 0); goto done
    :: iterations < ITERATIONS -> break /* another event */
    od;
    /* Step 10: it may have another turn than the main queue's. */
    if
    :: is_ready -> drain()
    :: iterations < ITERATIONS
    fi;
iterate_again:
    if
    :: iterations < ITERATIONS -> iterations++
    :: else
    fi;
    goto iterate;
done:
    skip
}
