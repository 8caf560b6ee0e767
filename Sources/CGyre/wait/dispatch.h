/* The main queue of libdispatch, where that is in the process: what it exports for run loops.
 *
 * Owns: how it is found. Nothing is linked: the references are weak, for a libdispatch that is
 * loaded with the program or linked into it, and one that is loaded later is found by its file's
 * name. Relies on: nothing but the drain's caller reading the handle, an eventfd that each
 * enqueueing writes to (R212).
 * Threads: the process's main thread alone, no lock held: the search takes the dynamic loader's. */
#ifndef GYRE_WAIT_DISPATCH_H
#define GYRE_WAIT_DISPATCH_H

#include <stdbool.h>

typedef struct gy_dispatch {
    int handle; /* below zero: not found. libdispatch's own, never closed here */
    void (*drain)(void *unused); /* runs all that is queued when it begins; valid with a handle */
} gy_dispatch;

#define GY_DISPATCH_NONE ((gy_dispatch){.handle = -1})

/* None if there is none, or if it is bound to another thread. Costs some tens of nanoseconds then,
 * unless an object has been loaded since, and no system call. */
gy_dispatch gy_dispatch_find(void);

/* In the child of a fork, where it is not served: none is found any more. */
void gy_dispatch_give_up(void);

#endif
