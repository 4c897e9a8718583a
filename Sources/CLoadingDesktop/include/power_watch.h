#ifndef ULS_DESKTOP_POWER_WATCH_H
#define ULS_DESKTOP_POWER_WATCH_H

/// What UPower says: 1 if the machine runs on a battery (that of an uninterruptible supply included), 0 if not, -1 where it doesn't run.
/// Waits for the answer, at most about a second.
int uls_power_on_battery(void);

#endif
