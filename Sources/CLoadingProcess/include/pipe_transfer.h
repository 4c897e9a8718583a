#ifndef ULS_PROCESS_PIPE_TRANSFER_H
#define ULS_PROCESS_PIPE_TRANSFER_H

#include <stddef.h>
#include <sys/types.h>

/// Makes a pipe (pipe(2)) that holds `capacity` bytes. `ends[0]` is read from, `ends[1]` written to. Returns 0, or -1 with errno: also where
/// the user may not have as much in pipes.
int uls_pipe_open(int ends[2], size_t capacity);

/// How many bytes wait in a socket's receive buffer (ioctl FIONREAD), or -1 with errno.
int uls_socket_waiting(int socket);

/// Moves at most `count` bytes from a socket into a pipe without waiting (splice(2)). Returns how many, 0 at the end, or -1 with errno:
/// EAGAIN if nothing has come. The pipe must not be drained meanwhile: that may hold a lock for as long as the disk takes.
ssize_t uls_pipe_fill(int socket, int pipe, size_t count);

/// Moves at most `count` bytes from a pipe into a file, at its position; waits for the disk. Returns how many, or -1 with errno.
ssize_t uls_pipe_drain(int pipe, int file, size_t count);

#endif
