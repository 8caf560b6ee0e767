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

void *gy_tenant_take_info(gy_item *item) {
    return atomic_exchange_explicit(&item->info, NULL, memory_order_acq_rel);
}

void gy_tenant_give_info(void *info, void (*release)(const void *)) {
    if (info != NULL && release != NULL) gy_callout_release(release, info);
}

void gy_tenant_release_info(gy_item *item, void (*release)(const void *)) {
    gy_tenant_give_info(gy_tenant_take_info(item), release);
}
