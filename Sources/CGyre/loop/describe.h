/* Descriptions of loops and their items, for people (R164). Owns nothing. Threads: any; they call
 * the copyDescription callbacks of contexts, so no lock may be held. NULL with errno where memory
 * is out. */
#ifndef GYRE_LOOP_DESCRIBE_H
#define GYRE_LOOP_DESCRIBE_H

#include "loop/loop.h"

GYStringRef gy_describe_loop(const void *loop);
GYStringRef gy_describe_source(const void *source);
GYStringRef gy_describe_timer(const void *timer);
GYStringRef gy_describe_observer(const void *observer);

#endif
