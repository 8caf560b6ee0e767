#include <gyre/GYBase.h>

#include "base/check.h"

#include <stddef.h>

const char *GYVersion(void) { return GYRE_VERSION; }

void GYSetLogHandler(GYLogHandler handler, void *info) { gy_log_handler_set(handler, info); }

void GYReport(const char *call, const char *what, const char *rule) {
    if (call != NULL && what != NULL && rule != NULL) gy_report(call, what, rule);
}
