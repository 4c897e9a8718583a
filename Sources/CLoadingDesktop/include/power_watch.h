#ifndef ULS_DESKTOP_POWER_WATCH_H
#define ULS_DESKTOP_POWER_WATCH_H

/// Asks UPower for the power supply: 1 if the machine runs on a battery (including that of an uninterruptible supply), 0 if not, -1 if UPower doesn't
/// run. Waits at most about a second for the answer.
int uls_power_on_battery(void);

#endif
