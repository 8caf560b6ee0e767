/* The callout of a local port for one message.
 *
 * Owns: which message a thread is called out for. Threads: those of the loops that hold a source of the port; no lock held. */
#ifndef GYRE_SOURCES_MESSAGE_DELIVER_H
#define GYRE_SOURCES_MESSAGE_DELIVER_H

#include "sources/message_port.h"

/* The message of the calling thread's innermost callout; NULL: none. */
gy_message *gy_message_current(void);

/* Receives the first message, if there is one, and replies; whether there are more, as of before the
 * callout. `announce` is called then, so that a run nested in the callout goes on (R263). */
bool gy_message_deliver(GYMessagePortRef port, void (*announce)(void *info), void *info);

#endif
