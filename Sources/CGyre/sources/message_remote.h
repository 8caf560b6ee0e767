/* Remote ports: found or made by name, and what comes back over the connection to another process.
 *
 * Owns nothing. Threads: any; no lock held. */
#ifndef GYRE_SOURCES_MESSAGE_REMOTE_H
#define GYRE_SOURCES_MESSAGE_REMOTE_H

#include "sources/message_port.h"

/* The remote port of a user's name, retained, made if there is none yet; NULL with errno. */
GYMessagePortRef gy_remote_find(GYStringRef name, uint32_t user);
/* Ends the port if the other side has gone. */
void gy_remote_check(GYMessagePortRef port);

/* A source that receives replies from a connection; NULL with errno. */
GYRunLoopSourceRef gy_remote_source(gy_link *link);
/* Receives one packet, and gives the answer that it brings. The end of the connection, or what is
 * no reply, ends the port. */
void gy_remote_receive_one(gy_link *link);
/* The same, and waits for it a moment; false: none came. */
bool gy_remote_receive_soon(gy_link *link);

/* A loop of the calling thread tells of the other's end from now on, or no more. */
void gy_remote_watch(GYMessagePortRef port, bool is_wanted);

#endif
