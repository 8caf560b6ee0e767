#include "sources/message_place.h"

#include "loop/sources.h"

#include <stdlib.h>

void gy_place_join_all(gy_mailbox *mailbox, GYRunLoopSourceRef source) {
    uint32_t count;
    gy_place *places = gy_mailbox_copy_places(mailbox, &count);
    for (uint32_t i = 0; i < count; i++) {
        gy_source_add(places[i].loop, source, places[i].mode);
        if (!gy_mailbox_has_place(mailbox, places[i]))
            gy_source_remove(places[i].loop, source, places[i].mode);
        gy_place_release(places[i]);
    }
    free(places);
}
