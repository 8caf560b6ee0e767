/* What a program does with a socket: giving it an address, connecting it, sending.
 *
 * Owns: when a connection that is made in the background counts as begun.
 * Relies on: socket.h for what happens when it is over. Threads: any, no lock held. All leave errno
 * where they do not succeed. */
#ifndef GYRE_SOURCES_SOCKET_USE_H
#define GYRE_SOURCES_SOCKET_USE_H

#include "sources/socket.h"

GYSocketError gy_socket_set_address(GYSocketRef s, GYDataRef address);
/* Below zero: in the background. */
GYSocketError gy_socket_connect(GYSocketRef s, GYDataRef address, GYTimeInterval timeout);
/* Zero or less: as the socket is. */
GYSocketError gy_socket_send(GYSocketRef s, GYDataRef address, GYDataRef data,
                             GYTimeInterval timeout);

#endif
