#include "wait/alarm.h"

#include "base/clock.h"
#include "wait/sys.h"

void gy_alarm_init(gy_alarm *alarm) { *alarm = (gy_alarm){.fd = -1, .armed_ns = GY_NEVER}; }

bool gy_alarm_prepare(gy_alarm *alarm) {
    if (alarm->fd < 0) alarm->fd = gy_sys_timerfd_create();
    return alarm->fd >= 0;
}

void gy_alarm_end(gy_alarm *alarm) {
    gy_sys_close(alarm->fd);
    gy_alarm_init(alarm);
}

bool gy_alarm_arm(gy_alarm *alarm, int64_t deadline_ns, int64_t now_ns) {
    if (deadline_ns == GY_NEVER) return true;
    if (alarm->fd < 0 || alarm->is_broken) return false;
    if (alarm->armed_ns <= now_ns) alarm->armed_ns = GY_NEVER; /* expired meanwhile */
    if (alarm->armed_ns <= deadline_ns) return true;
    if (gy_sys_timerfd_set(alarm->fd, deadline_ns) < 0) {
        alarm->is_broken = true;
        return false;
    }
    alarm->armed_ns = deadline_ns;
    return true;
}
