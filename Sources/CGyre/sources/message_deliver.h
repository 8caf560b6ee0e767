/* The callout of a local port for one message.
 *
 * Owns nothing. Threads: those of the loops that hold a source of the port; no lock held. */
#ifndef GYRE_SOURCES_MESSAGE_DELIVER_H
#define GYRE_SOURCES_MESSAGE_DELIVER_H

#include "sources/message_port.h"

/* Receives the first message, if there is one, and replies. What is left is announced before the
 * callout, so that a run nested in that goes on with it (R263). */
void gy_message_deliver(GYMessagePortRef port);

#endif
