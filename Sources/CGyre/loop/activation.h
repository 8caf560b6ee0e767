/* Runs in progress on a loop: beginning one, ending one, and clearing away those whose stack frames
 * are gone.
 *
 * Owns: the loop's stack of activations. A callback may leave a run by a C++ exception or a jump;
 * no clean-up runs then, for that would need the unwinder. Each activation knows the address of its
 * frame instead: the next run that begins there or above it (at a higher address, for the stack
 * grows down) finds it gone.
 * Threads: the loop's own. */
#ifndef GYRE_LOOP_ACTIVATION_H
#define GYRE_LOOP_ACTIVATION_H

#include "loop/loop.h"

/* Pushes an activation and its drain pool; false, with errno, where memory is out. The loop's lock
 * is not held. */
bool gy_activation_begin(GYRunLoopRef loop, gy_mode *mode, int64_t deadline_ns, const void *frame);
/* The pool is the caller's to pop, before or after. */
void gy_activation_end(GYRunLoopRef loop);

/* Whether the frame of the innermost activation is gone, as seen from `frame`. */
bool gy_activation_is_gone(GYRunLoopRef loop, const void *frame);

#endif
