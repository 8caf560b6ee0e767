/* The receiving side: the source of a local port, and the callouts for its messages.
 *
 * Owns nothing beyond what a source's info is. Threads: any make a source; the callouts come on the
 * threads of the loops that hold it. */
#ifndef GYRE_SOURCES_MESSAGE_RECEIVE_H
#define GYRE_SOURCES_MESSAGE_RECEIVE_H

#include "sources/message_port.h"

/* A source that keeps the port; NULL with errno. */
GYRunLoopSourceRef gy_message_receive_source(GYMessagePortRef port, GYIndex order);

#endif
