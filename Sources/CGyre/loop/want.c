#include "loop/want.h"

#include "loop/membership.h"
#include "loop/port.h"

void gy_want_init(GYRunLoopSourceRef source) {
    const GYRunLoopSourceContext2 *c = source->callbacks;
    uint32_t asked = c->version < 2 ? EPOLLIN : gy_port_events(c->events);
    atomic_init(&source->own_asked, asked);
    source->asked = &source->own_asked;
}

int gy_want_set(GYRunLoopSourceRef source, uint32_t asked) {
    /* Relaxed: ordered before what the ports read by the change that follows. */
    atomic_store_explicit(&source->own_asked, asked, memory_order_relaxed);
    return gy_want_changed(source);
}

uint32_t gy_want_events(GYRunLoopSourceRef source) {
    /* Relaxed: the word alone is asked for. */
    return atomic_load_explicit(&source->own_asked, memory_order_relaxed) & ~(uint32_t)EPOLLERR;
}

static int catch_up(GYRunLoopRef loop, GYRunLoopSourceRef source, uint32_t change) {
    int error = 0;
    gy_loop_lock(loop);
    for (gy_port *p; (p = gy_membership_port_behind(source, loop, change)) != NULL;) {
        int refusal = gy_port_want(loop, p);
        if (refusal < 0) error = refusal;
    }
    gy_loop_unlock(loop);
    return error;
}

/* A port that is about to enter a mode is not found here: who adds it looks at the number again
 * when it can be found (sources.c). The memberships' lock orders the two. */
int gy_want_changed(GYRunLoopSourceRef source) {
    /* Release: pairs with the acquire in gy_port_want, which reads the word after the number. */
    uint32_t change =
        atomic_fetch_add_explicit(&source->asked_changes, 1, memory_order_acq_rel) + 1;
    int error = 0;
    for (GYRunLoopRef loop; (loop = gy_membership_loop_behind(source, change)) != NULL;) {
        int refusal = catch_up(loop, source, change);
        if (refusal < 0) error = refusal;
        gy_release(loop);
    }
    return error;
}
