/** GYRunLoopEmbedding.h - a mode of a loop as one descriptor, for a program whose thread waits in
 * the loop of another library. */
#ifndef GYRE_GYRUNLOOPEMBEDDING_H
#define GYRE_GYRUNLOOPEMBEDDING_H

#include <gyre/GYBase.h>
#include <gyre/GYRunLoop.h>

GY_BEGIN_DECLS

/** What preparing and dispatching give while the run goes on; else they tell why it ended. */
enum { kGYRunLoopEmbeddingGoesOn = 0 };

/** The type of embeddings.
 *
 * - Threads: any.
 * - Since: 0.1.
 */
GY_EXPORT GYTypeID GYRunLoopEmbeddingGetTypeID(void);

/** Embeds a mode of the calling thread's loop in another loop of this thread, its host: GLib's,
 * libuv's, or one around poll, select or epoll (R300).
 *
 * The host watches GYRunLoopEmbeddingGetDescriptor for input, level-triggered. Before it waits it
 * calls GYRunLoopEmbeddingPrepare, and when the descriptor is readable GYRunLoopEmbeddingDispatch.
 * Together the two make one iteration of a run, whose wait is the host's.
 *
 * - Parameter rl: the calling thread's loop.
 * - Parameter mode: which mode; it need not exist yet.
 * - Ownership: the caller releases the result. The loop has a reference too, until the embedding is
 *   invalidated or the thread ends, which closes its descriptors.
 * - Threads: the loop's own.
 * - Errors: not a loop, another thread's, no string, the common modes' name: NULL, reported, errno
 *   EINVAL or EPERM. No descriptors or no memory: NULL with errno. A thread whose loop is being
 *   taken down: NULL with errno ESRCH.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopEmbeddingRef GY_NULLABLE GYRunLoopEmbeddingCreate(GYRunLoopRef GY_NULLABLE rl,
                                                                     GYRunLoopMode
                                                                     GY_NULLABLE mode);

/** The descriptor that the host watches (R301).
 *
 * It is readable while there is something to do: a port is ready, a timer due, a wake-up or a stop
 * has come, an item was added or moved that the loop has to look at, work is left over, or the next
 * iteration has not been prepared. It is not readable while the loop sleeps, nor after the run has
 * ended, until the next one is prepared. The host does not read it, and takes it out of its own
 * set before it invalidates the embedding.
 *
 * - Result: the same number for the embedding's life; in the child of a fork another one, which is
 *   made by this call, by preparing or by dispatching, whichever comes first.
 * - Ownership: the descriptor is the embedding's.
 * - Threads: the loop's own.
 * - Errors: no embedding, another thread: -1, reported. An invalid one: -1. No descriptors in the
 *   child of a fork: -1 with errno.
 * - Since: 0.1.
 */
GY_EXPORT int GYRunLoopEmbeddingGetDescriptor(GYRunLoopEmbeddingRef GY_NULLABLE embedding);

/** Does all that comes before the wait: begins a run if none is in progress, with its Entry, then
 * steps 1 to 7 of an iteration; from then on the loop is asleep, or there is work left (R302).
 *
 * Between this and dispatching wake-ups count, GYRunLoopIsWaiting is true unless work is left, and
 * the mode is the loop's current one. Where the iteration has been prepared already nothing is
 * called.
 *
 * - Result: 0 (kGYRunLoopEmbeddingGoesOn): wait for the descriptor. Finished: the mode is empty,
 *   and nothing was called. Stopped: an Entry observer stopped the run, which has had its Exit, or
 *   the loop winds down.
 * - Threads: the loop's own.
 * - Callout: the observers up to BeforeWaiting, performed work, signalled sources; what they defer
 *   (R305).
 * - Blocking: never.
 * - Errors: no embedding, another thread: nothing is called, reported, Finished. A call of it in
 *   progress, or a run that was begun since (R307): nothing is called, reported, 0. An invalid one:
 *   Stopped. No memory for a run: Finished with errno ENOMEM; for going on with one, or no
 *   descriptors in the child of a fork: 0 with errno, and nothing has happened.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopRunResult GYRunLoopEmbeddingPrepare(GYRunLoopEmbeddingRef GY_NULLABLE embedding);

/** Does all that comes after the wait: looks what has come and goes through steps 9 to 12, which
 * serve one event (R303).
 *
 * Where nothing has come, the loop sleeps on, and nobody sees that it was disturbed: a host may
 * dispatch as often as it likes. An iteration that is not prepared is prepared first.
 *
 * - Result: 0 (kGYRunLoopEmbeddingGoesOn): prepare the next iteration. Stopped or Finished: the run
 *   has ended and has had its Exit (R304). The other two results do not come, for the run has no
 *   time-out and does not return after a source.
 * - Threads: the loop's own.
 * - Callout: everything that the mode holds; what that defers (R305). A C++ exception or a longjmp
 *   that leaves it ends the run without its Exit, as with GYRunLoopRunInMode; the next call of the
 *   embedding begins another one.
 * - Blocking: never. The look is a cancellation point.
 * - Errors: as GYRunLoopEmbeddingPrepare.
 * - Since: 0.1.
 */
GY_EXPORT GYRunLoopRunResult GYRunLoopEmbeddingDispatch(GYRunLoopEmbeddingRef
                                                        GY_NULLABLE embedding);

/** When the descriptor becomes readable if nothing but the clock makes it so. The descriptor tells
 * that by itself; this is for a host that wants the number, such as one that may not sleep.
 *
 * - Units: nanoseconds of CLOCK_MONOTONIC; 0: it is readable now; INT64_MAX: there is no timer, or
 *   the loop goes by a manual clock, which nothing but a move of it makes come (R301).
 * - Threads: the loop's own.
 * - Blocking: never.
 * - Errors: no embedding, another thread: INT64_MAX, reported. An invalid one: INT64_MAX.
 * - Since: 0.1.
 */
GY_EXPORT int64_t GYRunLoopEmbeddingGetNextDeadline(GYRunLoopEmbeddingRef GY_NULLABLE embedding);

/** Ends the run, if one is in progress, with AfterWaiting where BeforeWaiting has been, and Exit;
 * closes the descriptors; final (R308). In a callout of the embedding the run ends, and all else
 * happens, when the callout's iteration is over.
 *
 * - Ownership: the loop's reference is given up.
 * - Threads: the loop's own.
 * - Callout: observers, and what they defer.
 * - Blocking: never.
 * - Errors: no embedding, another thread, a run in progress that was begun since it was prepared
 *   (R307): false, reported, errno EINVAL, EPERM or EBUSY. No memory: false with errno ENOMEM. Then
 *   nothing has happened. An invalid one: true.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopEmbeddingInvalidate(GYRunLoopEmbeddingRef GY_NULLABLE embedding);

/** Whether an embedding can be used: it has not been invalidated, and its loop's thread is there.
 *
 * - Threads: any; false is final.
 * - Errors: no embedding: false, reported.
 * - Since: 0.1.
 */
GY_EXPORT bool GYRunLoopEmbeddingIsValid(GYRunLoopEmbeddingRef GY_NULLABLE embedding);

GY_END_DECLS

#endif
