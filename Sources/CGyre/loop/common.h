/* The set of common modes growing: all common items join the new one (R17). Any thread, no lock
 * held. */
#ifndef GYRE_LOOP_COMMON_H
#define GYRE_LOOP_COMMON_H

#include "loop/loop.h"

/* False, with errno, and nothing has changed. `mode` is interned. A dead loop ignores it. */
bool gy_common_add_mode(GYRunLoopRef loop, GYStringRef mode);

#endif
