/* Owns the layout of dates, which never change once made: no lock, any thread. The clocks are
 * base/clock.c. */
#include <gyre/GYTime.h>

#include "base/check.h"
#include "base/object.h"
#include "base/text.h"
#include "loop/moment.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define RULE "GYTime.h"

const GYTimeInterval kGYAbsoluteTimeIntervalSince1970 = 978307200.0;
const GYTimeInterval kGYAbsoluteTimeIntervalSince1904 = 3061152000.0;

struct GYDate {
    gy_object head;
    GYAbsoluteTime at; /* never NaN: equality is an equivalence */
};

static bool equal(const void *a, const void *b) { return ((GYDateRef)a)->at == ((GYDateRef)b)->at; }

static GYHashCode hash(const void *object) {
    double at = ((GYDateRef)object)->at + 0.0; /* the two zeros are equal */
    uint64_t bits;
    memcpy(&bits, &at, sizeof bits);
    return (GYHashCode)(bits ^ bits >> 32);
}

/* Years of four digits only: what is further away is shown in seconds. */
static bool describe_calendar(gy_text *text, GYAbsoluteTime at) {
    if (!(at > -6e10 && at < 2.5e11)) return false;
    int64_t whole = (int64_t)at;
    if ((double)whole > at) whole--; /* down, also before 2001; floor() would need libm */
    time_t seconds = whole + INT64_C(978307200);
    struct tm t;
    if (gmtime_r(&seconds, &t) == NULL) return false;
    gy_text_printf(text, "%04d-%02d-%02d %02d:%02d:%02d.%03d UTC", t.tm_year + 1900, t.tm_mon + 1,
                   t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (int)((at - (double)whole) * 1000));
    return true;
}

static GYStringRef copy_description(const void *object) {
    GYDateRef date = object;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text, "<GYDate 0x%lx>{", (unsigned long)(uintptr_t)object);
    if (!describe_calendar(&text, date->at)) gy_text_printf(&text, "%g s", date->at);
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

static const gy_type date_type = {
    .kind = GY_KIND_DATE,
    .name = "GYDate",
    .equal = equal,
    .hash = hash,
    .copy_description = copy_description,
};

static bool is_date(GYDateRef date, const char *call) {
    if (gy_object_is(date, GY_KIND_DATE)) return true;
    gy_report(call, "not a date", RULE);
    return false;
}

GYAbsoluteTime GYAbsoluteTimeGetCurrent(void) { return gy_moment_now_date(); }

int64_t GYMonotonicNow(void) { return gy_moment_now_ns(); }

GYTypeID GYDateGetTypeID(void) { return GY_KIND_DATE; }

GYDateRef GYDateCreate(GYAllocatorRef allocator, GYAbsoluteTime at) {
    (void)allocator;
    if (isnan(at)) {
        gy_report("GYDateCreate", "the time is NaN", RULE);
        return NULL;
    }
    struct GYDate *date = gy_object_create(&date_type, sizeof *date);
    if (date != NULL) date->at = at;
    return date;
}

GYAbsoluteTime GYDateGetAbsoluteTime(GYDateRef date) {
    return is_date(date, "GYDateGetAbsoluteTime") ? date->at : 0;
}

GYTimeInterval GYDateGetTimeIntervalSinceDate(GYDateRef date, GYDateRef other) {
    if (!is_date(date, "GYDateGetTimeIntervalSinceDate")) return 0;
    if (!is_date(other, "GYDateGetTimeIntervalSinceDate")) return 0;
    return date->at - other->at;
}

GYComparisonResult GYDateCompare(GYDateRef date, GYDateRef other, void *context) {
    (void)context;
    if (!is_date(date, "GYDateCompare") || !is_date(other, "GYDateCompare")) {
        return kGYCompareEqualTo;
    }
    return (date->at > other->at) - (date->at < other->at);
}
