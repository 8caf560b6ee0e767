/* The context of a source that is made from something else: checked, and copied.
 *
 * Owns nothing. Threads: any; no lock may be held. */
#ifndef GYRE_API_CLIENT_H
#define GYRE_API_CLIENT_H

#include "sources/own.h"

/* Calls retain, so it comes after all that may be wrong with the arguments. False: an unknown
 * version, which is reported, errno EINVAL. A context may be NULL. */
bool gy_client_copy(const GYCallBackContext *context, const char *call, gy_client *client);

/* What a maker made from it, passed on; where the system refused, the client's info is released,
 * and errno kept. */
GYRunLoopSourceRef gy_client_made(GYRunLoopSourceRef source, const gy_client *client);

#endif
