/** GYObject.h - what all objects share: counting, identity, equality, descriptions. */
#ifndef GYRE_GYOBJECT_H
#define GYRE_GYOBJECT_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

/** Adds a reference to an object and returns it.
 *
 * - Ownership: the caller owns one reference more, to be given up by GYRelease.
 * - Threads: any.
 * - Errors: NULL or no object of the library: reported, NULL is returned.
 * - Since: 0.1.
 * - CF: CFRetain; CF crashes for NULL.
 */
GY_EXPORT GYTypeRef GY_NULLABLE GYRetain(GYTypeRef GY_NULLABLE object);

/** Gives up a reference; with the last one the object is destroyed.
 *
 * - Ownership: consumes one reference of the caller's.
 * - Threads: any.
 * - Callout: the release callback of a source that is destroyed, or of a timer or an observer that
 *   was not invalidated before; also of those that go with an array.
 * - Errors: NULL or no object of the library: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFRelease; CF crashes for NULL.
 */
GY_EXPORT void GYRelease(GYTypeRef GY_NULLABLE object);

/** The number of references to an object at this moment, for debugging.
 *
 * - Threads: any; the answer may be old when it arrives.
 * - Errors: no object: 0, reported. A constant string counts as LONG_MAX.
 * - Since: 0.1.
 * - CF: CFGetRetainCount, same contract.
 */
GY_EXPORT GYIndex GYGetRetainCount(GYTypeRef GY_NULLABLE object);

/** The type of an object: what the …GetTypeID function of its type returns.
 *
 * - Threads: any.
 * - Errors: no object: 0, reported.
 * - Since: 0.1.
 * - CF: CFGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYGetTypeID(GYTypeRef GY_NULLABLE object);

/** Whether two objects are equal: strings, data, dates and arrays by value, sources by their
 * context (R82), everything else by identity.
 *
 * - Threads: any.
 * - Callout: the equal callbacks of two sources.
 * - Errors: NULL equals only NULL. No object: false, reported.
 * - Since: 0.1.
 * - CF: CFEqual; CF crashes for NULL.
 */
GY_EXPORT GYBoolean GYEqual(GYTypeRef GY_NULLABLE a, GYTypeRef GY_NULLABLE b);

/** A hash that is the same for equal objects.
 *
 * - Threads: any.
 * - Callout: the hash callback of a source.
 * - Errors: no object: 0, reported.
 * - Since: 0.1.
 * - CF: CFHash, same contract.
 */
GY_EXPORT GYHashCode GYHash(GYTypeRef GY_NULLABLE object);

/** A text about an object, for people; its form may change.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Callout: the copyDescription callbacks of the contexts it shows, with no lock held.
 * - Errors: no object or no memory: NULL, the first reported.
 * - Since: 0.1.
 * - CF: CFCopyDescription, same contract.
 */
GY_EXPORT GYStringRef GY_NULLABLE GYCopyDescription(GYTypeRef GY_NULLABLE object);

/** Writes the description of an object and a newline to standard error.
 *
 * - Threads: any.
 * - Callout: as GYCopyDescription.
 * - Errors: NULL is shown as "(null)", and so is what is no object, which is reported.
 * - Since: 0.1.
 * - CF: CFShow, same contract.
 */
GY_EXPORT void GYShow(GYTypeRef GY_NULLABLE object);

GY_END_DECLS

#endif
