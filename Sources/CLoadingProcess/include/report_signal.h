#ifndef ULS_PROCESS_REPORT_SIGNAL_H
#define ULS_PROCESS_REPORT_SIGNAL_H
#include <stdint.h>
#include <sys/types.h>

/// The number of the signal that asks a process with this library to report the sessions, tasks and other objects that its URL loading holds:
/// SIGRTMIN + 9.
int uls_report_signal(void);

/// Installs a handler for the signal, unless the program already handles or ignores it. Returns an event descriptor (eventfd(2)) that becomes
/// readable after each signal and stays open for the life of the process; -1 with errno, EBUSY if the signal is already in use.
int uls_report_signal_begin(void);

/// Returns the integer that the sender of the last signal attached (sigqueue(3)); 0 if the signal had none.
int32_t uls_report_signal_value(void);

/// Sends the signal with an attached integer to a process. Returns 0, or -1 with errno.
int uls_report_signal_send(pid_t process, int32_t value);

#endif
