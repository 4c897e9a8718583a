#ifndef ULS_PROCESS_REPORT_SIGNAL_H
#define ULS_PROCESS_REPORT_SIGNAL_H
#include <stdint.h>
#include <sys/types.h>

/// The signal by which a process that uses this library is asked to tell what its loading holds: SIGRTMIN + 9.
int uls_report_signal(void);

/// Has the signal counted from now on, unless the program handles or ignores it already.
/// Returns an event descriptor that can be read after each signal, for the life of the process; -1 with errno, EBUSY if the signal is in use.
int uls_report_signal_begin(void);

/// The number that came with the last signal; 0 if it came without one.
int32_t uls_report_signal_value(void);

/// Sends the signal with a number. 0, or -1 with errno.
int uls_report_signal_send(pid_t process, int32_t value);

#endif
