#include "sources/own.h"

#include "loop/callout.h"
#include "loop/registry.h"
#include "loop/source_object.h"
#include "loop/sources.h"
#include "sources/signal_table.h"

#include <errno.h>
#include <stdlib.h>

static gy_lock list_lock = GY_LOCK_INIT(GY_RANK_TABLE);
static gy_node list = {&list, &list};

/* ---- fork ---- */

static void before_fork(void) {
    gy_lock_take_unranked(&list_lock);
    gy_signal_lock_for_fork();
}

static void after_fork(void) {
    gy_signal_unlock_after_fork();
    gy_lock_give_unranked(&list_lock);
}

/* Its lock may be held by a thread that is not there. Where the modes held the last reference the
 * source stays, for no callback is called in the handler of a fork. One that another thread was
 * destroying has no reference any more, and is left alone. */
static void end_in_child(gy_own *own) {
    GYRunLoopSourceRef source = own->source;
    gy_lock_init(&own->lock, GY_RANK_TABLE);
    if (!gy_retain_if_live(source)) return;
    gy_source_invalidate(source);
    if (gy_object_references(source) > 1) gy_release(source);
}

static void in_child(void) {
    gy_signal_slots_reset_in_child();
    for (gy_node *n = list.next; n != &list; n = n->next) {
        end_in_child(gy_node_owner(n, gy_own, all));
    }
}

static gy_fork_hooks fork_hooks = {before_fork, after_fork, in_child, NULL};

/* ---- its life ---- */

void *gy_own_create(size_t size, const gy_own_kind *kind) {
    if (!gy_registry_at_fork(&fork_hooks)) return NULL;
    gy_own *own = calloc(1, size);
    if (own == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    own->kind = kind;
    own->port = -1;
    gy_lock_init(&own->lock, GY_RANK_TABLE);
    return own;
}

void gy_own_discard(gy_own *own) {
    gy_lock_destroy(&own->lock);
    free(own);
}

bool gy_own_enter(gy_own *own) {
    gy_lock_take(&own->lock);
    if (!own->has_ended) return true;
    gy_lock_give(&own->lock);
    return false;
}

void gy_own_leave(gy_own *own) { gy_lock_give(&own->lock); }

/* Whoever is using what the system gave has done so once the lock is to be had. */
static void end(gy_own *own) {
    if (!gy_own_enter(own)) return;
    own->has_ended = true;
    gy_own_leave(own);
    own->kind->end(own);
}

/* ---- callbacks of the source ---- */

static void invalidated(void *info) { end(info); }

/* What is listed has a source whose memory is there. */
static void finalizing(void *info) {
    gy_own *own = info;
    gy_lock_take(&list_lock);
    gy_list_remove(&own->all);
    gy_lock_give(&list_lock);
    end(own);
}

static const gy_source_kind source_kind = {invalidated, finalizing};

/* The client's callback comes last, for it may never return. */
static void release(const void *info) {
    gy_own *own = (gy_own *)(uintptr_t)info;
    gy_client client = own->client;
    if (own->kind->destroy != NULL) own->kind->destroy(own);
    gy_own_discard(own);
    if (client.release != NULL) gy_callout_release(client.release, client.info);
}

static GYStringRef copy_description(const void *info) {
    const gy_client *client = &((const gy_own *)info)->client;
    if (client->copy_description == NULL) return NULL;
    return gy_callout_copy_description(client->copy_description, client->info);
}

static int get_port(void *info) { return ((gy_own *)info)->port; }

gy_own *gy_own_of(GYRunLoopSourceRef source, const gy_own_kind *kind) {
    if (source->kind != &source_kind) return NULL;
    gy_own *own = source->info;
    return own->kind == kind ? own : NULL;
}

GYRunLoopSourceRef gy_own_make_source(gy_own *own, GYIndex order, gy_client client) {
    const GYRunLoopSourceContext1 context = {
        .version = 1,
        .info = own,
        .release = release,
        .copyDescription = copy_description,
        .getPort = get_port,
        .perform = own->kind->perform,
    };
    GYRunLoopSourceRef source = gy_source_create(order, (const void *)&context);
    if (source == NULL) return NULL;
    own->source = source;
    own->client = client;
    source->kind = &source_kind;
    gy_lock_take(&list_lock);
    gy_list_append(&list, &own->all);
    gy_lock_give(&list_lock);
    return source;
}
