#include "api/client.h"

#include "base/check.h"
#include "loop/callout.h"

#include <errno.h>

bool gy_client_copy(const GYCallBackContext *context, const char *call, gy_client *client) {
    *client = (gy_client){0};
    if (context == NULL) return true;
    if (context->version != 0) {
        gy_report(call, "unknown version of the context", "R160");
        errno = EINVAL;
        return false;
    }
    *client = (gy_client){context->info, context->release, context->copyDescription};
    if (context->retain != NULL) {
        client->info = (void *)(uintptr_t)gy_callout_retain(context->retain, context->info);
    }
    return true;
}

GYRunLoopSourceRef gy_client_made(GYRunLoopSourceRef source, const gy_client *client) {
    if (source != NULL || client->release == NULL) return source;
    int saved = errno;
    gy_callout_release(client->release, client->info);
    errno = saved;
    return NULL;
}
