/* The checks that the public functions begin with: each reports what is wrong and says no.
 *
 * Owns nothing. Threads: any; no lock may be held. */
#ifndef GYRE_API_ARGUMENTS_H
#define GYRE_API_ARGUMENTS_H

#include "base/object.h"

/* Whether an argument is a live object of the kind; "R170" is the rule that any thread may pass any
 * valid object, and nothing else. */
bool gy_argument_is(const void *object, enum gy_kind kind, const char *call);
/* The same for calls that may run in a signal handler. */
bool gy_signal_argument_is(const void *object, enum gy_kind kind, const char *call);

/* The interned name of a mode argument, retained. NULL: no string, which is reported, or no memory,
 * which leaves errno. */
GYStringRef gy_argument_mode(GYStringRef mode, const char *call);

/* The loop of an ended thread ignores what is given to it (R5); for the main loop that is told once
 * (R8), whichever of the two is called first. */
void gy_argument_loop_ended(GYRunLoopRef loop, const char *call);
/* The same for calls that may run in a signal handler; of a loop that lives it says nothing. */
void gy_signal_argument_loop_ended(GYRunLoopRef loop, const char *call);

#endif
