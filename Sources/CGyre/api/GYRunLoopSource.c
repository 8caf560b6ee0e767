/* Sources as the public sees them. Locks are taken below; any thread. */
#include <gyre/GYRunLoopSource.h>

#include "api/arguments.h"
#include "base/check.h"
#include "loop/callout.h"
#include "loop/port.h"
#include "loop/signal.h"
#include "loop/source_object.h"
#include "loop/sources.h"
#include "loop/want.h"

#include <errno.h>
#include <string.h>

GYTypeID GYRunLoopSourceGetTypeID(void) { return GY_KIND_SOURCE; }

GYRunLoopSourceRef GYRunLoopSourceCreate(GYAllocatorRef allocator, GYIndex order,
                                         GYRunLoopSourceContext *context) {
    static const char call[] = "GYRunLoopSourceCreate";
    (void)allocator;
    if (context == NULL || !gy_source_version_is_known(context)) {
        gy_report(call, context == NULL ? "the context is NULL" : "unknown version of the context",
                  context == NULL ? "R70" : "R160");
        return NULL;
    }
    return gy_source_create(order, context);
}

GYIndex GYRunLoopSourceGetOrder(GYRunLoopSourceRef source) {
    if (!gy_argument_is(source, GY_KIND_SOURCE, "GYRunLoopSourceGetOrder")) return 0;
    return source->order;
}

void GYRunLoopSourceInvalidate(GYRunLoopSourceRef source) {
    if (!gy_argument_is(source, GY_KIND_SOURCE, "GYRunLoopSourceInvalidate")) return;
    gy_source_invalidate(source);
}

static bool is_not_performing(const void *item) { return !gy_source_is_performing(item); }

void GYRunLoopSourceInvalidateAndWait(GYRunLoopSourceRef source) {
    if (!gy_argument_is(source, GY_KIND_SOURCE, "GYRunLoopSourceInvalidateAndWait")) return;
    gy_retain(source);
    gy_source_invalidate(source);
    if (!gy_callout_is_mine(source)) {
        atomic_store_explicit(&source->is_waited_for, 1, memory_order_seq_cst);
        gy_callout_wait(is_not_performing, source);
    }
    gy_release(source);
}

GYBoolean GYRunLoopSourceIsValid(GYRunLoopSourceRef source) {
    if (!gy_argument_is(source, GY_KIND_SOURCE, "GYRunLoopSourceIsValid")) return false;
    return gy_source_is_valid(source);
}

void GYRunLoopSourceGetContext(GYRunLoopSourceRef source, GYRunLoopSourceContext *context) {
    static const char call[] = "GYRunLoopSourceGetContext";
    if (!gy_argument_is(source, GY_KIND_SOURCE, call)) return;
    if (context == NULL || context->version != source->callbacks->version) {
        gy_report(call, context == NULL ? "the context is NULL" : "not the version of the source",
                  "R162");
        return;
    }
    memcpy(context, source->callbacks, gy_source_context_size(source->callbacks->version));
    context->info = source->info;
    if (context->version == 2) {
        ((GYRunLoopSourceContext2 *)(void *)context)->events = gy_want_events(source);
    }
}

GYBoolean GYRunLoopSourceSetEvents(GYRunLoopSourceRef source, uint32_t events) {
    static const char call[] = "GYRunLoopSourceSetEvents";
    if (!gy_argument_is(source, GY_KIND_SOURCE, call)) return false;
    if (source->callbacks->version != 2) {
        gy_report(call, "not a source of version 2", "R220");
        return false;
    }
    int error = gy_want_set(source, gy_port_events(events));
    if (error < 0) errno = -error;
    return error == 0;
}

void GYRunLoopSourceSignal(GYRunLoopSourceRef source) {
    if (!gy_signal_argument_is(source, GY_KIND_SOURCE, "GYRunLoopSourceSignal")) return;
    gy_signal(source);
}
