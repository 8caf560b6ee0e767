/* The rules that timers and observers have in common as tenants of a loop.
 *
 * Owns nothing but the rules. Threads: any; the lock as told. A context's release may be called: no
 * lock held where that is possible. */
#ifndef GYRE_LOOP_TENANTS_H
#define GYRE_LOOP_TENANTS_H

#include "items/item.h"
#include "loop/loop.h"

enum gy_add_result { GY_ADDED, GY_ADD_FAILED, GY_ADD_OTHER_LOOP, GY_ADD_DEAD_LOOP };

/* Records a common item, with a reference; false with errno. The lock. */
bool gy_tenant_make_common(gy_set *common, gy_item *item);
/* The opposite; counts the reference in *references if there was one. The lock. */
void gy_tenant_forget_common(gy_set *common, gy_item *item, uint32_t *references);
void gy_tenant_release(gy_item *item, uint32_t references);

/* R161: once, at invalidation or else at destruction. The parts are for finalisers, which give the
 * memory back between them. */
void gy_tenant_release_info(gy_item *item, void (*release)(const void *));
void *gy_tenant_take_info(gy_item *item);
void gy_tenant_give_info(void *info, void (*release)(const void *));

#endif
