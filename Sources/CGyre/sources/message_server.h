/* What makes a local port known to other processes: a socket that listens under its name, and the
 * callers that have connected.
 *
 * Owns: servers, one for each local port that has or had a name, counted; who may connect (R268).
 * Its sources go where the program puts the port's. Threads: any; a lock of its own, rank table. */
#ifndef GYRE_SOURCES_MESSAGE_SERVER_H
#define GYRE_SOURCES_MESSAGE_SERVER_H

#include "sources/message_port.h"

/* How many remote ports of other processes may be connected to a port. */
#define GY_SERVER_CALLERS_MAX 256

/* Gives a local port a name: 0 or a negative errno, as gy_port_name_enter; -EINVAL: it has ended. */
int gy_server_set_name(GYMessagePortRef port, GYStringRef name);
/* Lets processes of another user connect, or of every user (GY_ANY_USER). False with errno. */
bool gy_server_allow(GYMessagePortRef port, uint32_t user);

/* The program's source has entered a mode, or left one. */
void gy_server_join(GYMessagePortRef port, GYRunLoopRef loop, GYStringRef mode);
void gy_server_part(GYMessagePortRef port, GYRunLoopRef loop, GYStringRef mode);
/* A message has been taken: what was left for want of room can come in. */
void gy_server_resume(GYMessagePortRef port);

#endif
