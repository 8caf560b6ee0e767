/** GYThread.h - threads that have loops, as far as the system does not offer it alike everywhere. */
#ifndef GYRE_GYTHREAD_H
#define GYRE_GYTHREAD_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

/** Names the calling thread, as tools show it.
 *
 * The kernel keeps 15 bytes; of a longer name the characters that fit into them are taken. Threads
 * that this one makes begin with the same name.
 *
 * - Parameter name: UTF-8, NUL-terminated; borrowed.
 * - Threads: any, for itself.
 * - Errors: NULL: reported, nothing happens.
 * - Since: 0.1.
 */
GY_EXPORT void GYThreadSetName(const char *GY_NULLABLE name);

GY_END_DECLS

#endif
