/* What a source asks of its descriptor, changed while modes hold it.
 *
 * Owns: the rule that a change reaches every registration, whichever thread made it. The word
 * `asked` of a source is the truth; each port catches up with it under its loop's lock.
 * Relies on: port.h for what a registration makes of it. Threads: any, no lock held. */
#ifndef GYRE_LOOP_WANT_H
#define GYRE_LOOP_WANT_H

#include "loop/loop.h"

/* Of a new source of version 1 or 2: what its context asks for. */
void gy_want_init(GYRunLoopSourceRef source);

/* Changes what a source asks for that has the word itself. 0, or the negative errno of a
 * registration that the system refuses: it is tried again by the next call. */
int gy_want_set(GYRunLoopSourceRef source, uint32_t asked);

/* The events that a source of version 2 asks for, as its client said. */
uint32_t gy_want_events(GYRunLoopSourceRef source);

/* After the word has been changed by whoever it belongs to. */
int gy_want_changed(GYRunLoopSourceRef source);

#endif
