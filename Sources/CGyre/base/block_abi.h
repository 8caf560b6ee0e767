/* Blocks, by their published binary interface: copied, released and called without a compiler that
 * knows them and without a runtime that must be linked.
 *
 * Owns: nothing; a copy belongs to whoever made it. Relies on: the process's blocks runtime where
 * there is one. A statically linked program may have blocks and no runtime function, for the linker
 * takes in only what is asked for: copies are then made here, in the same form, so that a runtime
 * that appears later can release them. Threads: any; a block's own helpers may run. */
#ifndef GYRE_BASE_BLOCK_ABI_H
#define GYRE_BASE_BLOCK_ABI_H

#include <gyre/GYBase.h>

/* A reference to the block on the heap, to be given up by gy_block_release. NULL with errno where
 * memory is out, and for NULL. */
void *gy_block_copy(const void *block);
/* The same with the type of a context's retain callback. */
const void *gy_block_copy_as_info(const void *block);
/* Copies a block that holds nothing but plain values into `room`, where it can be called and simply
 * be forgotten. False: it does not fit, or needs more than bytes copied; use gy_block_copy. */
bool gy_block_copy_into(const void *block, void *room, size_t size);
/* Ignores NULL. */
void gy_block_release(const void *block);

/* Call a block of type void (^)(void), void (^)(GYRunLoopTimerRef), and
 * void (^)(GYRunLoopObserverRef, GYRunLoopActivity). */
void gy_block_invoke(void *block);
void gy_block_invoke_timer(void *block, GYRunLoopTimerRef timer);
void gy_block_invoke_observer(void *block, GYRunLoopObserverRef observer, GYOptionFlags activity);

#endif
