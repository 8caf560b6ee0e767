#include "sources/signal_source.h"

#include "loop/callout.h"
#include "sources/signal_watch.h"

#include <errno.h>

typedef struct signal_source {
    gy_own own; /* first */
    gy_signal_watch watch;
    GYSignalCallBack callout;
} signal_source;

static GYSignalInfo info_of(const gy_signal_record *record, uint64_t lost) {
    return (GYSignalInfo){
        .signal = record->signal,
        .code = record->code,
        .pid = record->pid,
        .uid = record->uid,
        .status = record->status,
        .value = record->value,
        .lost = lost,
    };
}

/* One for each turn: between two of them the other sources of the mode have theirs. */
static void perform(void *object) {
    signal_source *s = object;
    gy_signal_record record;
    if (!gy_own_enter(&s->own)) return;
    bool came = gy_signal_watch_read(&s->watch, &record);
    uint64_t lost = came ? gy_signal_slot_take_lost(s->watch.slot) : 0;
    gy_own_leave(&s->own);
    if (!came) return; /* another loop that holds the source was quicker */
    GYSignalInfo info = info_of(&record, lost);
    if (s->callout != NULL) s->callout(s->own.source, &info, s->own.client.info);
}

static void end(gy_own *own) { gy_signal_watch_end(&((signal_source *)(void *)own)->watch); }

static const gy_own_kind kind = {perform, end, NULL};

GYRunLoopSourceRef gy_signal_source_create(int signal, GYIndex order, GYSignalCallBack callout,
                                           gy_client client) {
    signal_source *s = gy_own_create(sizeof *s, &kind);
    if (s == NULL) return NULL;
    GYRunLoopSourceRef source = NULL;
    if (gy_signal_watch_begin(&s->watch, signal)) {
        s->own.port = s->watch.port;
        s->callout = callout;
        source = gy_own_make_source(&s->own, order, client);
        if (source != NULL) return source;
        gy_signal_watch_end(&s->watch);
    }
    int saved = errno;
    gy_own_discard(&s->own);
    errno = saved;
    return NULL;
}
