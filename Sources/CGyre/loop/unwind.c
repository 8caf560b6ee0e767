#include "loop/unwind.h"

#include "loop/activation.h"
#include "loop/batch.h"
#include "loop/callout.h"
#include "loop/firing.h"
#include "loop/observers.h"
#include "loop/performs.h"
#include "loop/port.h"
#include "loop/timers.h"

static void finish_source(GYRunLoopRef loop, const gy_activation *gone) {
    gy_callout_source_returned(gone->item);
    if (gone->port != NULL) {
        gy_port_end_turn(loop, gone->port, 0, true); /* the port keeps its source */
    } else {
        gy_release(gone->item);
    }
}

static void finish_callout(GYRunLoopRef loop, const gy_activation *gone) {
    switch (gone->calling) {
    case GY_CALLOUT_NONE: return;
    case GY_CALLOUT_OBSERVER: gy_observer_finish_call(gone->item); break;
    case GY_CALLOUT_TIMER: gy_timer_finish_firing(gone->item); break;
    case GY_CALLOUT_SOURCE: finish_source(loop, gone); return;
    case GY_CALLOUT_BLOCK: gy_perform_finish_block(gone->item); return;
    }
    gy_release(gone->item);
}

void gy_unwind(GYRunLoopRef loop, const void *frame) {
    gy_activation gone;
    while (gy_activation_retire(loop, frame, &gone)) {
        finish_callout(loop, &gone);
        gy_perform_put_back(loop, gone.taken);
        gy_batch_drop(loop, gone.batch);
        gy_firing_drop(loop, gone.firing);
    }
}

void gy_unwind_all(GYRunLoopRef loop) { gy_unwind(loop, (const void *)UINTPTR_MAX); }
