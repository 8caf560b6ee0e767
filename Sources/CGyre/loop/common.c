#include "loop/common.h"

#include "loop/observers.h"
#include "loop/sources.h"
#include "loop/timers.h"

#include <errno.h>

static bool make_common(GYRunLoopRef loop, GYStringRef mode, bool *is_new, uint64_t *since) {
    gy_loop_lock(loop);
    *since = loop->sequence;
    *is_new = !gy_loop_is_dead(loop) && !gy_loop_name_is_common(loop, mode);
    bool ok = !*is_new || gy_loop_make_name_common(loop, mode);
    gy_loop_unlock(loop);
    return ok;
}

/* Timers and observers first: they call nobody, so a refusal that comes later can take them back
 * unseen. The schedule callbacks of sources are called when everything has joined. */
static bool join(GYRunLoopRef loop, GYStringRef mode, uint64_t since) {
    if (!gy_timer_join_common(loop, mode)) return false;
    if (gy_observer_join_common(loop, mode) && gy_source_join_common(loop, mode)) return true;
    int saved = errno;
    gy_timer_part_common(loop, mode, since);
    gy_observer_part_common(loop, mode, since);
    errno = saved;
    return false;
}

bool gy_common_add_mode(GYRunLoopRef loop, GYStringRef mode) {
    bool is_new;
    uint64_t since;
    if (!make_common(loop, mode, &is_new, &since)) return false;
    if (!is_new) return true;
    if (join(loop, mode, since)) {
        if (loop->is_main)
            gy_loop_nudge(loop); /* asleep in that mode it serves the main queue now */
        return true;
    }
    gy_loop_lock(loop);
    gy_loop_unmake_name_common(loop, mode);
    gy_loop_unlock(loop);
    return false;
}
