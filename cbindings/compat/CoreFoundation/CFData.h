/* CFData.h - bytes as an object, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFDATA__
#define __COREFOUNDATION_CFDATA__

#include <CoreFoundation/CFBase.h>
#include <gyre/GYData.h>

typedef GYDataRef CFDataRef;

#define CFDataGetTypeID GYDataGetTypeID
#define CFDataCreate GYDataCreate
#define CFDataCreateCopy GYDataCreateCopy
#define CFDataGetLength GYDataGetLength
#define CFDataGetBytePtr GYDataGetBytePtr
#define CFDataGetBytes GYDataGetBytes

#endif
