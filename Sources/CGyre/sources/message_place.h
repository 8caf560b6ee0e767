/* Sources of a port's own, which go where the program has put the port's source.
 *
 * Owns nothing. Threads: any; no lock held. */
#ifndef GYRE_SOURCES_MESSAGE_PLACE_H
#define GYRE_SOURCES_MESSAGE_PLACE_H

#include "sources/message_queue.h"

/* Puts a source into every mode that a source of the mailbox is in. One that the program's source
 * enters or leaves meanwhile is seen by one of the two. */
void gy_place_join_all(gy_mailbox *mailbox, GYRunLoopSourceRef source);

#endif
