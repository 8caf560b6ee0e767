/* One absolute deadline in the kernel, armed lazily.
 *
 * Owns: the timerfd, watched edge-triggered and never read. It is touched only when the deadline
 * asked for is earlier than the one armed; a deadline that was put off costs one wait that ends for
 * nothing. Threads: arm by the loop's own thread; prepare under the loop's lock. */
#ifndef GYRE_WAIT_ALARM_H
#define GYRE_WAIT_ALARM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gy_alarm {
    int fd;           /* -1 until made */
    bool is_broken;   /* the kernel refused to arm it: the caller waits with a time-out */
    int64_t armed_ns; /* when it expires next; GY_NEVER when it is not armed */
} gy_alarm;

void gy_alarm_init(gy_alarm *alarm);
bool gy_alarm_prepare(gy_alarm *alarm);
void gy_alarm_end(gy_alarm *alarm);

/* Makes the alarm expire at `deadline_ns` at the latest. False: it cannot; wait with a time-out. */
bool gy_alarm_arm(gy_alarm *alarm, int64_t deadline_ns, int64_t now_ns);

#endif
