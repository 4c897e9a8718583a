#ifndef LOADING_TRACING_H
#define LOADING_TRACING_H

#include <stddef.h>
#include <sys/types.h>

// Functions to stop another process and read its registers, for code that Swift can't express: ptrace(2) has variable arguments, and Glibc's module
// lacks some structures. They return 0, or the errno of the failure, unless stated otherwise.
//
// The kernel lets only the thread that has begun to trace a thread control it, so all calls have to come from one thread.

/// Begins to trace a thread without stopping it (PTRACE_SEIZE).
int loading_leaks_seize(pid_t thread);

/// Asks a traced thread to stop (PTRACE_INTERRUPT). It has stopped when loading_leaks_await_stop returns.
int loading_leaks_interrupt(pid_t thread);

/// Ends the tracing of a stopped thread, which continues to run. `signal` is delivered to it unless it is 0.
int loading_leaks_detach(pid_t thread, int signal);

/// Waits until a traced thread has stopped. Sets `signal` to the signal that was about to be delivered to the thread, or to 0 if the thread stopped
/// because it was asked to. Returns 0, or ESRCH if the thread has ended.
int loading_leaks_await_stop(pid_t thread, int *signal);

/// The register sets of a stopped thread that can be read.
enum { LOADING_LEAKS_GENERAL_REGISTERS = 1, LOADING_LEAKS_VECTOR_REGISTERS = 2 };

/// Copies a register set of a stopped thread to `bytes`. Returns the number of bytes copied, or -1 on failure.
ssize_t loading_leaks_registers(pid_t thread, int set, void *bytes, size_t size);

/// The process ID of the peer of a connected local socket; -1 if the system doesn't know it.
pid_t loading_leaks_peer(int socket);

/// Makes each of these signals, at most 16, write its number as a byte to `descriptor` instead of its earlier action. Unblocks them in the calling
/// thread. The forwarding is global: it can be used once at a time.
int loading_leaks_forward_signals(const int *signals, size_t count, int descriptor);

/// Restores the actions that the signals had before loading_leaks_forward_signals.
void loading_leaks_stop_forwarding(void);

#endif
