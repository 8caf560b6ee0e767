#include <gyre/GYBase.h>

#include "base/check.h"

const char *GYVersion(void) { return GYRE_VERSION; }

void GYSetLogHandler(GYLogHandler handler, void *info) { gy_log_handler_set(handler, info); }
