/* What is done with the descriptor of a socket: addresses, connecting, accepting, data.
 *
 * Owns: nothing. Relies on: the system's sockets. Threads: any, no lock held; errno as the system
 * leaves it. Addresses are data with a struct sockaddr. */
#ifndef GYRE_SOURCES_SOCKET_CALL_H
#define GYRE_SOURCES_SOCKET_CALL_H

#include <gyre/GYSocket.h>

/* Close-on-exec; the defaults of GYSocketCreate. -1 with errno. */
int gy_socket_call_open(int family, int type, int protocol);
/* False with errno: no socket. */
bool gy_socket_call_is_stream(int fd, bool *is_stream);
/* Neither connected, nor about to be, nor listening. */
bool gy_socket_call_is_idle(int fd);
/* The pending error, which is cleared; 0: none. */
int gy_socket_call_take_error(int fd);

bool gy_socket_call_blocks(int fd);
/* Gives whether it did block. */
bool gy_socket_call_set_blocking(int fd, bool blocks);

/* NULL with errno. */
GYDataRef gy_socket_call_copy_name(int fd);
GYDataRef gy_socket_call_copy_peer(int fd);

/* 0 or -1 with errno. */
int gy_socket_call_bind(int fd, GYDataRef address, bool listens);
/* Of a descriptor that does not block: -1 with EINPROGRESS while it goes on. */
int gy_socket_call_connect(int fd, GYDataRef address);
/* Until it is over: 0, or -1 with errno, ETIMEDOUT where time is. Below zero: for ever. */
int gy_socket_call_wait_connected(int fd, int64_t timeout_ns);
/* Likewise, until all is sent. */
int gy_socket_call_send(int fd, GYDataRef address, GYDataRef data, int64_t timeout_ns);

/* The accepted descriptor, or -1; never blocks. The peer's address comes with it, or NULL. */
int gy_socket_call_accept(int fd, GYDataRef *address);
/* What one look gives: NULL where there is nothing, or no memory. Length 0: an end or an error of a
 * connection, or an empty datagram. */
GYDataRef gy_socket_call_receive(int fd, bool is_stream, GYDataRef *address);

#endif
