#define _GNU_SOURCE /* dladdr */
#include "loop/describe.h"

#include "base/text.h"
#include "base/value.h"
#include "loop/callout.h"
#include "loop/moment.h"

#include <dlfcn.h>
#include <stdlib.h>

static const char *yes_no(bool value) { return value ? "Yes" : "No"; }

/* A callback by the name of its symbol where that is known. Function pointers come as addresses:
 * ISO C has no other way to print one. */
static void append_callback(gy_text *text, const char *label, uintptr_t address) {
    Dl_info info;
    if (address == 0) {
        gy_text_printf(text, ", %s = NULL", label);
    } else if (dladdr((void *)address, &info) != 0 && info.dli_sname != NULL) {
        gy_text_printf(text, ", %s = ", label);
        gy_text_append_foreign(text, info.dli_sname, __builtin_strlen(info.dli_sname));
        gy_text_printf(text, " (0x%lx)", (unsigned long)address);
    } else {
        gy_text_printf(text, ", %s = 0x%lx", label, (unsigned long)address);
    }
}

static void append_context(gy_text *text, GYStringRef (*copy)(const void *), const void *info) {
    GYStringRef shown =
        copy == NULL || info == NULL ? NULL : gy_callout_copy_description(copy, info);
    if (gy_object_is(shown, GY_KIND_STRING)) {
        gy_text_append(text, ", context = ", 12);
        gy_text_append_string(text, shown);
    } else {
        gy_text_printf(text, ", context = {info = %p}", info);
    }
    gy_release(shown);
}

GYStringRef gy_describe_source(const void *object) {
    const struct GYRunLoopSource *s = object;
    const GYRunLoopSourceContext2 *c = s->callbacks;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(&text,
                   "<GYRunLoopSource %p>{signalled = %s, valid = %s, order = %ld, version = %ld",
                   object, yes_no(gy_source_is_signalled(s)), yes_no(gy_source_is_valid(s)),
                   s->order, c->version);
    if (c->version == 0) {
        append_callback(&text, "perform", (uintptr_t)gy_source_context0(s)->perform);
    } else {
        append_callback(&text, "getPort", (uintptr_t)c->getPort);
        append_callback(&text, "perform",
                        c->performEvents != NULL ? (uintptr_t)c->performEvents
                                                 : (uintptr_t)c->perform);
    }
    append_context(&text, c->copyDescription, s->info);
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

GYStringRef gy_describe_timer(const void *object) {
    const struct GYRunLoopTimer *t = object;
    uint32_t flags = gy_item_flags_now(&t->item);
    const gy_timer_extra *extra = gy_timer_extra_of(t);
    int64_t left_ns = gy_moment_left_ns((GYRunLoopTimerRef)(uintptr_t)object);
    int64_t tolerance_ns = atomic_load_explicit(&t->tolerance_ns, memory_order_relaxed);
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(
        &text,
        "<GYRunLoopTimer %p>{valid = %s, firing = %s, interval = %g, tolerance = %g, "
        "next fire date = %.6f (in %.6f s)",
        object, yes_no((flags & GY_ITEM_INVALID) == 0), yes_no((flags & GY_ITEM_BUSY) != 0),
        gy_timer_interval(t), gy_ns_to_seconds(tolerance_ns),
        gy_moment_told_date((GYRunLoopTimerRef)(uintptr_t)object), gy_ns_to_seconds(left_ns));
    append_callback(&text, "callout", (uintptr_t)t->callout);
    append_context(&text, extra == NULL ? NULL : extra->context.copyDescription,
                   atomic_load_explicit(&t->item.info, memory_order_acquire));
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

GYStringRef gy_describe_observer(const void *object) {
    const struct GYRunLoopObserver *o = object;
    gy_text text = GY_TEXT_INIT;
    gy_text_printf(
        &text, "<GYRunLoopObserver %p>{valid = %s, activities = 0x%lx, repeats = %s, order = %ld",
        object, yes_no(gy_item_is_valid(&o->item)), o->activities, yes_no(o->repeats), o->order);
    append_callback(&text, "callout", (uintptr_t)o->callout);
    append_context(&text, o->context.copyDescription,
                   atomic_load_explicit(&o->item.info, memory_order_acquire));
    gy_text_append(&text, "}", 1);
    return gy_text_finish(&text);
}

/* ---- a loop: what it holds is copied under the lock, and described without ---- */

typedef struct item_list {
    void **items; /* each retained */
    uint32_t count, room;
    bool failed;
} item_list;

static void add_item(item_list *list, void *item) {
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? 16 : list->room * 2;
        void **items = realloc(list->items, room * sizeof *items);
        if (items == NULL) {
            list->failed = true;
            return;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = gy_retain(item);
}

static void add_set(item_list *list, const gy_set *set) {
    uint32_t cursor = 0;
    for (void *item; (item = gy_set_next(set, &cursor)) != NULL;) add_item(list, item);
}

static void add_observers(item_list *list, gy_mode *mode) {
    const gy_observer_array *array = gy_observer_list_array(&mode->observers);
    for (uint32_t i = 0; i < gy_observer_array_count(array); i++) {
        GYRunLoopObserverRef o =
            atomic_load_explicit(&array->entries[i].observer, memory_order_relaxed);
        if (o != NULL) add_item(list, o);
    }
}

static item_list items_of_mode(GYRunLoopRef loop, gy_mode *mode) {
    item_list list = {0};
    gy_loop_lock(loop);
    add_set(&list, &mode->sources);
    add_observers(&list, mode);
    for (uint32_t i = 0; i < mode->timers.count; i++) add_item(&list, mode->timers.entries[i].item);
    gy_loop_unlock(loop);
    return list;
}

static item_list common_items_of(GYRunLoopRef loop) {
    item_list list = {0};
    gy_loop_lock(loop);
    add_set(&list, &loop->common_sources);
    add_set(&list, &loop->common_observers);
    add_set(&list, &loop->common_timers);
    gy_loop_unlock(loop);
    return list;
}

static void append_items(gy_text *text, item_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        GYStringRef shown = gy_value_copy_description(list.items[i]);
        gy_text_append(text, "\n        ", 9);
        if (shown != NULL) gy_text_append_string(text, shown);
        if (shown == NULL) text->failed = true;
        gy_release(shown);
        gy_release(list.items[i]);
    }
    free(list.items);
    if (list.failed) text->failed = true;
}

static void append_mode(gy_text *text, GYRunLoopRef loop, gy_mode *mode) {
    gy_text_append(text, "\n    mode ", 10);
    gy_text_append_string(text, mode->name);
    gy_loop_lock(loop);
    int64_t deadline_ns = gy_mode_first_deadline(mode), now_ns = gy_loop_now_ns(loop);
    gy_loop_unlock(loop);
    if (deadline_ns != GY_NEVER) {
        gy_text_printf(text, ", next deadline in %.6f s",
                       gy_ns_to_seconds(gy_ns_add(deadline_ns, -now_ns)));
    }
    append_items(text, items_of_mode(loop, mode));
}

static gy_mode *mode_at(GYRunLoopRef loop, uint32_t *cursor) {
    gy_loop_lock(loop);
    gy_mode *mode = gy_loop_next_mode(loop, cursor);
    gy_loop_unlock(loop);
    return mode;
}

static void append_head(gy_text *text, GYRunLoopRef loop) {
    gy_loop_lock(loop);
    const gy_activation *run = gy_loop_innermost(loop);
    bool is_stopped = gy_loop_has_to_end_run(loop);
    gy_text_printf(
        text, "<GYRunLoop %p>{wake descriptor = %d, stopped = %s, current mode = ", (void *)loop,
        atomic_load_explicit(&loop->wake.fd, memory_order_relaxed), yes_no(is_stopped));
    if (run == NULL) gy_text_append(text, "(none)", 6);
    if (run != NULL) gy_text_append_string(text, run->mode->name);
    gy_text_append(text, ", common modes =", 16);
    for (uint32_t i = 0; i < loop->common_name_count; i++) {
        gy_text_append(text, " ", 1);
        gy_text_append_string(text, loop->common_names[i]);
    }
    gy_loop_unlock(loop);
}

GYStringRef gy_describe_loop(const void *object) {
    GYRunLoopRef loop = (GYRunLoopRef)(uintptr_t)object;
    gy_text text = GY_TEXT_INIT;
    append_head(&text, loop);
    gy_text_append(&text, "\n    common items", 17);
    append_items(&text, common_items_of(loop));
    uint32_t cursor = 0;
    for (gy_mode *m; (m = mode_at(loop, &cursor)) != NULL;) append_mode(&text, loop, m);
    gy_text_append(&text, "\n}", 2);
    return gy_text_finish(&text);
}
