/* Where a local port is found by other processes: sockets in the abstract namespace.
 *
 * Owns: what a name is there. Relies on: the kernel telling who is at the other end, for anybody may
 * take any address (R268). Threads: any. */
#ifndef GYRE_SOURCES_MESSAGE_ADDRESS_H
#define GYRE_SOURCES_MESSAGE_ADDRESS_H

#include "base/object.h"

/* Stands for every user. */
#define GY_ANY_USER UINT32_MAX

/* A socket that listens for the calling user's port of that name; a negative errno, EADDRINUSE where
 * a process has the name. */
int gy_address_listen(GYStringRef name);
/* A connection to the port of that name of a user; a negative errno, ENOENT where there is none. */
int gy_address_connect(GYStringRef name, uint32_t user);
/* Takes in a connection: a negative errno, EAGAIN where none waits. */
int gy_address_accept(int listener);
/* Whose process made the other end; false: that cannot be told. */
bool gy_address_peer(int fd, uint32_t *user);

#endif
