#include "loop/tenants.h"

#include "loop/callout.h"

bool gy_tenant_make_common(gy_set *common, gy_item *item) {
    if (!gy_set_insert(common, item, gy_pointer_hash(item))) return false;
    gy_retain(item);
    gy_item_set(item, GY_ITEM_COMMON);
    return true;
}

void gy_tenant_forget_common(gy_set *common, gy_item *item, uint32_t *references) {
    if (!gy_set_remove(common, item, gy_pointer_hash(item))) return;
    gy_item_clear(item, GY_ITEM_COMMON);
    ++*references;
}

void gy_tenant_release(gy_item *item, uint32_t references) {
    while (references-- > 0) gy_release(item);
}

static void release_now(gy_item *item, void (*release)(const void *)) {
    void *info = atomic_exchange_explicit(&item->info, NULL, memory_order_acq_rel);
    if (info != NULL && release != NULL) gy_callout_release(release, info);
}

/* True if the loop has taken the release over. */
static bool leave_to_loop(gy_item *item) {
    uint32_t flags = gy_item_flags_now(item);
    while ((flags & GY_ITEM_BUSY) != 0 && (flags & GY_ITEM_HELD) == 0) {
        if (atomic_compare_exchange_weak_explicit(&item->flags, &flags, flags | GY_ITEM_OWED,
                                                  memory_order_seq_cst, memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

void gy_tenant_release_info(gy_item *item, void (*release)(const void *)) {
    if (!gy_callout_is_mine(item) && leave_to_loop(item)) return;
    release_now(item, release);
}

bool gy_tenant_end_call(gy_item *item) {
    const uint32_t over = GY_ITEM_BUSY | GY_ITEM_HELD | GY_ITEM_DATE_SET;
    uint32_t flags = gy_item_flags_now(item);
    do {
        if ((flags & GY_ITEM_OWED) != 0) return false;
    } while (!atomic_compare_exchange_weak_explicit(&item->flags, &flags, flags & ~over,
                                                    memory_order_seq_cst, memory_order_acquire));
    if ((flags & GY_ITEM_WAITED_FOR) != 0) gy_callout_announce();
    return true;
}

void gy_tenant_release_owed(gy_item *item, void (*release)(const void *)) {
    release_now(item, release);
    gy_item_clear(item, GY_ITEM_OWED);
}

static bool is_idle(const void *item) {
    uint32_t flags = atomic_load_explicit(&((gy_item *)(uintptr_t)item)->flags, memory_order_seq_cst);
    return (flags & GY_ITEM_BUSY) == 0;
}

void gy_tenant_wait(gy_item *item) {
    if (gy_callout_is_mine(item)) return;
    gy_item_set(item, GY_ITEM_WAITED_FOR);
    gy_callout_wait(is_idle, item);
}
