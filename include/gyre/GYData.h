/** GYData.h - bytes as an object. */
#ifndef GYRE_GYDATA_H
#define GYRE_GYDATA_H

#include <gyre/GYBase.h>

GY_BEGIN_DECLS

/** The type of data.
 *
 * - Threads: any.
 * - Since: 0.1.
 * - CF: CFDataGetTypeID, same contract.
 */
GY_EXPORT GYTypeID GYDataGetTypeID(void);

/** Makes data from bytes.
 *
 * - Parameter bytes: copied; may be NULL where `length` is 0.
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: no bytes or a negative length: NULL, reported. No memory: NULL, errno ENOMEM.
 * - Since: 0.1.
 * - CF: CFDataCreate, same contract.
 */
GY_EXPORT GYDataRef GY_NULLABLE GYDataCreate(GYAllocatorRef GY_NULLABLE allocator,
                                             const uint8_t *GY_NULLABLE bytes, GYIndex length);

/** Data with the same bytes: the same object, since data does not change.
 *
 * - Ownership: the caller releases the result.
 * - Threads: any.
 * - Errors: not data: NULL, reported.
 * - Since: 0.1.
 * - CF: CFDataCreateCopy, same contract.
 */
GY_EXPORT GYDataRef GY_NULLABLE GYDataCreateCopy(GYAllocatorRef GY_NULLABLE allocator,
                                                 GYDataRef GY_NULLABLE data);

/** The number of bytes.
 *
 * - Threads: any.
 * - Errors: not data: 0, reported.
 * - Since: 0.1.
 * - CF: CFDataGetLength, same contract.
 */
GY_EXPORT GYIndex GYDataGetLength(GYDataRef GY_NULLABLE data);

/** The bytes, aligned for every type of C.
 *
 * - Ownership: valid as long as the data.
 * - Threads: any.
 * - Errors: not data: NULL, reported.
 * - Since: 0.1.
 * - CF: CFDataGetBytePtr, same contract.
 */
GY_EXPORT const uint8_t *GY_NULLABLE GYDataGetBytePtr(GYDataRef GY_NULLABLE data);

/** Copies a part of the bytes.
 *
 * - Parameter buffer: has room for the length of the range.
 * - Threads: any.
 * - Errors: not data, a range outside of it, no buffer: reported, nothing is copied.
 * - Since: 0.1.
 * - CF: CFDataGetBytes; CF leaves wrong ranges undefined.
 */
GY_EXPORT void GYDataGetBytes(GYDataRef GY_NULLABLE data, GYRange range,
                              uint8_t *GY_NULLABLE buffer);

GY_END_DECLS

#endif
