/* CFDate.h - time as a number and as an object, under CoreFoundation's names. */
#ifndef __COREFOUNDATION_CFDATE__
#define __COREFOUNDATION_CFDATE__

#include <CoreFoundation/CFBase.h>
#include <gyre/GYTime.h>

typedef GYAbsoluteTime CFAbsoluteTime;
typedef GYTimeInterval CFTimeInterval;
typedef GYDateRef CFDateRef;

#define kCFAbsoluteTimeIntervalSince1970 kGYAbsoluteTimeIntervalSince1970
#define kCFAbsoluteTimeIntervalSince1904 kGYAbsoluteTimeIntervalSince1904

#define CFAbsoluteTimeGetCurrent GYAbsoluteTimeGetCurrent

#define CFDateGetTypeID GYDateGetTypeID
#define CFDateCreate GYDateCreate
#define CFDateGetAbsoluteTime GYDateGetAbsoluteTime
#define CFDateGetTimeIntervalSinceDate GYDateGetTimeIntervalSinceDate
#define CFDateCompare GYDateCompare

#endif
