/** GYArray.h - arrays of pointers: of objects, of counted values of any kind, or plain. */
#ifndef GYRE_GYARRAY_H
#define GYRE_GYARRAY_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

/** How an array treats its values. Every callback may be NULL: values are then not counted, shown
 * by address and equal by identity. Callbacks may change the array they are called for. */
typedef struct {
    GYIndex version; /**< 0 */
    const void *GY_NULLABLE (*GY_NULLABLE retain)(GYAllocatorRef GY_NULLABLE allocator,
                                                  const void *GY_NULLABLE value);
    void (*GY_NULLABLE release)(GYAllocatorRef GY_NULLABLE allocator,
                                const void *GY_NULLABLE value);
    GYStringRef GY_NULLABLE (*GY_NULLABLE copyDescription)(const void *GY_NULLABLE value);
    GYBoolean (*GY_NULLABLE equal)(const void *GY_NULLABLE a, const void *GY_NULLABLE b);
} GYArrayCallBacks;

/** For arrays of objects: they are retained, released and compared as GYRetain, GYRelease and
 * GYEqual do. What is no object is reported when it is put in, and NULL is put in its place. */
GY_EXPORT const GYArrayCallBacks kGYTypeArrayCallBacks;

/** The type of arrays, mutable or not.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFArrayGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYArrayGetTypeID(void);

/** Makes an array that does not change.
 *
 * - Parameter values: copied; may be NULL where `numValues` is 0.
 * - Parameter callBacks: copied; NULL: plain pointers. &kGYTypeArrayCallBacks for objects.
 * - Ownership: the caller releases the result, which retains the values.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: no values or a negative number: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFArrayCreate, same contract.
 */
GY_EXPORT GYArrayRef GY_NULLABLE GYArrayCreate(GYAllocatorRef GY_NULLABLE allocator,
                                               const void *GY_NULLABLE *GY_NULLABLE values,
                                               GYIndex numValues,
                                               const GYArrayCallBacks *GY_NULLABLE callBacks);

/** Makes an empty array that grows.
 *
 * - Parameter capacity: a hint of how many values there will be; 0 for no hint.
 * - Parameter callBacks: as for GYArrayCreate.
 * - Ownership: the caller releases the result.
 * - Threads: any. A mutable array is for one thread at a time.
 * - Errors: a negative capacity: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFArrayCreateMutable, same contract.
 */
GY_EXPORT GYMutableArrayRef GY_NULLABLE GYArrayCreateMutable(
    GYAllocatorRef GY_NULLABLE allocator, GYIndex capacity,
    const GYArrayCallBacks *GY_NULLABLE callBacks);

/** An array that does not change with the values and callbacks of another.
 *
 * - Ownership: the caller releases the result, which may be `array` itself.
 * - Threads: any.
 * - Callout: retain.
 * - Errors: not an array: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFArrayCreateCopy, same contract.
 */
GY_EXPORT GYArrayRef GY_NULLABLE GYArrayCreateCopy(GYAllocatorRef GY_NULLABLE allocator,
                                                   GYArrayRef GY_NULLABLE array);

/** The number of values.
 *
 * - Threads: any.
 * - Errors: not an array: 0, reported.
 * - Since: 0.1.
 * - CF: CFArrayGetCount, same contract.
 */
GY_EXPORT GYIndex GYArrayGetCount(GYArrayRef GY_NULLABLE array);

/** The value at an index.
 *
 * - Ownership: the caller does not own the result.
 * - Threads: any.
 * - Errors: not an array, no such index: NULL, reported.
 * - Since: 0.1.
 * - CF: CFArrayGetValueAtIndex; CF leaves wrong indexes undefined.
 */
GY_EXPORT const void *GY_NULLABLE GYArrayGetValueAtIndex(GYArrayRef GY_NULLABLE array,
                                                         GYIndex index);

/** Whether a value is in a part of an array.
 *
 * - Threads: any.
 * - Callout: equal.
 * - Errors: not an array, a range outside of it: false, reported.
 * - Since: 0.1.
 * - CF: CFArrayContainsValue; CF leaves wrong ranges undefined.
 */
GY_EXPORT GYBoolean GYArrayContainsValue(GYArrayRef GY_NULLABLE array, GYRange range,
                                         const void *GY_NULLABLE value);

/** The first index of a value in a part of an array, kGYNotFound where it is not there.
 *
 * - Threads: any.
 * - Callout: equal.
 * - Errors: not an array, a range outside of it: kGYNotFound, reported.
 * - Since: 0.1.
 * - CF: CFArrayGetFirstIndexOfValue; CF leaves wrong ranges undefined.
 */
GY_EXPORT GYIndex GYArrayGetFirstIndexOfValue(GYArrayRef GY_NULLABLE array, GYRange range,
                                              const void *GY_NULLABLE value);

/** Adds a value at the end.
 *
 * - Ownership: the array retains the value.
 * - Threads: the array's.
 * - Callout: retain.
 * - Errors: not a mutable array: reported, nothing happens. No memory: nothing changes and errno is
 *   ENOMEM; errno is 0 after a call that went well.
 * - Since: 0.1.
 * - CF: CFArrayAppendValue, same contract.
 */
GY_EXPORT void GYArrayAppendValue(GYMutableArrayRef GY_NULLABLE array,
                                  const void *GY_NULLABLE value);

/** Adds a value before the one at an index, or at the end where the index is the count.
 *
 * - Ownership: the array retains the value.
 * - Threads: the array's.
 * - Callout: retain.
 * - Errors: not a mutable array, no such index: reported, nothing happens. No memory: nothing
 *   changes and errno is ENOMEM; errno is 0 after a call that went well.
 * - Since: 0.1.
 * - CF: CFArrayInsertValueAtIndex; CF leaves wrong indexes undefined.
 */
GY_EXPORT void GYArrayInsertValueAtIndex(GYMutableArrayRef GY_NULLABLE array, GYIndex index,
                                         const void *GY_NULLABLE value);

/** Puts a value in the place of the one at an index, or adds it where the index is the count.
 *
 * - Ownership: the array retains the value and releases the one before.
 * - Threads: the array's.
 * - Callout: retain, release.
 * - Errors: not a mutable array, no such index: reported, nothing happens. No memory: nothing
 *   changes and errno is ENOMEM; errno is 0 after a call that went well.
 * - Since: 0.1.
 * - CF: CFArraySetValueAtIndex; CF leaves wrong indexes undefined.
 */
GY_EXPORT void GYArraySetValueAtIndex(GYMutableArrayRef GY_NULLABLE array, GYIndex index,
                                      const void *GY_NULLABLE value);

/** Takes out the value at an index; those behind it move up.
 *
 * - Ownership: the array releases the value.
 * - Threads: the array's.
 * - Callout: release.
 * - Errors: not a mutable array, no such index: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFArrayRemoveValueAtIndex; CF leaves wrong indexes undefined.
 */
GY_EXPORT void GYArrayRemoveValueAtIndex(GYMutableArrayRef GY_NULLABLE array, GYIndex index);

/** Takes out all values.
 *
 * - Ownership: the array releases the values.
 * - Threads: the array's.
 * - Callout: release.
 * - Errors: not a mutable array: reported, nothing happens.
 * - Since: 0.1.
 * - CF: CFArrayRemoveAllValues, same contract.
 */
GY_EXPORT void GYArrayRemoveAllValues(GYMutableArrayRef GY_NULLABLE array);

GY_END_DECLS

#endif
