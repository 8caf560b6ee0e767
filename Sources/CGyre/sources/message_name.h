/* The ports of this process by name.
 *
 * Owns: which port has which name. It does not own the ports: each leaves when it ends. Threads:
 * any; a lock of its own, rank table, under which nothing is called that blocks. */
#ifndef GYRE_SOURCES_MESSAGE_NAME_H
#define GYRE_SOURCES_MESSAGE_NAME_H

#include "base/object.h"

/* As CoreFoundation has it. */
#define GY_PORT_NAME_MAX 255

/* A part of each port. */
typedef struct gy_port_name {
    void *port;         /* the object; constant */
    GYStringRef string; /* retained; NULL: it has none. The registry's lock */
    bool is_remote;     /* remote ports have names of their own: those they send to. Constant */
    uint32_t user;      /* whose name it is. Constant */
    bool is_listed;     /* the registry's lock */
} gy_port_name;

/* The valid port of that name, retained; NULL: none. */
void *gy_port_name_find(GYStringRef string, bool is_remote, uint32_t user);
/* Gives a port that name, in place of the one it has. `claim`, unless NULL, makes the name known to
 * other processes: it is called with the registry's lock and returns a descriptor, which is handed
 * on by `claimed`, or a negative errno. `*claimed` is -1 where nothing had to be claimed.
 * Returns 0, that errno, -EADDRINUSE where another port of the process has the name, or -ENOMEM. */
int gy_port_name_enter(gy_port_name *name, GYStringRef string, int (*claim)(GYStringRef string),
                       int *claimed);
/* The name is free again; the port can still tell it. */
void gy_port_name_leave(gy_port_name *name);
/* Borrowed. */
GYStringRef gy_port_name_string(gy_port_name *name);

#endif
