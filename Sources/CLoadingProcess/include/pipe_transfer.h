#ifndef ULS_PROCESS_PIPE_TRANSFER_H
#define ULS_PROCESS_PIPE_TRANSFER_H

#include <stddef.h>
#include <sys/types.h>

/// Makes a pipe (pipe(2)) that holds `capacity` bytes. `ends[0]` is for reading, `ends[1]` for writing. Returns 0, or -1 with errno; it also fails if
/// `capacity` exceeds what the system allows the user to have in pipes.
int uls_pipe_open(int ends[2], size_t capacity);

/// Returns the number of unread bytes in a socket's receive buffer (ioctl FIONREAD), or -1 with errno.
int uls_socket_waiting(int socket);

/// Moves at most `count` bytes from a socket into a pipe without waiting (splice(2)). Returns the number of bytes, 0 at the end of the stream, or -1
/// with errno: EAGAIN if nothing has been received. No other thread may drain the pipe at the same time, because the kernel may hold the pipe's lock
/// during the drain's disk access and this call would wait for it.
ssize_t uls_pipe_fill(int socket, int pipe, size_t count);

/// Moves at most `count` bytes from a pipe to the current position of a file, waiting for the disk. Returns the number of bytes, or -1 with errno.
ssize_t uls_pipe_drain(int pipe, int file, size_t count);

#endif
