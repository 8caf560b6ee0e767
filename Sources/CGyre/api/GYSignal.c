/* Signals as the public sees them. Any thread. */
#include <gyre/GYSignal.h>

#include "api/client.h"
#include "base/check.h"
#include "sources/signal_source.h"
#include "sources/signal_table.h"

#include <errno.h>

GYRunLoopSourceRef GYSignalCreateRunLoopSource(GYAllocatorRef allocator, int signal, GYIndex order,
                                               GYSignalCallBack callout,
                                               const GYCallBackContext *context) {
    static const char call[] = "GYSignalCreateRunLoopSource";
    (void)allocator;
    if (!gy_signal_is_watchable(signal)) {
        gy_report(call, "a signal that cannot be watched", "R234");
        errno = EINVAL;
        return NULL;
    }
    gy_client client;
    if (!gy_client_copy(context, call, &client)) return NULL;
    return gy_client_made(gy_signal_source_create(signal, order, callout, client), &client);
}
