/* The ends of processes as the public sees them. Any thread. */
#include <gyre/GYProcess.h>

#include "api/client.h"
#include "base/check.h"
#include "sources/process_source.h"

#include <errno.h>

GYRunLoopSourceRef GYProcessCreateRunLoopSource(GYAllocatorRef allocator, int32_t pid,
                                                GYOptionFlags options, GYIndex order,
                                                GYProcessCallBack callout,
                                                const GYCallBackContext *context) {
    static const char call[] = "GYProcessCreateRunLoopSource";
    (void)allocator;
    if (pid <= 0) {
        gy_report(call, "not the number of a process", "R240");
        errno = EINVAL;
        return NULL;
    }
    gy_client client;
    if (!gy_client_copy(context, call, &client)) return NULL;
    return gy_client_made(gy_process_source_create(pid, options, order, callout, client), &client);
}
