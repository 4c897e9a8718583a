#ifndef LOADING_TRACING_H
#define LOADING_TRACING_H

#include <stddef.h>
#include <sys/types.h>

// What Swift can't call by itself when a process is stopped and read: ptrace(2), whose arguments vary, and a few structures that Glibc's
// module hides. The functions return 0, or the number of the error that occurred, unless they say otherwise.
//
// A thread that is traced obeys the thread that has begun to trace it alone: all calls come from one thread.

/// Begins to trace a thread without stopping it.
int loading_leaks_seize(pid_t thread);

/// Asks a traced thread to stop; it has stopped when waitpid(2) says so.
int loading_leaks_interrupt(pid_t thread);

/// Lets a stopped thread run on, untraced; `signal` is delivered to it if it isn't 0.
int loading_leaks_detach(pid_t thread, int signal);

/// Returns when a traced thread has stopped: 0 and the signal that it was about to receive, or 0 in `signal` if it stopped because it was
/// asked to. ESRCH if it has ended.
int loading_leaks_await_stop(pid_t thread, int *signal);

/// The sets of registers that a stopped thread has.
enum { LOADING_LEAKS_GENERAL_REGISTERS = 1, LOADING_LEAKS_VECTOR_REGISTERS = 2 };

/// Copies a set of registers. Returns how many bytes were copied; -1 if none.
ssize_t loading_leaks_registers(pid_t thread, int set, void *bytes, size_t size);

/// The process at the other end of a local socket; -1 if the system doesn't tell.
pid_t loading_leaks_peer(int socket);

/// From now on each of these signals, of which there are at most 16, writes its number as a byte to `descriptor` and has no other effect.
/// The calling thread doesn't block them any more. One user at a time.
int loading_leaks_forward_signals(const int *signals, size_t count, int descriptor);

/// Gives the signals their earlier effects back.
void loading_leaks_stop_forwarding(void);

#endif
